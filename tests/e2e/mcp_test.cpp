// ladder mcp: the real program over its standard input and output.
#include "owner.h"

#include <boost/json.hpp>

#include <fstream>
#include <sstream>

namespace ladder::e2e {
namespace {

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
const std::string kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

std::string modern(std::string_view id, std::string_view method, std::string params = {}) {
  if (!params.empty()) params += ",";
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + R"(","params":{)" + params +
         std::string(kMeta) + "}}\n";
}

class Mcp : public EveryEngine {
 protected:
  Mcp() {
    owner.set_up();
    EXPECT_EQ(owner.ingest(note("n1", "the third clock")).exit_code, 0);
    const auto issued = owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body"});
    token = text_at(issued, "/token");
    grant = std::string(issued.at("grant_ids").as_array().front().as_string());
  }
  void give_token() { owner.surroundings().environment["LADDER_TOKEN"] = token; }

  std::string token, grant;
};

boost::json::value reply(Process& process) {
  const auto line = process.read_line();
  EXPECT_TRUE(line) << "no reply came";
  return line ? boost::json::parse(*line) : boost::json::value(nullptr);
}

TEST_P(Mcp, ServesAModernHost) {
  give_token();
  Process host(owner.surroundings(), {"mcp"});
  host.write(modern("0", "server/discover"));
  const auto discovered = reply(host);
  EXPECT_EQ(number_at(discovered, "/id"), 0);
  EXPECT_EQ(text_at(discovered, "/result/supportedVersions/0"), "2026-07-28");
  host.write(modern("1", "tools/list"));
  EXPECT_EQ(reply(host).at("result").at("tools").as_array().size(), 6U);
  host.write(modern("2", "tools/call", R"("name":"read_record_field","arguments":{"id":"home/notes:n1","field_path":"body"})"));
  EXPECT_EQ(text_at(reply(host), "/result/structuredContent/window/text"), "the third clock");
  host.write(modern("3", "tools/call", R"("name":"read_record_field","arguments":{"id":"home/notes:n1","field_path":"diary"})"));
  EXPECT_TRUE(reply(host).at("result").at("isError").as_bool());
  host.close_input();
  const Outcome outcome = host.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  // The log has one line per call with tool and outcome, and no arguments.
  std::vector<std::string> outcomes;
  std::istringstream log(outcome.err);
  for (std::string line; std::getline(log, line);) {
    const auto entry = boost::json::parse(line);
    outcomes.push_back(text_at(entry, "/outcome"));
    EXPECT_TRUE(entry.as_object().contains("duration_ms"));
    EXPECT_EQ(line.find("notes"), std::string::npos) << line;
  }
  std::ranges::sort(outcomes);  // the last two calls run concurrently
  EXPECT_EQ(outcomes, (std::vector<std::string>{"field_not_granted", "ok", "ok", "ok"})) << outcome.err;
  EXPECT_NE(outcome.err.find(R"("method":"tools/call","tool":"read_record_field","id":2,"outcome":"ok")"), std::string::npos);
}

TEST_P(Mcp, ServesALegacyHost) {
  give_token();
  Process host(owner.surroundings(), {"mcp", "--server-name", "mine"});
  host.write(R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})"
             "\n");
  const auto hello = reply(host);
  EXPECT_EQ(text_at(hello, "/result/protocolVersion"), "2025-11-25");
  EXPECT_EQ(text_at(hello, "/result/serverInfo/name"), "mine");
  host.write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
             "\n" +
             kList + "\n");
  EXPECT_EQ(reply(host).at("result").at("tools").as_array().size(), 6U);
  // A revocation by the owner takes effect at once.
  owner.done({"grant", "revoke", grant});
  host.write(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_record_field","arguments":)"
             R"({"id":"home/notes:n1","field_path":"body"}}})"
             "\n");
  const auto refused = reply(host);
  EXPECT_TRUE(refused.at("result").at("isError").as_bool());
  EXPECT_NE(text_at(refused, "/result/content/0/text").find("grant_revoked"), std::string::npos);
  host.close_input();
  EXPECT_EQ(host.wait().exit_code, 0);
}

TEST_P(Mcp, RequestsFromAPipeAreAnsweredBeforeTheEnd) {
  give_token();
  const Outcome outcome = owner.ladder({"mcp"}, kList + "\n" + modern("2", "ping") + kList);
  EXPECT_EQ(outcome.exit_code, 0);
  std::size_t lines = 0;
  std::istringstream out(outcome.out);
  for (std::string line; std::getline(out, line); ++lines) EXPECT_TRUE(boost::json::parse(line).is_object()) << line;
  EXPECT_EQ(lines, 3U) << outcome.summary();
}

