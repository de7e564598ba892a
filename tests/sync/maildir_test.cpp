// Folders of mail (Maildir) that a program such as mbsync fills: new messages, changed flags, moves, deletions, and folders that
// vanish.
#include "owner.h"

#include "base/text/format.h"
#include "mail_server.h"
#include "support/scratch_folder.h"

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;
using sync_tests::numbered_message;

class Maildir : public ::testing::TestWithParam<std::string> {
 protected:
  Maildir() : owner(GetParam()), root(scratch.path() / "Mail") {
    owner.done({"init"});
    make_folder("INBOX");
    make_folder("Lists/Cooking");
  }
  void make_folder(const std::string& name) {
    for (const char* const part : {"cur", "new", "tmp"}) fs::create_directories(root / name / part);
  }
  fs::path deliver(const std::string& folder, int number, const std::string& part = "new", const std::string& flags = "") {
    fs::path path = root / folder / part / format("17000{}.M1P1.host{}", number, part == "cur" ? ":2," + flags : "");
    std::ofstream(path, std::ios::binary) << numbered_message(number);
    return path;
  }
  void add(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "add", "maildir", "work", "--path", root.string()};
    words.insert(words.end(), more.begin(), more.end());
    owner.done(words);
  }
  boost::json::value sync(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "run", "work"};
    words.insert(words.end(), more.begin(), more.end());
    return owner.json(words).at("runs").at(0).at("report");
  }
  std::vector<std::string> filings() const {
    std::vector<std::string> all;
    const auto page = owner.json({"records", "filings", "--connection", "mail-work", "--limit", "100"});
    for (const auto& each : page.at("data").as_array()) {
      const auto& data = each.at("data").as_object();
      all.push_back(format("{} {}{}{}", std::string(data.at("subject").as_string()), std::string(data.at("folder").as_string()),
                           data.at("read").as_bool() ? " read" : "", data.at("flagged").as_bool() ? " flagged" : ""));
    }
    std::ranges::sort(all);
    return all;
  }
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }
  // Directory times are too coarse to notice two changes at once, so younger folders are always listed.
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(2100)); }

  Owner owner;
  test_support::ScratchFolder scratch;
  const fs::path root;
};

TEST_P(Maildir, OnlyNewMessagesAreRead) {
  deliver("INBOX", 1);
  deliver("INBOX", 2, "cur", "FS");
  deliver("Lists/Cooking", 3, "cur", "S");
  add();
  const auto first = sync();
  EXPECT_EQ(number_at(first, "/fetched"), 3);
  EXPECT_EQ(number_at(first, "/folders"), 2);
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX", "Number 2 INBOX read flagged", "Number 3 Cooking read"}));
  settle();
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
  EXPECT_EQ(number_at(sync(), "/unchanged_folders"), 2) << "an unchanged folder is not even listed";
  deliver("INBOX", 4);
  const auto more = sync();
  EXPECT_EQ(number_at(more, "/fetched"), 1);
  EXPECT_EQ(number_at(more, "/unchanged_folders"), 1);
  EXPECT_TRUE(finds("word4"));
}

TEST_P(Maildir, ARenameChangesTheFlagsWithoutReadingTheFile) {
  const fs::path one = deliver("INBOX", 1), two = deliver("INBOX", 2, "cur", "");
  add();
  sync();
  fs::rename(one, root / "INBOX" / "cur" / (one.filename().string() + ":2,RS"));
  fs::rename(two, two.string() + "F");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/fetched_bytes"), 0);
  EXPECT_EQ(number_at(report, "/changed_flags"), 2);
  EXPECT_EQ(number_at(report, "/removed"), 0);
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX read", "Number 2 INBOX flagged"}));
}

TEST_P(Maildir, DeletedAndMovedMessages) {
  std::vector<fs::path> files;
  for (int number = 1; number <= 10; ++number) files.push_back(deliver("INBOX", number, "cur", "S"));
  add();
  sync();
  fs::remove(files[0]);
  fs::rename(files[1], root / "Lists/Cooking/cur" / files[1].filename());
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_FALSE(finds("word1"));
  EXPECT_TRUE(finds("word2"));
  EXPECT_EQ(std::ranges::count(filings(), "Number 2 Cooking read"), 1);
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
}

TEST_P(Maildir, AVanishedFolderRemovesNothingUnasked) {
  for (int number = 1; number <= 6; ++number) deliver(number % 2 == 0 ? "INBOX" : "Lists/Cooking", number);
  add();
  sync();
  const fs::path away = scratch.path() / "elsewhere";
  fs::rename(root, away);
  const Outcome missing = owner.ladder({"sync", "run", "work"});
  EXPECT_NE(missing.exit_code, 0);
  EXPECT_NE(missing.err.find("No such file"), std::string::npos) << missing.summary();
  EXPECT_EQ(filings().size(), 6U);
  fs::create_directories(root);
  const Outcome empty = owner.ladder({"sync", "run", "work"});
  EXPECT_NE(empty.err.find("contains no Maildir"), std::string::npos) << empty.summary();
  fs::remove(root);
  fs::rename(away, root);
  fs::remove_all(root / "Lists");
  EXPECT_EQ(number_at(owner.ladder({"sync", "run", "work", "--json"}).json().at("runs").at(0).at("report"), "/waiting_removals"),
            3);
  EXPECT_EQ(filings().size(), 6U) << "half of the messages is more than 20 %";
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 3);
  EXPECT_EQ(filings().size(), 3U);
}

TEST_P(Maildir, AnImportOfTheSameFolderGivesTheSameRecords) {
  deliver("INBOX", 1, "cur", "S");
  deliver("Lists/Cooking", 2, "cur", "");
  add();
  sync();
  owner.done({"import", root.string(), "--connection", "mail-work"});
  EXPECT_EQ(filings(), (std::vector<std::string>{"Number 1 INBOX read", "Number 2 Cooking"}));
}

TEST_P(Maildir, ServeNoticesADelivery) {
  deliver("INBOX", 1);
  add({"--every", "1d"});
  Process serve(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  const auto appears = [&](const char* word) {
    for (int tries = 0; tries < 150; ++tries) {
      if (owner.ladder({"search", word, "--json"}).out.find("mail-work") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_TRUE(appears("word1"));
  make_folder("Later");
  deliver("Later", 2);
  EXPECT_TRUE(appears("word2")) << "a new folder is watched, too";
  deliver("Later", 3);
  EXPECT_TRUE(appears("word3"));
  serve.signal(SIGTERM);
  EXPECT_EQ(serve.wait().exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, Maildir, ::testing::Values("sqlite", "postgres"), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
