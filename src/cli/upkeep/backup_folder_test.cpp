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

}  // namespace
}  // namespace ladder::cli
