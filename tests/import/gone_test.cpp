// Records that are gone at the source, and records that the owner deleted.
#include "importing.h"

#include "base/text/format.h"
#include "crypto/hash.h"
#include "store/auth_store.h"

#include <sys/stat.h>
#include <boost/json/serialize.hpp>

namespace ladder::import_tests {
namespace {

class OnEachEngine : public ::testing::TestWithParam<std::string> {
 protected:
  OnEachEngine() : owner(GetParam()) {
    for (int i = 0; i < 10; ++i) note("n" + std::to_string(i) + ".md");
  }
  void note(const std::string& name, const std::string& text = "") const {
    save(owner.file("Vault") / name, "# " + (text.empty() ? name : text));
  }
  Outcome import(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), owner.file("Vault").string());
    return owner.import(more);
  }
  static std::int64_t notes_of(const e2e::Owner& owner, const std::string& connection = "notes-vault") {
    return std::ssize(owner.json({"records", "notes", "--connection", connection, "--limit", "100"}).at("data").as_array());
  }
  std::int64_t notes() const { return notes_of(owner); }
  static std::string gone(const Outcome& outcome, const std::string& member) {
    const boost::json::value whole = outcome.json();
    const auto& list = whole.at("runs").at(0).at("gone").as_array();
    return list.empty() ? "none" : boost::json::serialize(list.at(0).at(member));
  }
  // Returns how many values without a record are left in the store.
  std::int64_t left_values() const {
    const auto store = owner.place().open(store::OpenMode::kExisting);
    return test_support::must(store->sweep(Clock::system().now(), Deadline::after(std::chrono::seconds(30)))).values_removed;
  }
  Importer owner;
};
INSTANTIATE_TEST_SUITE_P(Engines, OnEachEngine, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

TEST_P(OnEachEngine, WhatIsGoneIsToldAndMirrored) {
  EXPECT_EQ(gone(import(), "gone"), "none");
  fs::remove(owner.file("Vault") / "n3.md");
  const Outcome told = import();
  EXPECT_EQ(gone(told, "gone"), "1") << told.summary();
  EXPECT_EQ(gone(told, "removed"), "0");
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(notes(), 10);
  const Outcome text = owner.ladder({"import", owner.file("Vault").string(), "--again"});
  EXPECT_NE(text.out.find("notes-vault: 1 of 10 records is not in these files any more; --mirror removes them"),
            std::string::npos)
      << text.summary();
  const Outcome mirrored = import({"--mirror"});
  EXPECT_EQ(gone(mirrored, "removed"), "1") << mirrored.summary();
  EXPECT_NE(mirrored.err.find("deleting 1 of 10 records"), std::string::npos) << mirrored.summary();
  EXPECT_EQ(notes(), 9);
  EXPECT_EQ(gone(import({"--mirror"}), "gone"), "none");
}

TEST_P(OnEachEngine, AMovedNoteStaysOneRecord) {
  import();
  fs::create_directories(owner.file("Vault") / "old");
  fs::rename(owner.file("Vault") / "n1.md", owner.file("Vault") / "old" / "n1.md");
  const Outcome moved = import({"--mirror"});
  EXPECT_EQ(gone(moved, "removed"), "1") << moved.summary();
  EXPECT_EQ(notes(), 10);
}

TEST_P(OnEachEngine, NothingIsRemovedIfTheFilesAreFewOrDamaged) {
  import();
  for (const char* name : {"n0.md", "n1.md", "n2.md"}) fs::remove(owner.file("Vault") / name);
  const Outcome shrunk = import({"--mirror"});
  EXPECT_EQ(shrunk.exit_code, 1) << shrunk.summary();
  EXPECT_EQ(gone(shrunk, "kept"), R"("more than a fifth of the records are gone; add --yes if that is right")");
  EXPECT_EQ(notes(), 10);
  save(owner.file("Vault") / "broken.zip", "PK not a zip");
  const Outcome refused = import({"--mirror", "--yes"});
  EXPECT_EQ(gone(refused, "kept"), R"("some of the files were refused")") << refused.summary();
  EXPECT_EQ(notes(), 10);
  fs::remove(owner.file("Vault") / "broken.zip");
  const Outcome agreed = import({"--mirror", "--yes"});
  EXPECT_EQ(gone(agreed, "removed"), "3") << agreed.summary();
  EXPECT_EQ(notes(), 7);
  EXPECT_EQ(owner.ladder({"import", owner.file("Vault").string(), "--yes"}).exit_code, 64) << "--yes alone has no meaning";
}

TEST_P(OnEachEngine, ADeletedRecordDoesNotComeBack) {
  import();
  EXPECT_NE(owner.ladder({"delete", "notes-vault/notes:n4.md"}).exit_code, 0) << "without a terminal, --yes is required";
  EXPECT_NE(owner.ladder({"delete", "notes-vault/notes:absent.md", "--yes"}).exit_code, 0);
  const Outcome deleted = owner.ladder({"delete", "notes-vault/notes:n4.md", "notes-vault/notes:n5.md", "--yes"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.summary();
  EXPECT_EQ(notes(), 8);
  note("n4.md", "changed since");
  const Outcome again = import({"--again"});
  EXPECT_EQ(Importer::counted(again, "/streams/0/erased"), 2) << again.summary();
  EXPECT_EQ(gone(again, "gone"), "none") << "deleted records are not reported as gone";
  EXPECT_EQ(notes(), 8);
  EXPECT_EQ(gone(import({"--mirror"}), "gone"), "none");
  // The connection itself may be imported again after it was erased.
  owner.done({"erase", "notes-vault", "--yes"});
  import();
  EXPECT_EQ(notes(), 10);
}

// An import stores the bytes of an attachment before it knows that the owner deleted its record.
TEST_P(OnEachEngine, TheBytesOfADeletedAttachmentDoNotComeBack) {
  const std::string bytes(5'000, 'x');
  save(owner.file("Mail") / "one.eml",
       "From: a@example.org\nTo: b@example.org\nSubject: s\nMessage-ID: <1@example.org>\nDate: Tue, 03 Jun 2025 09:39:21 +0000\n"
       "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nsee the file\n--b\n"
       "Content-Type: application/octet-stream; name=a.bin\nContent-Disposition: attachment; filename=a.bin\n\n" +
           bytes + "\n--b--\n");
  const std::vector<std::string> words = {owner.file("Mail").string(), "--connection", "post", "--again"};
  const auto has_bytes = [&] {
    const auto store = owner.place().open(store::OpenMode::kExisting);
    return test_support::must(store->find_blob(1, crypto::sha256(bytes))).has_value();
  };
  owner.import(words);
  ASSERT_TRUE(has_bytes());
  const auto files = owner.json({"records", "attachments", "--connection", "post"}).at("data").as_array();
  ASSERT_EQ(files.size(), 1U);
  owner.done({"delete", format("post/attachments:{}", text_at(files[0], "/id")), "--yes"});
  EXPECT_FALSE(has_bytes());
  const Outcome again = owner.import(words);
  EXPECT_EQ(again.exit_code, 0) << again.summary();
  EXPECT_FALSE(has_bytes());
}

TEST_P(OnEachEngine, ALinkHidesRecordsSoNothingIsRemoved) {
  import();
  fs::rename(owner.file("Vault") / "n3.md", owner.file("moved.md"));
  fs::create_symlink(owner.file("moved.md"), owner.file("Vault") / "n3.md");
  const Outcome linked = import({"--mirror", "--yes"});
  EXPECT_EQ(gone(linked, "kept"), R"("links are not followed")") << linked.summary();
  EXPECT_EQ(notes(), 10);
  fs::remove(owner.file("Vault") / "n3.md");
  EXPECT_EQ(gone(import({"--mirror"}), "removed"), "1");
  EXPECT_EQ(notes(), 9);
}

// Each of two runs would delete what the other one read.
TEST_P(OnEachEngine, PathsThatWereReadOneByOneRemoveNothing) {
  for (int i = 0; i < 3; ++i) save(owner.file("More") / format("m{}.md", i), format("# More {}", i));
  const std::vector<std::string> words = {owner.file("More").string(), "--connection", "all"};
  import(words);
  EXPECT_EQ(notes_of(owner, "all"), 13);
  const std::string script = owner.write_file(
      "extract",
      format("#!/bin/sh\ncase \"$*\" in */Vault*/More*) kill -SEGV $$;; esac\nexec {} \"$@\"\n", LADDER_EXTRACT_BINARY));
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  owner.surroundings().environment["LADDER_EXTRACT"] = script;
  std::vector<std::string> mirrored = words;
  mirrored.insert(mirrored.end(), {"--mirror", "--yes"});
  const Outcome apart = import(mirrored);
  ASSERT_EQ(apart.json().at("runs").as_array().size(), 2U) << apart.summary();
  EXPECT_EQ(gone(apart, "kept"), R"("the paths could not be read together")") << apart.summary();
  EXPECT_EQ(notes_of(owner, "all"), 13);
}

TEST_P(OnEachEngine, NothingOfAGoneRecordIsLeft) {
  note("long.md", std::string(2'000'000, 'x'));
  import();
  fs::remove(owner.file("Vault") / "long.md");
  EXPECT_EQ(gone(import({"--mirror"}), "removed"), "1");
  EXPECT_EQ(left_values(), 0);
}

TEST_P(OnEachEngine, ADeletedRecordDoesNotComeBackAfterARestore) {
  import();
  owner.done({"delete", "notes-vault/notes:n4.md", "--yes"});
  const std::set<std::string> kept = {"saved_search", "arrangement", "blocked"};
  const std::set<std::string> ended = {"notify_channel", "backup_plan", "home_task", "ask", "session"};
  {
    const auto store = owner.place().open(store::OpenMode::kExisting);
    store::AuthChange change;
    for (const auto& kinds : {kept, ended}) {
      for (const std::string& kind : kinds) change.puts.push_back({kind, "key", 0, "{}", 1, std::nullopt, 0});
    }
    ASSERT_TRUE(test_support::must(store->auth().apply(change)));
  }
  owner.done({"backup", owner.file("backups").string()});
  const e2e::Owner other(GetParam());
  other.done({"restore", owner.file("backups").string()});
  const Outcome again = other.ladder({"import", owner.file("Vault").string(), "--again", "--json"});
  EXPECT_EQ(Importer::counted(again, "/streams/0/erased"), 1) << again.summary();
  EXPECT_EQ(notes_of(other), 9);
  const auto restored = other.place().open(store::OpenMode::kExisting);
  for (const std::string& kind : kept) EXPECT_EQ(test_support::must(restored->auth().count(kind)), 1) << kind;
  for (const std::string& kind : ended) EXPECT_EQ(test_support::must(restored->auth().count(kind)), 0) << kind;
}

}  // namespace
}  // namespace ladder::import_tests
