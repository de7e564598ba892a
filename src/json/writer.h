// An append-only JSON writer that adds commas and quotes and writes directly to one string. String escapes are
// canonical: only the quote, the backslash and control characters below U+0020; everything else is written unchanged.
#pragma once

#include "base/error/error.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace ladder::json {

void append_string(std::string& out, std::string_view valid_utf8);   // with quotes
void append_escaped(std::string& out, std::string_view valid_utf8);  // without quotes

// Integer types other than int64_t; without this, `int` would be ambiguous with double and bool.
template <class T>
concept OtherInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, std::int64_t>;

// A member name from a string literal. The compiler checks that it needs no escapes.
class Name {
 public:
  template <std::size_t N>
  consteval Name(const char (&literal)[N]) : text_(literal, N - 1) {
    for (const char c : text_) {
      if (c == '"' || c == '\\' || (c >= 0 && c < ' ')) throw "a name that has to be escaped";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// A name known only at run time.
template <class T>
concept NameText = std::convertible_to<const T&, std::string_view> && !std::is_array_v<T>;

class Writer {
 public:
  Writer() = default;

  Writer& begin_object() { return begin('{'); }
  Writer& end_object() { return end('}'); }
  Writer& begin_array() { return begin('['); }
  Writer& end_array() { return end(']'); }
  Writer& key(Name name) {  // inline, so that copying a name of known length takes an instruction or two
    const std::string_view text = name.text();
    char* to = separated(text.size() + 3);
    *to++ = '"';
    std::memcpy(to, text.data(), text.size());
    to += text.size();
    *to++ = '"';
    *to++ = ':';
    return ends_at(to, false);
  }
  template <NameText T>
  Writer& key(const T& name) {
    return text_key(name);
  }
  Writer& string(std::string_view valid_utf8);
  Writer& number(std::int64_t value);
  Writer& number(std::uint64_t value);
  Writer& number(double value);  // shortest form that reads back; infinity and NaN become null
  template <OtherInteger T>
  Writer& number(T value) {
    if constexpr (std::signed_integral<T>) return number(static_cast<std::int64_t>(value));
    else return number(static_cast<std::uint64_t>(value));
  }
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  Writer& null() { return raw("null"); }
  Writer& raw(std::string_view json);  // copied unchanged

  // Complete members. A range of values becomes an array. `optional_member` omits empty text and empty ranges.
  template <class Value>
  Writer& member(Name name, const Value& value) {
    return key(name).put(value);
  }
  template <NameText T, class Value>
  Writer& member(const T& name, const Value& value) {
    return text_key(name).put(value);
  }
  Writer& member(Name name, std::initializer_list<std::string_view> values) { return key(name).put(values); }
  template <class Value>
  Writer& optional_member(Name name, const Value& value) {
    return is_empty(value) ? *this : member(name, value);
  }
  template <NameText T, class Value>
  Writer& optional_member(const T& name, const Value& value) {
    return is_empty(value) ? *this : member(name, value);
  }

  std::string_view text() const { return {out_.data(), size_}; }
  std::string take();  // and resets the writer

 private:
  Writer& begin(char bracket) {
    char* to = separated(1);
    *to++ = bracket;
    return ends_at(to, false);
  }
  Writer& end(char bracket) {
    char* to = room(1);
    *to++ = bracket;
    return ends_at(to, true);
  }
  Writer& text_key(std::string_view name);
  template <class Value>
  static bool is_empty(const Value& value) {
    if constexpr (std::convertible_to<const Value&, std::string_view>) return std::string_view(value).empty();
    else return value.empty();
  }

  template <class Value>
  Writer& put(const Value& value) {
    if constexpr (std::same_as<Value, bool>) return boolean(value);
    else if constexpr (std::is_arithmetic_v<Value>) return number(value);
    else if constexpr (std::convertible_to<const Value&, std::string_view>) return string(value);
    else {
      begin_array();
      for (const auto& each : value) put(each);
      return end_array();
    }
  }

  // Returns the position for the next bytes, with room for `bytes` of them.
  char* room(std::size_t bytes) {
    if (size_ + bytes > out_.size()) grow(bytes);
    return out_.data() + size_;
  }
  // The same after a comma, if one is needed.
  char* separated(std::size_t bytes) {
    char* const to = room(bytes + 1);
    *to = ',';
    return to + (need_comma_ ? 1 : 0);
  }
  Writer& ends_at(const char* to, bool need_comma) {
    size_ = static_cast<std::size_t>(to - out_.data());
    need_comma_ = need_comma;
    return *this;
  }
  void grow(std::size_t bytes);
  template <class T>
  Writer& put_number(T value);
  char* put_text(char* to, std::string_view valid_utf8);

  std::string out_;       // the buffer
  std::size_t size_ = 0;  // bytes of it in use
  bool need_comma_ = false;
};

// Writes an error's details as members of the current object, the same in every interface.
void write_details(Writer& out, const ErrorDetails& details);

}  // namespace ladder::json
