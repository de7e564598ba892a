#include "json/scan/decimal.h"

#include <algorithm>

namespace ladder::json {
namespace {

// Small enough that one more digit, and the digits of any mantissa, still fit.
constexpr std::int64_t kMaxExponent = 100'000'000'000'000'000;

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  for (const char c : text) {
    exponent = exponent * 10 + (c - '0');
    if (exponent >= kMaxExponent) {
      exponent = kMaxExponent;
      break;
    }
  }
  return negative ? -exponent : exponent;
}

// Orders two digit strings as fractions 0.d1d2…, ignoring a decimal point inside.
std::strong_ordering compare_digits(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  for (;; ++i, ++j) {
    if (i < a.size() && a[i] == '.') ++i;
    if (j < b.size() && b[j] == '.') ++j;
    if (i >= a.size() || j >= b.size()) return (i < a.size()) <=> (j < b.size());
    if (a[i] != b[j]) return a[i] <=> b[j];
  }
}

}  // namespace

Decimal::Decimal(std::string_view number) : negative_(number.starts_with('-')) {
  if (negative_) number.remove_prefix(1);
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, e);
  const std::size_t first = mantissa.find_first_not_of("0.");
  if (first == std::string_view::npos) {
    negative_ = false;
    return;
  }
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t last = mantissa.find_last_not_of("0.");
  digits_ = mantissa.substr(first, last + 1 - first);
  const std::int64_t written = e < number.size() ? read_exponent(number.substr(e + 1)) : 0;
  // The number of digits from the first nonzero one to the point; the point itself does not count.
  const auto places = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (first > point ? 1 : 0);
  exponent_ = written + places;
}

bool Decimal::is_integer() const {
  const std::size_t point = digits_.find('.') == std::string_view::npos ? 0 : 1;
  return static_cast<std::int64_t>(digits_.size() - point) <= exponent_ || is_zero();
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto sign = [](const Decimal& d) { return d.is_zero() ? 0 : d.negative_ ? -1 : 1; };
  if (sign(a) != sign(b) || a.is_zero()) return sign(a) <=> sign(b);
  auto order = a.exponent_ <=> b.exponent_;
  if (order == 0) order = compare_digits(a.digits_, b.digits_);
  return a.negative_ ? 0 <=> order : order;
}

}  // namespace ladder::json
