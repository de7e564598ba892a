// Tests of the journal in both modes, mapped and by calls: round trips, orphans, damage, and lack of disk space.
#include "server/ledger/journal.h"

#include "base/text/bytes.h"

#include <gtest/gtest.h>

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

namespace ladder::server {
namespace {

namespace fs = std::filesystem;

using Writing = JournalFile::Writing;
using Frames = std::vector<std::string>;

class JournalTest : public ::testing::TestWithParam<Writing> {
 protected:
  JournalTest() : folder_(fs::temp_directory_path() / ("journal-" + std::to_string(::getpid()))) { fs::remove_all(folder_); }
  ~JournalTest() override { fs::remove_all(folder_); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder_)) found.push_back(file.path());
    return found;
  }

  std::string bytes_of(const fs::path& file) const {
    std::ostringstream bytes;
    bytes << std::ifstream(file, std::ios::binary).rdbuf();
    return bytes.str();
  }
  static Frames all_of(const ClosedJournal& journal) {
    Frames all;
    std::int64_t at = 0;
    for (bool more = true; more;) {
      auto part = journal.read(at, 64 * 1024);
      EXPECT_TRUE(part);
      all.insert(all.end(), part->frames.begin(), part->frames.end());
      at = part->next;
      more = !part->at_end;
    }
    return all;
  }
  // Runs `work` in a child process that is killed immediately afterwards.
  void in_a_killed_process(const std::function<void(Journal&)>& work) const {
    const pid_t child = ::fork();
    if (child == 0) {
      Journal journal(folder_, false, GetParam());
      work(journal);
      (void)std::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }

  const fs::path folder_;
};
INSTANTIATE_TEST_SUITE_P(, JournalTest, ::testing::Values(Writing::kMapped, Writing::kByCalls),
                         [](const auto& way) { return way.param == Writing::kMapped ? "Mapped" : "ByCalls"; });

TEST_P(JournalTest, ContainsAppendedEntries) {
  Journal journal(folder_, false, GetParam());
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

TEST_P(JournalTest, CanBeReadInParts) {
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

TEST_P(JournalTest, ReturnsEveryFrameOnceForAnyPartSize) {
  Journal journal(folder_, false, GetParam());
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

TEST_P(JournalTest, FindsOrphansOfEndedProcesses) {
  {
    Journal gone(folder_, false, GetParam());
    ASSERT_TRUE(gone.append("left"));
  }
  Journal journal(folder_, false, GetParam());
  ASSERT_TRUE(journal.append("own"));
  const auto orphans = journal.orphans();
  ASSERT_EQ(orphans.size(), 1U);
  EXPECT_EQ(orphans.front()->read(0, 100)->frames, Frames{"left"});
}

TEST_P(JournalTest, IgnoresATruncatedFrame) {
  Journal journal(folder_, false, GetParam());
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

TEST_P(JournalTest, KeepsAllEntriesOfAKilledProcess) {
  in_a_killed_process([](Journal& journal) {
    for (int i = 0; i < 1'000; ++i) (void)journal.append("entry " + std::to_string(i));
  });
  const Journal journal(folder_, false, GetParam());
  ASSERT_EQ(files().size(), 1U);
  const auto orphans = journal.orphans();
  ASSERT_EQ(orphans.size(), 1U);
  const Frames all = all_of(*orphans.front());
  ASSERT_EQ(all.size(), 1'000U);
  EXPECT_EQ(all.back(), "entry 999");
  std::int64_t bytes = 0;
  for (const std::string& entry : all) bytes += static_cast<std::int64_t>(kFrameHead + entry.size());
  EXPECT_LE(bytes, static_cast<std::int64_t>(fs::file_size(files().front())));
  orphans.front()->finish(bytes);
  EXPECT_TRUE(files().empty()) << "preallocated space is not kept for inspection";
}

// The length of a frame is written last; without it the frame does not exist.
TEST_P(JournalTest, IgnoresAFrameWithoutItsLength) {
  in_a_killed_process([](Journal& journal) { (void)journal.append("whole"); });
  const fs::path file = files().front();
  const std::string unfinished = std::string(8, '\0') + "checksumentry";
  {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(kFrameHead + std::string_view("whole").size()));
    out << unfinished;
  }
  const Journal journal(folder_, false, GetParam());
  const auto orphans = journal.orphans();
  ASSERT_EQ(orphans.size(), 1U);
  const auto part = orphans.front()->read(0, 1'000'000);
  EXPECT_EQ(part->frames, Frames{"whole"});
  EXPECT_TRUE(part->at_end);
  orphans.front()->finish(part->next);
  EXPECT_TRUE(files().front().string().ends_with(".journal.rest")) << "the unreadable rest is kept for inspection";
}

TEST_P(JournalTest, GrowsInStepsAndFreesUnusedSpace) {
  Journal journal(folder_, false, GetParam());
  Frames written;
  std::int64_t bytes = 0;
  for (const std::size_t size : {200UZ, 70'000UZ, 3'000'000UZ, 500UZ, 1'500'000UZ, 1UZ}) {
    written.emplace_back(size, static_cast<char>('a' + written.size()));
    ASSERT_TRUE(journal.append(written.back()));
    bytes += static_cast<std::int64_t>(kFrameHead + size);
    EXPECT_EQ(journal.bytes_in_folder(), bytes);
    EXPECT_LE(fs::file_size(files().front()), static_cast<std::size_t>(bytes) + 1'100'000U) << "preallocation is bounded";
  }
  const auto closed = journal.rotate();
  EXPECT_EQ(fs::file_size(files().front()), static_cast<std::size_t>(bytes));
  EXPECT_EQ(all_of(*closed), written);
}

TEST_P(JournalTest, IsMappedIfTheFileSystemKeepsItsBlocks) {
  Journal journal(folder_, false, GetParam());
  ASSERT_TRUE(journal.append("one"));
  struct statfs facts{};
  ASSERT_EQ(::statfs(folder_.c_str(), &facts), 0);
  const bool keeps = facts.f_type == EXT4_SUPER_MAGIC || facts.f_type == XFS_SUPER_MAGIC || facts.f_type == TMPFS_MAGIC;
  const bool has_room_ahead = fs::file_size(files().front()) > kFrameHead + std::string_view("one").size();
  EXPECT_EQ(has_room_ahead, keeps && GetParam() == Writing::kMapped);
}

// The format is compatible with older programs in both directions: a 16-byte frame head, then the entry.
TEST_P(JournalTest, KeepsItsFileFormat) {
  std::string expected;
  Journal journal(folder_, false, GetParam());
  for (const std::string_view entry : {"one", "and another"}) {
    ASSERT_TRUE(journal.append(entry));
    put_u64_be(expected, entry.size());
    put_u64_be(expected, Checksum().add(entry).value());
    expected += entry;
  }
  const auto closed = journal.rotate();
  EXPECT_EQ(bytes_of(files().front()), expected);
}

// A file size limit behaves like a full disk: allocation fails, and no signal is raised.
TEST_P(JournalTest, FailsWithoutSpaceAndRecovers) {
  constexpr rlim_t kLimit = 300'000;
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit usual{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
  const rlimit low{kLimit, usual.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  Journal journal(folder_, false, GetParam());
  const std::string entry(1'000, 'e');
  std::size_t appended = 0;
  Status last;
  while (appended < 1'000 && (last = journal.append(entry))) ++appended;
  const Status again = journal.append(entry);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
  (void)std::signal(SIGXFSZ, before);
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code, Code::kStoreUnavailable);
  EXPECT_NE(last.error().message.find("the disk is full"), std::string::npos) << last.error().message;
  EXPECT_FALSE(again);
  EXPECT_GT(appended, (kLimit - 8'192) / (entry.size() + kFrameHead)) << "the last blocks are also used";
  ASSERT_TRUE(journal.append("there is room again"));
  Frames expected(appended, entry);
  expected.emplace_back("there is room again");
  EXPECT_EQ(all_of(*journal.rotate()), expected);
}

TEST_P(JournalTest, ReportsAnUnwritableFolder) {
  Journal journal("/dev/null/folder", false, GetParam());
  const Status appended = journal.append("entry");
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code, Code::kStoreUnavailable);
  EXPECT_EQ(appended.error().message.find("/dev"), std::string::npos) << "the message is sent to clients";
  EXPECT_TRUE(journal.orphans().empty());
}

}  // namespace
}  // namespace ladder::server
