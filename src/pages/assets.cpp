#include "pages/assets.h"

#include "base/embedded_file.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "json/writer.h"

#include <algorithm>
#include <array>

LADDER_EMBED(ladder_asset_style, LADDER_ASSETS "/ladder.css")
LADDER_EMBED(ladder_asset_script, LADDER_ASSETS "/ladder.js")
LADDER_EMBED(ladder_packed_style, LADDER_PACKED_ASSETS "/ladder.css.gz")
LADDER_EMBED(ladder_packed_script, LADDER_PACKED_ASSETS "/ladder.js.gz")
LADDER_EMBED(ladder_icon, LADDER_ASSETS "/icon.svg")
LADDER_EMBED(ladder_icon_192, LADDER_ASSETS "/icon-192.png")
LADDER_EMBED(ladder_icon_512, LADDER_ASSETS "/icon-512.png")
LADDER_EMBED(ladder_icon_maskable, LADDER_ASSETS "/icon-maskable-512.png")
LADDER_EMBED(ladder_icon_touch, LADDER_ASSETS "/icon-touch-180.png")

namespace ladder::pages {
namespace {

std::string named(std::string_view bytes, std::string_view ending) {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kPrefix = "sha256:";
  return format("ladder-{}.{}", crypto::digest_text(crypto::sha256(bytes)).substr(kPrefix.size(), kDigits), ending);
}

// RFC 9110, 12.5.3: gzip is listed with a nonzero weight.
bool takes_gzip(std::string_view accepted) {
  while (!accepted.empty()) {
    const std::size_t end = std::min(accepted.find(','), accepted.size());
    const std::string_view one = http::trimmed(accepted.substr(0, end));
    accepted.remove_prefix(std::min(end + 1, accepted.size()));
    const std::size_t semicolon = std::min(one.find(';'), one.size());
    if (http::trimmed(one.substr(0, semicolon)) != "gzip") continue;
    const std::string_view weight = http::trimmed(one.substr(std::min(semicolon + 1, one.size())));
    return !weight.starts_with("q=0") || weight.find_first_of("123456789") != std::string_view::npos;
  }
  return false;
}

// A file of the pages. Small files that are compressed already have no packed form.
struct Asset {
  std::string name;
  std::string_view content, packed, type;

  Asset(const char* begin, const char* end, std::string_view with_packed, std::string_view ending, std::string_view with_type)
      : name(named({begin, end}, ending)), content(begin, end), packed(with_packed), type(with_type) {}
};

enum : std::size_t { kStyle, kScript, kIcon, kIcon192, kIcon512, kIconMaskable, kIconTouch };

const std::array<Asset, 7>& assets() {
  static const std::array<Asset, 7> all = {{{ladder_asset_style_begin,
                                             ladder_asset_style_end,
                                             {ladder_packed_style_begin, ladder_packed_style_end},
                                             "css",
                                             "text/css; charset=utf-8"},
                                            {ladder_asset_script_begin,
                                             ladder_asset_script_end,
                                             {ladder_packed_script_begin, ladder_packed_script_end},
                                             "js",
                                             "text/javascript; charset=utf-8"},
                                            {ladder_icon_begin, ladder_icon_end, "", "svg", "image/svg+xml"},
                                            {ladder_icon_192_begin, ladder_icon_192_end, "", "png", "image/png"},
                                            {ladder_icon_512_begin, ladder_icon_512_end, "", "png", "image/png"},
                                            {ladder_icon_maskable_begin, ladder_icon_maskable_end, "", "png", "image/png"},
                                            {ladder_icon_touch_begin, ladder_icon_touch_end, "", "png", "image/png"}}};
  return all;
}

}  // namespace

const std::string& style_name() { return assets()[kStyle].name; }
const std::string& script_name() { return assets()[kScript].name; }
const std::string& icon_name() { return assets()[kIcon].name; }
const std::string& touch_icon_name() { return assets()[kIconTouch].name; }

std::optional<http::Response> asset(std::string_view name, std::string_view accepted_encodings) {
  const auto found = std::ranges::find(assets(), name, &Asset::name);
  if (found == assets().end()) return std::nullopt;
  http::Response response;
  const bool packed = !found->packed.empty() && takes_gzip(accepted_encodings);
  response.body = packed ? found->packed : found->content;
  response.headers.set("Content-Type", std::string(found->type));
  if (packed) response.headers.set("Content-Encoding", "gzip");
  response.headers.set("Vary", "Accept-Encoding");
  response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  // An icon that is opened as a page runs nothing.
  response.headers.set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  return response;
}

// It names no owner, because browsers fetch it without the cookie.
http::Response manifest() {
  json::Writer out;
  const auto icon = [&](std::size_t which, std::string_view sizes, std::string_view purpose) {
    out.begin_object().member("src", "/assets/" + assets()[which].name).member("sizes", sizes);
    out.member("type", assets()[which].type).member("purpose", purpose).end_object();
  };
  out.begin_object().member("id", "/").member("name", "Ladder").member("short_name", "Ladder").member("start_url", "/");
  out.member("scope", "/").member("display", "standalone").member("background_color", "#17191e").member("theme_color", "#17191e");
  out.member("description", "Your data, and what apps can see of it.").key("icons").begin_array();
  icon(kIcon, "any", "any");
  icon(kIcon192, "192x192", "any");
  icon(kIcon512, "512x512", "any");
  icon(kIconMaskable, "512x512", "maskable");
  out.end_array().key("share_target").begin_object().member("action", kSharePath).member("method", "POST");
  out.member("enctype", "multipart/form-data").key("params").begin_object().key("files").begin_array().begin_object();
  out.member("name", "files").key("accept").begin_array().string("*/*").end_array();
  out.end_object().end_array().end_object().end_object().end_object();
  http::Response response;
  response.status = 200;
  response.body = out.take();
  response.headers.set("Content-Type", "application/manifest+json");
  response.headers.set("Cache-Control", "no-cache");
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

}  // namespace ladder::pages
