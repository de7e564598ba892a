// ladder records and ladder schema: the REST bodies with --json, lines for programs, and printed commands that work.
#include "owner.h"

#include "base/text/format.h"

#include <sstream>

namespace ladder::e2e {
namespace {

class RecordsCommand : public EveryEngine {
 protected:
  RecordsCommand() {
    owner.set_up();
    std::string lines;
    for (int i = 1; i <= 5; ++i) {
      lines +=
          format(
              R"({{"key":"n{0}","data":{{"id":"n{0}","title":"T{1}","body":"of {0}","updated_at":"2026-0{0}-15T00:00:00Z"}}}})",
              i, i % 2) +
          "\n";
    }
    EXPECT_EQ(owner.ingest(lines).exit_code, 0);
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }
};

TEST_P(RecordsCommand, PrintsLinesForPrograms) {
  const Outcome all = owner.done({"records", "notes", "--fields", "id", "--count"});
  EXPECT_EQ(lines_of(all.out).size(), 5U) << all.summary();
  EXPECT_EQ(lines_of(all.out).at(0), "home/notes:n5\t{\"id\":\"n5\"}");
  EXPECT_NE(all.err.find("5 records match."), std::string::npos) << all.summary();
  const Outcome some = owner.done({"records", "notes", "--filter", "title=T1", "--order", "asc", "--fields", "title,id"});
  EXPECT_EQ(lines_of(some.out).size(), 3U) << some.summary();
  EXPECT_EQ(owner.done({"records", "notes", "--filter", "title=none"}).out, "");
}

TEST_P(RecordsCommand, LinesForProgramsAreComplete) {
  const std::string blocks = format(R"([{{"text":"{}"}}])", std::string(300, 'b'));
  ASSERT_EQ(owner
                .ingest(format(R"({{"key":"long","data":{{"id":"long","title":"Long","body":"{}","blocks":{}}}}})",
                               std::string(5'000, 'a'), blocks) +
                        "\n")
                .exit_code,
            0);
  const Outcome line = owner.done({"records", "notes", "--filter", "title=Long"});
  EXPECT_NE(line.out.find(std::string(5'000, 'a')), std::string::npos) << line.summary();
  EXPECT_NE(line.out.find("\"blocks\":" + blocks), std::string::npos) << line.summary();
}

TEST_P(RecordsCommand, ThePrintedCommandsContinue) {
  std::vector<std::string> seen;
  std::vector<std::string> words = {"records", "notes", "--limit", "2", "--order", "asc"};
  for (int pages = 0; pages < 5 && !words.empty(); ++pages) {
    const Outcome page = owner.done(words);
    for (const std::string& line : lines_of(page.out)) seen.push_back(line.substr(0, line.find('\t')));
    words.clear();
    for (const std::string& line : lines_of(page.err)) {
      if (!line.starts_with("next ")) continue;
      std::istringstream in(line.substr(line.find("ladder ") + 7));
      for (std::string word; in >> word;) words.push_back(word);
    }
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{"home/notes:n1", "home/notes:n2", "home/notes:n3", "home/notes:n4", "home/notes:n5"}));
}

TEST_P(RecordsCommand, JsonIsTheRestBody) {
  const auto page = owner.json({"records", "notes", "--limit", "2", "--count", "--connection", "home"});
  EXPECT_EQ(text_at(page, "/object"), "list");
  EXPECT_EQ(text_at(page, "/url"), "/v1/streams/notes/records");
  EXPECT_EQ(text_at(page, "/links/self"), "/v1/streams/notes/records?limit=2&count=exact&connection_id=home");
  EXPECT_EQ(number_at(page, "/meta/count/value"), 5);
  EXPECT_EQ(text_at(page, "/data/0/data/body"), "of 5");
  const auto first = owner.json({"records", "notes", "--changes-since", "beginning"});
  const std::string since = text_at(first, "/next_changes_since");
  ASSERT_EQ(owner.ingest("{\"key\":\"n2\",\"op\":\"delete\"}\n").exit_code, 0);
  const auto later = owner.json({"records", "notes", "--changes-since", since});
  EXPECT_EQ(text_at(later, "/data/0/id"), "n2");
  EXPECT_TRUE(later.at("data").at(0).at("deleted").as_bool());

  const auto schema = owner.json({"schema", "notes"});
  EXPECT_EQ(text_at(schema, "/object"), "schema");
  EXPECT_EQ(number_at(schema, "/stream_count"), 1);
  EXPECT_EQ(text_at(schema, "/connectors/0/streams/0/name"), "notes");
  EXPECT_EQ(text_at(schema, "/links/self"), "/v1/schema?stream=notes");
  EXPECT_EQ(owner.json({"schema"}).at("connectors").at(0).at("streams").as_array().size(), 2U);
}

TEST_P(RecordsCommand, AClientSeesItsGrant) {
  const auto grant = owner.json({"grant", "create", "--client", "c", "--stream", "notes:id,title", "--record", "n1"});
  const std::string token = text_at(grant, "/token");
  EXPECT_EQ(owner.done({"records", "notes", "--token", token}).out, "home/notes:n1\t{\"id\":\"n1\",\"title\":\"T1\"}\n");
  const Outcome schema = owner.done({"schema", "notes", "--token", token});
  EXPECT_NE(schema.out.find("diary\tstring\tno\t-"), std::string::npos) << schema.summary();
  EXPECT_NE(schema.out.find("title\tstring\tyes\tfilter"), std::string::npos) << schema.summary();
  EXPECT_EQ(lines_of(owner.done({"schema", "--token", token}).out).size(), 1U);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"records", "notes", "--fields", "diary"},
                                                                                     {"records", "log"},
                                                                                     {"records", "nosuch"},
                                                                                     {"schema", "log"},
                                                                                     {"schema", "nosuch"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--token", token});
    EXPECT_EQ(owner.ladder(asked).exit_code, 77) << words[1];
  }
}

TEST_P(RecordsCommand, MistakesAreReported) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"records"},
                                             {"records", "notes", "--limit", "ten"},
                                             {"records", "notes", "--limit", "0"},
                                             {"records", "notes", "--filter", "title"},
                                             {"records", "notes", "--order", "up"},
                                             {"records", "notes", "--changes-since", "beginning", "--order", "asc"}}) {
    EXPECT_EQ(owner.ladder(words).exit_code, 64) << words.back();
  }
  EXPECT_EQ(owner.ladder({"records", "notes", "--expand", "x", "--json"}).error_code(), "invalid_expand");
  EXPECT_EQ(owner.ladder({"records", "notes", "--cursor", "x", "--json"}).error_code(), "invalid_cursor");
  EXPECT_EQ(owner.ladder({"schema", "nosuch", "--json"}).error_code(), "not_found");
}

LADDER_FOR_EVERY_ENGINE(RecordsCommand);

}  // namespace
}  // namespace ladder::e2e
