// ./dev demo works as documented: its steps run for real, its server answers the printed commands, and nothing remains
// running. The answers in docs/reference/mcp.md are the program's.
#include "owner.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <regex>
#include <sstream>

namespace ladder::e2e {
namespace {

const std::string kSource = LADDER_SOURCE_DIR;

std::string build_folder() { return std::filesystem::path(LADDER_BINARY).parent_path().string(); }

// The script's own environment, in a location that is removed with the owner's.
Outcome script(Owner& owner, const std::string& name) {
  Surroundings surroundings = owner.surroundings();
  surroundings.environment = {
      {"PATH", "/usr/bin:/bin"}, {"LADDER_BUILD", build_folder()}, {"LADDER_DEMO_PLACE", owner.file("demo").string()}};
  surroundings.program = "/bin/bash";
  return run(surroundings, {kSource + "/demo/" + name});
}

TEST(Demo, ShowsEverythingAndExitsWithoutATerminal) {
  Owner owner;
  const Outcome outcome = script(owner, "run");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.summary();
  std::size_t at = 0;
  for (const char* told :
       {"$ ladder init", "$ ladder import life/mail.mbox life/chats life/notes", "$ ladder search hotel reservation --limit 2",
        "$ LADDER_TOKEN=$(ladder grant create --client assistant", "$ ladder records attachments --token env",
        "question  Which hotel did I book, and what is the reservation number?", "search    hotel reservation\n  1. 2026-",
        "read      mail/messages:", " text, chars ", "  | ", "answer    ",
        "[mail/messages:", "claude mcp add --transport http ladder http://127.0.0.1:", "codex mcp add", "gemini mcp add",
        "\"mcpServers\"", "\"servers\"", "the demo ends here"}) {
    const std::size_t found = outcome.out.find(told, at);
    ASSERT_NE(found, std::string::npos) << told << '\n' << outcome.summary();
    at = found;
  }
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << "colors are for terminals";
  // The answer is a booking of the generated life: one message contains the hotel and its number.
  std::smatch answer;
  ASSERT_TRUE(std::regex_search(outcome.out, answer, std::regex("answer    (.*): reservation number ([A-Z0-9-]+)")))
      << outcome.out;
  std::ifstream file(kSource + "/demo/life/mail.mbox");
  std::string message;
  bool booked = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("From ")) message.clear();
    message += line + "\n";
    booked = booked || (message.find(answer[1]) != message.npos && message.find(answer[2]) != message.npos);
  }
  EXPECT_TRUE(booked) << answer[0];
  EXPECT_EQ(outcome.out.find("{\"id\""), std::string::npos) << "no walls of JSON\n" << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(owner.file("demo")));
}

// Runs the demo on a separate terminal.
class DemoOnTerminal {
 public:
  explicit DemoOnTerminal(const std::filesystem::path& place) {
    const winsize size = {40, 120, 0, 0};
    child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    ::setenv("PATH", "/usr/bin:/bin", 1);
    ::setenv("LADDER_BUILD", build_folder().c_str(), 1);
    ::setenv("LADDER_DEMO_PLACE", place.c_str(), 1);
    ::execl("/bin/bash", "bash", (kSource + "/demo/run").c_str(), nullptr);
    ::_exit(127);
  }
  ~DemoOnTerminal() {
    ::close(terminal_);
    if (child_ > 0) {
      ::kill(child_, SIGTERM);
      ::waitpid(child_, nullptr, 0);
    }
  }
  DemoOnTerminal(const DemoOnTerminal&) = delete;
  DemoOnTerminal& operator=(const DemoOnTerminal&) = delete;

  // Returns the output until this text appears; fails if it does not.
  std::string read_until(std::string_view what) {
    std::string shown;
    while (shown.find(what) == std::string::npos) {
      pollfd ready{terminal_, POLLIN, 0};
      std::array<char, 4096> buffer;
      const ssize_t got = ::poll(&ready, 1, 60'000) == 1 ? ::read(terminal_, buffer.data(), buffer.size()) : 0;
      if (got <= 0) {
        ADD_FAILURE() << "it never said " << what << ":\n" << shown;
        break;
      }
      shown.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return shown;
  }
  void press_ctrl_c() const { EXPECT_EQ(::write(terminal_, "\x03", 1), 1); }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }

 private:
  pid_t child_ = -1;
  int terminal_ = -1;
};

TEST(Demo, ServesUntilCtrlCOnATerminal) {
  Owner owner;
  DemoOnTerminal demo(owner.file("demo"));
  const std::string shown = demo.read_until("Ctrl-C stops it");
  // The printed command for Claude Code has all that a client needs.
  std::smatch line;
  ASSERT_TRUE(
      std::regex_search(shown, line, std::regex(R"re(--transport http ladder (\S+) --header "(Authorization: Bearer [^"]+)")re")))
      << shown;
  const auto ask = [&] {
    Surroundings surroundings = owner.surroundings();
    surroundings.program = "/usr/bin/curl";
    return run(
        surroundings,
        {"-sS", "-m", "10", line[1], "-H", line[2], "-H", "Content-Type: application/json", "-d",
         R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"flower pot"}}})"});
  };
  EXPECT_NE(ask().out.find("the third flower pot"), std::string::npos);
  std::smatch link;
  ASSERT_TRUE(std::regex_search(shown, link, std::regex(R"((http://localhost:\d+/sign-in/link\?token=\S+))"))) << shown;
  Surroundings browser = owner.surroundings();
  browser.program = "/usr/bin/curl";
  EXPECT_NE(run(browser, {"-sS", "-m", "10", link[1]}).out.find("Choose how to sign in"), std::string::npos);
  demo.press_ctrl_c();
  EXPECT_EQ(demo.wait(), 0);
  EXPECT_NE(ask().exit_code, 0) << "the server is gone";
  EXPECT_FALSE(std::filesystem::exists(owner.file("demo")));
}

TEST(Demo, TheDocumentHasTheProgramsAnswers) {
  std::ifstream file(kSource + "/docs/reference/mcp.md");
  std::ostringstream page;
  page << file.rdbuf();
  constexpr std::string_view kMark = "<!-- answers -->\n";
  const auto mark = page.str().find(kMark);
  ASSERT_NE(mark, std::string::npos);
  Owner owner;
  const Outcome outcome = script(owner, "answers");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.summary();
  EXPECT_EQ(page.str().substr(mark + kMark.size()), outcome.out)
      << "put the output of demo/answers after the mark in docs/reference/mcp.md";
}

}  // namespace
}  // namespace ladder::e2e
