// End-to-end tests of imports: repeated, split, damaged, hostile, interrupted.
#include "base/text/format.h"
#include "import/wire/frame.h"
#include "import/wire/messages.h"
#include "importing.h"

#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace ladder::import_tests {
namespace {

using imports::testing::gzipped;
using imports::testing::TarMaker;
using imports::testing::ZipMaker;

class OnEveryEngine : public ::testing::TestWithParam<std::string> {
 protected:
  OnEveryEngine() : owner(GetParam()) {}
  fs::path folder(const char* name) const { return owner.file(name); }
  Importer owner;
};
INSTANTIATE_TEST_SUITE_P(Engines, OnEveryEngine, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

TEST_P(OnEveryEngine, ImportedTwiceIsStoredOnce) {
  const auto notes = demo::write_notes_export({folder("Vault"), 7, 60});
  const auto chat = demo::write_whatsapp_export({folder("Chats"), 7, 300});
  const std::vector<std::string> paths = {folder("Vault").string(), folder("Chats").string()};
  const Outcome first = owner.import(paths);
  EXPECT_EQ(first.exit_code, 0) << first.summary();
  EXPECT_EQ(total(first, "added"), notes.at("notes") + chat.at("messages") + 1) << first.summary();  // and one image
  const std::string digest =
      owner.digest("notes-vault", "notes") + owner.digest("whatsapp", "messages") + owner.digest("notes-vault", "attachments");
  const Outcome second = owner.import(paths);
  EXPECT_EQ(second.exit_code, 0) << second.summary();
  EXPECT_EQ(total(second, "added") + total(second, "changed"), 0) << second.summary();
  EXPECT_EQ(total(second, "unchanged"), total(first, "added"));
  EXPECT_EQ(
      owner.digest("notes-vault", "notes") + owner.digest("whatsapp", "messages") + owner.digest("notes-vault", "attachments"),
      digest);

  const boost::json::value shown = owner.json({"connection", "show", "whatsapp"});
  EXPECT_EQ(number_at(shown, "/imports/0/streams/0/read"), chat.at("messages"));
  EXPECT_EQ(text_at(shown, "/imports/0/streams/0/from").substr(0, 10), "2025-01-01");
}

void age(const fs::path& file) { fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1)); }

TEST(Import, UnchangedFilesAreNotReadAgain) {
  const Importer owner;
  const fs::path mailbox = owner.file("a.mbox");
  const std::string message =
      "From a Mon Jan  1 10:00:00 2024\nFrom: a@example.org\nSubject: leek\nMessage-ID: <1@example.org>\n\nsoup\n\n";
  save(mailbox, message);
  const auto import = [&](std::vector<std::string> more = {}) {
    more.insert(more.begin(), mailbox.string());
    return owner.import(more);
  };
  const auto was_unchanged = [](const Outcome& outcome) {
    return outcome.json().at("runs").at(0).at("accounts").at(0).as_object().contains("was_unchanged");
  };
  import();
  EXPECT_FALSE(was_unchanged(import())) << "a file that has just changed may change again within the same tick of its clock";
  age(mailbox);
  EXPECT_FALSE(was_unchanged(import()));
  const Outcome same = import();
  EXPECT_TRUE(was_unchanged(same)) << same.summary();
  EXPECT_EQ(total(same, "added") + total(same, "changed"), 0);
  EXPECT_EQ(total(same, "unchanged"), total(same, "read"));
  EXPECT_FALSE(was_unchanged(import({"--again"})));
  EXPECT_FALSE(was_unchanged(import({"--encoding", "koi8-r"}))) << "the same bytes may mean something else";
  import();

  save(mailbox, message + "From b Mon Jan  1 10:00:00 2024\nFrom: b@example.org\nMessage-ID: <2@example.org>\n\nstew\n\n");
  age(mailbox);
  const Outcome grown = import();
  EXPECT_FALSE(was_unchanged(grown));
  EXPECT_EQ(owner.json({"search", "stew"}).at("data").as_array().size(), 1U);
  const std::string connection(grown.json().at("connections").at(0).as_string());
  owner.done({"erase", connection, "--yes"});
  EXPECT_GT(total(import(), "added"), 0) << "what was erased by hand and imported by hand is there again";
}

