#include "sync/imap/mailbox_name.h"

#include "base/text/base64.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ladder::sync::imap {
namespace {

// Modified base64 has no padding.
std::optional<std::string> decode_shifted(std::string_view shifted) {
  std::string plain(shifted);
  std::ranges::replace(plain, ',', '/');
  while (plain.size() % 4 != 0) plain += '=';
  const auto bytes = base64::decode(plain);
  if (!bytes || bytes->size() % 2 != 0) return std::nullopt;
  std::string text;
  for (std::size_t at = 0; at < bytes->size(); at += 2) {
    const auto unit = [&](std::size_t i) {
      return static_cast<char32_t>(static_cast<unsigned char>((*bytes)[i]) << 8 | static_cast<unsigned char>((*bytes)[i + 1]));
    };
    char32_t code_point = unit(at);
    const bool is_high = code_point >= 0xD800 && code_point < 0xDC00;
    if (is_high && at + 2 < bytes->size() && unit(at + 2) >= 0xDC00 && unit(at + 2) < 0xE000) {
      code_point = 0x10000 + ((code_point - 0xD800) << 10) + (unit(at + 2) - 0xDC00);
      at += 2;
    }
    utf8::append(text, code_point);
  }
  return text;
}

std::string shifted(std::u32string_view code_points) {
  std::string bytes;
  const auto put = [&](char32_t unit) {
    bytes += static_cast<char>(unit >> 8);
    bytes += static_cast<char>(unit & 0xFF);
  };
  for (const char32_t code_point : code_points) {
    if (code_point < 0x10000) {
      put(code_point);
      continue;
    }
    put(0xD800 + ((code_point - 0x10000) >> 10));
    put(0xDC00 + ((code_point - 0x10000) & 0x3FF));
  }
  std::string text = base64::encode(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '/', ',');
  return "&" + text + "-";
}

std::string with_valid_text(std::string_view bytes) {
  std::string text(bytes);
  for (std::size_t bad = utf8::find_invalid(text); bad != std::string::npos; bad = utf8::find_invalid(text)) text[bad] = '?';
  return text;
}

}  // namespace

std::string decode_mailbox_name(std::string_view encoded) {
  std::string text;
  for (std::size_t at = 0; at < encoded.size(); ++at) {
    if (encoded[at] != '&') {
      text += encoded[at];
      continue;
    }
    const std::size_t end = encoded.find('-', at);
    if (end == std::string_view::npos) return with_valid_text(encoded);
    if (end == at + 1) {
      text += '&';
    } else {
      const auto decoded = decode_shifted(encoded.substr(at + 1, end - at - 1));
      if (!decoded) return with_valid_text(encoded);
      text += *decoded;
    }
    at = end;
  }
  return with_valid_text(text);
}

std::string encode_mailbox_name(std::string_view utf8_name) {
  std::string text;
  std::u32string run;
  const auto end_run = [&] {
    if (!run.empty()) text += shifted(run);
    run.clear();
  };
  for (const char32_t code_point : utf8::decode(utf8_name)) {
    if (code_point < 0x20 || code_point > 0x7E) {
      run += code_point;
      continue;
    }
    end_run();
    text += static_cast<char>(code_point);
    if (code_point == '&') text += '-';
  }
  end_run();
  return text;
}

}  // namespace ladder::sync::imap
