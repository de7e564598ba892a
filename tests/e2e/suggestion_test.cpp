// A mistyped word gives the closest existing one as a suggestion, and never a name that the caller may not know.
#include "owner.h"

namespace ladder::e2e {
namespace {

class Suggestions : public ::testing::Test {
 protected:
  Suggestions() {
    owner.set_up();
    owner.done({"connection", "add", "notes", "--id", "office"});
    EXPECT_EQ(owner.ingest(note("n1", "text")).exit_code, 0);
  }
  std::string told(const std::vector<std::string>& words) const {
    const Outcome outcome = owner.ladder(words);
    EXPECT_NE(outcome.exit_code, 0) << outcome.summary();
    return outcome.err;
  }
  Owner owner;
};

TEST_F(Suggestions, CoverEveryKindOfName) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistyped = {
      {{"reed", "x", "y"}, "did you mean 'ladder read'?"},
      {{"grant", "crate"}, "did you mean 'ladder grant create'?"},
      {{"records", "notes", "--lmit", "3"}, "did you mean '--limit'? ladder records --help lists the options"},
      {{"connection", "show", "ofice"}, "did you mean 'office'?"},
      {{"search", "x", "--connection", "ofice"}, "did you mean 'office'?"},
      {{"erase", "ofice", "--yes"}, "did you mean 'office'?"},
      {{"records", "noets", "--connection", "home"}, "did you mean 'notes'?"},
      {{"schema", "note"}, "did you mean 'notes'?"},
      {{"records", "whatever"}, "; choose one of: "},
      {{"connection", "show", "whatever"}, "; there is \"home\", \"office\""},
      {{"search", "x", "--stream", "nots"}, "did you mean 'notes'?"},
      {{"grant", "create", "--client", "c", "--stream", "notse"}, "did you mean 'notes'?"},
      {{"grant", "create", "--client", "c", "--stream", "notes:boddy,id"}, "did you mean 'body'?"},
      {{"read", "hmoe/notes:n1", "body"}, "did you mean 'home/notes'?"},
      {{"read", "home/notes:n1", "bdoy"}, "did you mean 'body'?"},
      {{"records", "notes", "--connection", "home", "--fields", "id,titel"}, "did you mean 'title'?"},
      {{"records", "notes", "--connection", "home", "--filter", "titel=x"}, "did you mean 'title'?"},
      {{"records", "notes", "--connection", "home", "--order", "dsc"}, "did you mean 'desc'?"},
      {{"import", "/dev/null", "--as", "mial"}, "unknown format 'mial'; did you mean 'mail'? supported formats: "},
      {{"completions", "fsh"}, "did you mean 'fish'?"},
  };
  for (const auto& [words, expected] : mistyped) {
    const std::string answer = told(words);
    EXPECT_NE(answer.find(expected), std::string::npos) << ::testing::PrintToString(words) << "\n" << answer;
    EXPECT_EQ(answer.find("did you mean"), answer.rfind("did you mean")) << answer;
  }
}

TEST_F(Suggestions, NeedACloseMatch) {
  EXPECT_EQ(told({"connection", "show", "something-else"}).find("did you mean"), std::string::npos);
  EXPECT_EQ(told({"import", "/dev/null", "--as", "something"}).find("did you mean"), std::string::npos);
  EXPECT_EQ(told({"read", "home/notes:n2", "body"}).find("did you mean"), std::string::npos) << "every name is there";
  EXPECT_EQ(told({"connection", "show", "ofice", "--db", "/nowhere/at/all.db"}).find("did you mean"), std::string::npos);
}

TEST_F(Suggestions, NeverNameAnotherClientsGrant) {
  const auto granted = owner.json({"grant", "create", "--client", "c", "--stream", "home/notes:id"});
  std::string id(granted.at("grant_ids").as_array().front().as_string());
  id.back() = id.back() == '0' ? '1' : '0';
  EXPECT_EQ(told({"grant", "revoke", id}).find("did you mean"), std::string::npos);
}

TEST_F(Suggestions, GiveAClientNoNames) {
  owner.surroundings().environment["LADDER_TOKEN"] =
      text_at(owner.json({"grant", "create", "--client", "c", "--stream", "home/notes:id,body"}), "/token");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"read", "ofice/notes:n1", "body", "--token", "env"},
                                             {"records", "lgo", "--token=env"},
                                             {"schema", "lg", "--token", "env"}}) {
    EXPECT_EQ(told(words).find("did you mean"), std::string::npos) << ::testing::PrintToString(words);
  }
}

TEST_F(Suggestions, IncludeHelp) {
  EXPECT_EQ(owner.done({"help", "grant", "create"}).out, owner.done({"grant", "create", "--help"}).out);
  EXPECT_EQ(owner.done({"help"}).out, owner.done({"--help"}).out);
}

}  // namespace
}  // namespace ladder::e2e
