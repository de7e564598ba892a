// Tests imports of every format that are killed, run out of disk space or lose their database. Repeating the import must give
// the same result as one clean run, and errors must be reported.
#include "importing.h"

#include "base/text/format.h"
#include "support/postgres_cluster.h"

#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace ladder::import_tests {
namespace {

using test_support::PostgresCluster;

bool all() { return std::getenv("LADDER_TEST_ALL") != nullptr; }  // NOLINT(concurrency-mt-unsafe): no thread sets variables

// An export of each kind, the command that imports it, and the stream of its records.
struct Kind {
  std::string name;
  demo::Expected (*write)(const demo::ExportRequest&);
  std::vector<std::string> streams;
  std::string path = {};  // relative to the folder; the folder itself if empty

  std::vector<std::string> words(const fs::path& folder) const {
    std::vector<std::string> words = {(path.empty() ? folder : folder / path).string()};
    if (name == "table") words.insert(words.end(), {"--manifest", (folder / "manifest.json").string()});
    return words;
  }
  // A digest of everything in the only connection.
  std::string digest(const Importer& owner) const {
    const boost::json::value listed = owner.json({"connection", "list"});
    EXPECT_EQ(listed.at("connections").as_array().size(), 1U);
    std::string all_of_it;
    for (const std::string& stream : streams) {
      all_of_it += stream + " " + owner.digest(text_at(listed, "/connections/0/connection_id"), stream) + "\n";
    }
    return all_of_it;
  }
  demo::Expected make(demo::ExportRequest request) const {
    fs::create_directories(request.folder);
    return write(request);
  }
};

const Kind kMail{"mail", demo::write_mail_export, {"messages", "attachments"}, "Takeout"};
const std::vector<Kind> kKinds = {
    kMail,
    {"calendar", demo::write_calendar_export, {"events", "tasks"}},
    {"contacts", demo::write_contacts_export, {"contacts"}},
    {"chatgpt", demo::write_chatgpt_export, {"conversations", "messages"}},
    {"claude", demo::write_claude_export, {"conversations", "messages", "attachments", "projects", "project_docs"}},
    {"slack", demo::write_slack_export, {"channels", "users", "messages"}},
    {"notes", demo::write_notes_export, {"notes"}},
    {"whatsapp", demo::write_whatsapp_export, {"messages"}},
    {"table", demo::write_table_export, {"rows"}, "rows.ndjson"},
};

// Plain text cannot be damaged in a detectable way.
std::vector<Kind> damaged_kinds() {
  std::vector<Kind> kinds = kKinds;
  std::erase_if(kinds, [](const Kind& kind) { return kind.name == "notes" || kind.name == "whatsapp"; });
  return kinds;
}

class EveryFormat : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, EveryFormat, ::testing::ValuesIn(kKinds), [](const auto& kind) { return kind.param.name; });

TEST_P(EveryFormat, ImportedTwiceIsStoredOnce) {
  const Importer owner;
  GetParam().make({owner.file("export"), 3, 60});
  const std::vector<std::string> words = GetParam().words(owner.file("export"));
  const Outcome first = owner.import(words);
  EXPECT_GT(total(first, "added"), 0) << first.summary();
  const std::string digest = GetParam().digest(owner);
  const Outcome second = owner.import(words);
  EXPECT_EQ(second.exit_code, first.exit_code) << second.summary();
  EXPECT_EQ(total(second, "added") + total(second, "changed"), 0) << second.summary();
  EXPECT_EQ(total(second, "read"), total(first, "read"));
  EXPECT_EQ(GetParam().digest(owner), digest);
}

// One percent of the file is damaged: every loss is reported with its location, and everything else is imported.
class DamagedFormat : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(, DamagedFormat, ::testing::ValuesIn(damaged_kinds()), [](const auto& kind) { return kind.param.name; });

