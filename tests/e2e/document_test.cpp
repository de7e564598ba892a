// Checks the documentation: the commands of docs/reference/cli.md run, docs/reference/errors.md is current, and every option is
// in its help page and in docs/reference/cli.md.
#include "owner.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ladder::e2e {
namespace {

std::string document(std::string_view name) {
  std::ifstream file(std::string(LADDER_SOURCE_DIR) + "/" + std::string(name));
  EXPECT_TRUE(file) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Documents, TheManualExampleRuns) {
  const std::string page = document("docs/reference/cli.md");
  const auto mark = page.find("<!-- tested");
  const auto begin = page.find("```sh\n", mark);
  const auto end = page.find("\n```", begin);
  ASSERT_TRUE(mark != std::string::npos && begin != std::string::npos && end != std::string::npos);
  Owner owner;
  owner.surroundings().environment.erase("LADDER_DB");
  owner.surroundings().environment["PATH"] = std::filesystem::path(LADDER_BINARY).parent_path().string() + ":/usr/bin:/bin";
  owner.surroundings().program = "/bin/bash";
  const Outcome outcome = owner.ladder({"-euo", "pipefail"}, page.substr(begin + 6, end - begin - 5));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  for (const char* told : {"The store is ready", "2 of 2 records stored", "The spare key hangs behind the third clock.",
                           "ß is not ss", "refused, exit code 77", "revoked"}) {
    EXPECT_NE(outcome.out.find(told), std::string::npos) << told << '\n' << outcome.summary();
  }
  EXPECT_EQ(outcome.out.find("Tired today"), std::string::npos);
}

TEST(Documents, ErrorsAreCurrent) {
  EXPECT_EQ(document("docs/reference/errors.md"), Owner().done({"errors"}).out)
      << "run: ladder errors > docs/reference/errors.md";
}

TEST(Documents, SettingsAreCurrent) {
  const std::string page = document("docs/reference/settings.md"), mark = "<!-- settings -->\n";
  ASSERT_NE(page.find(mark), std::string::npos);
  const Owner owner;
  EXPECT_EQ(page.substr(page.find(mark) + mark.size()), owner.done({"settings"}).out)
      << "put the output of ladder settings after the mark in docs/reference/settings.md";
  const boost::json::value shown = owner.json({"config", "show"});
  EXPECT_GE(shown.at("settings").as_array().size(), 20U);
  for (const auto& setting : shown.at("settings").as_array()) {
    for (const char* name : {"/key", "/variable"})
      EXPECT_NE(page.find("`" + text_at(setting, name) + "`"), std::string::npos) << text_at(setting, name);
  }
}

// Returns the words of every command, found by following the help pages.
std::vector<std::vector<std::string>> commands(const Owner& owner) {
  const std::regex entry(R"(^  ([a-z]+) {2,})");
  std::vector<std::vector<std::string>> waiting = {{}}, found;
  while (!waiting.empty()) {
    std::vector<std::string> words = waiting.back();
    waiting.pop_back();
    std::vector<std::string> asked = words;
    asked.emplace_back("--help");
    std::istringstream page(owner.done(asked).out);
    bool inside = false, group = false;
    for (std::string line; std::getline(page, line);) {
      if (line == "Subcommands:") inside = group = true;
      std::smatch match;
      if (inside && std::regex_search(line, match, entry)) {
        waiting.push_back(words);
        waiting.back().push_back(match[1]);
      }
    }
    if (!group) found.push_back(words);
  }
  return found;
}

TEST(Documents, EveryOptionIsExplained) {
  const Owner owner;
  const std::string cli = document("docs/reference/cli.md");
  const auto all = commands(owner);
  EXPECT_GE(all.size(), 12U);
  const std::regex option(R"((^|[ ,])(--[a-z][a-z-]*))");
  for (std::vector<std::string> words : all) {
    const std::string name = words.size() == 1 ? words[0] : words[0] + " " + words[1];
    EXPECT_NE(cli.find(name), std::string::npos) << name;
    words.emplace_back("--help");
    const Outcome help = owner.done(words);
    std::string page = help.out.empty() ? help.err : help.out;  // ladder mcp prints nothing else to its standard output
    EXPECT_NE(page.find("Examples:"), std::string::npos) << name;
    page.resize(page.find("Examples:"));
    std::set<std::string> options;
    for (std::sregex_iterator at(page.begin(), page.end(), option), end; at != end; ++at) options.insert((*at)[2]);
    for (const char* common : {"--db", "--owner", "--json", "--help"})
      EXPECT_TRUE(options.contains(common)) << name << ' ' << common;
    for (const std::string& found : options) EXPECT_NE(cli.find(found), std::string::npos) << name << ' ' << found;
  }
}

TEST(Documents, EverythingOnThePageExists) {
  const Owner owner;
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> expected = {
      {{"source", "add"}, {"--key", "FILE"}},
      {{"connection", "add"}, {"--name", "--id", "KEY"}},
      {{"ingest"}, {"--connection", "--stream", "--receipts", "FILE"}},
      {{"grant", "create"},
       {"--client", "--stream", "--connection", "--since", "--until", "--record", "--expires", "--single-use", "--purpose"}},
      {{"grant", "revoke"}, {"--client", "ID"}},
      {{"token", "create"}, {"--expires"}},
      {{"token", "revoke"}, {"ID"}},
      {{"search"}, {"WORDS", "--since", "--until", "--order", "--all", "--limit"}},
      {{"show"}, {"ID", "--save", "--token"}},
      {{"read"}, {"--offset", "--cursor", "--q", "--limit", "--before", "--after", "--token", "ID", "FIELD"}},
  };
  for (const auto& [command, options] : expected) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    const std::string page = owner.done(words).out;
    for (const std::string& option : options) EXPECT_NE(page.find("  " + option), std::string::npos) << option << '\n' << page;
  }
}

TEST(Documents, TheDemosOwnerCanBeIngested) {
  Owner owner;
  owner.surroundings().program = LADDER_GENERATE;
  owner.done({"data"});
  owner.surroundings().program = LADDER_BINARY;
  owner.done({"init"});
  const std::vector<std::array<std::string, 3>> streams = {{{"mail", "messages", "mail-messages"}},
                                                           {{"chat", "messages", "chat-messages"}},
                                                           {{"notes", "notes", "notes"}},
                                                           {{"notes", "documents", "documents"}}};
  std::int64_t records = 0;
  for (const auto& [source, stream, file] : streams) {
    if (stream != "documents") {
      owner.done({"source", "add", "data/" + source + ".json"});
      owner.done({"connection", "add", source, "--id", source + "-home"});
    }
    const auto receipt = owner.json({"ingest", "--connection", source + "-home", "--stream", stream, "data/" + file + ".ndjson"});
    EXPECT_EQ(number_at(receipt, "/records_rejected"), 0);
    records += number_at(receipt, "/added");
  }
  EXPECT_GE(records, 5000);
  const auto window = owner.json({"read", "notes-home/documents:ledger-of-tides", "text", "--q", "SPARE KEY hangs"});
  EXPECT_GT(number_at(window, "/field/size_chars"), 2'000'000);
  EXPECT_FALSE(owner.json({"read", "notes-home/documents:d01", "scan"}).at("field").at("text_like").as_bool());
  EXPECT_EQ(text_at(owner.json({"read", "notes-home/documents:d01", "scan"}), "/field/mime_type"), "application/pdf");
}

}  // namespace
}  // namespace ladder::e2e
