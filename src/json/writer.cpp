#include "json/writer.h"

#include "json/byte_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace ladder::json {
namespace {

constexpr std::size_t kLongBytes = 1024 * 1024;
constexpr std::size_t kFirstBytes = 240;  // of a text, before it grows: a handle or a call fits
constexpr std::size_t kLongestEscape = 6;
constexpr std::size_t kBlockBytes = 1024;  // escaped at a time, into room for the worst
constexpr std::size_t kShortBytes = 256;   // most names and values; looked through before they are copied

bool stands_as_it_is(std::string_view text) {
  const char* const from = text.data();
  const char* const end = from + text.size();
  return bytes::find_escapable(from, end) == end;
}

// All three in one step: most of an answer is short texts between quotes.
inline void append_parts(std::string& out, std::string_view before, std::string_view text, std::string_view behind) {
  const std::size_t begin = out.size(), end = begin + before.size() + text.size() + behind.size();
  out.resize_and_overwrite(end, [&](char* to, std::size_t) {  // libstdc++ 12 tells the room there is, not what was asked for
    to += begin;
    to = std::copy_n(before.data(), before.size(), to);
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    std::copy_n(behind.data(), behind.size(), to + text.size());
    return end;
  });
}

// Where the next byte goes.
char* put_escape(char* to, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto put_short = [&](char letter) {
    *to++ = '\\';
    *to++ = letter;
    return to;
  };
  switch (c) {
    case '"':
    case '\\':
      return put_short(c);
    case '\b':
      return put_short('b');
    case '\f':
      return put_short('f');
    case '\n':
      return put_short('n');
    case '\r':
      return put_short('r');
    case '\t':
      return put_short('t');
    default:
      break;
  }
  to = std::copy_n("\\u00", 4, to);
  *to++ = kHex[static_cast<unsigned char>(c) >> 4];
  *to++ = kHex[static_cast<unsigned char>(c) & 0xF];
  return to;
}

// Copies while it looks, eight bytes at a time; what is behind the end of the escaped text is written to as well.
char* put_escaped(char* to, std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  while (end - from >= bytes::kStep) {
    const std::uint64_t word = load_word(from);
    store_word(to, word);
    const std::uint64_t marks = bytes::mark_quote_or_backslash(word) | bytes::mark_control(word);
    const std::size_t plain = marks == 0 ? kWordBytes : first_marked_byte(marks);
    from += plain;
    to += plain;
    if (marks != 0) to = put_escape(to, *from++);
  }
  for (; from != end; ++from) {
    if (*from == '"' || *from == '\\' || bytes::is_control(*from)) to = put_escape(to, *from);
    else *to++ = *from;
  }
  return to;
}

template <class T>
void append_number(std::string& out, T value) {
  char digits[32];  // 20 for a 64-bit integer, 24 for a double
  const auto done = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, done.ptr);
}

}  // namespace

void append_string(std::string& out, std::string_view valid_utf8) {
  if (valid_utf8.size() <= kShortBytes && stands_as_it_is(valid_utf8)) {
    return append_parts(out, "\"", valid_utf8, "\"");
  }
  // A long text would be held twice while the room for it doubles.
  if (valid_utf8.size() > kLongBytes) out.reserve(out.size() + valid_utf8.size() + valid_utf8.size() / 16);
  out += '"';
  append_escaped(out, valid_utf8);
  out += '"';
}

void append_escaped(std::string& out, std::string_view valid_utf8) {
  while (!valid_utf8.empty()) {
    const std::string_view block = valid_utf8.substr(0, kBlockBytes);
    const std::size_t begin = out.size();
    out.resize_and_overwrite(begin + block.size() * kLongestEscape + kWordBytes, [&](char* to, std::size_t) {
      return static_cast<std::size_t>(put_escaped(to + begin, block) - to);
    });
    valid_utf8.remove_prefix(block.size());
  }
}

void Writer::separate() {
  if (out_.empty()) out_.reserve(kFirstBytes);
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

Writer& Writer::begin_object() {
  separate();
  out_ += '{';
  need_comma_ = false;
  return *this;
}

Writer& Writer::end_object() {
  out_ += '}';
  need_comma_ = true;
  return *this;
}

Writer& Writer::begin_array() {
  separate();
  out_ += '[';
  need_comma_ = false;
  return *this;
}

Writer& Writer::end_array() {
  out_ += ']';
  need_comma_ = true;
  return *this;
}

Writer& Writer::key(std::string_view name) {
  if (stands_as_it_is(name)) {
    append_parts(out_, need_comma_ ? ",\"" : "\"", name, "\":");
  } else {
    separate();
    append_string(out_, name);
    out_ += ':';
  }
  need_comma_ = false;
  return *this;
}

Writer& Writer::string(std::string_view valid_utf8) {
  separate();
  append_string(out_, valid_utf8);
  return *this;
}

Writer& Writer::number(std::int64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::number(std::uint64_t value) {
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  separate();
  append_number(out_, value);
  return *this;
}

Writer& Writer::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

Writer& Writer::null() {
  separate();
  out_ += "null";
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

Writer& Writer::optional_member(std::string_view name, std::string_view value) {
  return value.empty() ? *this : member(name, value);
}

}  // namespace ladder::json
