// Every exit code with its output, for people and for programs.
#include "owner.h"

namespace ladder::e2e {
namespace {

class ExitCodes : public ::testing::Test {
 protected:
  ExitCodes() { owner.set_up(); }
  Owner owner;
};

TEST_F(ExitCodes, SuccessIs0) {
  EXPECT_EQ(owner.done({"--version"}).out.rfind("ladder ", 0), 0U);
  EXPECT_NE(owner.done({"--help"}).out.find("connection"), std::string::npos);
  EXPECT_EQ(owner.done({"read", "--help"}).err, "");
}

TEST_F(ExitCodes, WithoutACommandPrintsHelp) {
  EXPECT_EQ(owner.done({}).out, owner.done({"--help"}).out);
  EXPECT_EQ(owner.done({"grant"}).out, owner.done({"grant", "--help"}).out);
  EXPECT_EQ(owner.ladder({"--json"}).exit_code, 64) << "a program gets no page";
}

TEST_F(ExitCodes, UsageIs64) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"connection", "ad"},
           {"read", "home/notes:n1"},
           {"read", "home/notes:n1", "body", "extra"},
           {"read", "home/notes:n1", "body", "--nonsense"},
           {"read", "home/notes:n1", "body", "--offset", "1", "--q", "x"},
           {"read", "home/notes:n1", "body", "--offset", "-1"},
           {"read", "home/notes:n1", "body", "--limit", "ten"},
           {"read", "home/notes:n1", "body", "--limit", "16385"},
           {"read", "home/notes:n1", "body", "--before", "5"},
           {"read", "no-id-at-all", "body"},
           {"read", "home/notes:../n1", "body"},
           {"read", "pdpp://record/!", "body"},
           {"read", "home/notes:n1", ""},
           {"read", "home/notes:n1", "/bad~pointer"},
           {"grant", "create", "--client", "c"},
           {"grant", "create", "--client", "c", "--stream", ":x"},
           {"grant", "create", "--client", "c", "--stream", "notes", "--expires", "tomorrow"},
           {"grant", "create", "--stream", "notes"},
           {"ingest", "--stream", "notes"},
           {"init", "--owner", ""},
           {"init", "--db", ""},
       }) {
    const Outcome outcome = owner.ladder(words);
    EXPECT_EQ(outcome.exit_code, 64) << ::testing::PrintToString(words) << '\n' << outcome.summary();
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("ladder: ", 0), 0U) << outcome.summary();
    std::vector<std::string> with_json = words;
    with_json.emplace_back("--json");
    const Outcome told = owner.ladder(with_json);
    EXPECT_EQ(told.exit_code, 64) << told.summary();
    EXPECT_NE(told.error_code(), "") << told.summary();
    EXPECT_EQ(told.json().at("error").at("http_status").as_int64(), 400) << told.summary();
  }
}

TEST_F(ExitCodes, FailedIs1) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const auto code = [&](std::vector<std::string> words) {
    words.emplace_back("--json");
    const Outcome outcome = owner.ladder(words);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
    return outcome.error_code();
  };
  EXPECT_EQ(code({"read", "home/notes:missing", "body"}), "not_found");
  EXPECT_EQ(code({"read", "home/notes:n1", "blocks"}), "field_not_found");
  EXPECT_EQ(code({"read", "home/notes:n1", "stars"}), "field_not_text");
  EXPECT_EQ(code({"read", "home/notes:n1", "nonsense"}), "field_not_found");
  const auto grant = owner.json({"grant", "create", "--client", "c", "--stream", "notes:body"});
  EXPECT_EQ(code({"read", "home/notes:n1", "nonsense", "--token", text_at(grant, "/token")}), "unknown_field");
  EXPECT_EQ(code({"read", "home/notes:n1", "body", "--q", "absent"}), "query_not_found");
  EXPECT_EQ(code({"read", "home/notes:n1", "body", "--cursor", "AAAA"}), "invalid_cursor");
  EXPECT_EQ(code({"read", "away/notes:n1", "body"}), "connection_not_found");
  EXPECT_EQ(code({"connection", "show", "away"}), "connection_not_found");
  EXPECT_EQ(code({"connection", "add", "notes", "--id", "home"}), "conflict");
  EXPECT_EQ(code({"connection", "add", "no-such-source"}), "not_found");
  EXPECT_EQ(code({"grant", "revoke", "grt_0000000000000000"}), "not_found");
  EXPECT_EQ(code({"source", "add", "/nowhere/declaration.json"}), "not_found");
  EXPECT_EQ(code({"ingest", "--connection", "home", "--stream", "nonsense"}), "stream_not_declared");
}

