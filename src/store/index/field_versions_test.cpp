#include "store/index/field_versions.h"

#include "base/limits.h"
#include "store/long_values/split.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

TEST(FieldVersions, RoundTrip) {
  FieldVersions versions;
  for (const std::int64_t created : {std::int64_t{0}, std::int64_t{1}, std::int64_t{300}, std::int64_t{1} << 62}) {
    versions.created = created;
    versions.changed.clear();
    EXPECT_EQ(FieldVersions::decode(versions.encode())->created, created);
    versions.changed = {{kUndeclaredField, created + 1}, {kFirstFieldNo, created + 500}, {1'000'000'007, created + 2}};
    const auto decoded = FieldVersions::decode(versions.encode());
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->created, created);
    EXPECT_EQ(decoded->changed, versions.changed);
  }
}

TEST(FieldVersions, StoreEmissionTimesAndTheFirstVersionOfTheKey) {
  FieldVersions versions;
  versions.created = 10;
  versions.known_since = 4;
  const auto emitted = [&](std::set<FieldNo> fields) {
    return FieldVersions::decode(versions.encode())->emitted_at([&](FieldNo field) { return fields.contains(field); });
  };
  EXPECT_EQ(emitted({20}), std::nullopt);
  versions.changed[20] = 11;
  versions.note_emission("first", 11, "second");
  versions.changed[21] = 12;
  versions.note_emission("second", 12, "third");
  EXPECT_EQ(emitted({}), "first");
  EXPECT_EQ(emitted({20}), "second");
  EXPECT_EQ(emitted({20, 21}), "third");
  versions.changed[20] = 13;
  versions.note_emission("third", 13, "fourth");
  EXPECT_EQ(emitted({20}), "fourth");
  EXPECT_EQ(versions.emitted.size(), 3u) << "versions that no field uses are dropped";
  versions.note_emission("fourth", std::nullopt, "again, nothing new");
  EXPECT_EQ(emitted({20, 21}), "fourth");
  EXPECT_EQ(FieldVersions::decode(versions.encode())->first_version(), 4);
}

TEST(FieldVersions, AreTinyForAnUnchangedRecord) {
  FieldVersions versions;
  versions.created = 100;
  EXPECT_EQ(versions.encode().size(), 1u);
}

TEST(FieldVersions, RejectTruncatedBytes) {
  FieldVersions versions;
  versions.created = 1'000'000;
  versions.changed = {{20, 2'000'000}};
  const std::string bytes = versions.encode();
  EXPECT_FALSE(FieldVersions::decode(""));
  EXPECT_FALSE(FieldVersions::decode(std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_FALSE(FieldVersions::decode(std::string_view(bytes).substr(0, 1)));
}

// Each holds a varint of 2^63 in one position, one more than a version or a number can be.
TEST(FieldVersions, RejectNumbersOutOfRange) {
  const std::string huge = std::string(9, '\x80') + '\x01';
  const std::string one = "\x01";
  const std::string none = std::string(1, '\0');
  for (const std::string& bytes :
       {huge, one + huge, one + none + huge, one + none + one + huge + one, one + none + one + one + huge,
        one + none + none + huge + none, one + none + none + one + huge}) {
    EXPECT_FALSE(FieldVersions::decode(bytes));
  }
}

using Names = std::vector<std::string>;

Names changed(std::string_view old_body, std::string_view new_body) {
  Names names = changed_fields(old_body, new_body);
  std::ranges::sort(names);
  return names;
}

std::string body_of(const std::string& text, ValueId first_id) {
  BufferedValues values;
  const json::Value data = json::value_of(text);
  return *split_long_values(data, *plan_split(data), first_id, values);
}

TEST(ChangedFields, ListsDifferingFields) {
  EXPECT_EQ(changed("{}", "{}"), Names{});
  EXPECT_EQ(changed(R"({"a":1,"b":2})", R"({"b":2,"a":1})"), Names{}) << "order is not a change of a field";
  EXPECT_EQ(changed(R"({"a":1,"b":2,"c":3})", R"({"a":1,"b":4,"d":5})"), (Names{"b", "c", "d"}));
  EXPECT_EQ(changed(R"({"a":1.0})", R"({"a":1.00})"), Names{"a"}) << "bytes count";
  EXPECT_EQ(changed(R"({"a":"1"})", R"({"a":1})"), Names{"a"});
  EXPECT_EQ(changed(R"({"\u0061":1})", R"({"a":1})"), Names{}) << "names are compared decoded";
  EXPECT_EQ(changed(R"({"a":null})", R"({})"), Names{"a"});
}

TEST(ChangedFields, LongValuesCompareByContent) {
  const std::string text = std::string(4'000, 'x');
  const std::string a = body_of("{\"s\":\"" + text + "\",\"n\":1}", 1);
  const std::string b = body_of("{\"s\":\"" + text + "\",\"n\":1}", 900);
  const std::string c = body_of("{\"s\":\"" + text + "y\",\"n\":1}", 900);
  EXPECT_NE(a, b);
  EXPECT_EQ(changed(a, b), Names{});
  EXPECT_EQ(changed(a, c), Names{"s"});
}

// A field that leaves the row only because another field grew has not changed.
TEST(ChangedFields, MovingOutOfTheRowIsNotAChange) {
  const std::string string = "\"" + std::string(3'500, 'x') + "\\n\"";
  const std::string array = "[" + std::string(3'000, ' ') + "1]";
  const auto record = [&](std::size_t hidden) {
    return "{\"s\":" + string + ",\"a\":" + array + ",\"h\":[" + std::string(hidden, ' ') + "],\"n\":[" +
           std::string(2'800, ' ') + "]," + "\"m\":[" + std::string(2'800, ' ') + "],\"l\":[" + std::string(2'800, ' ') + "]}";
  };
  const std::string before = body_of(record(10), 1);
  const std::string after = body_of(record(2'900), 100);
  ASSERT_EQ(json::member(before, "s")->kind, json::Kind::kString);
  ASSERT_EQ(json::member(after, "s")->kind, json::Kind::kReference);
  EXPECT_EQ(changed(before, after), Names{"h"});
  EXPECT_EQ(changed(after, before), Names{"h"});
  std::string other = record(2'900);
  other[10] = 'y';
  EXPECT_EQ(changed(before, body_of(other, 200)), (Names{"h", "s"}));
}

TEST(ChangedFields, DistinguishesLongObjectsFromLongStrings) {
  const std::string object = "[" + std::string(20'000, ' ') + "]";
  const std::string a = body_of("{\"v\":" + object + "}", 1);
  const std::string b = body_of("{\"v\":\"" + object + "\"}", 2);
  EXPECT_EQ(changed(a, b), Names{"v"});
}

}  // namespace
}  // namespace ladder::store
