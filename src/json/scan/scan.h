// Reads JSON text in place, without building a tree; Ladder reads all records this way. `check` validates a text once;
// all other functions take checked text and return views into it, so that bytes can be stored and copied unchanged
// (design D20). Memory is proportional to the nesting depth, not to the length of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::json {

enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kObject, kArray, kReference };

// A value inside a larger text. For strings `text` includes the quotes. A kReference ("@42") is a reference to a long
// value in a stored record row; `check` rejects it in text from outside.
struct Value {
  Kind kind = Kind::kNull;
  std::string_view text;
};

struct Fault {
  std::size_t offset = 0;  // bytes from the start of the text
  bool invalid_utf8 = false;
  std::string_view what;  // static text, e.g. "a comma or } is missing"
};

struct TextStats {
  std::int64_t lone_surrogates = 0;  // \uD800–\uDFFF escapes without the other half; they decode to U+FFFD
  std::size_t depth = 0;             // deepest nesting; a scalar is 0
};

// One complete JSON value with optional white space around it: RFC 8259 grammar, valid UTF-8, nesting within max_depth.
std::expected<TextStats, Fault> check(std::string_view text, std::size_t max_depth);

// The functions below take checked text.

Value value_of(std::string_view checked);  // the value without the white space around it

// Iterates over the members of an object, in order. for (Members m(value.text); m.next();) use(m.raw_name(),
// m.value());
class Members {
 public:
  explicit Members(std::string_view object_text);
  bool next();
  std::string_view raw_name() const { return name_; }  // between the quotes, not decoded
  const Value& value() const { return value_; }
  std::size_t member_offset() const { return member_; }  // of the name's opening quote, from the start of the object's text

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t member_ = 0;
  std::string_view name_;
  Value value_;
};

// Iterates over the elements of an array, in order.
class Elements {
 public:
  explicit Elements(std::string_view array_text);
  bool next();
  const Value& value() const { return value_; }
  std::size_t element_offset() const { return element_; }  // from the start of the array's text

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t element_ = 0;
  Value value_;
};

bool name_equals(std::string_view raw_name, std::string_view decoded);
std::optional<Value> member(std::string_view object_text, std::string_view decoded_name);  // the first member with that name

// Decodes a string's raw content (between the quotes).
std::string decode_string(std::string_view raw);
inline std::string_view raw_content(const Value& string) { return string.text.substr(1, string.text.size() - 2); }

// Decodes a long string in pieces of complete code points. while (decoder.next(piece, 65536)) use(piece);
class StringDecoder {
 public:
  explicit StringDecoder(std::string_view raw) : raw_(raw) {}
  // Replaces `piece` by the next part, at most about max_bytes (never splitting a code point); returns false at the
  // end.
  bool next(std::string& piece, std::size_t max_bytes);

 private:
  std::string_view raw_;
  std::size_t at_ = 0;
};

// Skip functions over checked JSON text: each takes an offset and returns the offset after the skipped text. On
// unchecked text they stay in bounds but return meaningless offsets.
inline std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) ++at;
  return at;
}

// Skips one punctuation mark (if present) and the white space on both sides of it.
inline std::size_t skip_mark(std::string_view text, std::size_t at, char mark) {
  at = skip_space(text, at);
  return at < text.size() && text[at] == mark ? skip_space(text, at + 1) : at;
}

Kind kind_at(std::string_view text, std::size_t at);
std::size_t skip_string(std::string_view text, std::size_t at);  // `at` is the opening quote
std::size_t skip_value(std::string_view text, std::size_t at);   // `at` is the first byte of the value

// Parses one escape of a JSON string; shared by the checker, the decoder and the code point counter.
inline constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
inline constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }
inline constexpr bool is_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDFFF; }

struct Escape {
  char32_t code_point = 0;  // a surrogate if the other half is missing
  std::size_t length = 0;   // bytes of raw text, including both halves of a pair; 0 if invalid
};

// The escape whose backslash is at `at` (at < raw.size()).
Escape read_escape(std::string_view raw, std::size_t at);

// The number of code points of a string's raw content after decoding.
std::size_t decoded_length(std::string_view raw);

}  // namespace ladder::json