TEST(Import, ADryRunWritesNothing) {
  const Importer owner;
  demo::write_notes_export({owner.file("Vault"), 1, 5});
  const Outcome looked = owner.import({owner.file("Vault").string(), "--dry-run"});
  EXPECT_EQ(looked.exit_code, 0) << looked.summary();
  EXPECT_EQ(text_at(looked.json(), "/runs/0/found/0/format"), "notes");
  EXPECT_TRUE(owner.json({"connection", "list"}).at("connections").as_array().empty());
}

TEST(Import, DamageIsReportedAndTheRestIsImported) {
  const Importer owner;
  const auto rows = demo::write_table_export({owner.file("t"), 3, 2000, 0, 0, true});
  const Outcome outcome =
      owner.import({(owner.file("t") / "rows.ndjson").string(), "--manifest", (owner.file("t") / "manifest.json").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(total(outcome, "added"), rows.at("rows")) << outcome.summary().substr(0, 2000);
  EXPECT_EQ(total(outcome, "lost"), rows.at("lost"));
  const boost::json::value json = outcome.json();
  const auto& losses = json.at("runs").at(0).at("accounts").at(0).at("losses").as_array();
  ASSERT_EQ(static_cast<std::int64_t>(losses.size()), rows.at("lost"));
  for (const auto& loss : losses) {
    EXPECT_EQ(loss.at("file").as_string(), "rows.ndjson");
    EXPECT_GT(loss.at("byte").as_int64(), 0);
  }
}

TEST(Import, TheOrderOfPartsDoesNotMatter) {
  demo::write_whatsapp_export({fs::temp_directory_path() / "ladder-parts", 5, 400});
  const fs::path chat = fs::temp_directory_path() / "ladder-parts" / "WhatsApp Chat with Reading circle.txt";
  std::string text(fs::file_size(chat), '\0');
  std::ifstream(chat, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  fs::remove_all(chat.parent_path());
  const std::string zip = ZipMaker().add(chat.filename().string(), text).bytes(), other = ZipMaker().add("x/a.md", "# A").bytes();
  std::vector<std::string> digests;
  for (const bool forward : {true, false}) {
    const Importer owner;
    save(owner.file("e.zip.001"), zip.substr(0, zip.size() / 2));
    save(owner.file("e.zip.002"), zip.substr(zip.size() / 2));
    save(owner.file("e2-001.zip"), other);
    std::vector<std::string> paths = {owner.file("e.zip.001").string(), owner.file("e.zip.002").string(),
                                      owner.file("e2-001.zip").string()};
    if (!forward) std::ranges::reverse(paths);
    const Outcome outcome = owner.import(paths);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
    digests.push_back(owner.digest("whatsapp", "messages") + owner.digest("notes-e2", "notes"));
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0].substr(0, 3), "401");
}

// Two parts have the same ids with different content. Their names must not matter, and a second import must change nothing.
TEST(Import, TheOrderOfConflictingPartsDoesNotMatter) {
  const auto part = [](const char* note, const char* title, const char* updated) {
    const std::string conversation = format(
        R"([{{"uuid":"c1","name":"{}","summary":"","created_at":"2025-01-01T00:00:00Z","updated_at":"{}","chat_messages":[)"
        R"({{"uuid":"m1","sender":"human","created_at":"2025-01-01T00:00:00Z","text":"{}"}}]}}])",
        title, updated, title);
    return std::pair(note, conversation);
  };
  const auto [old_note, old_talk] = part("# A note", "before", "2025-01-01T00:00:00Z");
  const auto [new_note, new_talk] = part("# A note that says more", "after", "2025-02-01T00:00:00Z");
  std::vector<std::string> digests;
  for (const bool forward : {true, false}) {
    const Importer owner;
    const auto zip = [&](const char* file, const char* talk_name, bool is_new) {
      save(owner.file(file),
           ZipMaker().add("e/a.md", is_new ? new_note : old_note).add(talk_name, is_new ? new_talk : old_talk).bytes());
    };
    zip("e-001.zip", "e/conversations-000.json", !forward);
    zip("e-002.zip", "e/conversations-001.json", forward);
    const std::vector<std::string> paths = {owner.file("e-001.zip").string(), owner.file("e-002.zip").string()};
    const Outcome outcome = owner.import(paths);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
    EXPECT_EQ(total(outcome, "changed"), 0) << outcome.summary();
    const Outcome again = owner.import({paths[1], paths[0]});
    EXPECT_EQ(total(again, "added") + total(again, "changed"), 0) << again.summary();
    digests.push_back(owner.digest("notes-e", "notes") + owner.digest("claude", "conversations") +
                      owner.digest("claude", "messages"));
    EXPECT_EQ(text_at(owner.json({"records", "conversations", "--connection", "claude"}), "/data/0/data/title"), "after");
  }
  EXPECT_EQ(digests[0], digests[1]);
}

TEST(Import, BombsAndEscapingPathsAreRefusedByName) {
  const Importer owner;
  save(owner.file("evil.zip"), ZipMaker()
                                   .add("../../outside.md", "x")
                                   .add("bomb.md", std::string(100'000'000, ' '))
                                   .add("link.md", "/etc/passwd", {-1, static_cast<std::uint32_t>(S_IFLNK | 0777) << 16})
                                   .add("good.md", "# Fine")
                                   .bytes());
  const Outcome outcome = owner.import({owner.file("evil.zip").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  const boost::json::value json = outcome.json();
  EXPECT_EQ(json.at("runs").at(0).at("refused").as_array().size(), 2U) << outcome.summary();
  EXPECT_EQ(text_at(json, "/runs/0/links/0/file"), "link.md");
  EXPECT_EQ(total(outcome, "added"), 1);
  EXPECT_EQ(owner.digest("notes-evil", "notes").substr(0, 2), "1 ");
}

// A link is reported but is not a loss: the import is complete.
TEST(Import, LinksAreReportedAndNotFollowed) {
  const Importer owner;
  save(owner.file("Vault") / "a.md", "# A");
  save(owner.file("secret") / "b.md", "# B");
  fs::create_symlink(owner.file("secret") / "b.md", owner.file("Vault") / "b.md");
  fs::create_directory_symlink(owner.file("secret"), owner.file("Vault") / "more");
  const Outcome outcome = owner.import({owner.file("Vault").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(total(outcome, "added"), 1);
  const boost::json::value json = outcome.json();
  EXPECT_EQ(json.at("runs").at(0).at("links").as_array().size(), 2U) << outcome.summary();
  EXPECT_TRUE(json.at("runs").at(0).at("refused").as_array().empty());
}

// The real child crashes in the middle of a frame: its first run is cut off after some bytes.
TEST(Import, ACrashOfTheChildIsReportedAndTheNextUnitIsRead) {
  Importer owner;
  demo::write_whatsapp_export({owner.file("Chats") / "1", 1, 300});
  demo::write_whatsapp_export({owner.file("Chats") / "2", 2, 300});
  fs::rename(owner.file("Chats") / "2" / "WhatsApp Chat with Reading circle.txt",
             owner.file("Chats") / "2" / "WhatsApp Chat with Bo.txt");
  const std::string script =
      owner.write_file("extract", format("#!/bin/sh\nif [ -e \"{0}/crashed\" ]; then exec {1} \"$@\"; fi\n: > \"{0}/crashed\"\n"
                                         "{1} \"$@\" | dd bs=1 count=20000 2>/dev/null\nkill -SEGV $$\n",
                                         owner.file("").string(), LADDER_EXTRACT_BINARY));
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  owner.surroundings().environment["LADDER_EXTRACT"] = script;
  const Outcome outcome = owner.import({owner.file("Chats").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  const boost::json::value json = outcome.json();
  const auto& accounts = json.at("runs").at(0).at("accounts").as_array();
  ASSERT_EQ(accounts.size(), 2U) << outcome.summary();
  EXPECT_EQ(accounts[0].at("broken_off").as_string(), "the extractor crashed (SIGSEGV)") << outcome.summary();
  EXPECT_TRUE(accounts[1].at("complete").as_bool());
  EXPECT_EQ(accounts[1].at("streams").at(0).at("added").as_int64(), 301);
  const Outcome again = owner.import({owner.file("Chats").string()});
  EXPECT_EQ(again.exit_code, 0) << again.summary();
  EXPECT_EQ(owner.digest("whatsapp", "messages").substr(0, 4), "602 ");
}

TEST(Import, AMissingOrInvalidChildIsReported) {
  Importer owner;
  demo::write_notes_export({owner.file("Vault"), 1, 3});
  owner.surroundings().environment["LADDER_EXTRACT"] = owner.file("absent").string();
  EXPECT_EQ(owner.import({owner.file("Vault").string()}).error_code(), "not_set_up");
  const std::string script = owner.write_file("nonsense", "#!/bin/sh\necho hello world\n");
  ASSERT_EQ(chmod(script.c_str(), 0755), 0);
  owner.surroundings().environment["LADDER_EXTRACT"] = script;
  const Outcome outcome = owner.import({owner.file("Vault").string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("unknown kind"), std::string::npos) << outcome.summary();
}

// A script plays the other program byte for byte.
TEST(Import, AChildOfAnotherVersionIsReportedWithBothVersions) {
  Importer owner;
  demo::write_notes_export({owner.file("Vault"), 1, 3});
  const auto refusal = [&](const std::string& frames) {
    const std::string said = owner.write_file("said", frames);
    const std::string script = owner.write_file("other", format("#!/bin/sh\ncat '{}'\nread order\n", said));
    EXPECT_EQ(chmod(script.c_str(), 0755), 0);
    owner.surroundings().environment["LADDER_EXTRACT"] = script;
    const Outcome outcome = owner.import({owner.file("Vault").string()});
    EXPECT_EQ(outcome.error_code(), "not_set_up") << outcome.summary();
    return outcome.summary();
  };
  const auto greeting = [](const imports::wire::Hello& hello) {
    std::string frames;
    imports::wire::append_frame(frames, imports::wire::Kind::kHello, imports::wire::to_json(hello));
    imports::wire::append_frame(frames, imports::wire::Kind::kPlanned, imports::wire::to_json(imports::wire::PlanEnd{}));
    return frames;
  };
  std::string own = owner.ladder({"--version"}).out.substr(std::string_view("ladder ").size());
  own.pop_back();
  for (const imports::wire::Hello& hello :
       {imports::wire::Hello{imports::wire::kProtocol, "0.0.9-elsewhere"}, {imports::wire::kProtocol + 1, own}}) {
    const std::string told = refusal(greeting(hello));
    EXPECT_NE(told.find(format("is version {} (protocol {})", hello.version, hello.protocol)), std::string::npos) << told;
    EXPECT_NE(told.find(format("ladder is version {} (protocol {})", own, imports::wire::kProtocol)), std::string::npos) << told;
    EXPECT_NE(told.find("install both from the same build"), std::string::npos) << told;
  }
  std::string older;  // a version without a hello frame
  imports::wire::append_frame(older, imports::wire::Kind::kPlanned, imports::wire::to_json(imports::wire::PlanEnd{}));
  EXPECT_NE(refusal(older).find("is an older version"), std::string::npos);
  // The same output with the right version is accepted.
  owner.write_file("said", greeting({imports::wire::kProtocol, own}));
  EXPECT_EQ(owner.import({owner.file("Vault").string()}).error_code(), "") << "nothing was found, which is no error";
}

// An import that is killed twice and then finishes must give the same result as one clean run.
TEST_P(OnEveryEngine, KilledAndResumedEqualsOneRun) {
  const bool all = std::getenv("LADDER_TEST_ALL") != nullptr;  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  const Importer& clean = owner;
  const auto rows = demo::write_table_export({clean.file("t"), 9, all ? 20'000 : 2'000, all ? 15'000'000 : 6'000'000});
  const std::vector<std::string> words = {"import", (clean.file("t") / "rows.ndjson").string(), "--manifest",
                                          (clean.file("t") / "manifest.json").string()};
  clean.done(words);
  const std::string digest = clean.digest("rows", "rows");
  ASSERT_TRUE(digest.starts_with(std::to_string(rows.at("rows")) + " "));
  bool went_on = false;
  for (int point = 1, points = all ? 50 : 3; point <= points; ++point) {
    Importer killed(GetParam());
    for (int life = 0, lives = all ? 2 : 1; life < lives; ++life) {
      const auto enough = rows.at("rows") * point / (points + 1) * (life + 1) / lives;
      Progress progress(killed);
      e2e::Process process(killed.surroundings(), words);
      wait_until([&] {  // also until a position is stored, unless it finished
        const std::int64_t stored = progress.records("rows");
        return stored >= enough && (stored == rows.at("rows") || !progress.position("rows").empty());
      });
      process.signal(SIGKILL);
      process.wait();
    }
    const Outcome rest = killed.import({words.begin() + 1, words.end()});
    EXPECT_EQ(rest.exit_code, 0) << rest.summary();
    went_on = went_on || rest.err.find("continuing where") != std::string::npos;
    EXPECT_EQ(Importer::counted(rest, "/streams/0/read"), rows.at("rows")) << rest.summary();
    EXPECT_EQ(killed.digest("rows", "rows"), digest) << "killed at point " << point;
  }
  EXPECT_TRUE(went_on);
}

// Imports real PDF files through the child process and its sandbox: a hit names its characters, and `pages` names the page.
TEST(Import, RealPdfFilesAreFoundByWordAndPage) {
  const fs::path manual = "/usr/share/doc/bash/bashref.pdf", man_page = "/usr/share/doc/bash/bash.pdf";
  ASSERT_TRUE(fs::exists(manual) && fs::exists(man_page)) << "install bash-doc (./dev test does)";
  const Importer owner;
  fs::create_directories(owner.file("Papers"));
  fs::copy_file(manual, owner.file("Papers") / "bashref.pdf");
  fs::copy_file(man_page, owner.file("Papers") / "bash.pdf");
  save(owner.file("Papers") / "broken.pdf", "%PDF-1.4 and no more");
  const Outcome outcome = owner.import({owner.file("Papers").string()});
  EXPECT_EQ(outcome.exit_code, 0) << "a file that is kept without its text is no loss";
  EXPECT_EQ(total(outcome, "added"), 3) << outcome.summary();
  EXPECT_EQ(total(outcome, "lost"), 0);
  EXPECT_NE(outcome.summary().find("the text of a document"), std::string::npos) << outcome.summary();
  EXPECT_NE(outcome.out.find("it is not a PDF, or too damaged to read"), std::string::npos) << outcome.summary();

  const std::string phrase = "Duplicating File Descriptors";
  const boost::json::value found = owner.json({"search", "\"" + phrase + "\"", "--stream", "documents"});
  const boost::json::value listed = owner.json({"records", "documents", "--connection", "notes-papers"});
  ASSERT_EQ(found.at("data").as_array().size(), 2U) << boost::json::serialize(found).substr(0, 3000);
  for (const auto& hit : found.at("data").as_array()) {
    const auto& records = listed.at("data").as_array();
    const auto* record = std::ranges::find_if(records, [&](const auto& each) { return each.at("id") == hit.at("record_key"); });
    ASSERT_NE(record, records.end());
    const std::int64_t at = number_at(hit, "/match_windows/0/matches/0/start_chars");
    const auto& pages = record->at("data").at("pages").as_array();
    const auto* page = std::ranges::find_if(
        pages, [&](const auto& each) { return at >= each.at("start_chars").as_int64() && at < each.at("end_chars").as_int64(); });
    ASSERT_NE(page, pages.end());
    EXPECT_GT(page->at("page").as_int64(), 10);
    const std::int64_t start = page->at("start_chars").as_int64(), end = page->at("end_chars").as_int64();
    const boost::json::value window = owner.json(
        {"read", text_at(hit, "/id"), "text", "--offset", std::to_string(start), "--limit", std::to_string(end - start)});
    EXPECT_NE(text_at(window, "/window/text").find(phrase), std::string::npos);
  }
  EXPECT_EQ(owner.import({owner.file("Papers").string()}).exit_code, 0) << "a PDF that cannot be read is kept as a file";
  EXPECT_EQ(owner.digest("notes-papers", "documents").substr(0, 2), "3 ");
}

TEST(Import, ATableIsInferredEditedAndImported) {
  const Importer owner;
  const std::string table = owner.write_file("spending.csv", "date;what;amount\n2025-01-31;tea;1,50\n2025-02-01;milk;2,00\n");
  const Outcome inferred = owner.done({"source", "infer", table});
  const std::string manifest = owner.write_file("spending.json", inferred.out);
  const Outcome outcome = owner.import({table, "--manifest", manifest});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  const boost::json::value page = owner.json({"records", "spending", "--order", "asc"});
  EXPECT_NE(boost::json::serialize(page).find("tea"), std::string::npos);
  EXPECT_EQ(page.at("data").as_array().size(), 2U);
  EXPECT_EQ(owner.import({owner.file("absent").string()}).exit_code, 1);
  EXPECT_NE(owner.ladder({"import", table, "--as", "nonsense"}).err.find("unknown format 'nonsense'"), std::string::npos);
}

}  // namespace
}  // namespace ladder::import_tests
