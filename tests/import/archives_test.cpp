// Tests imports of many archives, and of archives with the same name. Data from one place must not replace data from another.
#include "base/text/format.h"
#include "importing.h"

#include <csignal>
#include <set>

namespace ladder::import_tests {
namespace {

using imports::testing::gzipped;
using imports::testing::ZipMaker;

// Returns the texts of all notes in the store.
std::multiset<std::string> texts(const Importer& owner) {
  std::multiset<std::string> found;
  const boost::json::value listed = owner.json({"connection", "list"});
  for (const auto& connection : listed.at("connections").as_array()) {
    const boost::json::value page =
        owner.json({"records", "notes", "--connection", std::string(connection.at("connection_id").as_string())});
    for (const auto& record : page.at("data").as_array()) found.insert(std::string(record.at("data").at("text").as_string()));
  }
  return found;
}

void expect(const Outcome& outcome, std::int64_t added, std::int64_t unchanged) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(total(outcome, "added"), added) << outcome.summary();
  EXPECT_EQ(total(outcome, "unchanged"), unchanged) << outcome.summary();
  EXPECT_EQ(total(outcome, "changed"), 0) << outcome.summary();
}

std::set<std::string> connections(const Importer& owner) {
  std::set<std::string> ids;
  const boost::json::value listed = owner.json({"connection", "list"});
  for (const auto& each : listed.at("connections").as_array()) ids.insert(std::string(each.at("connection_id").as_string()));
  return ids;
}

TEST(Archives, WithTheSameNameStaySeparate) {
  const Importer owner;
  const fs::path all = owner.file("all");
  save(all / "2023/diary.md.gz", gzipped("one"));
  save(all / "2024/diary.md.gz", gzipped("two"));
  save(all / "a/notes.zip", ZipMaker().add("n.md", "three").bytes());
  save(all / "b/notes.zip", ZipMaker().add("n.md", "four").bytes());
  expect(owner.import({all.string(), "--separate"}), 4, 0);
  EXPECT_EQ(connections(owner).size(), 4U);
  EXPECT_EQ(texts(owner), (std::multiset<std::string>{"one", "two", "three", "four"}));
  // Import again, import one alone, and add one that sorts first: each must go to its previous connection.
  expect(owner.import({all.string(), "--separate"}), 0, 4);
  expect(owner.import({(all / "b/notes.zip").string()}), 0, 1);
  save(all / "2022/diary.md.gz", gzipped("zero"));
  expect(owner.import({all.string(), "--separate"}), 1, 4);
  EXPECT_EQ(texts(owner), (std::multiset<std::string>{"zero", "one", "two", "three", "four"}));
}

TEST(Archives, OfOneFolderAreOneConnection) {
  const Importer owner;
  const fs::path all = owner.file("all");
  save(all / "2023/diary.md.gz", gzipped("one"));
  save(all / "2024/diary.md.gz", gzipped("two"));
  save(all / "a/notes.zip", ZipMaker().add("n.md", "three").bytes());
  save(all / "b/notes.zip", ZipMaker().add("n.md", "four").bytes());
  save(all / "n.md", "five");
  expect(owner.import({all.string()}), 5, 0);
  EXPECT_EQ(connections(owner), std::set<std::string>{"notes-all"});
  EXPECT_EQ(texts(owner), (std::multiset<std::string>{"one", "two", "three", "four", "five"}));
  save(all / "2022/diary.md.gz", gzipped("zero"));
  expect(owner.import({all.string()}), 1, 5);
  EXPECT_EQ(connections(owner), std::set<std::string>{"notes-all"});
}

TEST(Archives, WithTheSameNameStaySeparateAcrossImports) {
  const Importer owner;
  save(owner.file("x/notes.zip"), ZipMaker().add("n.md", "first").bytes());
  save(owner.file("y/notes.zip"), ZipMaker().add("n.md", "second").bytes());
  expect(owner.import({owner.file("x/notes.zip").string()}), 1, 0);
  EXPECT_EQ(text_at(owner.json({"connection", "list"}), "/connections/0/connection_id"), "notes-notes");
  expect(owner.import({owner.file("y/notes.zip").string()}), 1, 0);
  EXPECT_EQ(texts(owner), (std::multiset<std::string>{"first", "second"}));
  expect(owner.import({owner.file("x/notes.zip").string()}), 0, 1);
  // Moving an archive does not change its connection.
  fs::create_directories(owner.file("z"));
  fs::rename(owner.file("x/notes.zip"), owner.file("z/notes.zip"));
  expect(owner.import({owner.file("z/notes.zip").string()}), 0, 1);
}

TEST(Archives, WithTheSameNameDoNotShareAConnection) {
  const Importer owner;
  save(owner.file("all/x/notes.zip"), ZipMaker().add("n.md", "first").bytes());
  save(owner.file("all/y/notes.zip"), ZipMaker().add("n.md", "second").bytes());
  const Outcome outcome = owner.import({owner.file("all").string(), "--separate", "--connection", "mine"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_EQ(total(outcome, "changed"), 0) << outcome.summary();
  EXPECT_NE(outcome.summary().find("would overwrite each other"), std::string::npos) << outcome.summary();
  EXPECT_EQ(texts(owner), std::multiset<std::string>{"first"});
}

TEST(Archives, NextToAFolderOfTheSameNameStaySeparate) {
  const Importer owner;
  save(owner.file("Vault/n.md"), "in the folder");
  save(owner.file("Vault/Vault.zip"), ZipMaker().add("n.md", "in the archive").bytes());
  expect(owner.import({owner.file("Vault").string()}), 2, 0);
  EXPECT_EQ(texts(owner), (std::multiset<std::string>{"in the folder", "in the archive"}));
  expect(owner.import({owner.file("Vault").string()}), 0, 2);
}

TEST(Archives, AnyNumberIsImported) {
  constexpr int kArchives = 300;
  const Importer owner;
  for (int i = 0; i < kArchives; ++i) {
    const std::string mail = format("From: a@example.org\nSubject: {0}\nMessage-ID: <{0}@example.org>\n\ntext {0}\n", i);
    save(owner.file("all") / format("{}.zip", i), ZipMaker().add(format("{}.eml", i), mail).bytes());
  }
  save(owner.file("all/plain.eml"), "From: a@example.org\nSubject: plain\nMessage-ID: <p@example.org>\n\nplain\n");
  const Outcome outcome = owner.import({owner.file("all").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary().substr(0, 3000);
  std::int64_t messages = 0;
  const boost::json::value json = outcome.json();
  for (const auto& account : json.at("runs").at(0).at("accounts").as_array()) {
    for (const auto& stream : account.at("streams").as_array()) {
      if (stream.at("stream").as_string() == "messages") messages += stream.at("added").as_int64();
    }
  }
  EXPECT_EQ(messages, kArchives + 1);
}

TEST(Archives, OfManyConnectionsNameTheNextStepOnce) {
  constexpr int kArchives = 8;
  const Importer owner;
  for (int i = 0; i < kArchives; ++i)
    save(owner.file("all") / format("{}.zip", i), ZipMaker().add("note.md", format("# Note {}\n\ntext\n", i)).bytes());
  const Outcome outcome = owner.ladder({"import", owner.file("all").string(), "--separate"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(outcome.out.find("ladder connection show"), std::string::npos) << outcome.summary();
  EXPECT_EQ(outcome.out.find("Next: "), outcome.out.rfind("Next: ")) << outcome.summary();
}

// Two units of one folder, each with several files, have separate accounts: the losses of one do not replace those of the
// other.
class Accounts : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Engines, Accounts, ::testing::Values("sqlite", "postgres"));

TEST_P(Accounts, OfTwoUnitsOfOneFolderAreBothKept) {
  const Importer owner(GetParam());
  const fs::path all = owner.file("Mail");
  for (const char* name : {"a.eml", "b.eml", "cur/1:2,S", "cur/2:2,S"})
    save(all / name, format("From: a@example.org\nSubject: {0}\nMessage-ID: <{0}@example.org>\n\ntext\n", name));
  save(all / "c.eml", "no header at all");
  save(all / "cur/3:2,S", "nor here");
  EXPECT_EQ(owner.import({all.string()}).exit_code, 1);
  const auto accounts = [&] {
    const boost::json::value shown = owner.json({"connection", "show", "mail"});
    std::int64_t lost = 0;
    for (const auto& account : shown.at("imports").as_array()) lost += account.at("lost").as_int64();
    return std::pair(shown.at("imports").as_array().size(), lost);
  };
  EXPECT_EQ(accounts(), std::pair(std::size_t{2}, std::int64_t{2}));
  EXPECT_EQ(owner.import({all.string()}).exit_code, 1);
  EXPECT_EQ(accounts(), std::pair(std::size_t{2}, std::int64_t{2}));
}

TEST(Sandbox, IsReportedByDoctor) {
  const Importer owner;
  const boost::json::value told = owner.json({"doctor"});
  std::set<std::string> layers;
  for (const auto& finding : told.at("findings").as_array()) {
    if (finding.at("check").as_string() == "sandbox") layers.insert(std::string(finding.at("thing").as_string()));
  }
  EXPECT_EQ(layers, (std::set<std::string>{"session", "file view", "capabilities", "landlock", "system calls"}));
}

// Uses a script in place of the real child, which reports how it was started.
TEST(Sandbox, HasNoTerminal) {
  Importer owner;
  const fs::path script = owner.file("extract"), told = owner.file("told");
  save(script, format("#!/bin/sh\ncut -d' ' -f1,5,6,7 /proc/$$/stat > {0}\n", told.string()));
  fs::permissions(script, fs::perms::owner_all);
  owner.surroundings().environment["LADDER_EXTRACT"] = script.string();
  save(owner.file("n.md"), "x");
  EXPECT_NE(owner.import({owner.file("n.md").string()}).exit_code, 0);
  std::ifstream in(told);
  std::int64_t process = 0, group = 0, session = 0, terminal = -1;
  in >> process >> group >> session >> terminal;
  EXPECT_GT(process, 0);
  EXPECT_EQ(group, process);
  EXPECT_EQ(session, process);
  EXPECT_EQ(terminal, 0);
}

}  // namespace
}  // namespace ladder::import_tests