TEST_F(ExitCodes, RefusedIs77) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const auto code = [&](const std::string& token, const std::string& field) {
    const Outcome outcome = owner.ladder({"read", "home/notes:n1", field, "--token", token, "--json"});
    EXPECT_EQ(outcome.exit_code, 77) << outcome.summary();
    return outcome.error_code();
  };
  EXPECT_EQ(code("nonsense", "body"), "authentication_error");
  EXPECT_EQ(code("env", "body"), "authentication_error");
  const auto grant = owner.json({"grant", "create", "--client", "c", "--stream", "notes:body"});
  EXPECT_EQ(code(text_at(grant, "/token"), "diary"), "field_not_granted");
  const Outcome told = owner.ladder({"read", "home/notes:n1", "diary", "--token", text_at(grant, "/token")});
  EXPECT_EQ(told.exit_code, 77);
  EXPECT_EQ(told.out, "");
  EXPECT_NE(told.err.find("hint: "), std::string::npos) << told.summary();
}

TEST_F(ExitCodes, TheTokenVariableCountsOnlyOnRequest) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const auto grant = owner.json({"grant", "create", "--client", "c", "--stream", "notes:title"});
  owner.surroundings().environment["LADDER_TOKEN"] = text_at(grant, "/token");
  EXPECT_EQ(owner.ladder({"read", "home/notes:n1", "diary"}).exit_code, 0);
  EXPECT_EQ(owner.ladder({"read", "home/notes:n1", "title", "--token", "env"}).exit_code, 0);
  EXPECT_EQ(owner.ladder({"read", "home/notes:n1", "diary", "--token", "env"}).exit_code, 77);
}

TEST_F(ExitCodes, NotSetUpIs78) {
  Owner nobody;
  const Outcome outcome = nobody.ladder({"connection", "list"});
  EXPECT_EQ(outcome.exit_code, 78) << outcome.summary();
  EXPECT_NE(outcome.err.find("ladder init"), std::string::npos) << outcome.summary();
  EXPECT_EQ(nobody.ladder({"connection", "list", "--json"}).error_code(), "not_set_up");
  EXPECT_EQ(owner.ladder({"connection", "list", "--owner", "stranger", "--json"}).error_code(), "not_set_up");
}

TEST_F(ExitCodes, RejectedLinesAre1AndTheRestIsStored) {
  const Outcome outcome = owner.ingest(note("n1", "a") + "nonsense\n" + note("n2", "b"), {"--json"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(number_at(outcome.json(), "/records_accepted"), 2);
  EXPECT_EQ(number_at(outcome.json(), "/rejections/0/line"), 2);
  EXPECT_EQ(text_at(outcome.json(), "/rejections/0/code"), "malformed_ndjson");
}

TEST_F(ExitCodes, OutputThatCannotBeWrittenIs1) {
  ASSERT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  const std::string command = "LADDER_DB=" + owner.place().location() + " " LADDER_BINARY " read home/notes:n1 body";
  EXPECT_EQ(WEXITSTATUS(std::system((command + " >/dev/full 2>/dev/null").c_str())), 1);
  // A reader that closes the pipe early is not a failure.
  EXPECT_EQ(WEXITSTATUS(std::system(("bash -c 'set -o pipefail; " + command + " | true' 2>/dev/null").c_str())), 0);
}

}  // namespace
}  // namespace ladder::e2e