TEST_P(Mcp, AnEmptyInputEndsItAtOnce) {
  give_token();
  const Outcome outcome = owner.ladder({"mcp"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
}

// The host's user sees the reason and the command that fixes it in the protocol.
TEST_P(Mcp, WithoutAValidTokenEveryCallSaysWhy) {
  const auto expect = [&](int code, std::string_view told) {
    const Outcome outcome = owner.ladder(
        {"mcp"}, R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
                 R"("clientInfo":{"name":"h","version":"1"}}})"
                 "\n"
                 R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"
                 "\n"
                 R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"schema","arguments":{}}})"
                 "\n"
                 R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"search","arguments":{"query":"clock"}}})"
                 "\n");
    EXPECT_EQ(outcome.exit_code, code) << outcome.summary();
    EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.summary();
    for (const std::string* said : {&outcome.out, &outcome.err}) {
      EXPECT_EQ(said->find("ldr_"), std::string::npos) << "a token is never repeated";
      EXPECT_EQ(said->find("the third clock"), std::string::npos);
    }
    std::map<std::int64_t, boost::json::value> answers;
    std::istringstream out(outcome.out);
    for (std::string line; std::getline(out, line);) {
      const auto answer = boost::json::parse(line);
      answers[answer.at("id").as_int64()] = answer.at("result");
    }
    ASSERT_EQ(answers.size(), 4U) << outcome.summary();
    EXPECT_NE(std::string(answers[1].at("instructions").as_string()).find(told), std::string::npos);
    EXPECT_EQ(answers[2].at("tools").as_array().size(), 6U);
    for (const std::int64_t id : {3, 4}) {
      EXPECT_EQ(answers[id].at("isError"), true);
      const std::string text(answers[id].at("content").at(0).at("text").as_string());
      EXPECT_NE(text.find(told), std::string::npos) << text;
      EXPECT_NE(text.find("LADDER_TOKEN"), std::string::npos) << text;
    }
  };
  const auto does_not_start = [&](int code, std::string_view told) {
    const Outcome outcome = owner.ladder({"mcp"}, kList);
    EXPECT_EQ(outcome.exit_code, code) << outcome.summary();
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.summary();
  };
  expect(78, "ladder grant create");
  auto& environment = owner.surroundings().environment;
  environment["LADDER_TOKEN"] = "nonsense";
  expect(78, "ladder grant create");
  environment["LADDER_TOKEN"] = token;
  owner.done({"grant", "revoke", grant});
  expect(78, "ladder grant create");
  environment["LADDER_TOKEN"] = text_at(owner.json({"token", "create"}), "/token");
  expect(77, "owner");
  environment["LADDER_TOKEN"] = "";
  environment["PDPP_TOKEN"] = "nonsense";
  expect(78, "token");
  for (const char* variable : {"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"}) {
    environment[variable] = "x";
    expect(77, variable);
    environment.erase(variable);
  }
  give_token();
  environment["LADDER_DB"] = "/nowhere/at/all.db";
  does_not_start(78, "/nowhere");
}

TEST_P(Mcp, BadArgumentsAreUsageErrorsAndLeaveTheOutputClear) {
  give_token();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"mcp", "--nonsense"},
                                                                                     {"mcp", "extra"},
                                                                                     {"mcp", "--input-schemas", "round"},
                                                                                     {"mcp", "--resource-links=some"},
                                                                                     {"mcp", "--server-name", "a b"},
                                                                                     {"mcp", "--provider-url", "ftp://x"}}) {
    for (const bool json : {false, true}) {
      std::vector<std::string> all = words;
      if (json) all.emplace_back("--json");
      const Outcome outcome = owner.ladder(all, kList);
      EXPECT_EQ(outcome.exit_code, 64) << ::testing::PrintToString(all) << outcome.summary();
      EXPECT_EQ(outcome.out, "");
      EXPECT_EQ(outcome.err.rfind("ladder: ", 0), 0U);
    }
  }
  auto& environment = owner.surroundings().environment;
  for (const auto& [name, value] : {std::pair{"LADDER_RESULT_BYTES", "100"}, {"LADDER_PUBLIC_URL", "ftp://x"}}) {
    environment[name] = value;
    EXPECT_EQ(owner.ladder({"mcp"}, kList).exit_code, 64) << name;
    environment.erase(name);
  }
  EXPECT_NE(owner.ladder({"mcp", "--provider-url=ftp://x"}).err.find("use https://host"), std::string::npos);
}

TEST_P(Mcp, HelpAndVersionLeaveTheOutputClear) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"mcp", "--help"}, {"mcp", "-h"}, {"mcp", "--version"}}) {
    const Outcome outcome = owner.ladder(words);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err, "");
  }
  const std::string help = owner.ladder({"mcp", "--help"}).err;
  for (const char* word : {"--input-schemas", "--resource-links", "--server-name", "--provider-url", "Examples"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

TEST_P(Mcp, OptionsReachTheProtocol) {
  give_token();
  const Outcome full = owner.ladder({"mcp", "--input-schemas=full"}, kList);
  EXPECT_NE(full.out.find("\"oneOf\""), std::string::npos);
  EXPECT_EQ(owner.ladder({"mcp"}, kList).out.find("\"oneOf\""), std::string::npos);
}

TEST_P(Mcp, TwoProcessesUseTheSameFence) {
  give_token();
  const std::string call = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_record_field","arguments":)"
                           R"({"id":"home/notes:n1","field_path":"body"}}})";
  EXPECT_EQ(owner.ladder({"mcp"}, call).out, owner.ladder({"mcp"}, call).out);
}

LADDER_FOR_EVERY_ENGINE(Mcp);

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(McpStart, WritesNothing) {
  Owner owner;
  owner.set_up();
  EXPECT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  owner.surroundings().environment["LADDER_TOKEN"] =
      text_at(owner.json({"grant", "create", "--client", "agent", "--stream", "notes"}), "/token");
  owner.done({"schema"});
  const std::string before = bytes_of(owner.place().location());
  const auto written = std::filesystem::last_write_time(owner.place().location());
  EXPECT_EQ(owner.ladder({"mcp"}, modern("0", "server/discover") + modern("1", "tools/list")).exit_code, 0);
  EXPECT_EQ(bytes_of(owner.place().location()), before);
  EXPECT_EQ(std::filesystem::last_write_time(owner.place().location()), written);
}

}  // namespace
}  // namespace ladder::e2e
