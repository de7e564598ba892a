#include "json/writer.h"

#include "json/byte_runs.h"

#include <charconv>
#include <cmath>

namespace ladder::json {
namespace {

constexpr std::size_t kLongBytes = 1024 * 1024;

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[static_cast<unsigned char>(c) & 0xF];
}

template <class T>
void append_number(std::string& out, T value) {
  char digits[32];  // 20 for a 64-bit integer, 24 for a double
  const auto done = std::to_chars(digits, digits + sizeof digits, value);
  out.append(digits, done.ptr);
}

}  // namespace

void append_string(std::string& out, std::string_view valid_utf8) {
  // A long text would be held twice while the room for it doubles.
  if (valid_utf8.size() > kLongBytes) out.reserve(out.size() + valid_utf8.size() + valid_utf8.size() / 16);
  out += '"';
  append_escaped(out, valid_utf8);
  out += '"';
}

void append_escaped(std::string& out, std::string_view valid_utf8) {
  const char* const end = valid_utf8.data() + valid_utf8.size();
  const char* from = valid_utf8.data();
  for (;;) {
    const char* const special = bytes::find_escapable(from, end);
    out.append(from, special);
    if (special == end) return;
    append_escape(out, *special);
    from = special + 1;
  }
}

void Writer::separate() {
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
  separate();
  append_string(out_, name);
  out_ += ':';
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
