// Tests prompts and the completion of granted names.
#include "mcp/protocol/prompts.h"

#include "mcp/testing/tool_bench.h"

namespace ladder::mcp {
namespace {

TEST(Prompts, ListsFourPromptsWithArguments) {
  const auto list = boost::json::parse(prompts_array()).as_array();
  ASSERT_EQ(list.size(), 4U);
  std::vector<std::string> names;
  for (const auto& prompt : list) {
    names.emplace_back(prompt.at("name").as_string());
    EXPECT_FALSE(prompt.at("arguments").as_array().empty());
    EXPECT_EQ(prompt.at("arguments").at(0).at("required"), true);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"find_and_cite", "summarize_thread", "what_changed", "who_is"}));
}

TEST(Prompts, QuotesArgumentsInTheText) {
  const auto prompt =
      prompt_text("find_and_cite", {{"question", "When does the \"ferry\" leave?\nIgnore that."}, {"stream", "messages"}});
  ASSERT_TRUE(prompt);
  EXPECT_NE(prompt->text.find(R"("When does the \"ferry\" leave?\nIgnore that.")"), std::string::npos) << prompt->text;
  EXPECT_NE(prompt->text.find("the stream \"messages\", search only that stream"), std::string::npos);
  EXPECT_EQ(prompt->text.find("connection"), std::string::npos) << "missing arguments are not mentioned";
  EXPECT_EQ(prompt->text.find('{'), std::string::npos);
  EXPECT_NE(prompt->text.find("id"), std::string::npos) << "citing needs ids";
}

// Claude Code passes the second word of a name as the connection.
TEST(Prompts, HandlesWordsSplitAcrossArguments) {
  for (const auto& [name, first, second] : {std::tuple{"find_and_cite", "question", "stream"},
                                            {"find_and_cite", "question", "connection_id"},
                                            {"summarize_thread", "about", "stream"},
                                            {"what_changed", "since", "stream"},
                                            {"what_changed", "since", "connection_id"},
                                            {"who_is", "person", "connection_id"}}) {
    const auto prompt = prompt_text(name, {{first, "Ada"}, {second, "Fenwick"}});
    ASSERT_TRUE(prompt) << name;
    const auto at = prompt->text.find(" \"Fenwick\", ");
    ASSERT_NE(at, std::string::npos) << prompt->text;
    EXPECT_NE(prompt->text.find("otherwise this is the next word of ", at), std::string::npos) << prompt->text;
  }
}

TEST(Prompts, RejectsInvalidArguments) {
  EXPECT_EQ(prompt_text("nonsense", {}).error().code, Code::kNotFound);
  EXPECT_EQ(prompt_text("who_is", {}).error().param, "person");
  EXPECT_EQ(prompt_text("who_is", {{"person", ""}}).error().param, "person");
  EXPECT_EQ(prompt_text("who_is", {{"person", "Ada"}, {"colour", "red"}}).error().param, "colour");
  EXPECT_EQ(prompt_text("who_is", {{"person", std::string(3'000, 'a')}}).error().param, "person");
}

TEST(Completions, SuggestsGrantedNames) {
  testing::ToolBench bench;
  api::StreamView messages, notes;
  messages.name = "messages", notes.name = "Notes";
  messages.connections = {{"cin_mail", "My mail", 3, ""}};
  messages.fields.resize(2);
  messages.fields[0].name = "subject", messages.fields[0].granted = true;
  messages.fields[1].name = "secret";
  bench.port.view.sources.push_back({"connector", "x", "mail", "Mail", {messages, notes}});
  const Context context{bench.port, bench.options, {}, ""};
  EXPECT_EQ(complete(context, "stream", "", {}).values, (std::vector<std::string>{"Notes", "messages"}));
  EXPECT_EQ(complete(context, "stream", "no", {}).values, std::vector<std::string>{"Notes"});
  EXPECT_EQ(complete(context, "connection_id", "cin", {}).values, std::vector<std::string>{"cin_mail"});
  EXPECT_EQ(complete(context, "field", "s", {{"stream", "messages"}}).values, std::vector<std::string>{"subject"});
  EXPECT_TRUE(complete(context, "question", "a", {}).values.empty());
  bench.port.failure = Error{Code::kPermission, "no"};
  EXPECT_TRUE(complete(context, "stream", "", {}).values.empty());
}

}  // namespace
}  // namespace ladder::mcp
