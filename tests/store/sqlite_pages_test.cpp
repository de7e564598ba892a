// How much of the file a read touches, counted below SQLite: the same for a long value as for a short one.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/vfs.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

class SqlitePages : public ::testing::Test {
 protected:
  SqlitePages() { must(install_counting_vfs()); }
  ~SqlitePages() override { use_vfs(nullptr); }
};

// Returns the bytes read from the files by one window, with only the prepared statements in memory.
std::int64_t cold_read(Scene& scene, StreamNo stream, std::string_view key, std::int64_t first_chunk) {
  const std::vector<StreamNo> streams = {stream};
  const auto read = [&] {
    const auto reader = must(scene.store().read(scene.owner().no));
    const RecordRow row = must(reader->records({scene.owner().no, 1, 1}, streams, key)).records.at(0);
    const std::string body = row.body;
    const LongRef ref = must(parse_reference(json::member(body, "body")->text));
    EXPECT_EQ(must(reader->chunks(ref.text_id, first_chunk, first_chunk + 1)).size(), 2u);
  };
  read();
  drop_idle_reader_caches(scene.store());
  reset_read_counts();
  read();
  return read_counts().bytes();
}

TEST_F(SqlitePages, OfAWindowDoNotGrowWithTheValue) {
  Scene scene;
  const StreamNo stream = scene.target().stream;
  const std::vector<std::pair<std::string, std::size_t>> values = {
      {"small", 8'000}, {"middle", 1'000'000}, {"large", 20'000'000}};
  for (const auto& [key, size] : values) scene.put(key, format(R"({{"title":"t","body":"{}"}})", std::string(size, 'x')));
  for (int i = 0; i < 300; ++i) scene.put(format("k{}", i), R"({"title":"other"})");
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(10))));
  std::vector<std::int64_t> bytes;
  for (const auto& [key, size] : values) {
    const auto last = static_cast<std::int64_t>(size) / 3600;
    for (const std::int64_t chunk : {std::int64_t{0}, last / 2, last - 1}) bytes.push_back(cold_read(scene, stream, key, chunk));
  }
  const auto [least, most] = std::ranges::minmax(bytes);
  EXPECT_GT(least, 0) << "the counter must count";
  EXPECT_LE(most, 64 * 1024);
  EXPECT_LE(most - least, 2 * 4096);
  must(scene.store().read(scene.owner().no));
}

TEST_F(SqlitePages, AreCountedInTheLogToo) {
  Scene scene;
  scene.put("a", format(R"({{"title":"t","body":"{}"}})", std::string(9'000, 'x')));
  close_idle_readers(scene.store());
  reset_read_counts();
  const std::vector<StreamNo> streams = {scene.target().stream};
  ASSERT_EQ(must(must(scene.store().read(scene.owner().no))->records({}, streams, "a")).records.size(), 1u);
  EXPECT_GT(read_counts().log_bytes, 0);
  EXPECT_GT(read_counts().log_reads, 0);
}

}  // namespace
}  // namespace ladder::store::sqlite
