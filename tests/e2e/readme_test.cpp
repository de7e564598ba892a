// Follows the README's first page literally as a newcomer would: a fresh clone, an empty home, a mailbox as Gmail's
// Takeout exports it. This test plays `claude`: it stores the configured server, starts it as a host does, and answers
// the README's question from the tools' responses.
#include "base/limits.h"
#include "exports.h"
#include "import/testing/archive_maker.h"
#include "json/parse.h"
#include "owner.h"

#include <boost/json/serialize.hpp>

#include <fstream>
#include <regex>
#include <sstream>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBooking =
    "From 1790000000000000001@xxx Fri Jan 02 09:00:00 +0000 2026\n"
    "X-GM-THRID: 1790000000000000001\nX-Gmail-Labels: Inbox\nMessage-ID: <booking@harbour.example>\n"
    "From: Harbour Hotel <stay@harbour.example>\nTo: me@example.org\nSubject: Your stay in May\n"
    "Date: Fri, 02 Jan 2026 09:00:00 +0000\nContent-Type: text/plain; charset=UTF-8\n\n"
    "Thank you for booking the Harbour Hotel.\nThe reservation number is HX-4471; we expect you on 3 May.\n\n";

// Implements `claude mcp add NAME --env KEY=VALUE -- COMMAND…` and `claude QUESTION`.
constexpr std::string_view kHost =
    "#!/bin/bash\n"
    "if [ \"$1 $2\" = 'mcp add' ]; then shift 2; printf '%s\\n' \"$@\" > \"$HOME/host\"; printf '%s' \"$PATH\" > \"$HOME/path\"\n"
    "else printf '%s' \"$1\" > \"$HOME/question\"; fi\n";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Runs a command in this test's own environment.
