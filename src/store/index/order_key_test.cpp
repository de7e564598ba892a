#include "store/index/order_key.h"

#include "base/limits.h"
#include "json/writer.h"

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

TEST(SortBytes, TimesSortAsInstantsAndRoundTrip) {
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
    EXPECT_LT(text_bytes(texts[i - 1]) + "\xF0", text_bytes(texts[i]))
        << i << ": the rest of the key decides only between equal texts";
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

model::Stream stream_with_cursor(model::FieldType type, std::string format = {}) {
  model::Stream stream;
  stream.name = "things";
  stream.cursor_field = "at";
  model::Field field;
  field.name = "at";
  field.type = type;
  field.format = std::move(format);
  stream.fields.push_back(field);
  return stream;
}

std::string key_of(const model::Stream& stream, const std::string& value, std::string_view record_key = "k") {
  const std::string data = "{\"id\":\"x\",\"at\":" + value + "}";
  return order_key(stream, json::value_of(data), record_key);
}

// Expects each value to sort before all later ones.
void expect_ascending(const model::Stream& stream, const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      // The later record key must not matter.
      EXPECT_LT(key_of(stream, values[i], "z"), key_of(stream, values[j], "a")) << values[i] << " and " << values[j];
    }
  }
}

void expect_equal(const model::Stream& stream, const std::vector<std::string>& values) {
  for (const std::string& value : values) EXPECT_EQ(key_of(stream, values.front()), key_of(stream, value)) << value;
}

TEST(OrderKey, TimesCompareAsInstants) {
  const auto stream = stream_with_cursor(model::FieldType::kString, "date-time");
  expect_ascending(stream, {"\"0001-01-01T00:00:00Z\"", "\"1969-12-31T23:59:59Z\"", "\"1970-01-01T00:00:00Z\"",
                            "\"2026-04-01T12:00:00+02:00\"", "\"2026-04-01T10:00:00.000001Z\"", "\"2026-04-01T10:00:01Z\"",
                            "\"9999-12-31T23:59:59Z\""});
  expect_equal(stream, {"\"2026-04-01T10:00:00Z\"", "\"2026-04-01T12:00:00+02:00\"", "\"2026-04-01T10:00:00.000Z\"",
                        "\"\\u0032026-04-01t10:00:00z\""});
}

TEST(OrderKey, DatesAreTimes) {
  const auto stream = stream_with_cursor(model::FieldType::kString, "date");
  expect_ascending(stream, {"\"1999-12-31\"", "\"2000-01-01\"", "\"2026-04-01\""});
}

TEST(OrderKey, NumbersCompareByValue) {
  const auto stream = stream_with_cursor(model::FieldType::kNumber);
  expect_ascending(stream, {"-1e999",
                            "-18446744073709551615",
                            "-9007199254740994",
                            "-9007199254740993",
                            "-9007199254740992",
                            "-1.5",
                            "-1",
                            "-0.5",
                            "-1e-300",
                            "0",
                            "1e-300",
                            "0.1",
                            "0.5",
                            "1",
                            "1.5",
                            "2",
                            "10",
                            "9007199254740992",
                            "9007199254740993",
                            "9.007199254740994e15",
                            "18446744073709551614",
                            "18446744073709551615",
                            "1e30",
                            "1e308",
                            "1e999"});
  expect_equal(stream, {"100", "1e2", "1E+2", "100.0", "0.1e3", "1000e-1"});
  expect_equal(stream, {"9007199254740993", "9.007199254740993e15", "9007199254740993.0", "90071992547409930e-1"});
  expect_equal(stream, {"0", "-0", "0.0", "-0.0", "0e5", "1e-999", "-1e-999", "0e99999999999999999999"});
}

TEST(OrderKey, HandlesHugeExponents) {
  const auto stream = stream_with_cursor(model::FieldType::kNumber);
  expect_ascending(stream, {"-1e99999999999999999999", "1e-99999999999999999999", "1", "1e99999999999999999999"});
  expect_equal(stream, {"1e400", "1e999999999"});
}

TEST(OrderKey, TextsCompareByBytes) {
  const auto stream = stream_with_cursor(model::FieldType::kString);
  const std::vector<std::string> texts = {std::string(),
                                          std::string("\0", 1),
                                          std::string("\0\0", 2),
                                          std::string("\0\1", 2),
                                          std::string("\1", 1),
                                          "a",
                                          std::string("a\0", 2),
                                          std::string("a\0b", 3),
                                          "a\1",
                                          "aa",
                                          "b",
                                          "é",
                                          "中",
                                          "😀"};
  std::vector<std::string> values;
  for (const std::string& text : texts) {
    json::Writer writer;
    values.push_back(writer.string(text).take());
  }
  expect_ascending(stream, values);
  expect_equal(stream, {"\"é\"", "\"\\u00e9\""});
}

TEST(OrderKey, TextIsCutByBytes) {
  const auto stream = stream_with_cursor(model::FieldType::kString);
  const std::string front(254, 'x');
  // Bytes 255 and 256 decide, even when a code point crosses the cut.
  expect_ascending(stream, {"\"" + front + "ab\"", "\"" + front + "ac\"", "\"" + front + "中\""});
  expect_equal(stream, {"\"" + front + "abc\"", "\"" + front + "abd\"", "\"" + front + "ab" + std::string(100'000, 'q') + "\""});
  EXPECT_LT(key_of(stream, "\"" + std::string(1'000'000, 'x') + "\"", "k").size(), 300u);
}

TEST(OrderKey, TreatsInvalidTimesAsText) {
  const auto stream = stream_with_cursor(model::FieldType::kString, "date-time");
  expect_ascending(stream, {"\"2026-04-01T10:00:00Z\"", "\"2026-13-01T10:00:00Z\"", "\"yesterday\""});
}

TEST(OrderKey, MissingValuesComeLastOrderedByKey) {
  const auto stream = stream_with_cursor(model::FieldType::kString);
  for (const char* value : {"null", "true", "{}", "[1]"}) {
    EXPECT_EQ(key_of(stream, value), std::string("\xF0k")) << value;
    EXPECT_LT(key_of(stream, "\"\xF4\x8F\xBF\xBF\""), key_of(stream, value));
  }
  EXPECT_EQ(order_key(stream, json::value_of("{}"), "k"), "\xF0k");
  EXPECT_LT(key_of(stream, "null", "a"), key_of(stream, "null", "b"));
}

TEST(OrderKey, WithoutACursorFieldOrdersByKey) {
  model::Stream stream;
  EXPECT_EQ(order_key(stream, json::value_of("{\"at\":1}"), "k"), "\xF0k");
}

TEST(OrderKey, EqualValuesAreOrderedByKey) {
  const auto stream = stream_with_cursor(model::FieldType::kNumber);
  EXPECT_LT(key_of(stream, "7", "a"), key_of(stream, "7", "b"));
  EXPECT_LT(key_of(stream, "7", "a"), key_of(stream, "7", std::string("a\0", 2)));
}

}  // namespace
}  // namespace ladder::store
