// Tests the mistakes of new users: unreadable folders, archives in archives, two folders with the same name, files that change
// during the import, an import stopped repeatedly. Every loss must be reported and the counts must be right.
#include "importing.h"

#include "base/text/format.h"
#include "e2e/pseudo_terminal.h"
#include "import/tree/tree.h"

#include <sys/stat.h>

#include <csignal>
#include <thread>

namespace ladder::import_tests {
namespace {

using imports::testing::ZipMaker;

std::string refused(const Outcome& outcome) { return boost::json::serialize(outcome.json().at("runs").at(0).at("refused")); }

TEST(Newcomer, AnUnreadableFolderIsReported) {
  Importer owner;
  save(owner.file("Vault") / "open.md", "# Open");
  save(owner.file("Vault") / "closed" / "secret.md", "# Closed");
  // Root can open any folder, so the programs run as the user nobody, from a path that nobody can read.
  for (const fs::path program : {LADDER_BINARY, LADDER_EXTRACT_BINARY})
    fs::copy_file(program, owner.file(program.filename().string()));
  owner.surroundings().program = owner.file("ladder").string();
  ASSERT_EQ(::chmod(owner.place().folder().path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((owner.file("Vault") / "closed").c_str(), 0), 0);
  owner.surroundings().unprivileged = true;
  const Outcome around = owner.import({owner.file("Vault").string(), "--dry-run"});
  const Outcome itself = owner.import({(owner.file("Vault") / "closed").string(), "--dry-run"});
  ASSERT_EQ(::chmod((owner.file("Vault") / "closed").c_str(), 0755), 0);
  EXPECT_EQ(around.exit_code, 1) << around.summary();
  EXPECT_NE(refused(around).find(R"("file":"closed","reason":"the folder cannot be read: Permission denied")"), std::string::npos)
      << around.summary();
  EXPECT_NE(refused(itself).find("the folder cannot be read: Permission denied"), std::string::npos) << itself.summary();
}

TEST(Newcomer, AFileWithoutRecordsIsAnError) {
  const Importer owner;
  save(owner.file("a.ics"), "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n");
  const Outcome outcome = owner.import({owner.file("a.ics").string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_EQ(Importer::counted(outcome, "/lost"), 1) << outcome.summary();
  save(owner.file("empty.csv"), "id,name\n");
  save(owner.file("table.json"), owner.ladder({"source", "infer", owner.write_file("rows.csv", "id,name\n1,Ann\n")}).out);
  const Outcome table = owner.import({owner.file("empty.csv").string(), "--manifest", owner.file("table.json").string()});
  EXPECT_EQ(table.exit_code, 1) << table.summary();
  EXPECT_EQ(Importer::counted(table, "/lost"), 1) << table.summary();
  // An empty file has nothing to lose.
  save(owner.file("empty.mbox"), "");
  EXPECT_EQ(owner.import({owner.file("empty.mbox").string()}).exit_code, 0);
}

TEST(Newcomer, TheOwnerDecidesWhetherATextIsMail) {
  const Importer owner;
  save(owner.file("msgs/msg_01.txt"), "From: a@example.org\nTo: b@example.org\nSubject: s\n\ntext\n");
  const Outcome plan = owner.ladder({"import", owner.file("msgs").string(), "--dry-run"});
  EXPECT_NE(plan.out.find("--as notes"), std::string::npos) << plan.summary();
  EXPECT_EQ(text_at(owner.import({owner.file("msgs").string()}).json(), "/runs/0/found/0/format"), "mail");
  EXPECT_EQ(text_at(owner.import({owner.file("msgs").string(), "--as", "notes"}).json(), "/runs/0/found/0/format"), "notes");
}

TEST(Newcomer, TheExtractorCanWriteToAFile) {
  const Importer owner;
  const std::string file = owner.file("formats").string();
  EXPECT_EQ(std::system(format("{} --formats > {}", LADDER_EXTRACT_BINARY, file).c_str()), 0);  // NOLINT(cert-env33-c)
  EXPECT_GT(fs::file_size(file), 100U);
}

TEST(Newcomer, AnArchiveInAnArchiveIsReported) {
  const Importer owner;
  save(owner.file("both.zip"),
       ZipMaker().add("note.md", "# Here").add("in/more.zip", ZipMaker().add("x.md", "x").bytes()).bytes());
  const Outcome outcome = owner.import({owner.file("both.zip").string()});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(refused(outcome).find(R"("file":"in/more.zip","reason":"archives inside archives are not opened)"), std::string::npos)
      << outcome.summary();
  EXPECT_EQ(total(outcome, "added"), 1);
}

TEST(Newcomer, FoldersWithTheSameNameDoNotOverwriteEachOther) {
  const Importer owner;
  save(owner.file("work/notes") / "plan.md", "of work");
  save(owner.file("home/notes") / "plan.md", "of home");
  const std::string work = owner.file("work/notes").string(), home = owner.file("home/notes").string();
  const auto texts = [&owner] { return boost::json::serialize(owner.json({"records", "notes", "--fields", "text"}).at("data")); };

  EXPECT_EQ(owner.import({work, home}).exit_code, 1) << "which of them?";
  EXPECT_EQ(owner.import({work}).exit_code, 0);
  const Outcome other = owner.import({home});
  EXPECT_EQ(other.exit_code, 1) << other.summary();
  EXPECT_NE(other.out.find("contains data from " + work), std::string::npos) << other.summary();
  EXPECT_NE(texts().find("of work"), std::string::npos);
  EXPECT_EQ(texts().find("of home"), std::string::npos);

  EXPECT_EQ(owner.import({home, "--connection", "notes-home"}).exit_code, 0);
  EXPECT_NE(texts().find("of work"), std::string::npos);
  EXPECT_NE(texts().find("of home"), std::string::npos);

  fs::rename(owner.file("work"), owner.file("moved"));
  const Outcome moved = owner.import({owner.file("moved/notes").string()});
  EXPECT_EQ(moved.exit_code, 0) << moved.summary();
  EXPECT_EQ(total(moved, "unchanged"), 1);
}

TEST(Newcomer, AFileThatShrinksDuringTheImportIsReported) {
  const Importer owner;
  const std::string path = owner.write_file("long.mbox", std::string(3'000'000, 'x'));
  const std::vector<std::string> paths = {path};
  const imports::OpenedTrees opened = imports::open_trees(paths);
  ASSERT_EQ(opened.trees.size(), 1U);
  auto bytes = opened.trees.front()->open(0);
  ASSERT_TRUE(bytes);
  std::string buffer(1000, '\0');
  ASSERT_EQ((*bytes)->read(buffer.data(), buffer.size()).value_or(0), buffer.size());
  fs::resize_file(path, 1000);
  auto rest = (*bytes)->read(buffer.data(), buffer.size());
  ASSERT_FALSE(rest) << "an end too early would look like the end";
  EXPECT_NE(rest.error().message.find("it was truncated during the import"), std::string::npos);
}

TEST(Newcomer, EmptyAndMissingInputIsReported) {
  const Importer owner;
  EXPECT_NE(owner.done({"import", owner.write_file("empty.ics", "")}).out.find("it is empty"), std::string::npos);
  const Outcome table = owner.ladder({"import", owner.write_file("spending.csv", "a,b\n1,2\n")});
  EXPECT_EQ(table.exit_code, 1);
  EXPECT_NE(table.out.find("ladder source infer FILE"), std::string::npos) << table.summary();
  const Outcome absent = owner.ladder({"import", owner.file("spending.csv").string(), "--manifest", "no-such.json"});
  EXPECT_NE(absent.err.find("'no-such.json'"), std::string::npos) << absent.summary();
}

TEST(Newcomer, ATableIsProposedAndImportedInOneStep) {
  const Importer owner;
  save(owner.file("spending.csv"), "id,amount,day\na,3.50,2024-01-02\nb,4.50,2024-01-03\n");
  const std::vector<std::string> words = {LADDER_BINARY, "import", owner.file("spending.csv").string()};
  {
    e2e::PseudoTerminal terminal(owner, words);
    EXPECT_TRUE(terminal.shows("amount  (a number)")) << terminal.shown();
    EXPECT_TRUE(terminal.shows("Import it as a table? [Y/n]"));
    terminal.press("n\n");
    EXPECT_EQ(terminal.wait(), 1);
  }
  {
    e2e::PseudoTerminal terminal(owner, words);
    EXPECT_TRUE(terminal.shows("Import it as a table? [Y/n]"));
    terminal.press("y\n");
    EXPECT_TRUE(terminal.shows("2 read, 2 added")) << terminal.shown();
    EXPECT_EQ(terminal.wait(), 0);
  }
  save(owner.file("spending.csv"), "id,amount,day\nb,4.50,2024-01-03\nc,1.00,2024-02-03\n");
  e2e::PseudoTerminal terminal(owner, words);
  EXPECT_TRUE(terminal.shows("using the declaration")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("2 read, 1 added, 1 unchanged")) << terminal.shown();
  EXPECT_EQ(terminal.wait(), 0);
}

TEST(Newcomer, AKnownExportThatIsNotReadIsNamed) {
  const Importer owner;
  save(owner.file("export.zip"),
       ZipMaker().add("signal-export/main.jsonl", R"({"version":"1","backupTimeMs":"1"})").add("a.jpg", "x").bytes());
  const Outcome text = owner.ladder({"import", owner.file("export.zip").string()});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("This is a Signal export"), std::string::npos) << text.summary();
}

TEST(Newcomer, NextMonthsExportAddsOnlyWhatIsNew) {
  const Importer owner;
  const auto takeout = [&](const std::string& name, const std::string& more) {
    save(owner.file(name), ZipMaker().add("Takeout/Keep/list.txt", "tea").add("Takeout/Keep/" + more, "milk").bytes());
    return owner.import({owner.file(name).string()});
  };
  EXPECT_EQ(total(takeout("takeout-20260101T000000Z-001.zip", "a.txt"), "added"), 2);
  const Outcome next = takeout("takeout-20260201T000000Z-001.zip", "b.txt");
  EXPECT_EQ(next.exit_code, 0) << next.summary();
  EXPECT_EQ(total(next, "added"), 1) << next.summary();
  EXPECT_EQ(total(next, "unchanged"), 1) << next.summary();
}

TEST(Newcomer, FilesThatNotesEmbedAreImported) {
  const Importer owner;
  save(owner.file("Vault") / "a.md", "![[sea.png]]");
  save(owner.file("Vault") / "sea.png", "x");
  save(owner.file("Vault") / "unused.png", "x");
  const Outcome outcome = owner.import({owner.file("Vault").string()});
  EXPECT_EQ(number_at(outcome.json(), "/runs/0/left_alone/files"), 1) << outcome.summary();
  EXPECT_EQ(total(outcome, "added"), 2) << outcome.summary();
}

// The README's example, in a store that also contains chats.
TEST(Newcomer, FieldsOfMailAreGrantedNextToChats) {
  const Importer owner;
  demo::write_whatsapp_export({owner.file("Chats"), 7, 10});
  demo::write_mail_export({owner.file("Mail"), 7, 10});
  owner.ladder({"import", owner.file("Chats").string(), owner.file("Mail").string()});
  const Outcome granted =
      owner.done({"grant", "create", "--client", "claude", "--stream", "messages:subject,from,to,sent_at,text"});
  EXPECT_NE(granted.err.find("mail"), std::string::npos) << granted.summary();
  EXPECT_EQ(granted.err.find("whatsapp"), std::string::npos) << granted.summary();
  const Outcome none = owner.ladder({"grant", "create", "--client", "claude", "--stream", "messages:subject,chat"});
  EXPECT_NE(none.err.find("\"whatsapp\" has no \"subject\""), std::string::npos) << none.summary();
  const Outcome other = owner.ladder({"records", "messages", "--connection", "whatsapp", "--filter", "subjec=x"});
  EXPECT_EQ(other.err.find("did you mean"), std::string::npos) << "a field of mail: " << other.summary();
  const Outcome near = owner.ladder({"records", "messages", "--connection", "mail", "--filter", "subjec=x"});
  EXPECT_NE(near.err.find("did you mean 'subject'"), std::string::npos) << near.summary();
  const Outcome which = owner.ladder({"records", "messages"});
  EXPECT_NE(which.err.find("with --connection"), std::string::npos) << which.summary();
}

constexpr std::string_view kRows = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"urn:example:rows"},
  "declaration_version":"1","publisher":{"id":"urn:example"},"display":{"name":"Rows"},"streams":[
  {"name":"rows","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
   "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"},"t":{"type":"string"}}}}]})";

