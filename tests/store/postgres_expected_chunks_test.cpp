// Chunks fetched together with the record: the same whether or not the request was predicted.
#include "postgres_scene.h"

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kChunkChars = 3600;

// Returns text whose chunks all differ.
std::string numbered_text(int chunks) {
  std::string text;
  for (int i = 0; i < chunks; ++i) {
    std::string chunk = format("chunk {} ", i);
    chunk.resize(kChunkChars, '.');
    text += chunk;
  }
  return text;
}

TEST(PostgresExpectedChunks, EqualTheRequestedChunks) {
  Scene scene;
  constexpr int kChunks = 10;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(kChunks)));
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  must(
      // From here on the access status is cached.
      must(scene.store().read(scene.owner().no))->records({.owner = scene.owner().no}, streams, "a"));
  for (std::int64_t expected = 0; expected < kChunks; ++expected) {
    for (std::int64_t first = 0; first < kChunks; ++first) {
      const auto reader = must(scene.store().read(scene.owner().no));
      reader->expect_window(ref.text_id, expected, expected + 1);
      ASSERT_EQ(must(reader->records({.owner = scene.owner().no}, streams, "a")).records.size(), 1u);
      for (int again = 0; again < 2; ++again) {
        const auto chunks = must(reader->chunks(ref.text_id, first, first + 1));
        ASSERT_EQ(std::ssize(chunks), std::min<std::int64_t>(2, kChunks - first));
        for (std::size_t i = 0; i < chunks.size(); ++i) {
          EXPECT_TRUE(chunks[i].starts_with(format("chunk {} ", first + static_cast<std::int64_t>(i)))) << expected;
        }
      }
      EXPECT_TRUE(must(reader->chunks(ref.text_id + 1, expected, expected + 1)).empty()) << "of another value";
    }
  }
}

// A guess fetches the chunks of the record's first value; whatever was guessed, the requested ones are returned.
TEST(PostgresExpectedChunks, AGuessIsUsedIfItCoversTheRequest) {
  Scene scene;
  constexpr int kChunks = 4;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(kChunks)));
  scene.put("short", R"({"body":"short"})");
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  must(must(scene.store().read(scene.owner().no))->records({.owner = scene.owner().no}, streams, "a"));
  for (std::int64_t guessed = 0; guessed < kChunks; ++guessed) {
    for (std::int64_t first = 0; first < kChunks; ++first) {
      for (std::int64_t last = first; last < kChunks + 2; ++last) {
        const auto reader = must(scene.store().read(scene.owner().no));
        reader->expect_window(kFirstValue, guessed, guessed + 2);
        ASSERT_EQ(must(reader->records({.owner = scene.owner().no}, streams, "a")).records.size(), 1u);
        const auto chunks = must(reader->chunks(ref.text_id, first, last));
        ASSERT_EQ(std::ssize(chunks), std::min<std::int64_t>(last, kChunks - 1) - first + 1);
        for (std::size_t i = 0; i < chunks.size(); ++i)
          EXPECT_TRUE(chunks[i].starts_with(format("chunk {} ", first + static_cast<std::int64_t>(i)))) << guessed;
      }
    }
  }
  const auto reader = must(scene.store().read(scene.owner().no));
  reader->expect_window(kFirstValue, 0, 1);
  EXPECT_EQ(must(reader->records({.owner = scene.owner().no}, streams, "short")).records.at(0).body, R"({"body":"short"})");
  reader->expect_window(kFirstValue, 0, 1);
  EXPECT_TRUE(must(reader->records({.owner = scene.owner().no}, streams, "missing")).records.empty());
  reader->expect_window(kFirstValue, 1, 2);
  must(reader->records({.owner = scene.owner().no}, streams, "a"));
  scene.database().run("DELETE FROM ladder.chunks");
  EXPECT_EQ(must(reader->chunks(ref.text_id, 1, 2)).size(), 2u) << "they are here already";
}

// One more statement in the same round trip, and none after it.
TEST(PostgresExpectedChunks, NeedNoExtraRoundTrip) {
  Scene scene;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(4)));
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  must(must(scene.store().read(scene.owner().no))->records({.owner = scene.owner().no}, streams, "a"));
  const auto reader = must(scene.store().read(scene.owner().no));
  reader->expect_window(ref.text_id, 1, 2);
  must(reader->records({.owner = scene.owner().no}, streams, "a"));
  scene.database().run("DELETE FROM ladder.chunks");
  EXPECT_EQ(must(reader->chunks(ref.text_id, 1, 2)).size(), 2u) << "they are here already";
  EXPECT_EQ(must(reader->chunks(ref.text_id, 1, 2)).size(), 0u);
}

// A value that is being swept loses its chunks from the front; the rest must not be returned for the requested ones.
TEST(PostgresExpectedChunks, AValueBeingSweptIsGoneNotShifted) {
  Scene scene;
  scene.put("a", format(R"({{"body":"{}"}})", numbered_text(10)));
  const LongRef ref = must(parse_reference(json::member(scene.find("a")->body, "body")->text));
  const std::vector<StreamNo> streams = {scene.target().stream};
  const auto reader = must(scene.store().read(scene.owner().no));
  const auto window = [&](std::int64_t first, std::int64_t last) {
    reader->expect_window(ref.text_id, 4, 6);
    must(reader->records({.owner = scene.owner().no}, streams, "a"));
    return must(reader->chunks(ref.text_id, first, last));
  };
  EXPECT_EQ(window(4, 6).size(), 3u);
  scene.database().run("DELETE FROM ladder.chunks WHERE chunk_no <= 4");
  const auto chunks = window(5, 5);
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_TRUE(chunks[0].starts_with("chunk 5 "));
  EXPECT_EQ(window(4, 4).size(), 0u);
  EXPECT_LT(window(4, 6).size(), 3u) << "fewer: the value is gone";
}

}  // namespace
}  // namespace ladder::store::postgres
