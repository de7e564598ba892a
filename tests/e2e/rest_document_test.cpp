// Checks docs/reference/rest.md: its examples run against the real program, and its tables are the program's.
#include "owner.h"

#include <fstream>
#include <sstream>

namespace ladder::e2e {
namespace {

std::string page() {
  std::ifstream file(std::string(LADDER_SOURCE_DIR) + "/docs/reference/rest.md");
  EXPECT_TRUE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RestDocument, TheExampleRuns) {
  const std::string text = page();
  const auto mark = text.find("<!-- tested");
  const auto begin = text.find("```sh\n", mark);
  const auto end = text.find("\n```", begin);
  ASSERT_TRUE(mark != std::string::npos && begin != std::string::npos && end != std::string::npos);
  Owner owner;
  owner.surroundings().environment.erase("LADDER_DB");
  owner.surroundings().environment["PATH"] = std::filesystem::path(LADDER_BINARY).parent_path().string() + ":/usr/bin:/bin";
  owner.surroundings().program = "/bin/bash";
  const std::string script = owner.write_file("journey.sh", text.substr(begin + 6, end - begin - 5));
  const Outcome outcome = owner.ladder({"-euo", "pipefail", script});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  const auto told = [&](std::string_view what) { return outcome.out.find(what) != std::string::npos; };
  for (const char* what : {R"("records_accepted":3)", R"("records_accepted":1)",                        // records ingested
                           R"("detail":"compact")", R"("body":"t=string,eq,lex")",                      // the schema
                           R"("count":{"kind":"exact","value":3})", R"("words":12345678901234567890)",  // records
                           R"("expanded":{"files":{"object":"list","has_more":false,"data":[{"object":"record","id":"f1")",
                           R"("matches":[{"start_chars":4,"end_chars":9},{"start_chars":31,"end_chars":42}])",  // a search
                           R"("meta":{"count":0,"count_accuracy":"exact")", R"("text":"the third clock")",
                           R"("code":"field_not_granted")",  // a window and a refusal
                           R"("groups":[{"key":"2026-01-01","count":1},{"key":"2026-02-01","count":2}])",  // an aggregate
                           "\nsmall\n304\n",                                                               // a blob
                           R"("id":"n2","stream":"notes","deleted":true)",                                 // a change
                           R"("active":true,"pdpp_token_kind":"client")", R"({"revoked":true})", R"("code":"grant_revoked")"}) {
    EXPECT_TRUE(told(what)) << what << '\n' << outcome.summary();
  }
  EXPECT_FALSE(told("Tired today")) << "the diary is outside the grant";
}

TEST(RestDocument, TheTablesAreCurrent) {
  const std::string text = page();
  constexpr std::string_view kMark = "<!-- routes -->\n";
  const auto mark = text.find(kMark);
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(text.substr(mark + kMark.size()), Owner().done({"routes"}).out)
      << "put the output of ladder routes after the mark in docs/reference/rest.md";
}

}  // namespace
}  // namespace ladder::e2e
