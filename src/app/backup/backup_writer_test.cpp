#include "app/backup/backup_writer.h"

#include "base/text/format.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;
using Extent = BackupWriter::Extent;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes; }

std::string large(char letter) { return std::string(100'000, letter); }

class BackupWriterTest : public ::testing::Test {
 protected:
  BackupWriterTest() {
    std::string name = fs::temp_directory_path() / "ladder-backup-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~BackupWriterTest() override {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  std::unique_ptr<BackupWriter> open(Extent extent = Extent::kWhatIsNew) const {
    auto writer = BackupWriter::open(path.native(), "", extent);
    EXPECT_TRUE(writer) << writer.error().message;
    return writer ? *std::move(writer) : nullptr;
  }
  // Backs up one part "rows" with these chunks and returns the snapshot's name.
  std::string back_up(const std::vector<std::string>& chunks, Instant made_at, Extent extent = Extent::kWhatIsNew) {
    const auto writer = open(extent);
    Snapshot snapshot;
    snapshot.info.engine = "sqlite";
    snapshot.made_at = made_at;
    for (const std::string& chunk : chunks) {
      snapshot.add("rows", {});
      EXPECT_TRUE(writer->keep(chunk));
    }
    const auto kept = writer->kept();
    EXPECT_TRUE(kept);
    snapshot.locate_chunks(*kept);
    const auto name = writer->finish(snapshot);
    EXPECT_TRUE(name) << name.error().message;
    written = writer->bytes_written();
    return name.value_or("");
  }
  // Returns the chunks of a snapshot, each as its text or its read error.
  std::vector<std::string> contents(const std::string& name) const {
    const auto folder = BackupFolder::open(path.native(), "");
    EXPECT_TRUE(folder) << folder.error().message;
    const auto snapshot = (*folder)->snapshot(name);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    std::vector<std::string> texts;
    if (!snapshot) return texts;
    snapshot->each_chunk([&](const Chunk& chunk) {
      const auto text = (*folder)->chunk(*snapshot, chunk);
      texts.push_back(text ? *text : text.error().message);
    });
    return texts;
  }
  std::set<fs::path> packs() const {
    std::set<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path / "packs")) files.insert(entry.path());
    return files;
  }

  fs::path path;
  std::int64_t written = 0;  // by the last backup
};

