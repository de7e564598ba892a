// Programs of the owner (ladder import --with): the example of the documentation, the account, the sandbox.
#include "importing.h"

#include <boost/json/serialize.hpp>

#include <unistd.h>

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
  const std::string probe = "outside = " + std::to_string(getpid()) + R"(
import ctypes, resource, socket, subprocess
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": {"socket": 41, "tgkill": 234}}.get(os.uname().machine, {"socket": 198, "tgkill": 131})
def call(name, *words):
    if libc.syscall(*map(ctypes.c_long, (numbers[name], *words))) < 0: raise OSError(ctypes.get_errno())
def shared():
    if libc.shmget(0, 100, 0o1600) < 0: raise OSError
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
attempt("unix in half a word", lambda: call("socket", 0x100000001, 1, 0))
attempt("crypto", lambda: socket.socket(38, socket.SOCK_SEQPACKET) and 1)
attempt("datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) and 1)
attempt("raw pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW) and 1)
attempt("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM) and 1)
attempt("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) and 1)
attempt("refused", lambda: {111: 1}[socket.socket().connect_ex(("127.0.0.1", 1))])
attempt("certificates", lambda: os.listdir("/etc/ssl/certs") and 1)
attempt("keys", lambda: os.listdir("/etc/ssl/private"))
attempt("thread signal", lambda: call("tgkill", outside, outside, 0))
attempt("limits", lambda: resource.prlimit(outside, resource.RLIMIT_NOFILE))
attempt("parent limits", lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE))
attempt("affinity", lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)))
attempt("scheduler", lambda: os.sched_setscheduler(os.getppid(), os.SCHED_OTHER, os.sched_param(0)))
attempt("priority", lambda: os.setpriority(os.PRIO_USER, 0, 1))
attempt("group", lambda: os.setpgid(0, 0))
attempt("shared memory", shared)
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
  EXPECT_EQ(found["pair"], "yes: 1");
  const std::vector<std::string> never = {"secret", "home",          "passwords",           "write",    "change",    "temporary",
                                          "unix",   "signal",        "unix in half a word", "crypto",   "datagrams", "raw pair",
                                          "keys",   "limits",        "parent limits",       "affinity", "scheduler", "priority",
                                          "group",  "shared memory", "thread signal"};
  for (const std::string& name : never) EXPECT_EQ(found[name], "no") << name;
  for (const char* name : {"inet", "netlink", "certificates", "refused"}) EXPECT_EQ(found[name], "no") << name;
  found = outcomes({"--net"});
  for (const char* name : {"inet", "netlink", "certificates", "refused"}) EXPECT_EQ(found[name], "yes: 1") << name;
  for (const std::string& name : never) EXPECT_EQ(found[name], "no") << name << " with --net";
  EXPECT_FALSE(fs::exists(owner.file("new")));
}

TEST_P(Programs, ItsMessagesControlNoTerminalAndAreLimited) {
  save(owner.file("input"), "x");
  const Outcome outcome = import(trial(R"(
sys.stderr.write("\x1b]0;owned\x07 hello\n" + "wide" * 1000 + "\n")
for i in range(30_000): sys.stderr.write("flood " * 20 + "\n")
row("1", "one")
say(done=True)
)"));
  EXPECT_EQ(total(outcome, "added"), 1) << outcome.err.substr(0, 500);
  EXPECT_NE(outcome.err.find("| ⟦U+001B⟧]0;owned⟦U+0007⟧ hello\n"), std::string::npos) << outcome.err.substr(0, 500);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
  EXPECT_LT(outcome.err.size(), 80'000U);
}

// Returns true if a process has this word on its command line.
bool runs(const std::string& word) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (line.starts_with("sleep") && line.find(word) != std::string::npos) return true;
  }
  return false;
}

TEST_P(Programs, NothingThatItStartsOutlivesTheImport) {
  save(owner.file("input"), "x");
  const std::string word = "60.0" + std::to_string(getpid());
  const Outcome outcome = import(trial("word = '" + word + "'\n" + R"(
import subprocess
def leave():
    try: os.setpgid(0, 0)
    except OSError: pass
child = subprocess.Popen(["sleep", word], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=leave)
row("1", "one" if child.poll() is None else "")
say(done=True)
)"));
  EXPECT_EQ(total(outcome, "added"), 1) << outcome.summary();
  EXPECT_EQ(text_at(rows("rows", "trial").at(0), "/data/text"), "one");
  for (int tries = 0; tries < 50 && runs(word); ++tries) usleep(100'000);
  EXPECT_FALSE(runs(word));
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
