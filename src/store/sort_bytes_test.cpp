#include "store/sort_bytes.h"

#include "base/limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

std::string time_bytes(Instant time) {
  std::string bytes;
  put_sorted_time(bytes, time);
  return bytes;
}

std::string number_bytes(std::string_view number) {
  std::string bytes;
  put_sorted_number(bytes, number);
  return bytes;
}

std::string text_bytes(std::string_view text) {
  std::string bytes;
  put_sorted_text(bytes, text);
  return bytes;
}

TEST(SortBytes, TimesSortAsInstantsAndComeBack) {
  const std::vector<Instant> times = {
      std::numeric_limits<Instant>::min(), -62'135'596'800 * kSecond, -kDay, -1, 0, 1, kDay, 1'775'000'000 * kSecond,
      std::numeric_limits<Instant>::max()};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::string bytes = time_bytes(times[i]);
    EXPECT_EQ(bytes.size(), kSortedTimeBytes);
    EXPECT_EQ(get_sorted_time(bytes), times[i]);
    if (i == 0) continue;
    EXPECT_LT(time_bytes(times[i - 1]), bytes) << times[i];
  }
}

TEST(SortBytes, NumbersSortByValue) {
  const std::vector<const char*> ascending = {"-1e400",
                                              "-9007199254740993",
                                              "-9007199254740992",
                                              "-1000.5",
                                              "-1e3",
                                              "-0.25",
                                              "0",
                                              "2e-5",
                                              "0.25",
                                              "999.999",
                                              "1000",
                                              "1000.5",
                                              "9007199254740991",
                                              "9007199254740992",
                                              "9007199254740993",
                                              "9007199254740994",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "1e300"};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_LT(number_bytes(ascending[i - 1]), number_bytes(ascending[i])) << ascending[i - 1] << " and " << ascending[i];
  }
  for (const char* const thousand : {"1e3", "1E+3", "1000.0", "10000e-1", "0.001e6", "1000.000e0"}) {
    EXPECT_EQ(number_bytes(thousand), number_bytes("1000")) << thousand;
  }
  EXPECT_EQ(number_bytes("-0"), number_bytes("0"));
  EXPECT_EQ(number_bytes("9007199254740993"), number_bytes("9.007199254740993e15"));
}

TEST(SortBytes, RandomIntegersSortLikeThemselves) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const int shift = static_cast<int>(random() % 64);
    const auto a = static_cast<std::int64_t>(random()) >> shift;
    const auto b =
        random() % 2 == 0 ? a + static_cast<std::int64_t>(random() % 3) - 1 : static_cast<std::int64_t>(random()) >> shift;
    const auto order = number_bytes(std::to_string(a)) <=> number_bytes(std::to_string(b));
    ASSERT_EQ(order, a <=> b) << a << " and " << b;
  }
}

TEST(SortBytes, EveryNumberTakesTheSameSpace) {
  for (const char* const number : {"0", "-1", "1e400", "123456789012345678901234567890", "0.000000000000000000001"}) {
    EXPECT_EQ(number_bytes(number).size(), 16u) << number;
  }
}

TEST(SortBytes, TextsSortByBytesWhateverFollows) {
  const std::vector<std::string> texts = {"",
                                          std::string(1, '\0'),
                                          std::string("\0\0", 2),
                                          std::string("\0\1", 2),
                                          "\1",
                                          "a",
                                          std::string("a\0", 2),
                                          std::string("a\0b", 3),
                                          "a\1",
                                          "ab",
                                          "b",
                                          "\xC3\xA9"};
  for (std::size_t i = 1; i < texts.size(); ++i) {
    EXPECT_LT(text_bytes(texts[i - 1]) + "\xF0", text_bytes(texts[i])) << i << ": what follows a text decides only among equals";
  }
}

TEST(SortBytes, RandomTextsSortLikeThemselves) {
  std::mt19937 random(9);
  const auto text = [&] {
    std::string made(random() % 6, '\0');
    for (char& c : made) c = std::string_view("\0\1a\xFF", 4)[random() % 4];
    return made;
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::string a = text();
    const std::string b = text();
    if (a == b) continue;
    ASSERT_EQ((text_bytes(a) + text()) < (text_bytes(b) + text()), a < b);
    ASSERT_FALSE(text_bytes(b).starts_with(text_bytes(a)));
  }
}

TEST(SortBytes, RawTimes) {
  EXPECT_EQ(read_raw_time("1970-01-01T00:00:01Z"), kSecond);
  EXPECT_EQ(read_raw_time("1970-01-02"), kDay);
  EXPECT_EQ(read_raw_time("\\u0031970-01-02"), kDay);
  EXPECT_FALSE(read_raw_time(""));
  EXPECT_FALSE(read_raw_time("tomorrow"));
  EXPECT_FALSE(read_raw_time("1970-01-01T00:00:01." + std::string(limits::kMaxTimeTextBytes, '0') + "Z"));
}

}  // namespace
}  // namespace ladder::store
