// Compares JSON numbers by their text, without rounding to a double: works for 64-bit ids, money and numbers of a
// thousand digits. A Decimal is a view; nothing is copied.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ladder::json {

class Decimal {
 public:
  explicit Decimal(std::string_view number);  // checked JSON number text, which must outlive this

  bool is_zero() const { return digits_.empty(); }
  bool is_integer() const;  // by value: true for 1.0 and 25e1, false for 25e-1

  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }

 private:
  // The value is 0.d1d2d3… × 10^exponent_. Exponents are clamped at ±10^17, far beyond any in use.
  bool negative_ = false;
  std::string_view digits_;  // from the first to the last nonzero digit, possibly with a point; empty is zero
  std::int64_t exponent_ = 0;
};

}  // namespace ladder::json
