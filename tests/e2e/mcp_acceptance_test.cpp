// Rows of the acceptance table, tested through the real program's standard input and output (docs/inside/acceptance.md).
#include "owner.h"

#include <boost/json.hpp>

#include <algorithm>
#include <sstream>

namespace ladder::e2e {
namespace {

class McpRows : public EveryEngine {
 protected:
  McpRows() {
    owner.set_up();
    owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
    for (int i = 0; i < 1'500; ++i) whole += std::to_string(i) + " 漢字🙂 words\n";
    whole += "the wombat slept";
    EXPECT_EQ(owner.ingest(note("n1", whole)).exit_code, 0);
    owner.surroundings().environment["LADDER_TOKEN"] =
        text_at(owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body"}), "/token");
  }

  static std::string request(std::string_view method, const boost::json::value& params) {
    return boost::json::serialize(boost::json::value{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}) +
           "\n";
  }
  static boost::json::value ask(Process& host, std::string_view method, const boost::json::value& params) {
    host.write(request(method, params));
    const auto line = host.read_line();
    EXPECT_TRUE(line);
    return line ? boost::json::parse(*line).at("result") : boost::json::value(nullptr);
  }
  static boost::json::value call(Process& host, std::string_view tool, const boost::json::value& arguments) {
    return ask(host, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }

  std::string whole;
};

// A host initializes, then reads the complete field in windows, under the default bound and the smallest.
TEST_P(McpRows, ReadsAFieldOverStandardInput) {
  for (const char* const bytes : {"40000", "4096"}) {
    owner.surroundings().environment["LADDER_RESULT_BYTES"] = bytes;
    Process host(owner.surroundings(), {"mcp"});
    EXPECT_EQ(text_at(ask(host, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", boost::json::object{}}}),
                      "/protocolVersion"),
              "2025-11-25");
    std::string rebuilt;
    boost::json::object arguments{{"id", "home/notes:n1"}, {"field_path", "body"}, {"limit_chars", 16'384}};
    for (int windows = 0; windows < 200; ++windows) {
      const auto result = call(host, "read_record_field", arguments);
      EXPECT_LE(boost::json::serialize(result).size(), std::stoul(bytes));
      EXPECT_EQ(result.at("content").as_array().size(), 1U);
      rebuilt += text_at(result, "/structuredContent/window/text");
      const auto& next = result.at("structuredContent").at("window").at("next_cursor");
      if (next.is_null()) break;
      arguments.erase("limit_chars");
      arguments["cursor"] = next;
    }
    EXPECT_EQ(rebuilt, whole);
    host.close_input();
    EXPECT_EQ(host.wait().exit_code, 0);
  }
}

TEST_P(McpRows, EvidenceComesFirstAndTheLogHasNoArguments) {
  Process host(owner.surroundings(), {"mcp"});
  const auto found = call(host, "search", {{"query", "wombat"}});
  const std::string hits = text_at(found, "/content/0/text");
  EXPECT_TRUE(hits.starts_with("1. ") && hits.find("snippet=\"") < hits.find('\n')) << found;
  call(host, "read_record_field", {{"id", "home/notes:n1"}, {"field_path", "title"}});
  call(host, "fetch", {{"id", "nonsense"}});
  host.close_input();
  const Outcome outcome = host.wait();
  std::istringstream log(outcome.err);
  std::vector<std::string> told;
  for (std::string line; std::getline(log, line);) {
    const auto entry = boost::json::parse(line);
    told.push_back(text_at(entry, "/method") + " " + text_at(entry, "/tool") + " " + text_at(entry, "/outcome"));
    for (const char* const word : {"wombat", "notes", "title", "nonsense"}) EXPECT_EQ(line.find(word), std::string::npos) << line;
  }
  std::ranges::sort(told);  // a response may be written before the previous call's log line
  EXPECT_EQ(told, (std::vector<std::string>{"tools/call fetch invalid_id", "tools/call read_record_field field_not_granted",
                                            "tools/call search ok"}));
}

LADDER_FOR_EVERY_ENGINE(McpRows);

}  // namespace
}  // namespace ladder::e2e
