// Exact comparison of number texts.
#include "json/scan/decimal.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::json {
namespace {

TEST(Decimal, OrdersExactly) {
  // Each row is one value in several spellings; rows ascend.
  const std::vector<std::vector<std::string>> rows = {
      {"-1e99999999999999999999"},
      {"-12345678901234567890124", "-1.2345678901234567890124e22"},
      {"-12345678901234567890123"},
      {"-10", "-10.0", "-1e1", "-0.1e2", "-100e-1"},
      {"-1.5", "-15e-1"},
      {"-1e-5", "-0.00001"},
      {"0", "-0", "0.0", "-0.00e5", "0e99999999999999999999"},
      {"1e-99999999999999999999"},
      {"0.00001", "1e-5", "1E-05", "0.1e-4", "10e-6"},
      {"0.1", "1e-1", "0.10", "0.100000"},
      {"0.10000000000000000000000001"},
      {"0.99"},
      {"1", "1.0", "1e0", "10e-1", "0.01e2"},
      {"1.00000000000000000001"},
      {"2"},
      {"10", "10.0", "1e1", "1.0e+1"},
      {"10.5", "105e-1", "1.05e1"},
      {"101"},
      {"9007199254740992"},
      {"9007199254740993", "9007199254740993.0", "9.007199254740993e15"},
      {"18446744073709551615"},
      {"18446744073709551616"},
      {"1" + std::string(500, '0'), "1e500"},
      {"1" + std::string(499, '0') + "1"},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      for (const std::string& a : rows[i]) {
        for (const std::string& b : rows[j]) EXPECT_EQ(Decimal(a) <=> Decimal(b), i <=> j) << a << " " << b;
      }
    }
  }
}

TEST(Decimal, RecognizesIntegersByValue) {
  for (const std::string text : {"0", "-0", "0.0", "1", "-7", "1.0", "100", "1e3", "1.5e1", "-2.50e1", "10e-1", "1e400", "0e-5",
                                 "0.001e3", "123456789012345678901234567890", "9007199254740993.000"}) {
    EXPECT_TRUE(Decimal(text).is_integer()) << text;
  }
  for (const std::string text : {"0.5", "-1.5", "1e-1", "1.25e1", "15e-1", "1e-400", "100.01", "123456789012345678901234567890.1",
                                 "9007199254740993.0000000000000001"}) {
    EXPECT_FALSE(Decimal(text).is_integer()) << text;
  }
}

}  // namespace
}  // namespace ladder::json
