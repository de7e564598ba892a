// ladder search: hits as paragraphs with their evidence, follow-up commands, the REST body as JSON, and plain errors.
#include "owner.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace ladder::e2e {
namespace {

class SearchCommand : public EveryEngine {
 protected:
  SearchCommand() {
    owner.set_up();
    owner.done({"source", "add", owner.write_file("searchable.json", searchable_notes_declaration())});
    std::string long_body;
    for (int i = 0; i < 3'000; ++i) long_body += "filler" + std::to_string(i) + " ";
    EXPECT_EQ(owner
                  .ingest(note("n1", "The spare key hangs\nbehind the third clock.") + note("n2", long_body + "the third thing") +
                          note("n3", "Nothing of the kind."))
                  .exit_code,
              0);
  }
  static bool has(const std::string& text, std::string_view what) { return text.find(what) != std::string::npos; }
};

TEST_P(SearchCommand, AHitIsAParagraph) {
  const Outcome outcome = owner.done({"search", "third clock", "--all"});
  EXPECT_EQ(outcome.out,
            "home/notes:n1  2026-04-01\n"
            "  The spare key hangs behind the third clock.\n"
            "  ladder show home/notes:n1\n\n");
  EXPECT_TRUE(has(outcome.err, "1 shown; 1 record matches.")) << outcome.summary();
  EXPECT_FALSE(has(outcome.err, "not searched")) << "that the log has nothing to search is no news\n" << outcome.summary();
  const Outcome named = owner.done({"search", "third clock", "--stream", "notes", "--stream", "log"});
  EXPECT_TRUE(has(named.err, "note: not searched in connection")) << "unless it was named\n" << named.summary();
}

TEST_P(SearchCommand, WordsNeedNoQuotes) {
  const Outcome quoted = owner.done({"search", "third clock", "--stream", "notes"});
  EXPECT_TRUE(has(quoted.out, "  without clock\n")) << "the other has one of the words\n" << quoted.summary();
  EXPECT_EQ(owner.done({"search", "third", "clock", "--stream", "notes"}).out, quoted.out);
  EXPECT_EQ(owner.done({"search", "--stream", "notes", "--", "third", "clock", "-zeppelin"}).out, quoted.out);
  EXPECT_EQ(owner.done({"search", "third", "clock", "--stream", "notes", "--", "-zeppelin"}).out, quoted.out);
  EXPECT_EQ(owner.done({"search", "--stream", "notes", "third", "--", "clock", "-zeppelin"}).out, quoted.out);
  const Outcome option = owner.ladder({"search", "third", "-zeppelin"});
  EXPECT_EQ(option.exit_code, 64);
  EXPECT_TRUE(has(option.err, "unknown option '-zeppelin'; put -- before arguments that begin with -")) << option.summary();
  const Outcome early = owner.done({"search", "third", "--stream", "notes", "--until", "1990-01-01"});
  EXPECT_TRUE(has(early.err, "No record in that period contains \"third\".")) << "others have it\n" << early.summary();
  EXPECT_FALSE(has(owner.done({"search", "third", "clock", "--stream", "notes", "--all"}).out, "n2"));
  const Outcome page = owner.done({"search", "--stream", "notes", "--limit", "1", "--", "third", "-zeppelin"});
  EXPECT_TRUE(has(page.err, " -- third -zeppelin\n")) << "the next page asks the same\n" << page.summary();
  EXPECT_EQ(owner.ladder({"search", "third", "--order", "sideways"}).exit_code, 64);
  EXPECT_EQ(owner.ladder({"search", "third", "--since", "soon"}).exit_code, 64);
  EXPECT_EQ(owner.ladder({"search", "third", "--until", "soon"}).exit_code, 64);
}

TEST_P(SearchCommand, ThePrintedCommandsContinue) {
  const Outcome cut = owner.done({"search", "thing", "--stream", "notes"});
  std::smatch command;
  ASSERT_TRUE(std::regex_search(cut.out, command, std::regex(R"(ladder read (home/notes:n2) body --offset (\d+)\n)"))) << cut.out;
  EXPECT_TRUE(has(cut.out, "  … ")) << cut.out;
  EXPECT_TRUE(has(cut.out, "the third thing")) << cut.out;
  const auto window = owner.json({"read", command[1], "body", "--offset", command[2]});
  EXPECT_TRUE(has(text_at(window, "/window/text"), "the third thing"));

  const Outcome page = owner.done({"search", "third", "--stream", "notes", "--limit", "1"});
  EXPECT_TRUE(has(page.err, "1 shown; 2 records match.")) << page.summary();
  std::smatch next;
  ASSERT_TRUE(
      std::regex_search(page.err, next, std::regex(R"(next +ladder search third --stream notes --limit 1 --cursor (\S+))")))
      << page.err;
  const Outcome second = owner.done({"search", "third", "--stream", "notes", "--limit", "1", "--cursor", next[1]});
  EXPECT_NE(second.out, page.out);
  EXPECT_FALSE(has(second.err, "--cursor")) << second.summary();
}

TEST_P(SearchCommand, ReportsThatNothingMatched) {
  const Outcome none = owner.done({"search", "zeppelin"});
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(has(none.err, "No matches.")) << none.summary();
  EXPECT_TRUE(has(owner.done({"search", "third", "--stream", "log"}).err, "Nothing was searched")) << "no searchable field";
  owner.done({"init", "--owner", "newcomer"});
  EXPECT_TRUE(has(owner.done({"search", "third", "--owner", "newcomer"}).err, "No data yet: ladder import FILE"));
}

TEST_P(SearchCommand, JsonIsTheRestBody) {
  const auto page = owner.json({"search", "\"third clock\" -zeppelin", "--stream", "notes", "--connection", "home", "--filter",
                                "updated_at.gte=2026-01-01", "--limit", "5"});
  EXPECT_EQ(text_at(page, "/object"), "list");
  EXPECT_EQ(text_at(page, "/url"), "/v1/search");
  EXPECT_EQ(number_at(page, "/meta/count"), 1);
  EXPECT_EQ(text_at(page, "/data/0/id"), "home/notes:n1");
  EXPECT_EQ(text_at(page, "/data/0/match_windows/0/text"), "The spare key hangs\nbehind the third clock.");
  EXPECT_EQ(text_at(page, "/data/0/record_url"), "/v1/streams/notes/records/n1?connection_id=home&connector_id=notes");
  EXPECT_EQ(
      owner.json({"search", "third", "--stream", "notes", "--filter", "updated_at.lt=2026-01-01"}).at("data").as_array().size(),
      0U);
}

TEST_P(SearchCommand, AClientFindsGrantedRecords) {
  const std::string token =
      text_at(owner.json({"grant", "create", "--client", "c", "--stream", "notes:id,body", "--record", "n1"}), "/token");
  const auto found = owner.json({"search", "third", "--token", token});
  EXPECT_EQ(number_at(found, "/meta/count"), 1);
  EXPECT_EQ(text_at(found, "/data/0/record_url"), "/v1/streams/notes/records/n1?connection_id=home");
  EXPECT_EQ(number_at(owner.json({"search", "secret", "--token", token}), "/meta/count"), 0) << "the diary is outside the grant";
  EXPECT_EQ(number_at(owner.json({"search", "secret"}), "/meta/count"), 3);
  for (const char* stream : {"log", "nosuch"}) {
    EXPECT_EQ(owner.ladder({"search", "third", "--stream", stream, "--token", token}).exit_code, 77) << stream;
  }
}

TEST_P(SearchCommand, MistakesAreReported) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"search"},
                                             {"search", ""},
                                             {"search", "..."},
                                             {"search", "third", "--limit", "ten"},
                                             {"search", "third", "--filter", "title"},
                                             {"search", "third", "--filter", "title=x"}}) {
    EXPECT_EQ(owner.ladder(words).exit_code, 64) << words.back();
  }
  EXPECT_EQ(owner.ladder({"search", "third", "--cursor", "x", "--json"}).error_code(), "invalid_cursor");
  EXPECT_EQ(owner.ladder({"search", "third", "--connection", "x", "--json"}).error_code(), "connection_not_found");
}

LADDER_FOR_EVERY_ENGINE(SearchCommand);

}  // namespace
}  // namespace ladder::e2e
