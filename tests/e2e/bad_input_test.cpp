// Bad input and failures: each gives a clear error, its exit code and a remedy, and no acknowledged record is lost.
#include "owner.h"

#include "base/text/format.h"
#include "support/noise.h"

#include <sqlite3.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>

namespace ladder::e2e {
namespace {

bool run_everything() { return std::getenv("LADDER_TEST_ALL") != nullptr; }

std::string notes(int from, int to, std::string_view body) {
  std::string lines;
  for (int i = from; i < to; ++i) lines += note(format("n{}", i), body);
  return lines;
}

class BadInput : public EveryEngine {};

TEST_P(BadInput, ReportsATruncatedFile) {
  owner.set_up();
  const std::string whole = notes(0, 3, "body");
  const Outcome outcome = owner.ingest(std::string_view(whole).substr(0, whole.size() - 10));
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(outcome.out.find("2 of 3 records stored"), std::string::npos) << outcome.summary();
  EXPECT_NE(outcome.out.find("line 3: malformed_ndjson"), std::string::npos) << outcome.summary();
  EXPECT_EQ(owner.ingest(whole).exit_code, 0);
}

TEST_P(BadInput, RejectsEveryKindOfBadLine) {
  owner.set_up();
  const std::array<std::pair<std::string, std::string>, 7> lines = {{
      {"{\"key\":\"a\",\"data\":{\"id\":\"a\",\"body\":\"\xff\"}}", "invalid_utf8"},
      {"{\"key\":\"a\",\"data\":", "malformed_ndjson"},
      {"[1]", "malformed_ndjson"},
      {R"({"key":"a","data":{"id":"b"}})", "invalid_record_identity"},
      {R"({"key":"a","data":{"id":"a","title":5}})", "invalid_record"},
      {R"({"key":"a","data":{"title":"no id"}})", "invalid_record"},
      {R"({"key":"a","data":{"id":"a"},"op":"vanish"})", "invalid_record"},
  }};
  std::string input = note("good1", "kept");
  for (const auto& [line, code] : lines) input += line + "\n";
  const Outcome outcome = owner.ingest(input + note("good2", "kept"), {"--json"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  const auto receipt = outcome.json();
  EXPECT_EQ(number_at(receipt, "/records_accepted"), 2);
  ASSERT_EQ(receipt.at("rejections").as_array().size(), lines.size()) << outcome.summary();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(text_at(receipt, format("/rejections/{}/code", i)), lines[i].second) << lines[i].first;
    EXPECT_EQ(number_at(receipt, format("/rejections/{}/line", i)), static_cast<std::int64_t>(i + 2));
    EXPECT_NE(text_at(receipt, format("/rejections/{}/message", i)), "");
  }
}

TEST_P(BadInput, RejectsAWrongManifest) {
  owner.done({"init"});
  const std::array<std::pair<std::string, std::string>, 4> manifests = {{
      {"not json", "source.declaration.malformed"},
      {"{}", ""},
      {std::string(kNotesDeclaration).replace(kNotesDeclaration.find("\"updated_at\","), 13, "\"no_such_field\","),
       "source.declaration.unknown_schema_field"},
      {std::string(kNotesDeclaration).replace(kNotesDeclaration.find("\"log\""), 5, "\"notes\""),
       "source.declaration.duplicate_stream_name"},
  }};
  for (const auto& [manifest, rule] : manifests) {
    const std::string path = owner.write_file("bad.json", manifest);
    const Outcome outcome = owner.ladder({"source", "add", path, "--json"});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
    EXPECT_EQ(outcome.error_code(), "connector_invalid") << outcome.summary();
    if (!rule.empty()) {
      EXPECT_EQ(text_at(outcome.json(), "/error/rule"), rule) << outcome.summary();
    }
    const Outcome told = owner.ladder({"source", "add", path});
    EXPECT_NE(told.err.find("hint: "), std::string::npos) << told.summary();
  }
  EXPECT_EQ(owner.ladder({"connection", "add", "notes", "--json"}).error_code(), "not_found");
}

TEST_P(BadInput, RejectsAStoreFromANewerVersion) {
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "kept")).exit_code, 0);
  const auto set_version = [&](const char* sqlite, const char* postgres) {
    if (owner.place().database() != nullptr) return owner.place().database()->run(postgres);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(owner.place().location().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sqlite, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  };
  const std::string old =
      owner.place().database() != nullptr
          ? owner.place().database()->value("SELECT encode(value, 'hex') FROM ladder.meta WHERE key = 'schema_version'")
          : "";
  set_version("UPDATE meta SET value = value + 1000 WHERE key = 'schema_version'",
              "UPDATE ladder.meta SET value = convert_to('1000', 'UTF8') WHERE key = 'schema_version'");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"init"}, {"connection", "list"}, {"read", "home/notes:n1", "body"}}) {
    const Outcome outcome = owner.ladder(words);
    EXPECT_EQ(outcome.exit_code, 78) << outcome.summary();
    EXPECT_NE(outcome.err.find("newer"), std::string::npos) << outcome.summary();
  }
  set_version("UPDATE meta SET value = value - 1000 WHERE key = 'schema_version'",
              ("UPDATE ladder.meta SET value = decode('" + old + "', 'hex') WHERE key = 'schema_version'").c_str());
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text"), "kept");
}