std::string answer_of(const char* command) {
  std::string text;
  if (FILE* pipe = ::popen(command, "r")) {
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    ::pclose(pipe);
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class Newcomer : public ::testing::Test {
 protected:
  Newcomer() {
    owner.surroundings().environment = {
        {"PATH", owner.file("bin").string() + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        // Shares the compiler cache although the home folder differs.
        {"CCACHE_DIR", answer_of("ccache --get-config cache_dir 2>/dev/null")},
        {"GIT_CONFIG_COUNT", "1"},
        {"GIT_CONFIG_KEY_0", "safe.directory"},
        {"GIT_CONFIG_VALUE_0", "*"}};
    imports::testing::save(owner.file("bin") / "claude", kHost);
    fs::permissions(owner.file("bin") / "claude", fs::perms::owner_all);
    pack_mailbox();
  }

  // Zips a generated mailbox with one additional message.
  void pack_mailbox() const {
    demo::write_mail_export({owner.file("made"), 11, 150});
    const fs::path mail = fs::path("Takeout") / "Mail" / "All mail Including Spam and Trash.mbox";
    imports::testing::ZipMaker zip;
    zip.add(mail.string(), content(owner.file("made") / mail) + std::string(kBooking));
    imports::testing::save(owner.file("Downloads") / "takeout-20260110T080000Z-001.zip", zip.bytes());
  }

  // The lines that build, then the lines that ask.
  static std::string journey() { return block("first") + block("second"); }

  static std::string block(const std::string& name) {
    const std::string readme = content(fs::path(LADDER_SOURCE_DIR) / "README.md");
    const auto mark = readme.find("<!-- tested, " + name + ": tests/e2e/readme_test.cpp");
    const auto begin = readme.find("```sh\n", mark);
    const auto end = readme.find("\n```", begin);
    EXPECT_TRUE(mark != std::string::npos && begin != std::string::npos && end != std::string::npos);
    return readme.substr(begin + 6, end - begin - 5);
  }

  Owner owner;
};

// A host with a server: calls a tool and returns the structured content.
class Host {
 public:
  explicit Host(const Owner& owner) : server_(surroundings(owner), words_) {
    ask("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"newcomer","version":"1"}})");
    server_.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
  }

  boost::json::value call(std::string_view tool, const std::string& arguments) {
    return ask("tools/call", R"({"name":")" + std::string(tool) + R"(","arguments":)" + arguments + "}");
  }

  Outcome end() {
    server_.close_input();
    return server_.wait();
  }

 private:
  // The command and the variables given to `claude mcp add`.
  Surroundings surroundings(const Owner& owner) {
    Surroundings surroundings;
    surroundings.folder = owner.place().folder().path();
    surroundings.program = "/usr/bin/env";
    surroundings.environment["PATH"] = content(owner.file("path"));
    std::istringstream told(content(owner.file("host")));
    bool command = false;
    for (std::string word; std::getline(told, word);) {
      if (command) words_.push_back(word);
      command = command || word == "--";
      if (!command && word == "--env" && std::getline(told, word))
        surroundings.environment[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
    EXPECT_EQ(words_, (std::vector<std::string>{"ladder", "mcp"}));
    return surroundings;
  }

  boost::json::value ask(std::string_view method, const std::string& parameters) {
    server_.write(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id_) + R"(,"method":")" + std::string(method) +
                  R"(","params":)" + parameters + "}\n");
    const auto line = server_.read_line();
    EXPECT_TRUE(line) << method;
    const auto reply = json::parse(line.value_or("{}"), limits::kMaxDeclarationBytes, 64);
    EXPECT_TRUE(reply && reply->as_object().contains("result")) << line.value_or("");
    return reply ? *reply : boost::json::value(nullptr);
  }

  std::vector<std::string> words_;
  int id_ = 0;
  Process server_;
};

TEST_F(Newcomer, GetsFromACloneToAnAnswer) {
  owner.surroundings().program = "/usr/bin/git";
  owner.done({"clone", "--quiet", LADDER_SOURCE_DIR, "ladder"});
  owner.surroundings().program = "/bin/bash";
  const Outcome followed = owner.ladder({"-euo", "pipefail"}, "cd ladder\n" + journey());
  ASSERT_EQ(followed.exit_code, 0) << followed.summary();
  EXPECT_NE(followed.out.find("The store is ready"), std::string::npos) << followed.summary();
  EXPECT_NE(followed.out.find("The reservation number is HX-4471"), std::string::npos) << followed.summary();

  // Searches for the question's own words, then reads the passage that the first hit shows.
  const std::string question = content(owner.file("question"));
  EXPECT_NE(question.find("hotel"), std::string::npos);
  EXPECT_NE(question.find("reservation"), std::string::npos);
  Host host(owner);
  const boost::json::value found = host.call("search", R"({"query":"hotel reservation"})");
  const std::string id = text_at(found, "/result/structuredContent/results/0/id");
  const boost::json::value read =
      host.call("read_record_field", R"({"id":")" + id + R"(","field_path":"text","q":"reservation number"})");
  const std::string window = text_at(read, "/result/structuredContent/window/text");
  std::smatch number;
  ASSERT_TRUE(std::regex_search(window, number, std::regex("number is ([A-Z]+-[0-9]+)"))) << window;
  EXPECT_EQ(number[1], "HX-4471");
  EXPECT_NE(window.find("Harbour Hotel"), std::string::npos);

  // Fields that were not granted stay hidden.
  for (const char* field : {"html", "labels", "recipients"}) {
    const auto refused = host.call("read_record_field", R"({"id":")" + id + R"(","field_path":")" + field + R"("})");
    EXPECT_NE(text_at(refused, "/result/content/0/text").find("field_not_granted"), std::string::npos) << field;
  }
  const auto attachments = host.call("query_records", R"({"stream":"attachments"})");
  EXPECT_NE(text_at(attachments, "/result/content/0/text").find("grant_stream_not_allowed"), std::string::npos)
      << boost::json::serialize(attachments);
  EXPECT_EQ(host.end().exit_code, 0);
}

}  // namespace
}  // namespace ladder::e2e
