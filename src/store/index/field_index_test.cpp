#include "store/index/field_index.h"

#include "store/index/order_key.h"
#include "store/long_values/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

std::optional<std::string> value_of(IndexKind kind, const std::string& json) { return index_value(kind, json::value_of(json)); }

// The body that a store keeps for `data`.
std::string stored(const std::string& data) {
  BufferedValues values;
  const json::Value value = json::value_of(data);
  const auto plan = plan_split(value);
  EXPECT_TRUE(plan);
  const auto body = split_long_values(value, *plan, 1, values);
  EXPECT_TRUE(body);
  return *body;
}

IndexSpec spec(IndexNo no, IndexKind kind, std::string field, std::optional<std::string> upto = {}) {
  return {.no = no, .kind = kind, .field = std::move(field), .upto = std::move(upto)};
}

TEST(FieldIndex, OneEntryPerIndexAndRecord) {
  const std::vector<IndexSpec> indexes = {spec(4, IndexKind::kDays, "seen"), spec(3, IndexKind::kText, "tag"),
                                          spec(2, IndexKind::kNumber, "size"), spec(1, IndexKind::kTime, "when")};
  const IndexRows rows =
      index_rows(indexes, "k", "order", R"({"tag":"red","seen":"1970-01-03","size":7,"when":"1970-01-02T05:00:00Z","x":1})");
  const std::vector<IndexEntry> entries = {
      {1, index_value(kDay + 5 * 3600 * kSecond) + "order"}, {2, index_number("7") + "order"}, {3, index_text("red") + "order"}};
  EXPECT_EQ(rows.entries, entries);
  const std::vector<IndexDay> days = {{1, 1}, {4, 2}};
  EXPECT_EQ(rows.days, days);
  EXPECT_FALSE(rows.blob);
}

TEST(FieldIndex, ValuesOfAnotherKindHaveNoEntry) {
  for (const char* const json : {"null", "true", "7", "\"yesterday\"", "{}", "[]"}) {
    EXPECT_FALSE(value_of(IndexKind::kTime, json)) << json;
  }
  for (const char* const json : {"null", "true", "\"7\"", "{}", "[]"}) EXPECT_FALSE(value_of(IndexKind::kNumber, json)) << json;
  for (const char* const json : {"null", "{}", "[]"}) EXPECT_FALSE(value_of(IndexKind::kText, json)) << json;
  const std::vector<IndexSpec> indexes = {spec(1, IndexKind::kTime, "when"), spec(2, IndexKind::kDays, "when"),
                                          spec(3, IndexKind::kNumber, "when")};
  const IndexRows rows = index_rows(indexes, "k", "o", R"({"when":"sometime"})");
  EXPECT_TRUE(rows.entries.empty());
  EXPECT_TRUE(rows.days.empty());
}

TEST(FieldIndex, TextsOfNumbersAndBooleans) {
  EXPECT_EQ(value_of(IndexKind::kText, "true"), index_text("true"));
  EXPECT_EQ(value_of(IndexKind::kText, "1.50"), index_text("1.50"));
  EXPECT_EQ(value_of(IndexKind::kText, "\"\\u0061\\u0000\""), index_text(std::string("a\0", 2)));
  EXPECT_NE(index_text("a"), index_text(std::string("a\0", 2)));
}

TEST(FieldIndex, UsesTheFirstOfSeveralMembersWithOneName) {
  const std::vector<IndexSpec> indexes = {spec(1, IndexKind::kNumber, "size")};
  const IndexRows rows = index_rows(indexes, "k", "o", R"({"\u0073ize":1,"size":2})");
  const std::vector<IndexEntry> entries = {{1, index_number("1") + "o"}};
  EXPECT_EQ(rows.entries, entries);
  EXPECT_TRUE(index_rows(indexes, "k", "o", R"({"size":null,"size":2})").entries.empty());
}

TEST(FieldIndex, HasEntriesUpToTheBuildPosition) {
  const std::string body = R"({"size":1,"when":"1970-01-01"})";
  const std::vector<IndexSpec> indexes = {spec(1, IndexKind::kNumber, "size", "m"), spec(2, IndexKind::kTime, "when", ""),
                                          spec(3, IndexKind::kNumber, "size")};
  const auto numbers = [&](std::string_view key) {
    std::vector<IndexNo> found;
    for (const IndexEntry& entry : index_rows(indexes, key, "o", body).entries) found.push_back(entry.index);
    return found;
  };
  EXPECT_EQ(numbers("a"), (std::vector<IndexNo>{1, 3}));
  EXPECT_EQ(numbers("m"), (std::vector<IndexNo>{1, 3}));
  EXPECT_EQ(numbers("ma"), std::vector<IndexNo>{3});
  EXPECT_TRUE(index_rows(indexes, "a", "o", body).days.empty());
}

TEST(FieldIndex, StoresLongTextsAsDigests) {
  const std::string fits(64, 'x');
  const std::string longer(65, 'x');
  EXPECT_GT(index_text(fits).size(), 64u);
  EXPECT_EQ(index_text(longer).size(), 33u);
  EXPECT_EQ(index_text(longer).substr(1), crypto::view(crypto::sha256(longer)));
  EXPECT_NE(index_text(longer), index_text(longer + "x"));
  EXPECT_EQ(value_of(IndexKind::kText, "\"" + longer + "\""), index_text(longer));
}

