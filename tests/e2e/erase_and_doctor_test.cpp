// `ladder erase` as run by a person, killed midway and run again; `ladder doctor` on broken setups.
#include "base/text/format.h"
#include "owner.h"
#include "pseudo_terminal.h"
#include "support/noise.h"

#include <sys/stat.h>

#include <sys/stat.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <csignal>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

using Erasing = EveryEngine;
LADDER_FOR_EVERY_ENGINE(Erasing);

std::string many_notes(int count, std::size_t bytes) {
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += note(format("n{}", i), format("secretword{} {}", i, test_support::noise(bytes, static_cast<std::uint64_t>(i))));
  return lines;
}

TEST_P(Erasing, AsksFirstAndShowsWhatItErases) {
  owner.set_up();
  owner.ingest(many_notes(3, 10));
  const Outcome unasked = owner.ladder({"erase", "home"});
  EXPECT_EQ(unasked.exit_code, 64) << unasked.summary();
  EXPECT_NE(unasked.err.find("--yes"), std::string::npos);
  const Outcome unknown = owner.ladder({"erase", "hoem", "--yes", "--json"});
  EXPECT_EQ(unknown.error_code(), "connection_not_found");
  EXPECT_NE(unknown.out.find("home"), std::string::npos) << unknown.summary();
  EXPECT_EQ(number_at(owner.json({"erase", "home", "--yes"}), "/records_erased"), 3);
  EXPECT_TRUE(owner.json({"connection", "list"}).at("connections").as_array().empty());
  EXPECT_EQ(owner.ladder({"erase", "home", "--yes"}).exit_code, 1);
}

// On a terminal the program asks for confirmation, and only the exact id confirms.
TEST_P(Erasing, NeedsTheTypedId) {
  owner.set_up();
  owner.ingest(many_notes(3, 10));
  const auto records = [&] {
    std::int64_t sum = 0;
    const boost::json::value shown = owner.json({"connection", "show", "home"});
    for (const auto& stream : shown.at("streams").as_array()) sum += stream.at("records").as_int64();
    return sum;
  };
  struct Answer {
    std::string keys;
    int exit_code;
  };
  // Wrong answers: another id, nothing, "yes", the id and more; then Ctrl-D and Ctrl-C.
  for (const Answer& answer :
       {Answer{"hoem\n", 1}, {"\n", 1}, {"yes\n", 1}, {"home \n", 1}, {"\x04", 1}, {"\x03", 128 + SIGINT}}) {
    PseudoTerminal terminal(owner, {LADDER_BINARY, "erase", "home"});
    ASSERT_TRUE(terminal.shows("home contains 3 records in 2 streams")) << terminal.shown();
    ASSERT_TRUE(terminal.shows("Type its id to erase it permanently: ")) << terminal.shown();
    terminal.press(answer.keys);
    EXPECT_EQ(terminal.wait(), answer.exit_code) << terminal.shown();
    EXPECT_EQ(terminal.shows("\nladder: nothing was erased"), answer.exit_code == 1) << terminal.shown();
    EXPECT_EQ(records(), 3) << answer.keys;
  }
  PseudoTerminal terminal(owner, {LADDER_BINARY, "erase", "home"});
  ASSERT_TRUE(terminal.shows("permanently: ")) << terminal.shown();
  terminal.press("home\n");
  EXPECT_EQ(terminal.wait(), 0) << terminal.shown();
  EXPECT_TRUE(terminal.shows("Erased home: 3 records")) << terminal.shown();
  EXPECT_TRUE(owner.json({"connection", "list"}).at("connections").as_array().empty());
}

TEST_P(Erasing, ResumesAfterAKill) {
  owner.set_up();
  owner.done({"connection", "add", "notes", "--id", "away"});
  owner.done({"ingest", "--connection", "away", "--stream", "notes"}, note("stays", "kept"));
  owner.ingest(many_notes(1500, 6'000));
  bool killed = false;
  for (int i = 0; i < 6; ++i) {
    Process process(owner.surroundings(), {"erase", "home", "--yes", "--json"});
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 60 * i));
    process.signal(SIGKILL);
    const Outcome outcome = process.wait();
    if (outcome.exit_code == 0) break;
    killed = true;
    EXPECT_TRUE(owner.place().open(store::OpenMode::kExisting)->check_invariants()->empty());
  }
  EXPECT_TRUE(killed);
  const Outcome last = owner.ladder({"erase", "home", "--yes", "--json"});
  EXPECT_TRUE(last.exit_code == 0 || last.error_code() == "connection_not_found") << last.summary();
  EXPECT_TRUE(owner.place().open(store::OpenMode::kExisting)->check_invariants()->empty());
  const boost::json::value list = owner.json({"connection", "list"});
  ASSERT_EQ(list.at("connections").as_array().size(), 1U);
  EXPECT_EQ(text_at(list, "/connections/0/connection_id"), "away");
  EXPECT_EQ(owner.ladder({"read", "away/notes:stays", "body"}).exit_code, 0);
  if (!owner.place().database()) {
    struct stat about{};
    ASSERT_EQ(::stat(owner.place().location().c_str(), &about), 0);
    EXPECT_LT(about.st_blocks * 512, 1'500'000) << "it held 9 MB";
    const std::string bytes = test_support::file_text(owner.place().location());
    EXPECT_EQ(bytes.find("secretword"), std::string::npos);
  }
}

