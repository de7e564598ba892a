#include "import/formats/mail/encoded_words.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "import/charset/read_text.h"
#include "import/text/loose_base64.h"
#include "import/text/text.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ladder::imports::mail {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::size_t kMaxWordBytes = 1024;  // 75 in the standard; limits the search for the end of a word
constexpr std::size_t kMaxPieces = 1000;     // of one parameter

struct Word {
  std::string_view charset, text;
  bool is_base64 = false;
  std::size_t end = 0;  // the position after it
};

// Parses "=?UTF-8?B?w6k=?=" at `at`.
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

std::string read_bytes(std::string_view bytes, std::string_view named, HeaderCharset& charset) {
  ReadText read = read_text(bytes, named);
  if (!read.guessed.empty()) charset.guessed.insert(read.guessed);
  return std::move(read.text);
}

// Returns the position of the next encoded word, or the end of the header.
std::size_t next_word(std::string_view header, std::size_t at) {
  for (at = header.find("=?", at); at != std::string_view::npos; at = header.find("=?", at + 1)) {
    if (word_at(header, at)) return at;
  }
  return header.size();
}

// Decodes adjacent encoded words to UTF-8, starting at `at`. Words of one charset are decoded together, because a character may
// be split between two. Moves `at` past them.
std::string run_of_words(std::string_view header, std::size_t& at, HeaderCharset& charset) {
  std::string text;
  std::optional<Word> word = word_at(header, at);
  while (word) {
    const std::string named = lower_ascii(word->charset);
    std::string bytes;
    while (word && lower_ascii(word->charset) == named) {
      bytes += bytes_of(*word);
      at = word->end;
      const std::size_t next = header.find_first_not_of(kBlank, at);
      word = next == std::string_view::npos ? std::nullopt : word_at(header, next);
    }
    text += read_bytes(bytes, named, charset);
  }
  return text;
}

struct Piece {
  int number = 0;
  bool is_extended = false;  // percent-encoded
  std::string value;
};

// name*, name*0, name*12*: returns the piece number in that parameter.
std::optional<Piece> piece_named(std::string_view name, std::string_view lower_name) {
  if (lower_ascii(name.substr(0, lower_name.size())) != lower_name) return std::nullopt;
  name.remove_prefix(lower_name.size());
  if (!name.starts_with('*')) return std::nullopt;
  Piece piece;
  piece.is_extended = name.ends_with('*');
  if (name.size() == 1) return piece;
  name.remove_prefix(1);
  if (piece.is_extended) name.remove_suffix(1);
  const auto number = parse_number<decltype(piece.number)>(name);
  if (!number || *number < 0) return std::nullopt;
  piece.number = *number;
  return piece;
}

// Returns the value after "=", unquoted. Moves `at` past it.
std::string take_value(std::string_view header, std::size_t& at) {
  std::string value;
  if (at < header.size() && header[at] == '"') {
    for (++at; at < header.size() && header[at] != '"'; ++at) {
      if (header[at] == '\\' && at + 1 < header.size()) ++at;
      value += header[at];
    }
    at = std::min(at + 1, header.size());
    return value;
  }
  const std::size_t end = std::min(header.find_first_of("; \t\r\n", at), header.size());
  value = header.substr(at, end - at);
  at = end;
  return value;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '%' && i + 2 < text.size() && hexadecimal(text[i + 1]) >= 0 && hexadecimal(text[i + 2]) >= 0;
    if (escaped) {
      out += static_cast<char>(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<Piece> pieces_of(std::string_view header, std::string_view lower_name) {
  std::vector<Piece> pieces;
  for (std::size_t at = header.find(';'); at < header.size() && pieces.size() < kMaxPieces;) {
    at = header.find_first_not_of("; \t\r\n", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(header.find_first_of("=; \t\r\n", at), header.size());
    const std::string_view name = header.substr(at, end - at);
    at = header.find_first_not_of(kBlank, end);
    if (at == std::string_view::npos || header[at] != '=') {
      at = std::max(std::min(at, header.size()), end);
      continue;
    }
    at = std::min(header.find_first_not_of(kBlank, at + 1), header.size());
    std::string value = take_value(header, at);
    if (std::optional<Piece> piece = piece_named(name, lower_name)) {
      piece->value = std::move(value);
      pieces.push_back(*std::move(piece));
    }
  }
  std::ranges::stable_sort(pieces, {}, &Piece::number);
  return pieces;
}

}  // namespace

std::string recode_words(std::string_view header, HeaderCharset& charset) {
  std::string out;
  for (std::size_t at = 0; at < header.size();) {
    const std::size_t next = next_word(header, at);
    if (next > at) {
      out += read_bytes(header.substr(at, next - at), charset.named, charset);
      at = next;
      continue;
    }
    const std::string text = run_of_words(header, at, charset);
    out += format("=?UTF-8?B?{}?=", base64::encode(text));
  }
  return out;
}

std::string extended_parameter(std::string_view header, std::string_view lower_name, HeaderCharset& charset) {
  std::string bytes, named;
  for (const Piece& piece : pieces_of(header, lower_name)) {
    std::string_view value = piece.value;
    if (piece.is_extended && piece.number == 0) {
      // charset'language'text
      const std::size_t first = value.find('\''), second = value.find('\'', first == std::string_view::npos ? first : first + 1);
      if (second != std::string_view::npos) {
        named = value.substr(0, first);
        value.remove_prefix(second + 1);
      }
    }
    bytes += piece.is_extended ? percent_decoded(value) : std::string(value);
  }
  return bytes.empty() ? bytes : read_bytes(bytes, named.empty() ? charset.named : named, charset);
}

}  // namespace ladder::imports::mail
