// Synced folders of any supported files: what changed is read again, the records of deleted files are removed, and `ladder serve`
// notices changes.
#include "owner.h"

#include "base/text/format.h"
#include "support/scratch_folder.h"

#include <boost/json/object.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

class SyncedFolder : public ::testing::TestWithParam<std::string> {
 protected:
  SyncedFolder() : owner(GetParam()), root(scratch.path() / "Vault") {
    owner.done({"init"});
    fs::create_directories(root / "daily");
    for (int i = 1; i <= 10; ++i) write(format("daily/{}.md", i), format("# Day {0}\n\nThe word{0} of the day.\n", i));
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(root / name, std::ios::binary) << text; }
  void add() { owner.done({"sync", "add", "folder", "vault", "--path", root.string(), "--every", "1d"}); }
  boost::json::value sync(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "run", "vault", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return owner.ladder(words).json().at("runs").at(0).at("report");
  }
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }

  Owner owner;
  test_support::ScratchFolder scratch;
  const fs::path root;
};

TEST_P(SyncedFolder, NewChangedMovedAndDeletedFiles) {
  add();
  EXPECT_EQ(number_at(sync(), "/messages"), 10);
  EXPECT_TRUE(finds("word7"));
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
  write("daily/11.md", "# Day 11\n\nThe word11 of the day.\n");
  write("daily/2.md", "# Day 2\n\nA changed sentence, marzipan.\n");
  fs::remove(root / "daily/3.md");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched"), 2) << "one new and one changed note";
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_TRUE(finds("word11"));
  EXPECT_TRUE(finds("marzipan"));
  EXPECT_FALSE(finds("word2"));
  EXPECT_FALSE(finds("word3"));
  fs::rename(root / "daily/4.md", root / "4 moved.md");
  EXPECT_EQ(number_at(sync(), "/removed"), 1);
  EXPECT_EQ(owner.json({"search", "word4"}).at("data").as_array().size(), 1U);
}

TEST_P(SyncedFolder, ManyDeletionsAskFirst) {
  add();
  sync();
  for (int i = 1; i <= 4; ++i) fs::remove(root / format("daily/{}.md", i));
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 4);
  EXPECT_TRUE(finds("word1"));
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 4);
  EXPECT_FALSE(finds("word1"));
  EXPECT_EQ(number_at(sync(), "/removed"), 0) << "removed records do not come back";
}

TEST_P(SyncedFolder, AMissingFolderOrAnUnreadableFileRemovesNothing) {
  add();
  sync();
  const fs::path away = scratch.path() / "elsewhere";
  fs::rename(root, away);
  const Outcome missing = owner.ladder({"sync", "run", "vault"});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_NE(missing.err.find("is missing"), std::string::npos) << missing.summary();
  fs::rename(away, root);
  fs::remove(root / "daily/5.md");
  write("broken.ics", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:x\r\n");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 0) << "the reading is not complete";
  EXPECT_TRUE(report.at("incomplete").as_bool());
  EXPECT_TRUE(finds("word5"));
  fs::remove(root / "broken.ics");
  EXPECT_EQ(number_at(sync(), "/removed"), 1);
  EXPECT_FALSE(finds("word5"));
}

// Each of two sources would remove what the other one still has.
TEST_P(SyncedFolder, ADeletionInASharedConnectionAsksFirst) {
  add();
  sync();
  const fs::path copy = scratch.path() / "copy" / "Vault";
  fs::create_directories(copy.parent_path());
  fs::copy(root, copy, fs::copy_options::recursive);
  // The folder has the same name, so it would go to the same connection; only one at a time exists for the check of names.
  fs::rename(root, scratch.path() / "away");
  owner.done({"sync", "add", "folder", "other", "--path", copy.string()});
  owner.done({"sync", "run", "other"});
  fs::rename(scratch.path() / "away", root);
  fs::rename(copy, scratch.path() / "copy" / "elsewhere");
  fs::remove(root / "daily/3.md");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 0);
  EXPECT_EQ(number_at(report, "/waiting_removals"), 1);
  EXPECT_TRUE(finds("word3"));
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 1);
}

// An import of something else into the same connection has records that the source does not know.
TEST_P(SyncedFolder, AnImportIntoTheConnectionMakesDeletionsAsk) {
  add();
  sync();
  const std::string connection = text_at(owner.json({"connection", "list"}), "/connections/0/connection_id");
  fs::create_directories(scratch.path() / "Old");
  std::ofstream(scratch.path() / "Old" / "old.md") << "# Old\n\nAn old note.\n";
  owner.done({"import", (scratch.path() / "Old").string(), "--connection", connection});
  fs::remove(root / "daily/3.md");
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 1);
  EXPECT_TRUE(finds("word3"));
}

// Every run would change the folder and cause the next one.
TEST(SyncedFolders, AFolderWithTheStoreIsRefused) {
  const Owner owner("sqlite");
  owner.done({"init"});
  const Outcome refused = owner.ladder({"sync", "add", "folder", "all", "--path", owner.file("").string(), "--json"});
  EXPECT_EQ(refused.error_code(), "invalid_request") << refused.summary();
  EXPECT_NE(refused.summary().find("contains the store"), std::string::npos);
}

TEST_P(SyncedFolder, AnErasedConnectionStaysErased) {
  add();
  sync();
  const std::string connection = text_at(owner.json({"connection", "list"}), "/connections/0/connection_id");
  owner.done({"erase", connection, "--yes"});
  const Outcome refused = owner.ladder({"sync", "run", "vault"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("was erased"), std::string::npos) << refused.summary();
  EXPECT_FALSE(finds("word7"));
}

TEST_P(SyncedFolder, ServeNoticesAChange) {
  add();
  Process serve(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  const auto appears = [&](const char* word) {
    for (int tries = 0; tries < 200; ++tries) {
      if (owner.ladder({"search", word, "--json"}).out.find("Vault") != std::string::npos || finds(word)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_TRUE(appears("word9"));
  fs::create_directories(root / "new folder");
  write("new folder/a.md", "# New\n\nA gooseberry.\n");
  EXPECT_TRUE(appears("gooseberry"));
  serve.signal(SIGTERM);
  EXPECT_EQ(serve.wait().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, SyncedFolder, ::testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