TEST_P(DamagedFormat, LossesAreReportedAndTheRestIsImported) {
  const Importer owner;
  demo::Expected expected = GetParam().make({owner.file("export"), 3, 400, 0, 0, true});
  const Outcome outcome = owner.import(GetParam().words(owner.file("export")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(total(outcome, "lost"), expected["lost"]) << outcome.summary().substr(0, 3000);
  EXPECT_GT(total(outcome, "added"), 0);
  const boost::json::value json = outcome.json();
  std::int64_t named = 0;
  for (const auto& account : json.at("runs").at(0).at("accounts").as_array()) {
    for (const auto& loss : account.at("losses").as_array()) {
      ++named;
      EXPECT_FALSE(loss.at("file").as_string().empty());
      EXPECT_GT(loss.at("byte").as_int64(), 0);
    }
  }
  EXPECT_EQ(named, expected["lost"]);
}

class DamagedInput : public ::testing::TestWithParam<std::string> {
 protected:
  // Half attachments: blobs, long texts and many small records.
  static void write_mailbox(const fs::path& folder) { demo::write_mail_export({folder, 11, 300, 6'000'000}); }
};
INSTANTIATE_TEST_SUITE_P(, DamagedInput, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

TEST_P(DamagedInput, KilledAndResumedEqualsOneRun) {
  const Importer clean(GetParam());
  write_mailbox(clean.file("export"));
  std::vector<std::string> words = kMail.words(clean.file("export"));
  const auto begin = std::chrono::steady_clock::now();
  const Outcome whole_run = clean.import(words);
  const auto whole = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(whole_run.exit_code, 0) << whole_run.summary();
  const std::string digest = kMail.digest(clean);
  std::vector<std::string> import_words = words;
  import_words.insert(import_words.begin(), "import");
  for (int point = 1, points = all() ? 50 : 2; point <= points; ++point) {
    const Importer owner(GetParam());
    e2e::Process process(const_cast<Importer&>(owner).surroundings(), import_words);
    std::this_thread::sleep_for(whole * point / (points + 1));
    process.signal(SIGKILL);
    process.wait();
    const Outcome rest = owner.import(words);
    EXPECT_EQ(rest.exit_code, 0) << rest.summary();
    EXPECT_EQ(total(rest, "read"), total(whole_run, "read")) << rest.summary();
    EXPECT_EQ(kMail.digest(owner), digest) << "killed at point " << point << " of " << points;
  }
}

TEST(FullDisk, IsReportedAndTheImportResumes) {
  const Importer clean;
  demo::write_mail_export({clean.file("export"), 11, 300, 6'000'000});
  const std::vector<std::string> words = kMail.words(clean.file("export"));
  EXPECT_EQ(clean.import(words).exit_code, 0);
  Importer owner;
  owner.surroundings().file_size_limit = 3'000'000;
  const Outcome full = owner.import(words);
  EXPECT_EQ(full.exit_code, 1) << full.summary();
  EXPECT_NE(full.summary().find("disk that holds the store is full"), std::string::npos) << full.summary();
  owner.surroundings().file_size_limit.reset();
  const Outcome rest = owner.import(words);
  EXPECT_EQ(rest.exit_code, 0) << rest.summary();
  EXPECT_EQ(kMail.digest(owner), kMail.digest(clean));
  EXPECT_EQ(owner.import(words).exit_code, 0);
}

// Uses a separate server, so that the test can stop it.
class LostDatabase : public ::testing::Test {
 protected:
  LostDatabase() : database_(server_.fresh_database()) {
    owner_.surroundings().environment["LADDER_DB"] = database_->address();
    owner_.done({"init"});
    demo::write_mail_export({owner_.file("export"), 11, 300, 6'000'000});
    words_ = kMail.words(owner_.file("export"));
    words_.insert(words_.begin(), "import");
    EXPECT_EQ(clean_.import({words_.begin() + 1, words_.end()}).exit_code, 0);
  }
  // Waits until the import has written records to the database.
  void wait_for_records() {
    for (int tries = 0; tries < 3000; ++tries) {
      if (database_->value("SELECT count(*) FROM ladder.records") != "0") return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << "no record came";
  }
  void expect_the_same_after_another_run() {
    const Outcome rest = owner_.import({words_.begin() + 1, words_.end()});
    EXPECT_EQ(rest.exit_code, 0) << rest.summary();
    EXPECT_EQ(kMail.digest(owner_), kMail.digest(clean_));
  }

  PostgresCluster server_;
  std::unique_ptr<test_support::Database> database_;
  Importer owner_, clean_;
  std::vector<std::string> words_;
};

TEST_F(LostDatabase, IsWaitedForWhenItRestarts) {
  e2e::Process process(owner_.surroundings(), words_);
  wait_for_records();
  server_.stop(PostgresCluster::Stop::kCrash);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  server_.start();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(kMail.digest(owner_), kMail.digest(clean_));
}

TEST_F(LostDatabase, AStopEndsTheWaitAndTheImportResumes) {
  e2e::Process process(owner_.surroundings(), words_);
  wait_for_records();
  server_.stop(PostgresCluster::Stop::kFast);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  process.signal(SIGTERM);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  server_.start();
  expect_the_same_after_another_run();
}

TEST_F(LostDatabase, IsReportedIfItStaysDown) {
  e2e::Process process(owner_.surroundings(), words_);
  wait_for_records();
  server_.stop(PostgresCluster::Stop::kFast);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(outcome.err.find("PostgreSQL"), std::string::npos) << outcome.summary();
  server_.start();
  expect_the_same_after_another_run();
}

}  // namespace
}  // namespace ladder::import_tests
