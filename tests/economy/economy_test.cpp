// Measures the cost of responses for a model, in bytes, on fixed large data: tools/list, every tool, and the calls from
// a search to the evidence. Each must stay within its bound (design D10; R126, R127, R157), and
// tests/economy/snapshot.txt lists them all, so that every change of a size is visible in review.
#include "api/preview.h"
#include "fat_store.h"
#include "mcp/testing/tool_bench.h"
#include "mcp/tools/calls.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

namespace ladder::economy {
namespace {

using mcp::testing::calls_in;
using mcp::testing::lines_of;

constexpr std::size_t kSeedToolsListBytes = 24'576;  // R127
constexpr std::size_t kSeedSchemaBytes = 60'000;     // R157
constexpr std::size_t kJourneyBytes = 50'000;        // five results: a search and four windows of 4,096 chars
constexpr Cost kTenHits = {3'400, 9'500, 13'500};    // an ordinary search, an ordinary message, and the overhead of a window
constexpr Cost kMessage = {900, 1'800, 3'200};
constexpr std::size_t kBesideWindowBytes = 450;
constexpr std::size_t kHostTextUnits = 2'048;  // per description, in UTF-16 units (design D10)

class Economy : public FatStore {
 protected:
  // Adds a line to the table; the result must stay within every tool's bound.
  Answer measure(const std::string& what, std::string_view tool, std::string_view arguments, bool is_error = false) {
    Answer answer = call(tool, arguments);
    const auto* const failed = answer.result.as_object().if_contains("isError");
    EXPECT_EQ(failed != nullptr && failed->as_bool(), is_error) << what << ": " << answer.text();
    EXPECT_LE(answer.cost.result, mcp::kDefaultResultBytes) << what;
    add(what, answer.cost);
    return answer;
  }
  void add(const std::string& what, const Cost& cost) {
    table_ += format("{:<58}{:>8}{:>12}{:>8}\n", what, cost.text, cost.structured, cost.result);
  }
  void add(const std::string& what, std::size_t bytes) { table_ += format("{:<58}{:>28}\n", what, bytes); }
  const std::string& table() const { return table_; }

  static void expect_within(const Answer& answer, const Cost& most, std::string_view what) {
    EXPECT_LE(answer.cost.text, most.text) << what << ":\n" << answer.text();
    EXPECT_LE(answer.cost.structured, most.structured) << what;
    EXPECT_LE(answer.cost.result, most.result) << what;
  }
  // A window adds little to its text.
  void expect_small_frame(const Answer& answer, const std::string& what) {
    const std::size_t window = answer.result.at_pointer("/structuredContent/window/text").as_string().size();
    add(what + ", beside its text", answer.cost.text - window);
    EXPECT_LE(answer.cost.text - window, kBesideWindowBytes) << answer.text().substr(0, 1'000);
  }

  // Goes from a search to the text around a word and further: each call is one that the previous response prints.
  void journey() {
    Cost whole;
    const auto step = [&](const std::string& what, const mcp::ToolCall& next) {
      const Answer answer = measure("journey: " + what, next.tool, next.args);
      whole.text += answer.cost.text;
      whole.structured += answer.cost.structured;
      whole.result += answer.cost.result;
      return answer.text();
    };
    const std::string found = step("search", {"search", R"({"query":"quagga"})"});
    const auto reads = calls_in(lines_of(found).front());
    ASSERT_FALSE(reads.empty()) << found;
    std::string window = step("the evidence", reads.front());
    EXPECT_NE(window.find("quagga"), std::string::npos);
    for (const char* which : {"the next window", "the third", "the fourth"}) {
      const auto next = calls_in(lines_of(window)[1]);
      ASSERT_FALSE(next.empty()) << window;
      window = step(which, next.front());
    }
    add("journey: all of it", whole);
    EXPECT_LE(whole.result, kJourneyBytes);
  }

 private:
  std::string table_ = format("{:<58}{:>8}{:>12}{:>8}\n", "bytes of", "text", "structured", "result");
};

std::size_t utf16_units(std::string_view utf8_text) {
  std::size_t units = 0;
  for (const char c : utf8_text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) != 0x80U) units += byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

// Returns the bytes of a search's text without its hit lines, as R126 defines them.
std::size_t prose_bytes(const std::string& text) {
  static const std::regex hit("^[0-9]+\\. ");
  std::size_t bytes = 0;
  for (const std::string& line : lines_of(text)) {
    if (!std::regex_search(line, hit)) bytes += line.size() + 1;
  }
  return bytes;
}

std::string snapshot_file() { return std::string(LADDER_SOURCE_DIR) + "/tests/economy/snapshot.txt"; }

// Returns the lines that only one of the two has.
std::string difference(const std::string& before, const std::string& now) {
  const auto old_lines = lines_of(before), new_lines = lines_of(now);
  std::string told;
  for (const std::string& line : old_lines) {
    if (std::ranges::find(new_lines, line) == new_lines.end()) told += "- " + line + "\n";
  }
  for (const std::string& line : new_lines) {
    if (std::ranges::find(old_lines, line) == old_lines.end()) told += "+ " + line + "\n";
  }
  return told;
}

void compare_with_snapshot(const std::string& table) {
  if (std::getenv("LADDER_ACCEPT_SNAPSHOT") != nullptr) {
    std::ofstream(snapshot_file()) << table;
    return;
  }
  std::ifstream file(snapshot_file());
  std::ostringstream stored;
  stored << file.rdbuf();
  EXPECT_EQ(stored.str() == table, true) << "the cost of responses has changed:\n"
                                         << difference(stored.str(), table)
                                         << "If that is meant, run this program with LADDER_ACCEPT_SNAPSHOT=1 and commit "
                                            "tests/economy/snapshot.txt with the change.";
}

TEST_P(Economy, ResponsesStayWithinTheirBytes) {
  // A host loads the tool list before any call.
  const Answer list = ask("tools/list", "");
  const std::string tools = boost::json::serialize(list.result.at("tools"));
  EXPECT_LE(tools.size(), api::kToolsListBytes);
  EXPECT_LT(tools.size(), kSeedToolsListBytes);
  add("tools/list: the array of tools", tools.size());
  for (const auto& tool : list.result.at("tools").as_array()) {
    const std::string name(tool.at("name").as_string());
    add("tools/list: " + name, boost::json::serialize(tool).size());
    EXPECT_LE(utf16_units(std::string_view(tool.at("description").as_string())), kHostTextUnits) << name;
  }
  const Answer discovered = ask("server/discover", "");
  add("server/discover", discovered.cost.result);
  const std::string instructions(discovered.result.at("instructions").as_string());
  EXPECT_LE(utf16_units(instructions), kHostTextUnits);
  add("instructions", instructions.size());

  const Answer index = measure("schema: 243 streams of 35 connections", "schema", "{}");
  EXPECT_LE(index.cost.result, api::kSchemaIndexBytes);
  EXPECT_LT(index.cost.structured, kSeedSchemaBytes);
  measure("schema: the streams of one connection", "schema", R"({"connection_id":"cin_03_0"})");
  measure("schema: one stream of 32 fields", "schema", R"({"stream":"stream_03_07","connection_id":"cin_03_0"})");
  measure("schema: the same in full", "schema", R"({"stream":"stream_03_07","connection_id":"cin_03_0","detail":"full"})");

  measure("query_records: 25 long texts", "query_records", R"({"stream":"zorps"})");
  const Answer page = measure("query_records: 100 long texts", "query_records", R"({"stream":"zorps","limit":100})");
  add("query_records: 100 long texts, records on its page",
      page.result.at_pointer("/structuredContent/data/data").as_array().size());
  measure("query_records: 100 of 20 long fields and bytes", "query_records", R"({"stream":"wides","limit":100})");
  measure("query_records: 100 of them, one field", "query_records", R"({"stream":"wides","limit":100,"fields":["id"]})");
  measure("query_records: one short record", "query_records",
          R"({"stream":"zorps","connection_id":"cin_book","limit":1,"filter":{"id":"slip"}})");

  measure("aggregate: a count", "aggregate", R"({"stream":"zorps","metric":"count"})");
  measure("aggregate: 100 groups", "aggregate", R"({"stream":"zorps","metric":"count","group_by":"flavour","limit":100})");
  measure("aggregate: by day", "aggregate",
          R"({"stream":"zorps","metric":"count","group_by_time":"glimmed_at","granularity":"day","limit":100})");

  const Answer ten = measure("search: ten hits of mail", "search", R"({"query":"ferry","connection_id":"cin_mail"})");
  EXPECT_EQ(ten.result.at_pointer("/structuredContent/results").as_array().size(), 10U);
  expect_within(ten, kTenHits, "ten hits");
  const Answer first = measure("search: 10 of 200 fat hits", "search", R"({"query":"wombat"})");
  EXPECT_EQ(first.result.at_pointer("/structuredContent/results").as_array().size(), 10U) << "the default page";
  const Answer fat = measure("search: limit 100, 200 fat hits", "search", R"({"query":"wombat","limit":100})");
  for (const Answer* answer : {&first, &fat}) EXPECT_LE(prose_bytes(answer->text()), api::kSearchProseBytes);
  add("search: limit 100, its prose", prose_bytes(fat.text()));
  add("search: limit 100, hits on its page", fat.result.at_pointer("/structuredContent/results").as_array().size());
  measure("search: one short hit", "search", R"({"query":"okapi"})");
  measure("search: nothing found", "search", R"({"query":"nowhere"})");

  expect_within(measure("fetch: a message of 377 chars", "fetch", R"({"id":"cin_mail/messages:m-00003"})"), kMessage,
                "a message");
  measure("fetch: a short record", "fetch", R"({"id":"cin_book/zorps:slip"})");
  measure("fetch: a book of a million chars", "fetch", R"({"id":"cin_book/zorps:tome"})");
  measure("fetch: 20 long fields and bytes", "fetch", R"({"id":"cin_book/wides:wide-000"})");
  measure("fetch: one field of it", "fetch", R"({"id":"cin_book/wides:wide-000","fields":["id"]})");

  measure("read_record_field: a short field", "read_record_field", R"({"id":"cin_book/zorps:slip","field_path":"blarg"})");
  measure("read_record_field: 4,096 chars", "read_record_field", R"({"id":"cin_book/zorps:tome","field_path":"blarg"})");
  expect_small_frame(measure("read_record_field: 4,096 chars in the middle", "read_record_field",
                             R"({"id":"cin_book/zorps:tome","field_path":"blarg","offset_chars":500000})"),
                     "read_record_field: 4,096 chars in the middle");
  measure("read_record_field: 16,384 chars", "read_record_field",
          R"({"id":"cin_book/zorps:tome","field_path":"blarg","limit_chars":16384})");
  measure("read_record_field: 16,384 chars of four bytes", "read_record_field",
          R"({"id":"cin_book/wides:wide-000","field_path":"a_rather_long_name_of_a_field_00","limit_chars":16384})");
  measure("read_record_field: around a match", "read_record_field",
          R"({"id":"cin_book/zorps:tome","field_path":"blarg","q":"QUAGGA"})");
  measure("error: a field that is not there", "read_record_field", R"({"id":"cin_book/zorps:tome","field_path":"nothing"})",
          true);
  measure("error: an argument that is not known", "search", R"({"query":"x","colour":"red"})", true);
  journey();

  std::cout << table();
  compare_with_snapshot(table());
}

LADDER_FOR_EVERY_ENGINE(Economy);

}  // namespace
}  // namespace ladder::economy
