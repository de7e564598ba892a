// `ladder backup` and `ladder restore` under failure: a full disk, files that were changed, truncated or lost,
// PostgreSQL failing midway, a backup of a newer Ladder. Each failure is reported, and nothing is restored partially.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "owner.h"
#include "small_disk.h"

#include <sys/stat.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <atomic>
#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

using BackupFaults = EveryEngine;
LADDER_FOR_EVERY_ENGINE(BackupFaults);

// Returns notes of incompressible bytes, so that no two chunks are equal.
std::string many_notes(int first, int count, std::size_t bytes) {
  std::string lines;
  unsigned state = 1;
  for (int i = first; i < first + count; ++i) {
    std::string body = format("word{} ", i);
    while (body.size() < bytes) {
      state = state * 1'664'525U + 1'013'904'223U;
      body += static_cast<char>('a' + (state >> 16U) % 26U);
    }
    lines += note(format("n{}", i), body);
  }
  return lines;
}

std::set<fs::path> files_of(const fs::path& folder) {
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.insert(entry.path());
  }
  return files;
}

std::string content(const fs::path& path) { return test_support::file_text(path); }

void put(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::ssize(bytes));
}

// A chunk in the list of a snapshot.
struct ListedChunk {
  std::string pack;
  std::int64_t offset = 0, bytes = 0;
};
std::vector<ListedChunk> chunks_of(const fs::path& snapshot) {
  std::vector<ListedChunk> chunks;
  std::istringstream lines(content(snapshot));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, name;
    ListedChunk chunk;
    if (words >> word >> name >> chunk.bytes >> chunk.pack >> chunk.offset && word == "chunk") chunks.push_back(chunk);
  }
  return chunks;
}

