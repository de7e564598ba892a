#include "store/index/order_key.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

namespace ladder::store {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// A number's decimal digits without leading zeros. `point` counts the digits before the decimal point; negative: zeros
// after it.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t whole_digits = 0;
};

Decimal read_decimal(std::string_view number) {
  Decimal decimal;
  bool behind_point = false;
  std::size_t at = 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    const char c = number[at];
    if (c == '-') {
      decimal.negative = true;
    } else if (c == '.') {
      behind_point = true;
    } else if (c == '0' && decimal.digits.empty()) {
      if (behind_point) --decimal.whole_digits;
    } else {
      decimal.digits += c;
      if (!behind_point) ++decimal.whole_digits;
    }
  }
  if (at == number.size()) return decimal;
  ++at;
  if (at < number.size() && number[at] == '+') ++at;
  // With an exponent of this size only the sign matters.
  constexpr std::int64_t kFar = 1'000'000'000'000;
  std::int64_t exponent = 0;
  const auto read = std::from_chars(number.data() + at, number.data() + number.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) exponent = number[at] == '-' ? -kFar : kFar;
  decimal.whole_digits += std::clamp(exponent, -kFar, kFar);
  return decimal;
}

// The value as a double; overflow becomes infinity, underflow zero.
double nearest_double(std::string_view number, const Decimal& decimal) {
  if (decimal.digits.empty()) return 0;
  double value = 0;
  const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const double extreme = decimal.whole_digits > 0 ? std::numeric_limits<double>::infinity() : 0;
  return decimal.negative ? -extreme : extreme;
}

// The integer part, up to 64 bits. It distinguishes integers that round to the same double.
std::uint64_t whole_part(const Decimal& decimal) {
  std::uint64_t whole = 0;
  for (std::int64_t i = 0; i < decimal.whole_digits; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::uint64_t digit = at < decimal.digits.size() ? static_cast<std::uint64_t>(decimal.digits[at] - '0') : 0;
    if (whole > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::numeric_limits<std::uint64_t>::max();
    whole = whole * 10 + digit;
    if (whole == 0) break;
  }
  return whole;
}

}  // namespace

void put_sorted_time(std::string& bytes, Instant time) { put_u64_be(bytes, static_cast<std::uint64_t>(time) ^ kSignBit); }

Instant get_sorted_time(std::string_view eight_bytes) { return static_cast<Instant>(get_u64_be(eight_bytes) ^ kSignBit); }

void put_sorted_number(std::string& bytes, std::string_view number) {
  const Decimal decimal = read_decimal(number);
  double value = nearest_double(number, decimal);
  if (value == 0) value = 0;  // there is only one zero
  const auto bits = std::bit_cast<std::uint64_t>(value);
  put_u64_be(bytes, (bits & kSignBit) != 0 ? ~bits : bits | kSignBit);
  const std::uint64_t whole = whole_part(decimal);
  put_u64_be(bytes, decimal.negative && whole != 0 ? ~whole : whole);
}

// Ends with 00 01; a NUL inside is encoded as 00 FF.
void put_sorted_text(std::string& bytes, std::string_view decoded) {
  for (const char c : decoded) {
    bytes += c;
    if (c == '\0') bytes += '\xFF';
  }
  bytes += '\0';
  bytes += '\x01';
}

std::optional<Instant> read_raw_time(std::string_view raw) {
  if (raw.size() + 2 > limits::kMaxTimeTextBytes) return std::nullopt;
  return raw.find('\\') == std::string_view::npos ? parse_field_time(raw) : parse_field_time(json::decode_string(raw));
}

// Cursor values as bytes that compare in the order of the values.

namespace {

constexpr char kTimeTag = 0x10;
constexpr char kNumberTag = 0x20;
constexpr char kTextTag = 0x30;
constexpr std::size_t kTextBytes = 256;

void put_text(std::string& key, std::string_view raw) {
  std::string text;
  json::StringDecoder(raw).next(text, kTextBytes + 4);
  text.resize(std::min(text.size(), kTextBytes));
  put_sorted_text(key, text);
}

}  // namespace

std::string order_key(const model::Stream& stream, const json::Value& data, std::string_view record_key) {
  std::string key;
  std::optional<json::Value> value;
  if (!stream.cursor_field.empty()) value = json::member(data.text, stream.cursor_field);
  const json::Kind kind = value ? value->kind : json::Kind::kNull;
  if (kind == json::Kind::kNumber) {
    key += kNumberTag;
    put_sorted_number(key, value->text);
  } else if (kind == json::Kind::kString) {
    const model::Field* const field = stream.field(stream.cursor_field);
    const std::string_view raw = json::raw_content(*value);
    if (const auto time = field != nullptr && field->is_time() ? read_raw_time(raw) : std::nullopt) {
      key += kTimeTag;
      put_sorted_time(key, *time);
    } else {
      key += kTextTag;
      put_text(key, raw);
    }
  } else {
    key += static_cast<char>(kMissingCursorTag);
  }
  key += record_key;
  return key;
}

std::string order_key_from(IndexKind kind, std::string_view value) {
  std::string key(1, kind == IndexKind::kNumber ? kNumberTag : kTimeTag);
  key += value;
  return key;
}

IndexRange order_keys_of(IndexKind kind) {
  IndexRange range{order_key_from(kind, {}), order_key_from(kind, {})};
  ++range.to.back();
  return range;
}

}  // namespace ladder::store