TEST_P(BadInput, RejectsALineBeyondTheLimit) {
  owner.set_up();
  // Sending 2 GiB through a pipe is slow; the short run sends a line that is long, but not too long.
  const int megabytes = run_everything() ? 2048 : 8;
  Process process(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes", "--json"});
  process.write(note("n1", "before"));
  const std::string piece(1 << 20, 'x');
  for (int i = 0; i < megabytes; ++i) process.write(piece);
  process.write("\n" + note("n2", "after"));
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_EQ(number_at(outcome.json(), "/records_accepted"), 2);
  EXPECT_EQ(text_at(outcome.json(), "/rejections/0/code"), run_everything() ? "resource_limit" : "malformed_ndjson");
  EXPECT_EQ(number_at(outcome.json(), "/rejections/0/line"), 2);
}

LADDER_FOR_EVERY_ENGINE(BadInput);

TEST(BadStoreLocation, RejectsAFolderThatCannotBeCreated) {
  const Owner owner;
  for (const char* location : {"/proc/ladder/ladder.db", "/proc/ladder.db", "/dev/null/ladder.db"}) {
    const Outcome outcome = owner.ladder({"init", "--db", location});
    EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
    EXPECT_NE(outcome.err.find("/"), std::string::npos) << outcome.summary();
    EXPECT_EQ(owner.ladder({"init", "--db", location, "--json"}).error_code(), "store_unavailable");
  }
  EXPECT_EQ(owner.ladder({"connection", "list", "--db", "/proc/ladder.db"}).exit_code, 78);
  EXPECT_EQ(owner.ladder({"connection", "list", "--db", "/"}).exit_code, 1);
}

TEST(BadStoreLocation, RejectsAFileThatIsNoStore) {
  const Owner owner;
  const std::string path = owner.write_file("text.db", std::string(5000, 'x'));
  const Outcome outcome = owner.ladder({"connection", "list", "--db", path});
  EXPECT_TRUE(outcome.exit_code == 78 || outcome.exit_code == 1) << outcome.summary();
  EXPECT_NE(outcome.err.find("text.db"), std::string::npos) << outcome.summary();
  EXPECT_NE(owner.ladder({"init", "--db", path}).exit_code, 0);
  std::ifstream file(path);
  EXPECT_EQ(file.get(), 'x') << "the file was written to";
}

TEST(BadStoreLocation, ReportsAReadOnlyFolder) {
  Owner owner;
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "kept")).exit_code, 0);
  const std::filesystem::path folder = owner.place().folder().path();
  // Root may write anywhere, so the program runs as nobody from a folder that nobody can enter.
  std::filesystem::copy_file(LADDER_BINARY, folder / "ladder");
  std::filesystem::permissions(folder / "ladder", std::filesystem::perms(0755));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() != "ladder") std::filesystem::permissions(entry.path(), std::filesystem::perms(0444));
  }
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  owner.surroundings().program = (folder / "ladder").string();
  owner.surroundings().unprivileged = true;
  const Outcome outcome = owner.ingest(note("n2", "new"));
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_EQ(outcome.err.rfind("ladder: ", 0), 0U) << outcome.summary();
  EXPECT_EQ(owner.ladder({"init", "--db", (folder / "new.db").string()}).exit_code, 1);
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() != "ladder") std::filesystem::permissions(entry.path(), std::filesystem::perms(0644));
  }
  owner.surroundings().unprivileged = false;
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text"), "kept");
}

