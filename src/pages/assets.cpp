#include "pages/assets.h"

#include "base/embed.h"
#include "base/text/format.h"
#include "crypto/hash.h"

#include <algorithm>

LADDER_EMBED(ladder_asset_style, LADDER_ASSETS "/ladder.css")
LADDER_EMBED(ladder_asset_script, LADDER_ASSETS "/ladder.js")
LADDER_EMBED(ladder_packed_style, LADDER_PACKED_ASSETS "/ladder.css.gz")
LADDER_EMBED(ladder_packed_script, LADDER_PACKED_ASSETS "/ladder.js.gz")

namespace ladder::pages {
namespace {

std::string_view style() { return {ladder_asset_style_begin, ladder_asset_style_end}; }
std::string_view script() { return {ladder_asset_script_begin, ladder_asset_script_end}; }
std::string_view packed_style() { return {ladder_packed_style_begin, ladder_packed_style_end}; }
std::string_view packed_script() { return {ladder_packed_script_begin, ladder_packed_script_end}; }

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

}  // namespace

const std::string& style_name() {
  static const std::string name = named(style(), "css");
  return name;
}

const std::string& script_name() {
  static const std::string name = named(script(), "js");
  return name;
}

std::optional<http::Response> asset(std::string_view name, std::string_view accepted_encodings) {
  http::Response response;
  const bool packed = takes_gzip(accepted_encodings);
  if (name == style_name()) {
    response.body = packed ? packed_style() : style();
    response.headers.set("Content-Type", "text/css; charset=utf-8");
  } else if (name == script_name()) {
    response.body = packed ? packed_script() : script();
    response.headers.set("Content-Type", "text/javascript; charset=utf-8");
  } else {
    return std::nullopt;
  }
  if (packed) response.headers.set("Content-Encoding", "gzip");
  response.headers.set("Vary", "Accept-Encoding");
  response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

}  // namespace ladder::pages
