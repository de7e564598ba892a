// Tests the splitting rules one by one; split_random_test.cpp covers random records.
#include "store/long_values/split.h"

#include "base/limits.h"
#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace ladder::store {
namespace {

struct Row {
  std::string body;
  SplitPlan plan;
  BufferedValues values;

  std::string_view at(std::string_view name) const { return json::member(body, name)->text; }
  bool left(std::string_view name) const { return json::member(body, name)->kind == json::Kind::kReference; }
  LongRef ref(std::string_view name) const { return *parse_reference(at(name)); }
};

Result<Row> try_split(const std::string& text) {
  Row row;
  const json::Value data = json::value_of(text);
  LADDER_TRY(row.plan, plan_split(data));
  row.plan.outlined.shrink_to_fit();
  LADDER_TRY(row.body, split_long_values(data, row.plan, 1, row.values));
  return row;
}

Row split_record(const std::string& text) {
  auto row = try_split(text);
  EXPECT_TRUE(row) << row.error().message;
  return row ? *std::move(row) : Row{};
}

std::string in_quotes(std::string_view unit, std::int64_t times) {
  std::string text = "\"";
  for (std::int64_t i = 0; i < times; ++i) text += unit;
  return text + "\"";
}

void expect_refused(const std::string& text, std::string_view limit) {
  const auto row = try_split(text);
  ASSERT_FALSE(row);
  EXPECT_EQ(row.error().code, Code::kInvalidRecord);
  EXPECT_NE(row.error().message.find(limit), std::string::npos) << row.error().message;
}

TEST(SplitLongValues, LeavesAnOrdinaryRecordUnchanged) {
  const std::string text = R"({"b":1.50,"a":"x\u0041","n":null,"o":{ "k" : [ 1, 2 ] },"big":18446744073709551616})";
  const Row row = split_record(text);
  EXPECT_EQ(row.body, text);
  EXPECT_EQ(row.plan.value_count, 0);
  EXPECT_TRUE(row.values.chunks.empty());
}

TEST(SplitLongValues, RemovesOnlySpaceBetweenMembers) {
  EXPECT_EQ(split_record(" { \"b\" : 1 ,\r\n\t\"a\" : { \"k\" : 2 } } ").body, R"({"b":1,"a":{ "k" : 2 }})");
  EXPECT_EQ(split_record("{ }").body, "{}");
  EXPECT_EQ(split_record("{}").body, "{}");
}

TEST(SplitLongValues, MovesStringsByDecodedLength) {
  for (const std::string_view unit : {"a", "é", "\\u0041", "\\ud83d\\ude00"}) {
    EXPECT_FALSE(split_record("{\"s\":" + in_quotes(unit, 1'300) + "}").left("s"));
  }
  EXPECT_FALSE(split_record("{\"s\":" + in_quotes("é", 3'600) + "}").left("s"));
  const Row row = split_record("{\"s\":" + in_quotes("é", 3'601) + "}");
  ASSERT_TRUE(row.left("s"));
  const LongRef ref = row.ref("s");
  EXPECT_EQ(ref.id, 1);
  EXPECT_EQ(ref.text_id, 1);
  EXPECT_EQ(ref.text_start, 0);
  EXPECT_EQ(ref.kind, json::Kind::kString);
  EXPECT_EQ(ref.value_class, ValueClass::kText);
  EXPECT_EQ(ref.mime_type, "");
  EXPECT_EQ(ref.size_chars, 3'601);
  EXPECT_EQ(ref.size_bytes, 7'202);
  EXPECT_EQ(ref.chunk_chars, 1'800);
  ASSERT_EQ(row.values.chunks.size(), 3u);
  EXPECT_EQ(row.values.chunks[2].bytes, "é");
  EXPECT_TRUE(row.values.directory.empty());
}

TEST(SplitLongValues, DecodesEscapesOfMovedStrings) {
  const Row row = split_record("{\"s\":" + in_quotes("\\u0000\\n\\ud83d\\ude00\\ud800x", 20'000) + "}");
  std::string unit("\0\n😀\uFFFDx", 10);
  std::string expected;
  for (int i = 0; i < 20'000; ++i) expected += unit;
  std::string joined;
  for (const ChunkRow& chunk : row.values.chunks) {
    EXPECT_EQ(chunk.chunk_no * row.ref("s").chunk_chars, utf8::count(joined));
    joined += chunk.bytes;
  }
  EXPECT_EQ(joined, expected);
  EXPECT_EQ(row.ref("s").digest, crypto::sha256(expected));
}

TEST(SplitLongValues, ClassifiesBase64ByTheCompleteValue) {
  const Row row =
      split_record("{\"png\":" + in_quotes("iVBORw0KGgoA", 1'000) + ",\"no\":" + in_quotes("iVBORw0KGgo ", 1'000) + "}");
  EXPECT_EQ(row.ref("png").value_class, ValueClass::kBase64);
  EXPECT_EQ(row.ref("png").mime_type, "image/png");
  EXPECT_EQ(row.ref("no").value_class, ValueClass::kText);
  EXPECT_EQ(row.ref("no").mime_type, "");
  const Row unknown = split_record("{\"x\":" + in_quotes("QUJDRA==", 1) + ",\"b\":" + in_quotes("QUJD", 1'000) + "}");
  EXPECT_EQ(unknown.ref("b").value_class, ValueClass::kBase64);
  EXPECT_EQ(unknown.ref("b").mime_type, "");
}

TEST(SplitLongValues, MovesContainersByTextSize) {
  const std::string small = "[" + std::string(limits::kInlineContainerBytes - 2, ' ') + "]";
  const std::string large = "[" + std::string(limits::kInlineContainerBytes - 1, ' ') + "]";
  EXPECT_TRUE(split_record("{\"a\":" + large + "}").left("a"));
  const Row row = split_record("{\"a\":" + small + "}");
  EXPECT_TRUE(row.left("a")) << "16 KiB of array and a name are over a row's 16 KiB";
  EXPECT_TRUE(row.values.directory.empty()) << "not large enough for a directory";
  EXPECT_EQ(row.ref("a").value_class, ValueClass::kJson);
  EXPECT_EQ(row.ref("a").mime_type, "application/json");
  EXPECT_EQ(row.ref("a").digest, crypto::sha256(small));
}

TEST(SplitLongValues, MovesTheLargestValuesToMakeRoom) {
  // Five short strings do not fit together. Moving one of them makes enough room, and the largest is chosen.
  std::string text = "{";
  for (int i = 0; i < 5; ++i) text += "\"s" + std::to_string(i) + "\":" + in_quotes("x", i == 3 ? 3'500 : 3'300) + ",";
  const Row row = split_record(text + "\"n\":1}");
  EXPECT_LE(row.body.size(), limits::kRecordRowBytes);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(row.left("s" + std::to_string(i)), i == 3) << i;
  EXPECT_EQ(row.ref("s3").size_chars, 3'500);
  EXPECT_EQ(row.plan.value_count, 1);
}

TEST(SplitLongValues, MovesManyMembersInOrder) {
  std::string text = "{";
  for (int i = 0; i < 60; ++i) text += "\"s" + std::to_string(i) + "\":" + in_quotes("x", 1'000 + i) + ",";
  const Row row = split_record(text + "\"n\":1}");
  EXPECT_LE(row.body.size(), limits::kRecordRowBytes);
  std::int64_t left = 0;
  ValueId last = 0;
  for (json::Members walk(row.body); walk.next();) {
    if (walk.value().kind != json::Kind::kReference) continue;
    ++left;
    EXPECT_EQ(parse_reference(walk.value().text)->id, ++last);
  }
  EXPECT_EQ(left, row.plan.value_count);
  EXPECT_TRUE(row.left("s59"));
  EXPECT_FALSE(row.left("s0"));
}

TEST(SplitLongValues, ReferencesRespectTheirMaximumLength) {
  LongRef ref;
  ref.id = ref.text_id = std::numeric_limits<ValueId>::max();
  ref.size_chars = ref.size_bytes = static_cast<std::int64_t>(limits::kMaxValueBytes);
  ref.chunk_chars = kChunkChars.front();
  ref.mime_type = "application/x-7z-compressed";  // the longest type that is ever sniffed
  EXPECT_LE(format_reference(ref).size(), kMaxReferenceBytes);
}

TEST(SplitLongValues, NestedValuesGetTheirOwnIds) {
  const std::string inner = "{\"deep\":" + in_quotes("d", 5'000) + ",\"pad\":[" + in_quotes("p", 3'000) + "," +
                            in_quotes("p", 3'000) + "," + in_quotes("p", 3'000) + "," + in_quotes("p", 3'000) + "," +
                            in_quotes("p", 3'000) + "," + in_quotes("p", 3'000) + "]}";
  const Row row = split_record("{\"o\":{\"é\":1,\"inner\":" + inner + ",\"s\":" + in_quotes("\\n", 3'601) + "}}");
  EXPECT_EQ(row.plan.value_count, 5) << "o, inner, deep, pad, s";
  std::map<ValueId, std::string> texts;
  for (const ChunkRow& chunk : row.values.chunks) texts[chunk.value] += chunk.bytes;
  EXPECT_EQ(texts.size(), 3u) << "nested containers have no chunks";
  std::map<ValueId, int> pages;
  for (const DirectoryRow& page : row.values.directory) ++pages[page.value];
  EXPECT_EQ(pages.size(), 3u);
}

TEST(SplitLongValues, KeepsStringsInsideSmallContainers) {
  const Row row = split_record("{\"o\":{\"s\":" + in_quotes("x", 9'000) + "}}");
  EXPECT_FALSE(row.left("o"));
}

TEST(SplitLongValues, RejectsRecordsThatDoNotFitARow) {
  std::string text = "{";
  for (int i = 0; i < 4'000; ++i) text += "\"member" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  expect_refused(text + "\"n\":1}", "16384 bytes");
  expect_refused("{\"n\":" + std::string(20'000, '1') + "}", "16384 bytes");
}

TEST(SplitLongValues, RejectsContainersThatExceedDirectoryLimits) {
  expect_refused("{\"o\":{\"n\":" + std::string(20'000, '1') + "}}", "a number inside the record is over 16384 bytes");
  expect_refused("{\"o\":{" + in_quotes("n", 20'000) + ":1}}", "a member name");
  expect_refused("{\"o\":{\"n\":" + std::string(20'000, ' ') + "1}}", "a member name");
  std::string wide = "{\"o\":{";
  for (std::size_t i = 0; i <= limits::kMaxObjectMembers; ++i) wide += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  expect_refused(wide + "}}", "more than 1048576 members");
}

// Few code points, but more text than a step along a path may read.
TEST(SplitLongValues, MovesHeavilyEscapedStringsOutOfTheirContainer) {
  const std::string element = in_quotes("\\u0041", 3'000);
  ASSERT_GT(element.size(), limits::kInlineContainerBytes);
  const Row row = split_record("{\"a\":[" + element + "," + element + ",1]}");
  EXPECT_EQ(row.plan.value_count, 3);
}

// A sink that fails after some calls.
class FullSink final : public ValueSink {
 public:
  explicit FullSink(int room) : room_(room) {}
  Status put_chunk(ValueId, std::int64_t, std::string_view) override { return take(); }
  Status put_directory_page(ValueId, std::int64_t, std::string_view) override { return take(); }

 private:
  Status take() {
    if (room_-- > 0) return {};
    return fail(Code::kStoreUnavailable, "the disk is full");
  }
  int room_;
};

TEST(SplitLongValues, PropagatesErrorsOfTheSink) {
  const std::string text = "{\"a\":[" + in_quotes("x", 4'000) + "," + in_quotes("\\n", 9'000) + "]}";
  const json::Value data = json::value_of(text);
  const auto plan = plan_split(data);
  ASSERT_TRUE(plan);
  int calls = 0;
  for (;; ++calls) {
    FullSink sink(calls);
    const auto body = split_long_values(data, *plan, 1, sink);
    if (body) break;
    ASSERT_EQ(body.error().code, Code::kStoreUnavailable);
  }
  EXPECT_EQ(calls, 7 + 2 + 3 + 1) << "chunks of the array and of both strings, and one page";
}

}  // namespace
}  // namespace ladder::store