TEST_F(BackupWriterTest, AChunkIsWrittenOnceAndFoundInEverySnapshot) {
  const std::string first = back_up({"one", "two", "one", "one"}, 1'000 * kSecond);
  EXPECT_EQ(written, 6);
  EXPECT_EQ(packs().size(), 1U);
  const std::string second = back_up({"two", "three", "one"}, 2'000 * kSecond);
  EXPECT_EQ(written, 5);
  EXPECT_EQ(contents(first), (std::vector<std::string>{"one", "two", "one", "one"}));
  EXPECT_EQ(contents(second), (std::vector<std::string>{"two", "three", "one"}));
  back_up({"three", "one"}, 3'000 * kSecond);
  EXPECT_EQ(written, 0);
  EXPECT_EQ(packs().size(), 2U) << "no empty pack";
}

TEST_F(BackupWriterTest, AFullPackIsFollowedByAnother) {
  std::vector<std::string> chunks;
  for (int i = 0; i < 5; ++i) chunks.push_back(format("{:04}", i) + std::string(30 * 1024 * 1024, 'x'));
  const std::string name = back_up(chunks, 1'000 * kSecond);
  EXPECT_EQ(packs().size(), 3U) << "two chunks in each";
  EXPECT_EQ(contents(name), chunks);
}

TEST_F(BackupWriterTest, AFailedBackupRemovesItsPacksAndNoOther) {
  back_up({"one", "two"}, 1'000 * kSecond);
  const std::set<fs::path> before = packs();
  {
    const auto writer = open();
    for (const char* chunk : {"one", "two", "three"}) EXPECT_TRUE(writer->keep(chunk));
    EXPECT_TRUE(writer->kept());
    EXPECT_EQ(packs().size(), 2U);
  }
  EXPECT_EQ(packs(), before);
}

// The packs of an unreadable snapshot are unknown, so a backup writes what it needs again. The packs stay, because the snapshot
// may be repaired.
TEST_F(BackupWriterTest, KeepsThePacksOfAnUnreadableSnapshot) {
  const std::string name = back_up({"one", "two"}, 1'000 * kSecond);
  const std::set<fs::path> before = packs();
  const fs::path file = path / "snapshots" / name;
  const std::string whole = content(file);
  put(file, whole.substr(0, whole.size() / 2));
  {
    const auto writer = open();
    ASSERT_FALSE(writer->folder().snapshot(name)) << "it cannot be read";
    for (const char* chunk : {"one", "two", "three"}) EXPECT_TRUE(writer->keep(chunk));
    EXPECT_TRUE(writer->kept());
  }
  EXPECT_EQ(packs(), before);
  back_up({"one"}, 2'000 * kSecond);
  EXPECT_EQ(written, 3);
  EXPECT_FALSE(open()->prune(2)) << "nothing is removed while a remaining snapshot is unreadable";
  put(file, whole);
  EXPECT_EQ(contents(name), (std::vector<std::string>{"one", "two"}));
}

TEST_F(BackupWriterTest, RemovesUnreferencedPacks) {
  const std::string name = back_up({"one"}, 1'000 * kSecond);
  put(path / "packs" / "0123456789abcdef", "of a backup that was killed");
  open();
  EXPECT_FALSE(fs::exists(path / "packs" / "0123456789abcdef"));
  EXPECT_EQ(contents(name), std::vector<std::string>{"one"});
}

// A pack is never rewritten. If less than half of it is in use, backups ignore it, and it is removed with its last snapshot.
TEST_F(BackupWriterTest, AbandonsAMostlyUnusedPack) {
  back_up({large('a'), large('b'), large('c')}, 1'000 * kSecond);
  const fs::path old = *packs().begin();
  back_up({large('a'), large('d')}, 2'000 * kSecond);
  EXPECT_EQ(written, 100'000);
  EXPECT_EQ(open()->prune(1).value_or(-1), 0) << "it is in use";
  EXPECT_TRUE(fs::exists(old));
  const std::string third = back_up({large('a'), large('d')}, 3'000 * kSecond);
  EXPECT_EQ(written, 100'000) << "the used part of the old pack";
  EXPECT_EQ(open()->prune(1).value_or(-1), 300'000);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_EQ(contents(third), (std::vector<std::string>{large('a'), large('d')}));
  back_up({large('a'), large('d')}, 4'000 * kSecond);
  EXPECT_EQ(written, 0);
}

TEST_F(BackupWriterTest, AFullBackupRepairsOlderSnapshots) {
  const std::string first = back_up({"one", "two", "gone"}, 1'000 * kSecond);
  const fs::path pack = *packs().begin();
  std::string bytes = content(pack);
  for (char& byte : bytes) byte = static_cast<char>(byte ^ 1);
  put(pack, bytes);
  for (const std::string& text : contents(first)) {
    EXPECT_NE(text.find("--full"), std::string::npos) << text;
    EXPECT_NE(text.find(pack.native()), std::string::npos) << text;
  }
  back_up({"one", "two"}, 2'000 * kSecond);
  EXPECT_EQ(written, 0) << "the pack has its size";
  const std::string third = back_up({"one", "two"}, 3'000 * kSecond, Extent::kEverything);
  EXPECT_EQ(written, 6);
  EXPECT_EQ(contents(third), (std::vector<std::string>{"one", "two"}));
  const std::vector<std::string> repaired = contents(first);
  EXPECT_EQ(repaired.at(0), "one");
  EXPECT_EQ(repaired.at(1), "two");
  EXPECT_NE(repaired.at(2).find("is damaged"), std::string::npos) << repaired.at(2);
  back_up({"one", "two"}, 4'000 * kSecond);
  EXPECT_EQ(written, 0) << "the newest copies are used";
}

TEST_F(BackupWriterTest, RewritesAMissingOrResizedPack) {
  for (const bool lost : {true, false}) {
    const std::string name = back_up({"one", "two"}, 1'000 * kSecond);
    const fs::path pack = *packs().begin();
    if (lost) fs::remove(pack);
    else put(pack, "onetwo and more");
    EXPECT_NE(contents(name).at(0), "one");
    back_up({"one", "two"}, 2'000 * kSecond);
    EXPECT_EQ(written, 6) << lost;
    EXPECT_EQ(contents(name), (std::vector<std::string>{"one", "two"})) << lost;
    fs::remove_all(path);
    fs::create_directory(path);
  }
}

// The folder of a version that wrote a file per chunk.
TEST_F(BackupWriterTest, ReadsKeepsAndRemovesChunkFiles) {
  const auto add_chunk = [&](const std::string& text, Snapshot& snapshot) {
    const std::string name = sha256_hex(text);
    fs::create_directories(path / "chunks" / name.substr(0, 2));
    put(path / "chunks" / name.substr(0, 2) / name, text);
    snapshot.add("rows", {name, std::ssize(text), {}});
  };
  put(path / "ladder-backup", "ladder-backup 1\nplain\n");
  fs::create_directories(path / "snapshots");
  Snapshot old;
  old.info.engine = "sqlite";
  old.made_at = 1'000 * kSecond;
  add_chunk("one", old);
  add_chunk("two", old);
  const std::string first = snapshot_name(old.made_at);
  put(path / "snapshots" / first, snapshot_text(old));
  EXPECT_EQ(contents(first), (std::vector<std::string>{"one", "two"}));

  const std::string second = back_up({"two", "three"}, 2'000 * kSecond);
  EXPECT_EQ(written, 5);
  EXPECT_EQ(content(path / "ladder-backup"), "ladder-backup 2\nplain\n") << "older versions reject it now";
  EXPECT_EQ(contents(first), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(contents(second), (std::vector<std::string>{"two", "three"}));
  EXPECT_EQ(open()->prune(1).value_or(-1), 3) << "the file of 'one'";
  EXPECT_EQ(contents(second), (std::vector<std::string>{"two", "three"}));
  const std::string third = back_up({"two", "three"}, 3'000 * kSecond, Extent::kEverything);
  EXPECT_EQ(contents(second), (std::vector<std::string>{"two", "three"}));
  EXPECT_TRUE(open()->prune(1));
  EXPECT_TRUE(fs::is_empty(path / "chunks"));
  EXPECT_EQ(contents(third), (std::vector<std::string>{"two", "three"}));
}

TEST_F(BackupWriterTest, RejectsAFolderOfANewerLadder) {
  back_up({"one"}, 1'000 * kSecond);
  put(path / "ladder-backup", "ladder-backup 3\nplain\n");
  for (const auto& refused :
       {BackupFolder::open(path.native(), "").error(), BackupWriter::open(path.native(), "", Extent::kWhatIsNew).error()}) {
    EXPECT_EQ(refused.code, Code::kInvalidRequest);
    EXPECT_NE(refused.message.find("upgrade ladder"), std::string::npos) << refused.message;
  }
}

// The clock was set back or its battery is empty: the snapshot that was saved last is still the newest, `restore` uses it, and
// --keep does not remove it.
TEST_F(BackupWriterTest, TheLastSnapshotIsTheNewestWithAnyClock) {
  const std::string first = back_up({"one"}, 2'000 * kSecond);
  const std::string second = back_up({"two"}, 1'000 * kSecond);
  EXPECT_GT(second, first);
  const std::string third = back_up({"three"}, 0);
  EXPECT_GT(third, second);
  const auto writer = open();
  EXPECT_TRUE(writer->clock_is_behind(1'000 * kSecond));
  EXPECT_FALSE(writer->clock_is_behind(3'000 * kSecond));
  EXPECT_EQ(writer->prune(1).value_or(-1), 6);
  EXPECT_EQ(writer->folder().snapshots().value_or(std::vector<std::string>{}), std::vector<std::string>{third});
  const auto kept = writer->folder().snapshot(third);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->made_at, 0) << "the recorded time is the clock's";
  EXPECT_EQ(contents(third), std::vector<std::string>{"three"});
}

// A user with write access to the target must not affect files elsewhere.
TEST_F(BackupWriterTest, DoesNotFollowLinks) {
  const std::string name = back_up({"one"}, 1'000 * kSecond);
  const fs::path elsewhere = path.native() + "-elsewhere";
  fs::create_directories(elsewhere);
  const std::string hash(64, 'a');
  for (const std::string& file : {hash, std::string(16, 'a')}) std::ofstream(elsewhere / file) << "a foreign file";
  for (const char* below : {"packs", "snapshots"}) {
    fs::rename(path / below, path / "aside");
    fs::create_directory_symlink(elsewhere, path / below);
    const auto refused = BackupWriter::open(path.native(), "", Extent::kWhatIsNew);
    ASSERT_FALSE(refused) << below;
    EXPECT_EQ(refused.error().code, Code::kConflict) << refused.error().message;
    fs::remove(path / below);
    fs::rename(path / "aside", path / below);
  }
  // The chunks folder, and its subfolders by the first two digits.
  fs::create_directory_symlink(elsewhere, path / "chunks");
  open();
  fs::remove(path / "chunks");
  fs::create_directory(path / "chunks");
  fs::create_directory_symlink(elsewhere, path / "chunks" / "aa");
  open();
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()), 2);

  // The folder is replaced during a backup, which continues in the folder that it opened.
  const auto writer = open();
  fs::rename(path / "packs", path / "aside");
  fs::create_directory_symlink(elsewhere, path / "packs");
  EXPECT_TRUE(writer->keep("two"));
  EXPECT_TRUE(writer->kept());
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()), 2);
  fs::remove_all(elsewhere);
}

TEST_F(BackupWriterTest, ReplacesADraftThatIsALink) {
  const fs::path victim = path.native() + "-victim";
  put(victim, "somebody's");
  fs::create_symlink(victim, path / "ladder-backup.partial");
  back_up({"one"}, 1'000 * kSecond);
  EXPECT_EQ(content(victim), "somebody's");
  fs::remove(victim);
}

// A pipe in place of a pack would block a restore forever.
TEST_F(BackupWriterTest, RejectsAPipeAsAPack) {
  const std::string name = back_up({"one"}, 1'000 * kSecond);
  const fs::path pack = *packs().begin();
  fs::remove(pack);
  ASSERT_EQ(::mkfifo(pack.c_str(), S_IRUSR | S_IWUSR), 0);
  EXPECT_NE(contents(name).at(0).find("is damaged"), std::string::npos);
  back_up({"one"}, 2'000 * kSecond);
  EXPECT_EQ(written, 3);
}

TEST_F(BackupWriterTest, FilesOfOtherNamesAreNotRemoved) {
  back_up({"one"}, 1'000 * kSecond);
  fs::create_directories(path / "chunks" / "ab");
  const std::vector<fs::path> others = {path / "packs" / "readme.txt", path / "packs" / "0123456789ABCDEF",
                                        path / "chunks" / "ab" / "notes.partial", path / "snapshots" / "mine-from-A-to-Z"};
  for (const fs::path& file : others) put(file, "somebody's");
  back_up({"two"}, 2'000 * kSecond);
  EXPECT_EQ(open()->prune(1).value_or(-1), 3);
  for (const fs::path& file : others) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST(BackupSnapshotTest, RoundTrips) {
  Snapshot snapshot;
  snapshot.info = {"postgres", 7};
  snapshot.made_at = 1'794'872'400'000'000;
  snapshot.ladder = "0.1.0";
  snapshot.packs = {{1, 500}, {0xfedcba9876543210, 900}};
  snapshot.add("records(a,b)", {std::string(64, 'a'), 262'144, {0xfedcba9876543210, 4'096}});
  snapshot.add("records(a,b)", {std::string(64, 'b'), 7, {}});
  snapshot.add("meta(key)", {std::string(64, 'c'), 0, {1, 0}});
  const std::string text = snapshot_text(snapshot);
  const auto parsed = parse_snapshot(text);
  ASSERT_TRUE(parsed) << text;
  EXPECT_EQ(snapshot_text(*parsed), text);
  EXPECT_EQ(parsed->parts.at(0).second.at(0).place, (PackOffset{0xfedcba9876543210, 4'096}));
  EXPECT_EQ(parsed->packs, snapshot.packs);
  for (std::size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(parse_snapshot(text.substr(0, cut))) << cut;

  snapshot.packs.erase(1);
  EXPECT_FALSE(parse_snapshot(snapshot_text(snapshot))) << "a chunk in an unnamed pack";
}

}  // namespace
}  // namespace ladder::app