TEST_P(BackupFaults, AFullBackupRewritesADamagedChunk) {
  owner.set_up();
  owner.ingest(many_notes(0, 100, 5'000));
  const std::string target = owner.file("backups");
  const std::string first = text_at(owner.json({"backup", target}), "/snapshot");
  const std::set<fs::path> before = files_of(target + "/packs");
  owner.ingest(many_notes(200, 100, 5'000));
  owner.done({"backup", target});
  const std::string third = text_at(owner.json({"backup", target}), "/snapshot");
  // A chunk of the second backup that the first one also has. The page that stores the backup time changes with each
  // backup.
  fs::path pack;
  std::int64_t offset = 0;
  for (const ListedChunk& chunk : chunks_of(fs::path(target) / "snapshots" / third)) {
    const fs::path file = fs::path(target) / "packs" / chunk.pack;
    if (before.contains(file) || chunk.bytes <= 2'000) continue;
    pack = file;
    offset = chunk.offset + 1'000;
  }
  ASSERT_FALSE(pack.empty());
  std::string bytes = content(pack);
  bytes.at(static_cast<std::size_t>(offset)) ^= 1;
  put(pack, bytes);

  const Outcome verified = owner.ladder({"backup", "verify", target});
  EXPECT_EQ(verified.exit_code, 1) << verified.summary();
  EXPECT_NE(verified.err.find("snapshots cannot be restored"), std::string::npos) << verified.summary();
  EXPECT_NE(verified.err.find(pack.native()), std::string::npos) << verified.summary();
  EXPECT_NE(verified.err.find("--full"), std::string::npos) << verified.summary();
  EXPECT_NE(verified.err.find("--at " + first), std::string::npos) << verified.summary();
  const Owner other(GetParam());
  EXPECT_NE(other.ladder({"restore", target}).exit_code, 0);
  other.done({"restore", target, "--at", first});

  owner.done({"backup", target});
  EXPECT_EQ(owner.ladder({"backup", "verify", target, "--json"}).error_code(), "damaged_data") << "a usual one trusts the pack";
  owner.done({"backup", target, "--full"});
  owner.done({"backup", "verify", target});
  const Owner mended(GetParam());
  mended.done({"restore", target, "--at", third});
}

// Changes one bit of every file of a backup, of either kind, and truncates, empties or removes it.
TEST(BackupFault, ReportsEveryChangedFile) {
  for (const bool encrypted : {false, true}) {
    const Owner owner;
    owner.set_up();
    owner.ingest(many_notes(0, 20, 5'000));
    const std::string target = owner.file("backups"), key = owner.file("key");
    owner.done({"backup", "key", key});
    std::vector<std::string> with_key;
    if (encrypted) with_key = {"--key", key};
    const auto words = [&](std::vector<std::string> begin) {
      begin.insert(begin.end(), with_key.begin(), with_key.end());
      return begin;
    };
    owner.done(words({"backup", target}));
    const std::string restored = owner.file("restored.db");
    const std::set<fs::path> files = files_of(target);
    EXPECT_GE(files.size(), 3U);
    for (const fs::path& file : files) {
      const std::string good = content(file);
      std::string flipped = good;
      flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 4);
      for (const std::string& bad : {flipped, good.substr(0, good.size() - 1), good + "x", std::string()}) {
        SCOPED_TRACE(format("{} has {} of {} bytes", file.native(), bad.size(), good.size()));
        put(file, bad);
        const Outcome verified = owner.ladder(words({"backup", "verify", target}));
        EXPECT_NE(verified.exit_code, 0) << verified.summary();
        EXPECT_NE(verified.err.find(target), std::string::npos) << verified.summary();
        const Outcome refused = owner.ladder(words({"restore", target, "--db", restored}));
        EXPECT_NE(refused.exit_code, 0) << refused.summary();
        for (const char* suffix : {"", "-wal", "-shm", ".restoring"}) EXPECT_FALSE(fs::exists(restored + suffix)) << suffix;
      }
      fs::remove(file);
      EXPECT_NE(owner.ladder(words({"backup", "verify", target})).exit_code, 0) << file << " is gone";
      put(file, good);
    }
    owner.done(words({"backup", "verify", target}));
    owner.done(words({"restore", target, "--db", restored}));
  }
}

TEST(BackupFault, AFullDiskKeepsOldBackupsAndNothingOfTheFailedOne) {
  if (faults::SmallDisk::kinds().size() < 2) GTEST_SKIP() << "no file system can be mounted here";
  const Owner owner;
  owner.set_up();
  owner.ingest(many_notes(0, 100, 5'000));
  faults::SmallDisk disk(faults::SmallDisk::Kind::kFileSystem, 4'000'000);
  const std::string target = disk.folder() / "backups";
  owner.done({"backup", target});
  const std::set<fs::path> before = files_of(target);
  owner.ingest(many_notes(1'000, 1'000, 5'000));
  const Outcome full = owner.ladder({"backup", target});
  EXPECT_EQ(full.exit_code, 1) << full.summary();
  EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.summary();
  EXPECT_NE(full.err.find(target), std::string::npos) << full.summary();
  EXPECT_EQ(files_of(target), before) << "its files are removed and take up no space";
  owner.done({"backup", "verify", target});

  // The reverse: a store that does not fit on the disk it is restored to.
  const std::string large = owner.file("large");
  owner.done({"backup", large});
  const std::string place = disk.folder() / "store.db";
  const Outcome refused = owner.ladder({"restore", large, "--db", place});
  EXPECT_EQ(refused.exit_code, 1) << refused.summary();
  EXPECT_NE(refused.err.find("full"), std::string::npos) << refused.summary();
  for (const char* suffix : {"", "-wal", "-shm", ".restoring", ".restoring-wal"})
    EXPECT_FALSE(fs::exists(place + suffix)) << suffix;

  disk.enlarge(0, 64'000'000);
  owner.done({"backup", target});
  owner.done({"backup", "verify", target});
  owner.done({"restore", large, "--db", place});
  EXPECT_EQ(owner.ladder({"search", "word1050", "--db", place}).exit_code, 0);
}

TEST(BackupFault, AKilledBackupLeavesNothingForTheNext) {
  const Owner owner;
  owner.set_up();
  owner.ingest(many_notes(0, 50, 5'000));
  const std::string target = owner.file("backups");
  owner.done({"backup", target});
  const std::set<fs::path> before = files_of(target + "/packs");
  const std::string stranger = target + "/packs/0123456789abcdef";
  put(stranger, "half a pack");
  owner.done({"backup", target});
  EXPECT_FALSE(fs::exists(stranger));
  for (const fs::path& file : before) EXPECT_TRUE(fs::exists(file)) << file;

  // An unreadable snapshot may refer to any pack, so no pack is removed.
  put(stranger, "a pack");
  put(target + "/snapshots/20200101T000000.000000Z", "cut");
  owner.done({"backup", target});
  EXPECT_TRUE(fs::exists(stranger));
}

TEST(BackupFault, OneDamagedListDoesNotHideOthers) {
  const Owner owner;
  owner.set_up();
  const std::string target = owner.file("backups");
  const std::string first = text_at(owner.json({"backup", target}), "/snapshot");
  const std::string second = text_at(owner.json({"backup", target}), "/snapshot");
  put(target + "/snapshots/" + first, "cut");
  const Outcome listed = owner.ladder({"backup", "list", target});
  EXPECT_EQ(listed.exit_code, 1) << listed.summary();
  EXPECT_NE(listed.out.find(second), std::string::npos) << listed.summary();
  EXPECT_NE(listed.err.find(first), std::string::npos) << listed.summary();
  const Outcome as_json = owner.ladder({"backup", "list", target, "--json"});
  EXPECT_EQ(as_json.exit_code, 1) << as_json.summary();
  EXPECT_EQ(text_at(as_json.json(), "/damaged/0"), first);
  EXPECT_EQ(text_at(as_json.json(), "/snapshots/0/snapshot"), second);
}

// If TARGET is missing, no unencrypted copy of everything must appear in the current folder.
TEST(BackupFault, AForgottenTargetMakesNoBackup) {
  const Owner owner;
  owner.set_up();
  for (const char* word : {"verify", "list", "key"}) {
    const Outcome refused = owner.ladder({"backup", word});
    EXPECT_EQ(refused.exit_code, 64) << refused.summary();
    EXPECT_NE(refused.err.find(std::string("./") + word), std::string::npos) << refused.summary();
    EXPECT_FALSE(fs::exists(owner.file(word))) << word;
  }
  const Outcome empty = owner.ladder({"backup", ""});
  EXPECT_EQ(empty.exit_code, 64) << empty.summary();
  EXPECT_NE(empty.err.find("TARGET is empty"), std::string::npos) << empty.summary();
  owner.done({"backup", "./verify"});
  EXPECT_TRUE(fs::exists(owner.file("verify"))) << "said so, it is a folder";
}

// Ctrl-C removes what was written: unreferenced packs and a partial store. The test retries if the program ends before
// the signal arrives.
TEST_P(BackupFaults, CtrlCLeavesNothing) {
  owner.set_up();
  owner.ingest(many_notes(0, 3'000, 5'000));
  const std::string target = owner.file("backups");
  bool stopped = false;
  for (int tries = 0; tries < 20 && !stopped; ++tries) {
    fs::remove_all(target);
    Process process(owner.surroundings(), {"backup", target});
    while (!fs::exists(target + "/packs") || files_of(target + "/packs").empty()) {
    }
    process.signal(SIGINT);
    const Outcome ended = process.wait();
    if (ended.exit_code == 0) continue;
    stopped = true;
    EXPECT_EQ(ended.exit_code, 1) << ended.summary();
    EXPECT_NE(ended.err.find("this backup was discarded"), std::string::npos) << ended.summary();
    EXPECT_EQ(files_of(target + "/packs").size(), 0U);
  }
  EXPECT_TRUE(stopped);

  owner.done({"backup", target});
  stopped = false;
  for (int tries = 0; tries < 20 && !stopped; ++tries) {
    Owner other(GetParam());
    const std::string draft = other.place().location() + ".restoring";
    const auto has_begun = [&] {
      if (!other.place().database()) return fs::exists(draft) && fs::file_size(draft) > 0;
      return other.place().database()->value(
                 "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                 " AND application_name = 'ladder-backup' AND query LIKE 'COPY%'") != "0";
    };
    Process process(other.surroundings(), {"restore", target});
    while (!process.has_ended() && !has_begun()) {
    }
    process.signal(SIGINT);
    const Outcome ended = process.wait();
    if (ended.exit_code == 0) continue;
    stopped = true;
    EXPECT_EQ(ended.exit_code, 1) << ended.summary();
    EXPECT_NE(ended.err.find("nothing was restored"), std::string::npos) << ended.summary();
    EXPECT_NE(other.ladder({"connection", "list"}).exit_code, 0) << "half a store is none";
    if (other.place().database()) continue;
    for (const char* suffix : {"", "-wal", ".restoring", ".restoring-wal"})
      EXPECT_FALSE(fs::exists(other.place().location() + suffix)) << suffix;
  }
  EXPECT_TRUE(stopped);
}

// Root acts for a service that runs as another user: files created next to the store belong to that user, and no other
// file's permissions change.
TEST(FilesOfRoot, BelongToTheServiceInItsFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes files for others";
  constexpr uid_t kService = 61'234;
  Owner owner;
  const fs::path folder = owner.file("state");
  fs::create_directory(folder);
  ASSERT_EQ(::chown(folder.c_str(), kService, kService), 0);
  const std::string store = folder / "ladder.db";
  owner.set_up();
  owner.ingest(many_notes(0, 10, 5'000));
  owner.done({"backup", owner.file("backups")});
  owner.done({"restore", owner.file("backups"), "--db", store});
  // A symbolic link in the file's place is not followed.
  const std::string secret = owner.write_file("secret", "of root");
  fs::create_symlink(secret, folder / "ladder.db-bulk");
  const boost::json::value grant =
      owner.json({"grant", "create", "--client", "reader", "--stream", "notes:title,body", "--db", store});
  Surroundings with_token = owner.surroundings();
  with_token.environment["LADDER_TOKEN"] = text_at(grant, "/token");
  EXPECT_EQ(run(with_token, {"read", "notes:n7", "body", "--token", "env", "--limit", "5", "--db", store}).exit_code, 0);
  owner.ingest(many_notes(20, 10, 5'000), {"--db", store});
  int files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_symlink()) continue;
    struct stat about{};
    ASSERT_EQ(::stat(entry.path().c_str(), &about), 0) << entry.path();
    EXPECT_EQ(about.st_uid, kService) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 4);
  struct stat about{};
  ASSERT_EQ(::stat(secret.c_str(), &about), 0);
  EXPECT_EQ(about.st_uid, 0U) << "the file behind the link stays root's";
}

TEST(BackupFault, RejectsATruncatedKey) {
  Owner owner;
  owner.surroundings().file_size_limit = 10;
  const std::string key = owner.file("key");
  EXPECT_EQ(owner.ladder({"backup", "key", key}).exit_code, 1);
  EXPECT_FALSE(fs::exists(key));
  owner.surroundings().file_size_limit.reset();
  owner.done({"backup", "key", key});
}

TEST_P(BackupFaults, ABackupOfANewerLadderIsRefused) {
  owner.set_up();
  const std::string target = owner.file("backups");
  const fs::path snapshot = fs::path(target) / "snapshots" / text_at(owner.json({"backup", target}), "/snapshot");
  std::string text = content(snapshot);
  const std::size_t schema = text.find("\nschema ") + 8;
  text.replace(schema, text.find('\n', schema) - schema, "999");
  text.resize(text.rfind("sum "));
  put(snapshot, text + format("sum {}\n", to_hex(crypto::view(crypto::sha256(text)))));
  owner.done({"backup", "verify", target});
  const Owner other(GetParam());
  const Outcome refused = other.ladder({"restore", target});
  EXPECT_EQ(refused.exit_code, 64) << refused.summary();
  EXPECT_NE(refused.err.find("999"), std::string::npos) << refused.summary();
  EXPECT_EQ(other.ladder({"connection", "list"}).exit_code, 78) << "nothing is there";
}

// Terminates the backup's or the restoration's PostgreSQL connection as soon as it copies rows.
class Cutter {
 public:
  explicit Cutter(const test_support::Database& database) : thread_([this, &database] { cut(database); }) {}
  ~Cutter() {
    stop_ = true;
    thread_.join();
  }
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

 private:
  void cut(const test_support::Database& database) {
    while (!stop_) {
      (void)database.value(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database()"
          " AND application_name = 'ladder-backup' AND query LIKE 'COPY ladder.chunks%'");
    }
  }
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(BackupFault, AnOutageOfPostgresLeavesNoPartialBackup) {
  const Owner owner("postgres");
  owner.set_up();
  owner.ingest(many_notes(0, 4'000, 8'000));
  const std::string target = owner.file("backups");
  {
    const Cutter cutter(*owner.place().database());
    const Outcome cut = owner.ladder({"backup", target, "--json"});
    EXPECT_EQ(cut.error_code(), "store_unavailable") << cut.summary();
  }
  EXPECT_EQ(owner.ladder({"backup", "verify", target, "--json"}).error_code(), "not_found") << "there is no finished one";
  EXPECT_EQ(files_of(target + "/packs").size(), 0U);
  owner.done({"backup", target});
  owner.done({"backup", "verify", target});

  const Owner other("postgres");
  {
    const Cutter cutter(*other.place().database());
    const Outcome cut = other.ladder({"restore", target, "--json"});
    EXPECT_EQ(cut.error_code(), "store_unavailable") << cut.summary();
  }
  EXPECT_EQ(other.place().database()->value("SELECT count(*) FROM ladder.records"), "0");
  EXPECT_NE(other.ladder({"connection", "list"}).exit_code, 0) << "half a store is none";
  other.done({"restore", target});
  EXPECT_EQ(other.place().database()->value("SELECT count(*) FROM ladder.records"), "4000");
}

}  // namespace
}  // namespace ladder::e2e
