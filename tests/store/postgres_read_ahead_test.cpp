// Reading a long value window by window: what is guessed, what is not, and that a guess never changes an answer.
#include "postgres_scene.h"
#include "store/postgres/read_ahead.h"

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kChunkChars = 3600;

// Text whose every chunk is different.
std::string numbered_text(int chunks) {
  std::string text;
  for (int i = 0; i < chunks; ++i) {
    std::string chunk = format("chunk {} ", i);
    chunk.resize(kChunkChars, '.');
    text += chunk;
  }
  return text;
}

TEST(PostgresReadAhead, GuessesTheSameOrTheNeighbourOnceTwoReadsShowedIt) {
  ReadAhead ahead;
  const std::uint64_t trail = ReadAhead::trail_of(std::vector<StreamNo>{3}, "key");
  EXPECT_FALSE(ahead.guess(trail));
  ahead.note(trail, {7, 10, 11});
  EXPECT_FALSE(ahead.guess(trail)) << "one read shows nothing";
  ahead.note(trail, {7, 10, 11});
  EXPECT_EQ(ahead.guess(trail), (ChunkRange{7, 10, 11}));
  ahead.note(trail, {7, 11, 12});
  EXPECT_EQ(ahead.guess(trail), (ChunkRange{7, 12, 14}));
  ahead.note(trail, {7, 12, 14});
  EXPECT_EQ(ahead.guess(trail), (ChunkRange{7, 14, 17}));
  ahead.note(trail, {7, 11, 12});
  EXPECT_EQ(ahead.guess(trail), (ChunkRange{7, 9, 11}));
  ahead.note(trail, {7, 500, 501});
  EXPECT_FALSE(ahead.guess(trail)) << "a jump";
  ahead.note(trail, {8, 501, 502});
  EXPECT_FALSE(ahead.guess(trail)) << "another value";
  ahead.note(trail, {8, 501, 600});
  EXPECT_FALSE(ahead.guess(trail)) << "too much at once";
  EXPECT_FALSE(ahead.guess(ReadAhead::trail_of(std::vector<StreamNo>{4}, "key")));
}

TEST(PostgresReadAhead, ReadsTheSameTextWithAndWithout) {
  Scene scene;
  constexpr int kChunks = 40;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(kChunks)));
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  const auto window = [&](std::int64_t first, std::int64_t last) {
    const auto reader = must(scene.store().read());
    EXPECT_EQ(must(reader->records({.owner = scene.owner().no}, streams, "a")).records.size(), 1u);
    return must(reader->chunks(ref.text_id, first, last));
  };
  const auto expect_window = [&](std::int64_t first, std::int64_t last) {
    const auto chunks = window(first, last);
    ASSERT_EQ(std::ssize(chunks), std::min<std::int64_t>(last, kChunks - 1) - first + 1);
    for (std::int64_t i = first; i <= std::min<std::int64_t>(last, kChunks - 1); ++i) {
      EXPECT_TRUE(chunks[static_cast<std::size_t>(i - first)].starts_with(format("chunk {} ", i))) << i;
    }
  };
  for (std::int64_t i = 0; i < kChunks; ++i) expect_window(i, i + 1);   // forward, over the end
  for (std::int64_t i = kChunks - 1; i >= 0; --i) expect_window(i, i);  // backward
  for (int i = 0; i < 5; ++i) expect_window(20, 21);                    // the same
  for (const std::int64_t first : {3, 30, 4, 31, 5, 6, 7, 8, 9, 25, 24, 23, 22})
    expect_window(first, first + 2);                                          // here and there
  for (std::int64_t i = 0; i + 6 < kChunks; i += 6) expect_window(i, i + 6);  // large windows
}

// A value that is being swept loses its chunks from the front; what is left must not stand in for what was asked for.
TEST(PostgresReadAhead, AValueThatIsBeingSweptIsGoneNotShifted) {
  Scene scene;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(10)));
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  const auto reader = must(scene.store().read());
  const auto window = [&](std::int64_t first, std::int64_t last) {
    must(reader->records({.owner = scene.owner().no}, streams, "a"));
    return must(reader->chunks(ref.text_id, first, last));
  };
  for (int i = 0; i < 3; ++i) window(4, 6);
  scene.database().run("DELETE FROM ladder.chunks WHERE chunk_no <= 4");
  const auto chunks = window(5, 5);
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_TRUE(chunks[0].starts_with("chunk 5 "));
  EXPECT_EQ(window(4, 4).size(), 0u);
}

}  // namespace
}  // namespace ladder::store::postgres
