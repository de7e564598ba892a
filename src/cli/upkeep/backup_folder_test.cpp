#include "cli/upkeep/backup_folder.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

class BackupFolderTest : public ::testing::Test {
 protected:
  BackupFolderTest() {
    std::string name = fs::temp_directory_path() / "ladder-backup-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~BackupFolderTest() override {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  std::unique_ptr<BackupFolder> open() const {
    auto folder = BackupFolder::open_to_write(path.native(), "");
    EXPECT_TRUE(folder) << folder.error().message;
    return folder ? *std::move(folder) : nullptr;
  }
  // Of one part "rows" with these chunks; the name it got.
  std::string back_up(const std::vector<std::string>& chunks, Instant made_at) const {
    const auto folder = open();
    Snapshot snapshot;
    snapshot.facts.engine = "sqlite";
    snapshot.made_at = made_at;
    for (const std::string& chunk : chunks) {
      snapshot.add("rows", {});
      EXPECT_TRUE(folder->keep(chunk));
    }
    const auto kept = folder->kept();
    EXPECT_TRUE(kept);
    snapshot.name_chunks(*kept);
    const auto name = folder->finish(snapshot);
    EXPECT_TRUE(name) << name.error().message;
    return name.value_or("");
  }
  std::set<fs::path> chunks() const {
    std::set<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path / "chunks")) {
      if (entry.is_regular_file()) files.insert(entry.path());
    }
    return files;
  }

  fs::path path;
};

TEST_F(BackupFolderTest, AFailedBackupRemovesItsNewChunksAndNoOther) {
  back_up({"one", "two"}, 1'000 * kSecond);
  const std::set<fs::path> before = chunks();
  ASSERT_EQ(before.size(), 2U);
  {
    const auto folder = open();
    for (const char* chunk : {"one", "two", "three"}) EXPECT_TRUE(folder->keep(chunk));
    EXPECT_TRUE(folder->kept());
    EXPECT_EQ(chunks().size(), 3U);
  }
  EXPECT_EQ(chunks(), before);
}

// The chunks of a snapshot that cannot be read are not known, so a backup writes those that it needs again. When it fails, they
// are still the snapshot's, which may be mended.
TEST_F(BackupFolderTest, AFailedBackupKeepsTheChunksOfASnapshotThatItCannotRead) {
  const std::string name = back_up({"one", "two"}, 1'000 * kSecond);
  const std::set<fs::path> before = chunks();
  const fs::path file = path / "snapshots" / name;
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, whole.size() / 2);
  {
    const auto folder = open();
    ASSERT_FALSE(folder->snapshot(name)) << "it cannot be read";
    for (const char* chunk : {"one", "two", "three"}) EXPECT_TRUE(folder->keep(chunk));
    EXPECT_TRUE(folder->kept());
  }
  EXPECT_EQ(chunks(), before);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << whole;
  const auto folder = BackupFolder::open_to_read(path.native(), "");
  ASSERT_TRUE(folder);
  const auto mended = (*folder)->snapshot(name);
  ASSERT_TRUE(mended) << mended.error().message;
  for (const ChunkName& chunk : mended->parts.at(0).second) EXPECT_TRUE((*folder)->chunk(chunk)) << chunk.name;
}

// A clock that was set back, or a machine whose clock battery is empty: the state that was saved last is the newest, is what
// `restore` takes, and is not the one that --keep removes.
TEST_F(BackupFolderTest, TheLastSnapshotIsTheNewestWhateverTheClockSays) {
  const std::string first = back_up({"one"}, 2'000 * kSecond);
  const std::string second = back_up({"two"}, 1'000 * kSecond);
  EXPECT_GT(second, first);
  const std::string third = back_up({"three"}, 0);
  EXPECT_GT(third, second);
  const auto folder = open();
  EXPECT_TRUE(folder->clock_is_behind(1'000 * kSecond));
  EXPECT_FALSE(folder->clock_is_behind(3'000 * kSecond));
  EXPECT_EQ(folder->prune(1).value_or(-1), 2);
  EXPECT_EQ(folder->snapshots().value_or(std::vector<std::string>{}), std::vector<std::string>{third});
  const auto kept = folder->snapshot(third);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ(kept->made_at, 0) << "the time of the clock stays what it was";
  EXPECT_EQ(folder->chunk(kept->parts.at(0).second.at(0)).value_or(""), "three");
}

// Somebody who may write to the target has no hand in files elsewhere, whoever runs the backup.
TEST_F(BackupFolderTest, ALinkLeadsToNoOtherFile) {
  back_up({"one"}, 1'000 * kSecond);
  const fs::path elsewhere = path.native() + "-elsewhere";
  fs::create_directories(elsewhere);
  const std::string hash(64, 'a');
  std::ofstream(elsewhere / hash) << "somebody's";
  for (const char* below : {"chunks", "snapshots"}) {
    fs::rename(path / below, path / "aside");
    fs::create_directory_symlink(elsewhere, path / below);
    const auto refused = BackupFolder::open_to_write(path.native(), "");
    ASSERT_FALSE(refused) << below;
    EXPECT_EQ(refused.error().code, Code::kConflict) << refused.error().message;
    fs::remove(path / below);
    fs::rename(path / "aside", path / below);
  }
  // The folders of chunks by their first two digits.
  for (int digits = 0; digits < 256; ++digits) {
    std::error_code there_already;
    fs::create_directory_symlink(elsewhere, path / "chunks" / format("{:02x}", digits), there_already);
  }
  const auto folder = open();
  const bool refused = !folder->keep("two") || !folder->kept();
  EXPECT_TRUE(refused);
  EXPECT_TRUE(fs::exists(elsewhere / hash));
  EXPECT_EQ(std::distance(fs::directory_iterator(elsewhere), fs::directory_iterator()), 1);
  fs::remove_all(elsewhere);
}

TEST_F(BackupFolderTest, ADraftThatIsALinkIsReplaced) {
  const fs::path victim = path.native() + "-victim";
  std::ofstream(victim) << "somebody's";
  fs::create_symlink(victim, path / "ladder-backup.partial");
  back_up({"one"}, 1'000 * kSecond);
  std::ifstream in(victim);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "somebody's");
  fs::remove(victim);
}

TEST_F(BackupFolderTest, FilesOfOtherNamesAreNotRemoved) {
  back_up({"one"}, 1'000 * kSecond);
  const std::vector<fs::path> others = {path / "chunks" / "readme.txt", path / "chunks" / "notes.partial",
                                        path / "snapshots" / "mine-from-A-to-Z"};
  for (const fs::path& file : others) std::ofstream(file) << "somebody's";
  back_up({"two"}, 2'000 * kSecond);
  const auto folder = open();
  EXPECT_EQ(folder->prune(1).value_or(-1), 1);
  for (const fs::path& file : others) EXPECT_TRUE(fs::exists(file)) << file;
}

}  // namespace
}  // namespace ladder::cli
