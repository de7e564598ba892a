#include "store/order_key.h"

#include "json/writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::store {
namespace {

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

// Each value before all the ones after it.
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

TEST(OrderKey, HugeExponentsAreNotCountedOut) {
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
  // Bytes 255 and 256 decide, also where a code point straddles the cut.
  expect_ascending(stream, {"\"" + front + "ab\"", "\"" + front + "ac\"", "\"" + front + "中\""});
  expect_equal(stream, {"\"" + front + "abc\"", "\"" + front + "abd\"", "\"" + front + "ab" + std::string(100'000, 'q') + "\""});
  EXPECT_LT(key_of(stream, "\"" + std::string(1'000'000, 'x') + "\"", "k").size(), 300u);
}

TEST(OrderKey, ADeclaredTimeThatIsNoneIsText) {
  const auto stream = stream_with_cursor(model::FieldType::kString, "date-time");
  expect_ascending(stream, {"\"2026-04-01T10:00:00Z\"", "\"2026-13-01T10:00:00Z\"", "\"yesterday\""});
}

TEST(OrderKey, MissingComesLastAndByKey) {
  const auto stream = stream_with_cursor(model::FieldType::kString);
  for (const char* value : {"null", "true", "{}", "[1]"}) {
    EXPECT_EQ(key_of(stream, value), std::string("\xF0k")) << value;
    EXPECT_LT(key_of(stream, "\"\xF4\x8F\xBF\xBF\""), key_of(stream, value));
  }
  EXPECT_EQ(order_key(stream, json::value_of("{}"), "k"), "\xF0k");
  EXPECT_LT(key_of(stream, "null", "a"), key_of(stream, "null", "b"));
}

TEST(OrderKey, WithoutACursorFieldTheKeyDecides) {
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
