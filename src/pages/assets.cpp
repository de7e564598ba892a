#include "pages/assets.h"

#include "base/text/format.h"
#include "crypto/hash.h"

// The bytes of a file between two symbols.
#define LADDER_ASSET(symbol, file)                                                                                        \
  __asm__(".section .rodata\n.balign 16\n.globl " #symbol "_begin\n" #symbol "_begin:\n.incbin \"" LADDER_ASSETS "/" file \
          "\"\n"                                                                                                          \
          ".globl " #symbol "_end\n" #symbol "_end:\n.byte 0\n.previous\n");                                              \
  extern "C" {                                                                                                            \
  extern const char symbol##_begin[];                                                                                     \
  extern const char symbol##_end[];                                                                                       \
  }

LADDER_ASSET(ladder_asset_style, "ladder.css")
LADDER_ASSET(ladder_asset_script, "ladder.js")

namespace ladder::pages {
namespace {

std::string_view style() { return {ladder_asset_style_begin, ladder_asset_style_end}; }
std::string_view script() { return {ladder_asset_script_begin, ladder_asset_script_end}; }

std::string named(std::string_view bytes, std::string_view ending) {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kPrefix = "sha256:";
  return format("ladder-{}.{}", crypto::digest_text(crypto::sha256(bytes)).substr(kPrefix.size(), kDigits), ending);
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

std::optional<http::Response> asset(std::string_view name) {
  http::Response response;
  if (name == style_name()) {
    response.body = style();
    response.headers.set("Content-Type", "text/css; charset=utf-8");
  } else if (name == script_name()) {
    response.body = script();
    response.headers.set("Content-Type", "text/javascript; charset=utf-8");
  } else {
    return std::nullopt;
  }
  response.headers.set("Cache-Control", "public, max-age=31536000, immutable");
  response.headers.set("X-Content-Type-Options", "nosniff");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

}  // namespace ladder::pages
