// Synced programs of the owner: they continue at their position, and say what is gone.
#include "owner.h"

#include "base/text/format.h"
#include "support/child_process.h"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// Reads a journal of changes: "+KEY TEXT" adds a record, "-KEY" deletes one. Its position is the number of lines that it has
// read. A line "complete" makes it send everything again, and "fail", "hang" or "lost" do what they say.
constexpr std::string_view kProgram = R"(#!/usr/bin/env python3
import json, sys, time
def say(**line):
    print(json.dumps(line), flush=True)
say(declaration={"protocol_version": "0.1.0", "declaration_version": "1", "source": {"kind": "connector", "id": "urn:example:tracker"},
    "publisher": {"id": "urn:example"}, "display": {"name": "Tracker"}, "streams": [{"name": "rows", "semantics": "mutable_state",
    "primary_key": ["no"], "selection": {"fields": True, "resources": True}, "query": {"search": {"lexical_fields": ["text"]}},
    "schema": {"type": "object", "required": ["no"], "properties": {"no": {"type": "string"}, "text": {"type": "string"}}}}]})
start = json.loads(sys.stdin.readline())
lines = open(start["path"]).read().splitlines()
at = int(start["position"] or 0)
complete = "complete" in lines
if complete:
    at = 0
for i in range(at, len(lines)):
    line = lines[i]
    if line.startswith("+"):
        key, _, text = line[1:].partition(" ")
        say(record={"stream": "rows", "data": {"text": text, "no": key}})
    elif line.startswith("-"):
        say(deleted={"stream": "rows", "key": line[1:]})
    elif line == "lost":
        say(lost={"reason": "the tracker did not answer"})
    elif line == "fail":
        sys.exit(3)
    elif line == "hang":
        while True:
            say(progress=1)
            time.sleep(0.1)
    say(checkpoint=str(i + 1))
say(done=True, complete=complete)
)";

class SyncedProgram : public EveryEngine {
 protected:
  SyncedProgram() {
    owner.done({"init"});
    program = owner.write_file("tracker", kProgram);
    fs::permissions(program, fs::perms::owner_all);
    for (int i = 0; i < 10; ++i) write(format("+k{0} the word{0} of the tracker", i));
  }
  void write(std::string_view line) const { std::ofstream(owner.file("journal"), std::ios::app) << line << "\n"; }
  void rewrite(std::string_view text) const { std::ofstream(owner.file("journal")) << text; }
  void add(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync",   "add",   "program", "tracker",
                                      "--with", program, "--path",  owner.file("journal").string()};
    words.insert(words.end(), more.begin(), more.end());
    owner.done(words);
  }
  boost::json::value sync(std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sync", "run", "tracker", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = owner.ladder(words);
    const auto runs = outcome.json().at("runs");
    return runs.at(0).at("report");
  }
  bool finds(std::string_view word) const { return !owner.json({"search", std::string(word)}).at("data").as_array().empty(); }

  std::string program;
};

TEST_P(SyncedProgram, ItContinuesAtItsPosition) {
  add();
  EXPECT_EQ(number_at(sync(), "/fetched"), 10);
  EXPECT_TRUE(finds("word7"));
  EXPECT_EQ(number_at(sync(), "/fetched"), 0);
  rewrite("x\nx\nx\nx\nx\nx\nx\nx\nx\nx\n+k10 the word10 of the tracker\n");
  const auto more = sync();
  EXPECT_EQ(number_at(more, "/fetched"), 1) << "the lines before the position are not read again";
  EXPECT_EQ(number_at(more, "/messages"), 11);
  const auto shown = owner.json({"connection", "show", "program-tracker"});
  EXPECT_EQ(number_at(shown, "/imports/0/streams/0/read"), 11) << "the account is that of all runs";
}

TEST_P(SyncedProgram, DeletedRecordsAreRemoved) {
  add();
  sync();
  write("-k3");
  write("-unknown");
  const auto report = sync();
  EXPECT_EQ(number_at(report, "/removed"), 1);
  EXPECT_FALSE(finds("word3"));
  EXPECT_EQ(number_at(report, "/messages"), 9);
  write("-k4");
  write("+k4 the word4 is back");
  EXPECT_EQ(number_at(sync(), "/removed"), 0) << "a record that was sent is there";
  EXPECT_TRUE(finds("word4"));
}

