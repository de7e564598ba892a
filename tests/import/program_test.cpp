// Programs of the owner (ladder import --with): the example of the documentation, the account, the sandbox.
#include "importing.h"

#include <boost/json/serialize.hpp>

#include <csignal>
#include <fstream>
#include <iterator>

namespace ladder::import_tests {
namespace {

const std::string kDeclare = R"(
import json, sys, os
def say(**line):
    print(json.dumps(line), flush=True)
say(declaration={"protocol_version": "0.1.0", "declaration_version": "1", "source": {"kind": "connector", "id": "urn:example:trial"},
    "publisher": {"id": "urn:example"}, "display": {"name": "Trial"}, "streams": [{"name": "rows", "semantics": "mutable_state",
    "primary_key": ["id"], "selection": {"fields": True, "resources": True}, "schema": {"type": "object", "required": ["id"],
    "properties": {"id": {"type": "string"}, "text": {"type": "string"}, "blob_ref": {"type": "object",
    "required": ["blob_id"], "properties": {"blob_id": {"type": "string"}, "mime_type": {"type": "string"}, "sha256": {"type": "string"},
    "size_bytes": {"type": "integer"}}}}}}]})
start = json.loads(sys.stdin.readline())
def row(id, text, **more):
    say(record={"stream": "rows", "data": {"id": id, "text": text}, **more})
)";

class Programs : public ::testing::TestWithParam<std::string> {
 protected:
  Programs() : owner(GetParam()) {}
  // Writes a program that can be run.
  std::string program(const std::string& text) const {
    const fs::path path = owner.file("program");
    save(path, text);
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  std::string trial(const std::string& text) const { return program("#!/usr/bin/env python3\n" + kDeclare + text); }
  Outcome import(const std::string& with, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {owner.file("input").string(), "--with", with});
    return owner.import(more);
  }
  boost::json::array rows(const std::string& stream, const std::string& connection) const {
    return owner.json({"records", stream, "--connection", connection, "--limit", "100", "--order", "asc"}).at("data").as_array();
  }
  Importer owner;
};
INSTANTIATE_TEST_SUITE_P(Engines, Programs, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

// Returns the block of code in the documentation.
std::string documented_program() {
  std::ifstream file(fs::path(LADDER_SOURCE_DIR) / "docs" / "inside" / "importers.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr std::string_view kBegin = "```python\n";
  const std::size_t begin = text.find(kBegin) + kBegin.size();
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST_P(Programs, TheOneInTheDocumentationImportsAJournal) {
  save(owner.file("input"), "2024-03-01 Saw the ebb at noon\nno date here\n2024-03-02 Wrote to Nora\n");
  const std::string with = program(documented_program());
  const Outcome first = import(with);
  EXPECT_EQ(first.exit_code, 1) << "a line was lost: " << first.summary();
  EXPECT_EQ(total(first, "added"), 2) << first.summary();
  EXPECT_EQ(text_at(first.json(), "/runs/0/accounts/0/losses/0/reason"), "line 2 has no date") << first.summary();
  EXPECT_EQ(text_at(first.json(), "/runs/0/accounts/0/streams/0/from").substr(0, 10), "2024-03-01") << first.summary();
  const auto entries = rows("entries", "journal");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(text_at(entries[1], "/data/text"), "Wrote to Nora");
  const Outcome second = import(with);
  EXPECT_EQ(total(second, "unchanged"), 2) << second.summary();
  EXPECT_NE(owner.ladder({"search", "ebb"}).out.find("Saw the ebb"), std::string::npos);
}

TEST_P(Programs, ItsLinesAreCheckedAndBlobsAreStored) {
  save(owner.file("input"), "x");
  const Outcome outcome = import(trial(R"(
say(blob={"id": "b", "mime_type": "text/plain", "base64": "aGVsbG8="})
row("1", "one", blob="b")
row("2", "two", blob="missing")
say(record={"stream": "other", "data": {"id": "3"}})
say(record={"stream": "rows", "data": {"text": "no key"}})
say(skipped={"stream": "rows", "reason": "left out"})
say(progress=10)
say(surprise=1)
print("not JSON", flush=True)
say(done=True)
)"));
  const std::string account = boost::json::serialize(outcome.json().at("runs").at(0).at("accounts").at(0));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(total(outcome, "added"), 1) << outcome.summary();
  for (const char* reason : {"the blob 'missing', which was not sent", "the stream 'other', which is not declared",
                             "a line that Ladder does not know", "a line that is not JSON", "left out"})
    EXPECT_NE(account.find(reason), std::string::npos) << reason << " in " << account;
  EXPECT_EQ(Importer::counted(outcome, "/lost"), 5) << account;
  const auto stored = rows("rows", "trial");
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(number_at(stored[0], "/data/blob_ref/size_bytes"), 5);
}

TEST_P(Programs, AnEndBeforeTheEndIsTold) {
  save(owner.file("input"), "x");
  const Outcome broken = import(trial("row('1', 'one')\nsys.exit(3)\n"));
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_EQ(text_at(broken.json(), "/runs/0/accounts/0/broken_off"), "program ended with code 3 before it was done")
      << broken.summary();
  EXPECT_EQ(total(broken, "added"), 1);
}

TEST_P(Programs, AKilledImportContinuesAtTheLastCheckpoint) {
  save(owner.file("input"), "x");
  const std::string with = trial(R"(
import time
first = int(start["position"] or 0)
for i in range(first, 2000):
    row(f"{i:04}", f"from {first}")
    if i % 100 == 99: say(checkpoint=str(i + 1))
    while i == 999 and first == 0:
        say(progress=i)
        time.sleep(0.05)
say(done=True)
)");
  {
    Progress progress(owner);
    e2e::Process process(owner.surroundings(), {"import", owner.file("input").string(), "--with", with});
    wait_until([&] { return progress.records("trial") == 1000 && !progress.position("trial").empty(); });
    process.signal(SIGKILL);
    process.wait();
  }
  const Outcome rest = import(with);
  EXPECT_EQ(rest.exit_code, 0) << rest.summary();
  EXPECT_NE(rest.err.find("continuing where"), std::string::npos) << rest.summary();
  EXPECT_EQ(Importer::counted(rest, "/streams/0/read"), 2000) << rest.summary();
  const auto page = owner.json({"records", "rows", "--connection", "trial", "--limit", "1", "--order", "asc"});
  EXPECT_EQ(text_at(page, "/data/0/data/text"), "from 0");
}

TEST_P(Programs, ItSeesNeitherOtherFilesNorTheNetworkAndWritesNothing) {
  save(owner.file("input"), "readable");
  save(owner.file("secret"), "hidden");
  const std::string probe = R"(
import socket, subprocess
def attempt(name, action):
    try: row(name, "yes: " + str(action()))
    except BaseException as error: row(name, "no")
folder = os.path.dirname(start["path"])
attempt("input", lambda: open(start["path"]).read())
attempt("secret", lambda: open(folder + "/secret").read())
attempt("home", lambda: os.listdir(os.path.expanduser("~")) + os.listdir("/root"))
attempt("passwords", lambda: open("/etc/shadow").read())
attempt("write", lambda: open(folder + "/new", "w").write("x"))
attempt("change", lambda: open(start["path"], "a").write("x"))
attempt("temporary", lambda: open("/tmp/new", "w").write("x"))
attempt("inet", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM) and 1)
attempt("unix", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) and 1)
attempt("signal", lambda: os.kill(os.getppid(), 0) or 1)
attempt("programs", lambda: subprocess.run(["/bin/echo", "x"], capture_output=True).stdout.decode().strip())
attempt("null", lambda: open("/dev/null", "w").write("x"))
say(done=True)
)";
  const auto outcomes = [&](const std::vector<std::string>& more) {
    const Outcome outcome = import(trial(probe), more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
    std::map<std::string, std::string> found;
    for (const auto& record : rows("rows", "trial")) found[text_at(record, "/data/id")] = text_at(record, "/data/text");
    return found;
  };
  std::map<std::string, std::string> found = outcomes({});
  EXPECT_EQ(found["input"], "yes: readable");
  EXPECT_EQ(found["programs"], "yes: x");
  EXPECT_EQ(found["null"], "yes: 1");
  for (const char* name : {"secret", "home", "passwords", "write", "change", "temporary", "inet", "unix", "signal"})
    EXPECT_EQ(found[name], "no") << name;
  found = outcomes({"--net"});
  EXPECT_EQ(found["inet"], "yes: 1");
  for (const char* name : {"secret", "home", "unix", "signal"}) EXPECT_EQ(found[name], "no") << name << " with --net";
  EXPECT_FALSE(fs::exists(owner.file("new")));
}

TEST_P(Programs, MistakesAreNamed) {
  save(owner.file("input"), "x");
  const Outcome absent = import(owner.file("none").string());
  EXPECT_NE(absent.out.find("is not a program that can be run"), std::string::npos) << absent.summary();
  const Outcome silent = import(program("#!/bin/sh\nexit 0\n"));
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_NE((silent.out + silent.err).find("without a declaration"), std::string::npos) << silent.summary();
  std::string false_name = "#!/usr/bin/env python3\n" + kDeclare;
  false_name.replace(false_name.find("urn:example:trial"), std::string("urn:example:trial").size(), "urn:ladder:import:mail");
  const Outcome forged = import(program(false_name + "say(done=True)\n"));
  EXPECT_NE(forged.out.find("choose another source.id"), std::string::npos) << forged.summary();
  EXPECT_EQ(owner.ladder({"import", owner.file("input").string(), "--net"}).exit_code, 64);
}

}  // namespace
}  // namespace ladder::import_tests