TEST(FieldIndex, TreatsOutlinedAndInlineTextsAlike) {
  std::string text;
  while (text.size() < 30'000) text += "é中 \xF0\x9F\x98\x80 words ";
  const std::string body = stored("{\"tag\":\"" + text + "\\u0041\"}");
  const auto member = json::member(body, "tag");
  ASSERT_TRUE(member);
  ASSERT_EQ(member->kind, json::Kind::kReference);
  EXPECT_EQ(index_value(IndexKind::kText, *member), index_text(text + "A"));
  EXPECT_FALSE(index_value(IndexKind::kTime, *member));
  EXPECT_FALSE(index_value(IndexKind::kNumber, *member));
  const std::string list = stored("{\"tag\":[\"" + text + "\"]}");
  EXPECT_FALSE(index_value(IndexKind::kText, *json::member(list, "tag"))) << "a long list is not text";
}

TEST(FieldIndex, EntriesOfAValueAreContiguous) {
  const std::vector<std::string> values = {index_text(""),   index_text("a"), index_text(std::string("a\0", 2)),
                                           index_text("ab"), index_text("b"), index_text(std::string(100, 'a'))};
  const std::vector<std::string> order_keys = {"", std::string(1, '\0'), "\x10", "\xF0k", "\xF0\xFF\xFF"};
  for (const std::string& value : values) {
    const IndexRange range = entries_with(value);
    for (const std::string& other : values) {
      for (const std::string& order_key : order_keys) {
        const std::string entry = other + order_key;
        const bool inside = entry >= range.from && (range.to.empty() || entry < range.to);
        EXPECT_EQ(inside, other == value);
      }
    }
  }
}

TEST(FieldIndex, AfterAll) {
  EXPECT_EQ(after_all("a"), "b");
  EXPECT_EQ(after_all("a\xFF\xFF"), "b");
  EXPECT_EQ(after_all(std::string("a\0", 2)), "a\1");
  EXPECT_EQ(after_all("\x7F"), "\x80");
  EXPECT_EQ(after_all("\xFF\xFF"), "") << "no string follows it";
  EXPECT_EQ(after_all(""), "");
}

TEST(FieldIndex, DaysAreUtcEvenBefore1970) {
  EXPECT_EQ(day_of(0), 0);
  EXPECT_EQ(day_of(kDay - 1), 0);
  EXPECT_EQ(day_of(kDay), 1);
  EXPECT_EQ(day_of(-1), -1);
  EXPECT_EQ(day_of(-kDay), -1);
  EXPECT_EQ(day_of(-kDay - 1), -2);
  EXPECT_EQ(day_of(*parse_time("0001-01-01T00:00:00Z")), -719'162);
  EXPECT_EQ(day_of(*parse_time("2026-01-01T00:30:00+01:00")), day_of(*parse_time("2025-12-31")));
  EXPECT_EQ(day_of(std::numeric_limits<Instant>::min()), -106'751'992);
}

TEST(FieldIndex, BlobIdsHaveOneSpelling) {
  const Digest digest = crypto::sha256("bytes");
  const std::string id = blob_id(digest);
  EXPECT_EQ(id.size(), std::string_view("blob_sha256_").size() + 64);
  EXPECT_EQ(blob_digest(id), digest);
  std::string upper = id;
  std::ranges::transform(upper.begin() + 12, upper.end(), upper.begin() + 12,
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  ASSERT_NE(upper, id);
  for (const std::string& other : {std::string(), upper, id + "0", id.substr(0, id.size() - 1), id.substr(5), " " + id,
                                   "blob_sha256_" + std::string(64, 'g')}) {
    EXPECT_FALSE(blob_digest(other)) << other;
  }
}

TEST(FieldIndex, ExtractsTheBlobOfARecord) {
  const Digest digest = crypto::sha256("bytes");
  const auto blob = [](const std::string& body) { return index_rows({}, "k", "o", body).blob; };
  EXPECT_EQ(blob(R"({"blob_ref":{"mime_type":"x/y","blob_id":")" + blob_id(digest) + "\"}}"), digest);
  for (const std::string body :
       {R"({})", R"({"blob_ref":null})", R"({"blob_ref":"x"})", R"({"blob_ref":{}})", R"({"blob_ref":{"blob_id":7}})",
        R"({"blob_ref":{"blob_id":"blob_sha256_00"}})", R"({"blob_ref":{},"blob_ref":{"blob_id":"x"}})"}) {
    EXPECT_FALSE(blob(body)) << body;
  }
  EXPECT_FALSE(blob("{\"blob_ref\":{},\"blob_ref\":{\"blob_id\":\"" + blob_id(digest) + "\"}}")) << "the first counts";
  EXPECT_FALSE(blob("{\"other\":{\"blob_id\":\"" + blob_id(digest) + "\"}}"));
}

}  // namespace
}  // namespace ladder::store
