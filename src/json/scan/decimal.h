// JSON numbers compared as they are written, without rounding them to a double: 64-bit ids, money and numbers of a thousand
// digits alike. A Decimal is a view; nothing is copied.
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
  bool is_integer() const;  // decided by value: 1.0 and 25e1 are, 25e-1 is not

  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }

 private:
  // The value is 0.d1d2d3… × 10^exponent_. Exponents are cut off at ±10^17, which nothing
  // in use comes near.
  bool negative_ = false;
  std::string_view digits_;  // from the first to the last digit that is not 0, perhaps with a point in it; empty is zero
  std::int64_t exponent_ = 0;
};

}  // namespace ladder::json
