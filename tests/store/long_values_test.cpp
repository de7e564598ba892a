// Long values: windows by chunks, directories, and the text's fate when records change.
#include "store_suite.h"

#include "base/limits.h"
#include "base/text/utf8.h"
#include "json/scan/pointer.h"
#include "store/locate.h"

#include <limits>
#include <set>

namespace ladder::store {
namespace {

using enum Outcome;

class LongValuesSuite : public StoreSuite {
 protected:
  LongRef ref_of(std::string_view key, std::string_view field) {
    const auto row = world().find(key);
    return must(parse_reference(json::member(row->body, field)->text));
  }
  std::string body(const std::string& text) { return "{\"id\":1,\"body\":\"" + text + "\"}"; }
};
LADDER_FOR_EVERY_ENGINE(LongValuesSuite);

TEST_P(LongValuesSuite, ReadsAWindowAtEveryChunkBoundary) {
  const std::string text = long_text("aé中😀", 20'000);
  world().put("a", body(text));
  const LongRef ref = ref_of("a", "body");
  EXPECT_EQ(ref.size_chars, 20'000);
  const auto reader = must(store().read(world().owner()));
  std::vector<std::int64_t> starts = {0, 1, 19'999};
  for (std::int64_t border = ref.chunk_chars; border < ref.size_chars; border += ref.chunk_chars) {
    for (const std::int64_t start : {border - 1, border, border + 1}) starts.push_back(start);
  }
  for (const std::int64_t start : starts) {
    for (const std::int64_t length : {1, 2, 900, 4'096}) {
      const std::int64_t end = std::min(ref.size_chars, start + length);
      const ChunkSpan span = chunk_span(ref, start, end);
      const auto chunks = must(reader->chunks(ref.text_id, span.first, span.last));
      ASSERT_EQ(static_cast<std::int64_t>(chunks.size()), span.last - span.first + 1);
      ASSERT_EQ(cut_chars(ref, chunks, start, end), utf8::slice(text, start, end - start)) << start << " " << end;
    }
  }
}

TEST_P(LongValuesSuite, ChunksPastTheEndDoNotExist) {
  world().put("a", body(long_text("x", 8'000)));
  const LongRef ref = ref_of("a", "body");
  const auto reader = must(store().read(world().owner()));
  EXPECT_EQ(must(reader->chunks(ref.id, 1, 9)).size(), 2u);
  EXPECT_TRUE(must(reader->chunks(ref.id, 3, 9)).empty());
  EXPECT_TRUE(must(reader->chunks(ref.id + 1'000'000, 0, 9)).empty());
}

TEST_P(LongValuesSuite, EachChunkEqualsTheCopiedChunks) {
  world().put("a", body(long_text("é中", 8'000)));
  const LongRef ref = ref_of("a", "body");
  const auto reader = must(store().read(world().owner()));
  for (const auto& [first, last] : {std::pair{0, 9}, {1, 2}, {3, 3}, {7, 9}}) {
    std::vector<std::string> seen;
    const auto count = must(reader->each_chunk(ref.id, first, last, [&](std::string_view chunk) { seen.emplace_back(chunk); }));
    EXPECT_EQ(seen, must(reader->chunks(ref.id, first, last)));
    EXPECT_EQ(count, std::ssize(seen));
  }
}

TEST_P(LongValuesSuite, NeighborsDoNotMix) {
  world().put("a", R"({"x":")" + long_text("x", 9'000) + R"(","y":")" + long_text("y", 9'000) + R"(","z":")" +
                       long_text("z", 9'000) + "\"}");
  EXPECT_EQ(world().text(ref_of("a", "x")), long_text("x", 9'000));
  EXPECT_EQ(world().text(ref_of("a", "y")), long_text("y", 9'000));
  EXPECT_EQ(world().text(ref_of("a", "z")), long_text("z", 9'000));
}

TEST_P(LongValuesSuite, ReadsPathsIntoALargeObject) {
  std::string object = "{";
  for (int i = 0; i < 2'000; ++i) object += "\"name " + std::to_string(i) + "\":{\"n\":" + std::to_string(i) + "},";
  object += "\"long\":\"" + long_text("é", 5'000) + "\",\"list\":[" + long_text("1,", 40'000) + "2]}";
  world().put("a", "{\"body\":" + object + "}");
  const RecordRow row = *world().find("a");
  const auto reader = must(store().read(world().owner()));
  const auto at = [&](std::vector<std::string> tokens) {
    return must(locate(*reader, row, {json::format_pointer(tokens), "body", std::move(tokens)}));
  };
  for (int i = 0; i < 2'000; i += 61) EXPECT_EQ(at({"name " + std::to_string(i), "n"}).text, std::to_string(i));
  EXPECT_EQ(world().text(*at({"long"}).ref), long_text("é", 5'000));
  EXPECT_EQ(at({"list", "0"}).text, "1");
  EXPECT_EQ(at({"list", "20000"}).text, "2");
  EXPECT_EQ(world().text(*at({}).ref), object);
  EXPECT_EQ(world().text(*at({"list"}).ref), "[" + long_text("1,", 40'000) + "2]");
  EXPECT_FALSE(must(reader->directory_page(ref_of("a", "body").id, std::numeric_limits<std::int64_t>::min())));
}

TEST_P(LongValuesSuite, ReplacedTextIsSwept) {
  world().put("a", body(long_text("old", 9'000)));
  const ValueId old = ref_of("a", "body").id;
  EXPECT_EQ(world().stored_chunks(old), 3);
  EXPECT_EQ(world().put("a", body(long_text("new", 9'000))), kChanged);
  const ValueId current = ref_of("a", "body").id;
  EXPECT_NE(current, old);
  EXPECT_GE(sweep_all(store(), kNow), 1);
  EXPECT_EQ(world().stored_chunks(old), 0);
  EXPECT_EQ(world().text(ref_of("a", "body")), long_text("new", 9'000));
  EXPECT_EQ(sweep_all(store(), kNow), 0) << "nothing is swept twice";
}

TEST_P(LongValuesSuite, DeletedTextIsSwept) {
  const std::string object = "{\"k\":\"" + long_text("k", 9'000) + "\",\"l\":[\"" + long_text("l", 30'000) + "\"]}";
  world().put("a", "{\"body\":" + object + "}");
  const LongRef ref = ref_of("a", "body");
  EXPECT_TRUE(must(must(store().read(world().owner()))->directory_page(ref.id, std::numeric_limits<std::int64_t>::max())));
  world().remove("a");
  sweep_all(store(), kNow);
  for (ValueId id = ref.id; id < ref.id + 4; ++id) {
    EXPECT_EQ(world().stored_chunks(id), 0);
    EXPECT_FALSE(must(must(store().read(world().owner()))->directory_page(id, std::numeric_limits<std::int64_t>::max())));
  }
}

TEST_P(LongValuesSuite, AnUnchangedRecordKeepsItsText) {
  world().put("a", body(long_text("x", 9'000)));
  const std::string before = world().find("a")->body;
  EXPECT_EQ(world().put("a", body(long_text("x", 9'000))), kUnchanged);
  EXPECT_EQ(world().find("a")->body, before);
  sweep_all(store(), kNow);
  EXPECT_EQ(world().text(ref_of("a", "body")), long_text("x", 9'000));
}

TEST_P(LongValuesSuite, IntermediateTextsOfABatchAreSwept) {
  std::vector<RecordWrite> batch;
  for (const char* unit : {"1", "2", "3"}) batch.push_back(world().record("a", body(long_text(unit, 5'000))));
  batch.push_back(World::deletion("a"));
  batch.push_back(world().record("a", body(long_text("4", 5'000))));
  const ValueId first = batch[0].first_value, last = batch[4].first_value;
  EXPECT_EQ(world().write(world().notes(), std::move(batch)),
            (std::vector<Outcome>{kAdded, kChanged, kChanged, kDeleted, kAdded}));
  sweep_all(store(), kNow);
  for (ValueId id = first; id < last; ++id) EXPECT_EQ(world().stored_chunks(id), 0) << id;
  EXPECT_EQ(world().text(ref_of("a", "body")), long_text("4", 5'000));
}

TEST_P(LongValuesSuite, ValuesMayBecomeShortAndLong) {
  for (const std::int64_t chars : {10, 5'000, 20, 70'000, 0, 3'601, 3'600}) {
    world().put("a", body(long_text("é", chars)));
    EXPECT_EQ(world().whole(*world().find("a")), body(long_text("é", chars)));
  }
  sweep_all(store(), kNow);
  EXPECT_EQ(world().whole(*world().find("a")), body(long_text("é", 3'600)));
}

TEST_P(LongValuesSuite, ASweepStopsAtItsDeadline) {
  for (int i = 0; i < 20; ++i) world().put("a", body(long_text(std::to_string(i), 200'000)));
  const auto report = must(store().sweep(kNow, Deadline::after(std::chrono::milliseconds(0))));
  EXPECT_FALSE(report.complete);
  sweep_all(store(), kNow);
  EXPECT_EQ(world().text(ref_of("a", "body")), long_text("19", 200'000));
}

TEST_P(LongValuesSuite, ReservedIdsAreNeverReused) {
  std::set<ValueId> ids;
  for (const std::int64_t count : {1, 5, 100, 1, 10'000, 2}) {
    const ValueId first = must(store().reserve_values(world().owner(), count));
    EXPECT_GT(first, 0);
    for (ValueId id = first; id < first + count; ++id) EXPECT_TRUE(ids.insert(id).second) << id;
  }
  const auto other = place().open(OpenMode::kExisting);
  reopen();
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(ids.insert(must(store().reserve_values(world().owner(), 1))).second);
    EXPECT_TRUE(ids.insert(must(other->reserve_values(world().owner(), 1))).second);
  }
}

}  // namespace
}  // namespace ladder::store
