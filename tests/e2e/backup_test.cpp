// `ladder backup` with a concurrent writer, killed midway, verified, damaged, encrypted; `ladder restore` to an empty
// location, where no token is valid.
#include "base/text/format.h"
#include "owner.h"
#include "store/auth_store.h"
#include "store/store.h"
#include "support/noise.h"

#include <sys/stat.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <csignal>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

using Backups = EveryEngine;
LADDER_FOR_EVERY_ENGINE(Backups);

std::string many_notes(int first, int count, std::size_t bytes) {
  std::string lines;
  for (int i = first; i < first + count; ++i)
    lines += note(format("n{}", i), format("word{} {}", i, test_support::noise(bytes, static_cast<std::uint64_t>(i))));
  return lines;
}

// Another location of the same engine with its own environment, sharing the backup folder.
std::int64_t notes_of(const Owner& owner) {
  std::int64_t sum = 0;
  const boost::json::value shown = owner.json({"connection", "show", "home"});
  for (const auto& stream : shown.at("streams").as_array()) sum += stream.at("records").as_int64();
  return sum;
}

TEST_P(Backups, RestoreEverythingButTokens) {
  owner.set_up();
  owner.ingest(many_notes(0, 300, 5'000));
  const boost::json::value grant = owner.json({"grant", "create", "--client", "reader", "--stream", "notes:title,body"});
  owner.surroundings().environment["LADDER_TOKEN"] = text_at(grant, "/token");
  EXPECT_EQ(owner.ladder({"read", "notes:n7", "body", "--token", "env", "--limit", "5"}).exit_code, 0);
  const std::string target = owner.file("backups");
  owner.done({"owner", "link"});
  const boost::json::value first = owner.json({"backup", target});
  EXPECT_GT(number_at(first, "/bytes_written"), 1'000'000);
  EXPECT_EQ(number_at(owner.json({"backup", "verify", target}), "/snapshots"), 1);
  owner.done({"grant", "revoke", "--client", "reader"});

  Owner other(GetParam());
  other.surroundings().environment["LADDER_TOKEN"] = text_at(grant, "/token");
  other.done({"restore", target});
  EXPECT_EQ(notes_of(other), 300);
  EXPECT_EQ(text_at(other.json({"read", "home/notes:n7", "body", "--limit", "5"}), "/window/text"), "word7");
  EXPECT_EQ(other.ladder({"read", "notes:n7", "body", "--token", "env", "--limit", "5"}).exit_code, 77);
  const auto restored = other.place().open(store::OpenMode::kExisting);
  EXPECT_TRUE(restored->check_invariants()->empty());
  EXPECT_EQ(restored->auth().count("link").value(), 0) << "a link to sign in is a secret of the time before";
  EXPECT_NE(other.ladder({"restore", target}).exit_code, 0) << "an existing store is not overwritten";
  // The restored store accepts new records, grants and tokens.
  other.ingest(many_notes(300, 3, 10));
  EXPECT_EQ(notes_of(other), 303);
  other.json({"grant", "create", "--client", "again", "--stream", "notes:title,body"});
}

TEST_P(Backups, AreIncremental) {
  owner.set_up();
  owner.ingest(many_notes(0, 1'500, 5'000));
  const std::string target = owner.file("backups");
  const std::int64_t all = number_at(owner.json({"backup", target}), "/bytes_written");
  EXPECT_EQ(number_at(owner.json({"backup", target}), "/bytes_written") > all / 4, false);
  owner.ingest(many_notes(5'000, 5, 100));
  EXPECT_LT(number_at(owner.json({"backup", target}), "/bytes_written"), all / 2);
  EXPECT_EQ(owner.json({"backup", "list", target}).at("snapshots").as_array().size(), 3U);
  owner.json({"backup", target, "--keep", "1"});
  EXPECT_EQ(owner.json({"backup", "list", target}).at("snapshots").as_array().size(), 1U);
  owner.done({"backup", "verify", target});
}

TEST_P(Backups, OpenOnlyWithTheirKey) {
  owner.set_up();
  owner.ingest(note("n0", "a very telling sentence"));
  const std::string target = owner.file("backups"), key = owner.file("key"), wrong = owner.file("wrong");
  owner.done({"backup", "key", key});
  owner.done({"backup", "key", wrong});
  owner.done({"backup", target, "--key", key});
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(test_support::file_text(entry.path()).find("telling"), std::string::npos) << entry.path();
  }
  owner.done({"backup", "verify", target, "--key", key});
  EXPECT_EQ(owner.ladder({"backup", "verify", target, "--key", wrong}).exit_code, 64);
  EXPECT_EQ(owner.ladder({"backup", "verify", target}).exit_code, 64);
  EXPECT_EQ(owner.ladder({"backup", target}).exit_code, 64) << "nothing plain goes into an encrypted folder";
  Owner other(GetParam());
  EXPECT_EQ(other.ladder({"restore", target, "--key", wrong}).exit_code, 64);
  other.done({"restore", target, "--key", key});
  EXPECT_EQ(notes_of(other), 1);
}

TEST_P(Backups, ADamagedChunkIsFoundAndNeverRestored) {
  owner.set_up();
  owner.ingest(many_notes(0, 100, 5'000));
  const std::string target = owner.file("backups");
  owner.done({"backup", target});
  fs::path largest;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(target + "/packs")) {
    if (entry.is_regular_file() && (largest.empty() || entry.file_size() > fs::file_size(largest))) largest = entry.path();
  }
  std::fstream file(largest, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(1000);
  file.put('\x7f').put('\x01').put('\x7f');
  file.close();
  EXPECT_EQ(owner.ladder({"backup", "verify", target, "--json"}).error_code(), "damaged_data");
  Owner other(GetParam());
  EXPECT_EQ(other.ladder({"restore", target, "--json"}).error_code(), "damaged_data");
  EXPECT_NE(other.ladder({"connection", "list"}).exit_code, 0) << "half a store is none";
}

TEST_P(Backups, AreCompleteDuringWritesAndAbsentIfKilled) {
  owner.set_up();
  owner.ingest(many_notes(0, 200, 5'000));
  const std::string target = owner.file("backups");
  Process writer(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes"});
  std::jthread feeding([&writer] {
    for (int i = 0; i < 20; ++i) {
      writer.write(many_notes(1'000 + i * 50, 50, 3'000));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    writer.close_input();
  });
  for (const int after : {5, 40, 120, 300}) {
    Process killed(owner.surroundings(), {"backup", target});
    std::this_thread::sleep_for(std::chrono::milliseconds(after));
    killed.signal(SIGKILL);
    killed.wait();
  }
  owner.done({"backup", target});
  owner.done({"backup", "verify", target});
  feeding.join();
  writer.wait();
  Owner other(GetParam());
  other.done({"restore", target});
  EXPECT_GE(notes_of(other), 200);
  EXPECT_TRUE(other.place().open(store::OpenMode::kExisting)->check_invariants()->empty());
}

// Free pages are zeros in the backup and holes in the restored file, as they were in the store.
TEST(Backup, SkipsFreePagesAfterAnErasure) {
  const Owner owner;
  owner.set_up();
  owner.ingest(many_notes(0, 1'000, 9'000));
  owner.done({"connection", "add", "notes", "--id", "away"});
  owner.done({"erase", "home", "--yes"});
  owner.done({"backup", owner.file("backups")});
  const std::string restored = owner.file("restored.db");
  owner.done({"restore", owner.file("backups"), "--db", restored});
  struct stat about{};
  ASSERT_EQ(::stat(restored.c_str(), &about), 0);
  EXPECT_GT(about.st_size, 8'000'000);
  EXPECT_LT(about.st_blocks * 512, 2'000'000);
  EXPECT_TRUE(store::open_store(restored, store::OpenMode::kExisting).value()->check_invariants()->empty());
}

TEST(Backup, RejectsUnsuitableTargets) {
  Owner owner;
  owner.set_up();
  EXPECT_EQ(owner.ladder({"restore", owner.file("nowhere"), "--json"}).error_code(), "not_found");
  owner.write_file("other.txt", "mine");
  EXPECT_EQ(owner.ladder({"backup", owner.place().folder().path().string(), "--json"}).error_code(), "conflict");
  Owner postgres("postgres");
  owner.done({"backup", owner.file("backups")});
  const Outcome refused = postgres.ladder({"restore", owner.file("backups")});
  EXPECT_EQ(refused.exit_code, 64) << refused.summary();
  EXPECT_NE(refused.err.find("ladder export"), std::string::npos) << refused.summary();
}

}  // namespace
}  // namespace ladder::e2e
