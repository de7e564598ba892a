// The pages that a backup reads are those of one snapshot, whatever is written meanwhile and wherever they are stored.
#include "store/engines/backup.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/upkeep/page_snapshot.h"
#include "store/sqlite_scene.h"
#include "support/noise.h"

#include <atomic>
#include <thread>

namespace ladder::store::sqlite {
namespace {

// Reassembles the blocks of a backup into a file next to the store.
std::string backed_up(const Scene& scene, const std::string& name) {
  const std::string path = scene.path() + name;
  std::ofstream file(path, std::ios::binary);
  must(back_up(scene.path(), [&](std::string_view, std::string_view bytes) -> Status {
    file.write(bytes.data(), std::ssize(bytes));
    return {};
  }));
  return path;
}

std::int64_t number_in(const std::string& path, const char* sql) {
  const auto connection = must(Connection::open(path, Connection::Access::kWrite));
  return must(connection->read_integer(sql));
}

void expect_whole(const std::string& path) {
  const auto connection = must(Connection::open(path, Connection::Access::kWrite));
  Statement check = connection->prepare("PRAGMA integrity_check");
  ASSERT_TRUE(must(check.step()));
  EXPECT_EQ(check.bytes_at(0), "ok");
  check.reset();
  EXPECT_TRUE(must(must(open_sqlite(path, OpenMode::kExisting))->check_invariants()).empty());
}

void write_some(Scene& scene, int first, int count) {
  std::vector<RecordWrite> batch;
  for (int i = first; i < first + count; ++i) {
    batch.push_back(
        record_write(scene.store(), format("k{}", i),
                     format(R"({{"title":"{}","body":"{}"}})", i, test_support::noise(6'000, static_cast<std::uint64_t>(i)))));
  }
  must(scene.store().write(scene.target("notes"), batch, kNow));
}

// A reader of an earlier snapshot prevents checkpoints, so that the newest pages are in the log only.
TEST(SqlitePageSnapshot, ReadsPagesFromTheLog) {
  Scene scene;
  write_some(scene, 0, 50);
  const auto earlier = must(Connection::open(scene.path(), Connection::Access::kRead));
  must(earlier->execute("BEGIN; SELECT count(*) FROM records"));
  write_some(scene, 25, 100);
  const std::string copy = backed_up(scene, ".copy");
  earlier->roll_back();
  EXPECT_EQ(number_in(copy, "SELECT count(*) FROM records"), 125);
  expect_whole(copy);
}

// The log restarts while the pages are read: its former contents are in the database then.
TEST(SqlitePageSnapshot, SurvivesALogRestart) {
  Scene scene;
  write_some(scene, 0, 50);
  const auto earlier = must(Connection::open(scene.path(), Connection::Access::kRead));
  must(earlier->execute("BEGIN; SELECT count(*) FROM records"));
  write_some(scene, 50, 50);
  const auto snapshot = must(PageSnapshot::open(scene.path()));
  earlier->roll_back();
  const std::string copy = scene.path() + ".copy";
  std::ofstream file(copy, std::ios::binary);
  std::string page;
  for (std::int64_t at = 0; at < snapshot->pages(); ++at) {
    must(snapshot->read(at, 1, page));
    file.write(page.data(), std::ssize(page));
    if (at % 20 == 0) write_some(scene, 1'000 + static_cast<int>(at), 20);
    if (at % 50 == 0) must(scene.store().sweep(kNow, Deadline::after(std::chrono::milliseconds(50))));
  }
  file.close();
  EXPECT_EQ(number_in(copy, "SELECT count(*) FROM records"), 100);
  expect_whole(copy);
}

TEST(SqlitePageSnapshot, IsConsistentDuringWrites) {
  Scene scene;
  write_some(scene, 0, 200);
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    for (int round = 0; !over; ++round) write_some(scene, round % 40 * 10, 30);
  });
  for (int turn = 0; turn < 10; ++turn) expect_whole(backed_up(scene, format(".copy{}", turn)));
  over = true;
}

}  // namespace
}  // namespace ladder::store::sqlite