TEST(BadStoreLocation, ReportsAFullDisk) {
  Owner owner;
  owner.set_up();
  const std::string body = test_support::noise(2000, 1);  // a separate row takes up space, compressed or not
  const std::string lines = notes(0, 20'000, body);
  owner.surroundings().file_size_limit = 12'000'000;
  const Outcome full = owner.ingest(lines, {"--receipts"});
  EXPECT_EQ(full.exit_code, 1) << full.err;
  EXPECT_EQ(full.err.rfind("ladder: ", 0), 0U) << full.err;
  EXPECT_NE(full.err.find("lines up to "), std::string::npos) << full.err;
  std::int64_t through = 0;
  for (std::size_t at = 0, end; (end = full.out.find('\n', at)) != std::string::npos; at = end + 1) {
    through = number_at(Outcome{0, full.out.substr(at, end - at), ""}.json(), "/durable_through");
  }
  ASSERT_GT(through, 0) << full.err;
  ASSERT_LT(through, 20'000);
  owner.surroundings().file_size_limit.reset();
  EXPECT_EQ(text_at(owner.json({"read", format("home/notes:n{}", through - 1), "body"}), "/window/text"), body);
  const auto again = owner.ingest(lines, {"--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_GE(number_at(again.json(), "/unchanged"), through);
  EXPECT_EQ(number_at(again.json(), "/added") + number_at(again.json(), "/unchanged"), 20'000);
}

TEST(BadStoreLocation, WaitsForAPostgresThatRestarts) {
  test_support::PostgresCluster cluster;  // not shared: this test stops it
  const auto database = cluster.fresh_database();
  Owner owner;
  owner.surroundings().environment["LADDER_DB"] = database->address();
  owner.set_up();
  constexpr int kSent = 40'000;
  Process process(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes", "--receipts", "--json"});
  std::thread writer([&] {  // blocks while the program waits for the server
    for (int i = 0; i < kSent; i += 100) process.write(notes(i, i + 100, "body"));
  });
  const std::optional<std::string> receipt = process.read_line();
  EXPECT_TRUE(receipt);
  cluster.stop(test_support::PostgresCluster::Stop::kCrash);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const Outcome meanwhile = owner.ladder({"connection", "list", "--json"});
  EXPECT_EQ(meanwhile.exit_code, 1) << meanwhile.summary();
  EXPECT_EQ(meanwhile.error_code(), "store_unavailable");
  cluster.start();
  writer.join();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  const std::string last = outcome.out.substr(outcome.out.rfind('\n', outcome.out.size() - 2) + 1);
  EXPECT_EQ(number_at(Outcome{0, last, ""}.json(), "/records_accepted"), kSent);
  const auto shown = owner.json({"connection", "show", "home"});
  EXPECT_EQ(number_at(shown, "/streams/0/records") + number_at(shown, "/streams/1/records"), kSent);
}

TEST(BadStoreLocation, GivesUpOnAPostgresThatStaysDown) {
  test_support::PostgresCluster cluster;
  const auto database = cluster.fresh_database();
  Owner owner;
  owner.surroundings().environment["LADDER_DB"] = database->address();
  owner.set_up();
  Process process(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes", "--receipts"});
  constexpr int kSent = 40'000;
  std::thread writer([&] {
    for (int i = 0; i < kSent; i += 100) process.write(notes(i, i + 100, "body"));
  });
  EXPECT_TRUE(process.read_line());
  cluster.stop(test_support::PostgresCluster::Stop::kFast);
  // The ingest waits a minute for the server; the short run cancels it.
  if (!run_everything()) process.signal(SIGINT);
  writer.join();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("lines up to "), std::string::npos) << outcome.err;
  cluster.start();
  const auto again = owner.ingest(notes(0, kSent, "body"), {"--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST(BadStoreLocation, ReportsAnUnreachablePostgres) {
  const Owner owner;
  const Outcome outcome = owner.ladder({"connection", "list", "--db", "postgres://ada:secret@127.0.0.1:1/ladder", "--json"});
  EXPECT_TRUE(outcome.exit_code == 1 || outcome.exit_code == 78) << outcome.summary();
  EXPECT_EQ((outcome.out + outcome.err).find("secret"), std::string::npos) << outcome.summary();
}

}  // namespace
}  // namespace ladder::e2e
