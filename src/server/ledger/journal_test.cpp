// A journal keeps what was appended, whole; what is left behind is found by others, and what is being written is not.
#include "server/ledger/journal.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

namespace ladder::server {
namespace {

namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() : folder_(fs::temp_directory_path() / ("journal-" + std::to_string(::getpid()))) { fs::remove_all(folder_); }
  ~JournalTest() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder_)) found.push_back(file.path());
    return found;
  }

  const fs::path folder_;
};

using Frames = std::vector<std::string>;

TEST_F(JournalTest, HasWhatWasAppended) {
  Journal journal(folder_, false);
  EXPECT_FALSE(journal.is_open());
  EXPECT_EQ(journal.rotate(), nullptr);
  for (const char* entry : {"one", "", "three"}) ASSERT_TRUE(journal.append(entry));
  EXPECT_TRUE(journal.orphans().empty()) << "it is being written";
  const auto closed = journal.rotate();
  ASSERT_NE(closed, nullptr);
  const auto part = closed->read(0, 1'000);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->frames, (Frames{"one", "", "three"}));
  EXPECT_TRUE(part->at_end);
  const auto rest = closed->read(part->next, 1'000);
  ASSERT_TRUE(rest);
  EXPECT_TRUE(rest->frames.empty());
  closed->finish(part->next);
  EXPECT_TRUE(files().empty());
}

TEST_F(JournalTest, IsReadInParts) {
  Journal journal(folder_, true);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(journal.append(std::string(100, static_cast<char>('a' + i))));
  const auto closed = journal.rotate();
  Frames all;
  std::int64_t at = 0;
  for (bool more = true; more;) {
    const auto part = closed->read(at, 250);
    ASSERT_TRUE(part);
    EXPECT_LE(part->frames.size(), 3U);
    all.insert(all.end(), part->frames.begin(), part->frames.end());
    at = part->next;
    more = !part->at_end;
  }
  EXPECT_EQ(all.size(), 10U);
}

TEST_F(JournalTest, PartsOfAnySizeHaveEveryFrameOnce) {
  Journal journal(folder_, false);
  Frames written;
  for (std::size_t i = 0; i < 60; ++i) {
    written.emplace_back(i * 37 % 401, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(journal.append(written.back()));
  }
  const auto closed = journal.rotate();
  for (const std::size_t most : {1, 15, 16, 17, 100, 416, 417, 5'000, 1'000'000}) {
    Frames all;
    std::int64_t at = 0;
    for (bool more = true; more;) {
      const auto part = closed->read(at, most);
      ASSERT_TRUE(part);
      all.insert(all.end(), part->frames.begin(), part->frames.end());
      at = part->next;
      more = !part->at_end;
    }
    EXPECT_EQ(all, written) << most;
    EXPECT_EQ(at, static_cast<std::int64_t>(fs::file_size(files().front()))) << most;
  }
}

TEST_F(JournalTest, OfAnotherThatIsGoneIsFound) {
  {
    Journal gone(folder_, false);
    ASSERT_TRUE(gone.append("left"));
  }
  Journal journal(folder_, false);
  ASSERT_TRUE(journal.append("own"));
  const auto orphans = journal.orphans();
  ASSERT_EQ(orphans.size(), 1U);
  EXPECT_EQ(orphans.front()->read(0, 100)->frames, Frames{"left"});
}

TEST_F(JournalTest, AFrameThatIsCutOffIsNone) {
  Journal journal(folder_, false);
  ASSERT_TRUE(journal.append("whole"));
  ASSERT_TRUE(journal.append("torn"));
  const auto closed = journal.rotate();
  const fs::path file = files().front();
  fs::resize_file(file, fs::file_size(file) - 1);
  const auto part = closed->read(0, 100);
  EXPECT_EQ(part->frames, Frames{"whole"});
  closed->finish(part->next);
  ASSERT_EQ(files().size(), 1U);
  EXPECT_TRUE(files().front().string().ends_with(".journal.rest"));
  EXPECT_TRUE(journal.orphans().empty());
}

TEST_F(JournalTest, WhereNothingCanBeWrittenSaysSo) {
  Journal journal("/dev/null/folder", false);
  const Status appended = journal.append("entry");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(appended.error().message.find("/dev"), std::string::npos) << "clients hear it";
  EXPECT_TRUE(journal.orphans().empty());
}

}  // namespace
}  // namespace ladder::server