// --- doctor ---

class Doctor : public ::testing::Test {
 protected:
  // Returns the first finding of the check that is not ok; fails the test if there is none.
  static boost::json::object fault(const Outcome& outcome, std::string_view check) {
    const boost::json::value told = outcome.json();
    for (const auto& finding : told.at("findings").as_array()) {
      if (finding.at("check").as_string() == check && finding.at("health").as_string() != "ok") return finding.as_object();
    }
    ADD_FAILURE() << "nothing wrong with " << check << " in " << outcome.summary();
    return {};
  }
  Outcome examine(const Owner& owner) const { return owner.ladder({"doctor", "--full", "--json"}); }

  Owner owner_;
};

using DoctorOnEveryEngine = EveryEngine;
LADDER_FOR_EVERY_ENGINE(DoctorOnEveryEngine);

TEST_P(DoctorOnEveryEngine, AcceptsAHealthyStore) {
  const Outcome before = owner.ladder({"doctor", "--json"});
  EXPECT_EQ(before.exit_code, 78) << before.summary();
  owner.set_up();
  owner.ingest(many_notes(50, 5'000));
  const Outcome outcome = owner.ladder({"doctor", "--full", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(number_at(outcome.json(), "/problems"), 0);
  for (const char* check : {"settings", "store", "integrity", "clock", "imports", "time zones"})
    EXPECT_NE(outcome.out.find(format("\"check\":\"{}\"", check)), std::string::npos) << check;
  EXPECT_NE(outcome.out.find("LADDER_DB"), std::string::npos);
  const Outcome people = owner.ladder({"doctor"});
  EXPECT_EQ(people.exit_code, 0);
  EXPECT_EQ(people.out.find("integrity"), std::string::npos) << "quick by default";
  EXPECT_NE(people.err.find("ladder doctor --full"), std::string::npos) << people.summary();
}

TEST_P(DoctorOnEveryEngine, RepairsTheWordIndexFromTheRecords) {
  owner.set_up();
  owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
  owner.ingest(many_notes(50, 5'000));
  const auto matches = [&] { return owner.ladder({"search", "--json", "secretword7"}); };
  const Outcome before = matches();
  ASSERT_EQ(before.exit_code, 0) << before.summary();
  ASSERT_EQ(before.json().at("data").as_array().size(), 1U) << before.summary();
  // Removes words from the index while the records still list them.
  owner.place().run(GetParam() == "sqlite" ? "DELETE FROM word_blocks"
                                           : "DELETE FROM ladder.word_segments; DELETE FROM ladder.word_blocks");
  const Outcome found = owner.ladder({"doctor", "--full", "--json"});
  EXPECT_EQ(found.exit_code, 1) << found.summary();
  EXPECT_NE(found.out.find("ladder doctor --repair"), std::string::npos) << found.summary();
  const Outcome repaired = owner.ladder({"doctor", "--repair", "--json"});
  EXPECT_EQ(repaired.exit_code, 0) << repaired.summary();
  EXPECT_NE(repaired.out.find("rebuilt from the records"), std::string::npos) << repaired.summary();
  EXPECT_EQ(matches().out, before.out);
  const Outcome again = owner.ladder({"doctor", "--repair", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.summary();
  EXPECT_EQ(again.out.find("rebuilt"), std::string::npos) << "nothing was wrong";
}

// Changes one byte of a posting list, as a disk might.
TEST_F(Doctor, NamesASegmentWithADamagedBlock) {
  owner_.set_up();
  owner_.done({"source", "add", owner_.write_file("searchable.json", searchable_notes_declaration())});
  owner_.ingest(note("n1", "zzzword"));
  std::string bytes = test_support::file_text(owner_.place().location());
  constexpr std::string_view kWord = "zzzword";
  bool found = false;
  for (std::size_t at = bytes.find(kWord); at != std::string::npos; at = bytes.find(kWord, at + 1)) {
    const std::size_t after = at + kWord.size();
    if (bytes[after] == '"') continue;  // the text itself, not the index
    bytes[after] = static_cast<char>(bytes[after] ^ 0x40);
    found = true;
  }
  ASSERT_TRUE(found);
  std::ofstream(owner_.place().location(), std::ios::binary | std::ios::trunc) << bytes;
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  const auto text = std::string(fault(outcome, "integrity").at("text").as_string());
  EXPECT_NE(text.find("has a damaged block"), std::string::npos) << text;
  const Outcome repaired = owner_.ladder({"doctor", "--repair", "--json"});
  EXPECT_EQ(repaired.exit_code, 0) << repaired.summary();
}

// The owner of a connection whose erasure was killed believes it erased, while its bytes are still in the store.
TEST_F(Doctor, ReportsAnUnfinishedErasure) {
  owner_.set_up();
  owner_.ingest(many_notes(3, 10));
  EXPECT_EQ(examine(owner_).out.find("erasure"), std::string::npos);
  owner_.place().run("UPDATE connections SET status = 'erasing'");
  const Outcome outcome = owner_.ladder({"doctor", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << "nothing is damaged: " << outcome.summary();
  const auto found = fault(outcome, "connections");
  EXPECT_EQ(found.at("health").as_string(), "warning");
  EXPECT_EQ(found.at("thing").as_string(), "home");
  EXPECT_NE(found.at("remedy").as_string().find("ladder erase home"), std::string::npos) << outcome.summary();
  owner_.done({"erase", "home", "--yes"});
  EXPECT_EQ(examine(owner_).out.find("erasure"), std::string::npos);
}

TEST_F(Doctor, DetectsFilesThatOthersMayRead) {
  owner_.set_up();
  ASSERT_EQ(::chmod(owner_.place().location().c_str(), 0644), 0);
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.exit_code, 1);
  const auto found = fault(outcome, "permissions");
  EXPECT_NE(found.at("text").as_string().find("other users"), std::string::npos);
  EXPECT_TRUE(found.at("remedy").as_string().starts_with("chmod 600 "));
  ASSERT_EQ(::chmod(owner_.place().location().c_str(), 0600), 0);
  ASSERT_EQ(::chmod(owner_.place().folder().path().c_str(), 0777), 0);
  EXPECT_NE(examine(owner_).out.find("other users of this machine can change it"), std::string::npos);
}

TEST_F(Doctor, ReportsTheModeOfAFolder) {
  owner_.set_up();
  ASSERT_EQ(::chmod(owner_.place().folder().path().c_str(), 0755), 0);
  const Outcome listed = examine(owner_);
  EXPECT_EQ(listed.exit_code, 0) << listed.summary();
  EXPECT_NE(listed.out.find("other users of this machine can list its files"), std::string::npos) << listed.out;
  ASSERT_EQ(::chmod(owner_.place().folder().path().c_str(), 0700), 0);
  EXPECT_EQ(examine(owner_).out.find("other users"), std::string::npos);
}

// A service's files belong to its user; advice to give them to root would stop the service.
TEST_F(Doctor, RunByRootLeavesAServiceItsFiles) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root looks after the files of others";
  owner_.set_up();
  constexpr uid_t kService = 61'234;
  ASSERT_EQ(::chown(owner_.place().location().c_str(), kService, kService), 0);
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(outcome.out.find("chown"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("only its owner, user 61234"), std::string::npos) << outcome.out;
}

TEST_F(Doctor, NamesTheLineThatSetsTheStore) {
  owner_.set_up();
  auto& environment = owner_.surroundings().environment;
  const std::string store = environment.at("LADDER_DB");
  environment.erase("LADDER_DB");
  environment["LADDER_CONFIG"] = owner_.write_file("ladder.toml", "log = \"json\"\n");
  EXPECT_NE(examine(owner_).out.find("the default location"), std::string::npos) << "the file names none";
  owner_.write_file("ladder.toml", format("log = \"json\"\ndb = \"{}\"\n", store));
  const Outcome named = examine(owner_);
  EXPECT_NE(named.out.find("ladder.toml, line 2"), std::string::npos) << named.out;
  EXPECT_EQ(named.exit_code, 0) << named.summary();
}

TEST_F(Doctor, OmitsTheClockWithoutAStore) {
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.out.find("\"check\":\"clock\""), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("agrees with the store"), std::string::npos) << outcome.out;
}

TEST_F(Doctor, DetectsADamagedPage) {
  owner_.set_up();
  owner_.ingest(many_notes(300, 3'000));
  {
    std::fstream file(owner_.place().location(), std::ios::in | std::ios::out | std::ios::binary);
    const auto pages = static_cast<std::int64_t>(fs::file_size(owner_.place().location())) / 4096;
    for (std::int64_t page = pages / 2; page < pages / 2 + 5; ++page) {
      file.seekp(page * 4096);
      file << std::string(4096, '\x5a');
    }
  }
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_TRUE(fault(outcome, "integrity").contains("remedy"));
  // Not even the header is valid.
  std::ofstream(owner_.place().location(), std::ios::binary | std::ios::trunc) << std::string(8192, 'x');
  const Outcome worse = examine(owner_);
  EXPECT_EQ(worse.exit_code, 1) << worse.summary();
  EXPECT_EQ(fault(worse, "store").at("health").as_string(), "problem");
}

TEST_F(Doctor, DetectsAMissingServer) {
  owner_.surroundings().environment["LADDER_DB"] = "postgres://someone:secret@127.0.0.1:1/ladder";
  const Outcome outcome = examine(owner_);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(fault(outcome, "store").at("remedy").as_string().find("server runs"), std::string::npos);
  EXPECT_EQ(outcome.out.find("secret"), std::string::npos) << "the password is hidden";
}

TEST_F(Doctor, DetectsThatNothingCanBeImported) {
  owner_.set_up();
  owner_.surroundings().environment["LADDER_EXTRACT"] = owner_.file("no-such-program").string();
  const Outcome missing = examine(owner_);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(fault(missing, "imports").at("remedy").as_string().find("LADDER_EXTRACT"), std::string::npos);
  owner_.surroundings().environment["LADDER_EXTRACT"] = "/bin/true";
  EXPECT_EQ(fault(examine(owner_), "imports").at("health").as_string(), "problem");
}

TEST_F(Doctor, DetectsHostsThatCannotStartIt) {
  owner_.set_up();
  const boost::json::value grant = owner_.json({"grant", "create", "--client", "agent", "--stream", "notes"});
  const std::string token = text_at(grant, "/token");
  fs::create_directories(owner_.file(".cursor"));
  fs::create_directories(owner_.file(".codex"));
  fs::create_directories(owner_.file(".config/opencode"));
  const auto cursor = [&](std::string_view program) {
    owner_.write_file(".cursor/mcp.json", format(R"({{"mcpServers":{{"ladder":{{"command":"{}","args":["mcp"],
      "env":{{"LADDER_TOKEN":"{}"}}}}}}}})",
                                                 program, token));
  };
  cursor(LADDER_BINARY);
  owner_.write_file(".codex/config.toml", format("model = \"x\"\n[mcp_servers.mine]\ncommand = \"{}\"\nargs = [\"mcp\"]\n"
                                                 "[mcp_servers.mine.env]\nLADDER_TOKEN = \"{}\"\n",
                                                 LADDER_BINARY, token));
  owner_.write_file(
      ".config/opencode/opencode.jsonc",
      format(R"({{"mcp":{{"ladder":{{"type":"local","command":["{}","mcp"],"environment":{{"LADDER_TOKEN":"{}"}}}}}}}})",
             LADDER_BINARY, token));
  const Outcome well = examine(owner_);
  EXPECT_EQ(well.exit_code, 0) << well.summary();
  EXPECT_NE(well.out.find("Cursor starts"), std::string::npos);
  EXPECT_NE(well.out.find("Codex starts"), std::string::npos);
  EXPECT_NE(well.out.find("opencode starts"), std::string::npos);
  cursor("/nowhere/ladder");
  EXPECT_NE(fault(examine(owner_), "clients").at("text").as_string().find("/nowhere/ladder"), std::string::npos);
  cursor(LADDER_BINARY);
  owner_.done({"grant", "revoke", text_at(grant, "/grant_ids/0")});
  const Outcome revoked = examine(owner_);
  EXPECT_EQ(revoked.exit_code, 1);
  EXPECT_NE(fault(revoked, "clients").at("text").as_string().find("grant_revoked"), std::string::npos) << revoked.summary();
  EXPECT_EQ(revoked.out.find(token), std::string::npos);
}

}  // namespace
}  // namespace ladder::e2e
