// An append-only JSON writer: commas and quotes are its business, bytes go straight to one string. Strings are escaped
// canonically: only the quote, the backslash and controls below U+0020; everything else stays as it is.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::json {

void append_string(std::string& out, std::string_view valid_utf8);   // with quotes
void append_escaped(std::string& out, std::string_view valid_utf8);  // without quotes

// An integer of another type than the one numbers are written as; without these, `int` would fit double and bool as well.
template <class T>
concept OtherInteger = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, std::int64_t>;

class Writer {
 public:
  Writer() = default;

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& string(std::string_view valid_utf8);
  Writer& number(std::int64_t value);
  Writer& number(std::uint64_t value);
  Writer& number(double value);  // shortest form that reads back; not finite becomes null
  template <OtherInteger T>
  Writer& number(T value) {
    if constexpr (std::signed_integral<T>) return number(static_cast<std::int64_t>(value));
    else return number(static_cast<std::uint64_t>(value));
  }
  Writer& boolean(bool value);
  Writer& null();
  Writer& raw(std::string_view json);  // spliced as it is

  // Whole members. `optional_member` leaves empty text out.
  Writer& member(std::string_view name, std::string_view value) { return key(name).string(value); }
  Writer& member(std::string_view name, const char* value) { return key(name).string(value); }
  Writer& member(std::string_view name, std::int64_t value) { return key(name).number(value); }
  Writer& member(std::string_view name, double value) { return key(name).number(value); }
  template <OtherInteger T>
  Writer& member(std::string_view name, T value) {
    return key(name).number(value);
  }
  Writer& member(std::string_view name, bool value) { return key(name).boolean(value); }
  Writer& optional_member(std::string_view name, std::string_view value);

  const std::string& text() const { return out_; }
  std::string take() {  // and starts anew
    need_comma_ = false;
    return std::exchange(out_, {});
  }

 private:
  void separate();
  std::string out_;
  bool need_comma_ = false;
};

}  // namespace ladder::json
