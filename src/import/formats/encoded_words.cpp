#include "import/formats/encoded_words.h"

#include "base/base64.h"
#include "base/format.h"
#include "import/loose_base64.h"
#include "import/text.h"

#include <algorithm>
#include <optional>

namespace ladder::imports::mail {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kMaxWordBytes = 1024;  // 75 by the standard; the end of one is sought no further

struct Word {
  std::string_view charset, text;
  bool is_base64 = false;
  std::size_t end = 0;  // behind it
};

// "=?UTF-8?B?w6k=?=" at that place.
std::optional<Word> word_at(std::string_view header, std::size_t at) {
  const std::string_view here = header.substr(at, kMaxWordBytes);
  const std::size_t encoding = here.find('?', 2);
  if (!here.starts_with("=?") || encoding == std::string_view::npos || encoding == 2) return std::nullopt;
  if (here.size() < encoding + 3 || here[encoding + 2] != '?') return std::nullopt;
  const std::size_t text = encoding + 3, end = here.find("?=", text);
  const char kind = here[encoding + 1];
  const bool is_base64 = kind == 'B' || kind == 'b';
  if (end == std::string_view::npos || (!is_base64 && kind != 'Q' && kind != 'q')) return std::nullopt;
  if (here.substr(0, end).find_first_of(kBlank) != std::string_view::npos) return std::nullopt;
  return Word{here.substr(2, encoding - 2), here.substr(text, end - text), is_base64, at + end + 2};
}

int hexadecimal(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string bytes_of(const Word& word) {
  std::string out;
  if (word.is_base64) {
    LooseBase64 base64;
    out.resize(LooseBase64::most(word.text.size()));
    std::size_t filled = base64.decode(word.text, out.data());
    filled += base64.finish(out.data() + filled);
    out.resize(filled);
    return out;
  }
  for (std::size_t i = 0; i < word.text.size(); ++i) {
    const char c = word.text[i];
    const bool escaped =
        c == '=' && i + 2 < word.text.size() && hexadecimal(word.text[i + 1]) >= 0 && hexadecimal(word.text[i + 2]) >= 0;
    if (escaped) {
      out += static_cast<char>(hexadecimal(word.text[i + 1]) * 16 + hexadecimal(word.text[i + 2]));
      i += 2;
    } else {
      out += c == '_' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string join_encoded_words(std::string_view header) {
  std::string out;
  for (std::size_t at = 0; at < header.size();) {
    const auto first = word_at(header, at);
    if (!first) {
      const std::size_t next = std::min(header.find("=?", at + 1), header.size());
      out += header.substr(at, next - at);
      at = next;
      continue;
    }
    std::string bytes = bytes_of(*first);
    std::size_t end = first->end;
    for (;;) {
      const std::size_t next = header.find_first_not_of(kBlank, end);
      const auto word = next == std::string_view::npos ? std::nullopt : word_at(header, next);
      if (!word || lower_ascii(word->charset) != lower_ascii(first->charset)) break;
      bytes += bytes_of(*word);
      end = word->end;
    }
    const bool is_one = end == first->end;
    out += is_one ? std::string(header.substr(at, end - at)) : format("=?{}?B?{}?=", first->charset, base64::encode(bytes));
    at = end;
  }
  return out;
}

}  // namespace ladder::imports::mail