class Stopped : public ::testing::Test {
 protected:
  static constexpr int kCount = 120'000, kBad = 10;

  Stopped() {
    std::string rows;
    for (int i = 0; i < kCount; ++i)
      rows += format("{{\"id\":\"r{}\",\"n\":{},\"t\":\"{}\"}}\n", i, i < kBad ? "\"none\"" : "1", std::string(900, 'x'));
    words_ = {"import", owner.write_file("rows.ndjson", rows), "--manifest", owner.write_file("rows.json", kRows)};
  }
  // Starts the import and sends the signal after some progress.
  Outcome stop_with(int signal, std::vector<std::string> words) {
    Progress progress(owner);
    const std::string before = progress.position("rows");
    e2e::Process process(owner.surroundings(), words);
    wait_until([&] {
      const std::string now = progress.position("rows");
      return !now.empty() && now != before;
    });
    process.signal(signal);
    return process.wait();
  }

  Importer owner;
  std::vector<std::string> words_;
};

TEST_F(Stopped, RepeatedlyCountsRecordsOnce) {
  for (int life = 0; life < 3; ++life) {
    const Outcome killed = stop_with(SIGKILL, words_);
    ASSERT_EQ(killed.exit_code, 128 + SIGKILL) << "it came to its end: " << killed.summary();
  }
  const Outcome rest = owner.import({words_.begin() + 1, words_.end()});
  EXPECT_EQ(rest.exit_code, 1) << "some rows are none: " << rest.summary();
  EXPECT_NE(rest.err.find("continuing where"), std::string::npos);
  EXPECT_EQ(total(rest, "read"), kCount);
  EXPECT_EQ(total(rest, "rejected"), kBad);
  EXPECT_EQ(total(rest, "lost"), kBad) << "named although an earlier run met them";
  EXPECT_EQ(total(rest, "added") + total(rest, "unchanged") + total(rest, "rejected"), kCount) << rest.summary();
}

TEST_F(Stopped, ByTheOwnerReportsTheResult) {
  std::vector<std::string> words = words_;
  words.emplace_back("--json");
  const Outcome stopped = stop_with(SIGINT, words);
  EXPECT_EQ(stopped.exit_code, 1) << stopped.summary();
  EXPECT_FALSE(stopped.json().at("runs").at(0).at("accounts").at(0).at("complete").as_bool()) << stopped.summary();
  EXPECT_GT(total(stopped, "added"), 0);
  const std::string text = owner.done({"connection", "show", "rows"}).out;
  EXPECT_NE(text.find("not finished"), std::string::npos) << text;
}

}  // namespace
}  // namespace ladder::import_tests