TEST_P(SyncedProgram, ManyDeletionsAskFirst) {
  add();
  sync();
  for (int i = 0; i < 4; ++i) write(format("-k{}", i));
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 4);
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 4) << "they are remembered although the position is behind them";
  EXPECT_TRUE(finds("word1"));
  EXPECT_EQ(number_at(sync({"--remove-missing"}), "/removed"), 4);
  EXPECT_FALSE(finds("word1"));
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 0);
}

TEST_P(SyncedProgram, ACompleteRunTellsWhatIsGone) {
  add();
  sync();
  std::string all = "complete\n";
  for (int i = 1; i < 10; ++i) all += format("+k{0} the word{0} of the tracker\n", i);
  rewrite(all + "lost\n");
  const auto cut = sync();
  EXPECT_TRUE(cut.at("incomplete").as_bool());
  EXPECT_TRUE(finds("word0")) << "nothing is removed after a loss";
  rewrite(all);
  EXPECT_EQ(number_at(sync(), "/removed"), 1);
  EXPECT_FALSE(finds("word0"));
  EXPECT_TRUE(finds("word1"));
}

TEST_P(SyncedProgram, AFailureKeepsThePositionAndIsShown) {
  add();
  sync();
  write("+k10 the word10 of the tracker");
  write("-k1");
  write("fail");
  const Outcome failed = owner.ladder({"sync", "run", "tracker", "--json"});
  EXPECT_EQ(failed.exit_code != 0, true);
  EXPECT_NE(failed.summary().find("ended with code 3"), std::string::npos) << failed.summary();
  EXPECT_EQ(text_at(owner.json({"sync", "list"}), "/sources/0/state"), "failing");
  EXPECT_TRUE(finds("word1")) << "nothing is removed after a failure";
  const auto shown = owner.json({"connection", "show", "program-tracker"});
  EXPECT_EQ(number_at(shown, "/imports/0/streams/0/added"), 11) << "the account counts what the failed run stored";
  EXPECT_FALSE(shown.at("imports").at(0).at("complete").as_bool());
  std::string repaired;
  for (int i = 0; i < 10; ++i) repaired += "x\n";
  rewrite(repaired + "+k10 the word10 of the tracker\n-k1\n");
  EXPECT_EQ(number_at(sync(), "/removed"), 1);
  EXPECT_TRUE(finds("word10"));
}

TEST_P(SyncedProgram, ServeRunsItAndStopsIt) {
  add();
  write("hang");
  Process serve(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  for (int tries = 0; tries < 300 && !finds("word3"); ++tries) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(finds("word3"));
  const auto begin = std::chrono::steady_clock::now();
  serve.signal(SIGTERM);
  EXPECT_EQ(serve.wait().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s) << "a program that does not end is ended";
}

TEST_P(SyncedProgram, ASharedConnectionAsksFirst) {
  add();
  sync();
  owner.done({"sync", "add", "program", "other", "--with", program, "--path", owner.file("journal").string(), "--connection",
              "program-tracker"});
  owner.done({"sync", "run", "other"});
  write("-k3");
  EXPECT_EQ(number_at(sync(), "/waiting_removals"), 1);
  EXPECT_TRUE(finds("word3"));
}

TEST_P(SyncedProgram, WrongSettingsAreNamed) {
  const std::string path = owner.file("journal").string();
  const auto code = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"sync", "add", "program", "t", "--json"});
    return owner.ladder(words).error_code();
  };
  EXPECT_EQ(code({"--with", program}), "invalid_request");
  EXPECT_EQ(code({"--path", path}), "invalid_request");
  EXPECT_EQ(code({"--with", owner.file("absent").string(), "--path", path}), "invalid_request");
  EXPECT_EQ(code({"--with", program, "--path", owner.file("absent").string()}), "not_found");
  EXPECT_EQ(owner.ladder({"sync", "add", "folder", "t", "--path", path, "--net", "--json"}).error_code(), "invalid_request");
}

INSTANTIATE_TEST_SUITE_P(Engines, SyncedProgram, ::testing::Values("sqlite", "postgres"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ladder::e2e
