// Tests the relations that the importers declare, by following them between records.
#include "base/text/format.h"
#include "importing.h"

namespace ladder::import_tests {
namespace {

using imports::testing::ZipMaker;

class Relations : public ::testing::TestWithParam<std::string> {
 protected:
  Relations() : owner(GetParam()) {}

  void import(const std::string& file, const std::string& bytes) const {
    save(owner.file(file), bytes);
    const Outcome outcome = owner.import({owner.file(file).string()});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
  }
  // Returns "record>related" for every record of the stream, ordered by record; "-" if there is none.
  std::string related(const std::string& connection, const std::string& stream, const std::string& relation) const {
    const boost::json::value page = owner.json({"records", stream, "--connection", connection, "--expand", relation});
    std::set<std::string> pairs;
    for (const auto& record : page.at("data").as_array()) {
      const auto& found = record.at("expanded").at(relation);
      pairs.insert(text_at(record, "/id") + ">" + (found.is_null() ? "-" : text_at(found, "/id")));
    }
    std::string text;
    for (const std::string& pair : pairs) text += (text.empty() ? "" : " ") + pair;
    return text;
  }

  Importer owner;
};
INSTANTIATE_TEST_SUITE_P(Engines, Relations, ::testing::Values("sqlite", "postgres"),
                         [](const auto& engine) { return engine.param; });

TEST_P(Relations, ChatGpt) {
  const auto node = [](std::string_view id, std::string_view parent) {
    return format(
        R"("{0}":{{"id":"{0}","parent":{1},"children":[],"message":{{"id":"{0}","author":{{"role":"user"}},"create_time":1700000000.25,)"
        R"("content":{{"content_type":"text","parts":["text {0}"]}},"metadata":{{}},"recipient":"all"}}}})",
        id, parent.empty() ? "null" : format("\"{}\"", parent));
  };
  const auto talk = [&](std::string_view id, std::string_view first, std::string_view second) {
    return format(
        R"({{"title":"About {0}","create_time":1699999999.5,"update_time":1700000100,"mapping":{{{1},{2}}},"current_node":"{3}",)"
        R"("conversation_id":"{0}","id":"{0}"}})",
        id, node(first, ""), node(second, first), second);
  };
  import("chatgpt.zip",
         ZipMaker().add("conversations.json", "[" + talk("c1", "m1", "m2") + "," + talk("c2", "m3", "m4") + "]").bytes());
  EXPECT_EQ(related("chatgpt", "messages", "conversation"), "c1.m1>c1 c1.m2>c1 c2.m3>c2 c2.m4>c2");
}

TEST_P(Relations, Claude) {
  const std::string talk =
      R"([{"uuid":"c1","name":"Talk","summary":"","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z","chat_messages":[)"
      R"({"uuid":"m1","sender":"human","created_at":"2025-01-01T00:00:00Z","text":"see this","content":[],"attachments":[)"
      R"({"file_name":"a.txt","file_size":12,"file_type":"txt","extracted_content":"a long paste"}],"files":[]}]}])";
  const std::string projects =
      R"([{"uuid":"p1","name":"Garden","description":"Beds","is_private":true,"prompt_template":"","created_at":"2025-01-01T00:00:00Z",)"
      R"("updated_at":"2025-01-02T00:00:00Z","docs":[{"uuid":"d1","filename":"soil.md","content":"# Soil","created_at":"2025-01-01T01:00:00Z"}]}])";
  import("claude.zip", ZipMaker().add("conversations.json", talk).add("projects.json", projects).bytes());
  EXPECT_EQ(related("claude", "messages", "conversation"), "m1>c1");
  EXPECT_EQ(related("claude", "project_docs", "project"), "d1>p1");
  const std::string message = related("claude", "attachments", "message");
  EXPECT_TRUE(message.ends_with(">m1")) << message;
}

TEST_P(Relations, Slack) {
  const auto message = [](std::string_view ts, std::string_view user, std::string_view more) {
    return format(R"({{"type":"message","user":"{}","text":"text {}","ts":"{}"{}}})", user, ts, ts, more);
  };
  import("slack.zip",
         ZipMaker()
             .add("users.json", R"([{"id":"U1","team_id":"T9","name":"ann","profile":{"real_name":"Ann Ash"}},)"
                                R"({"id":"U2","team_id":"T9","name":"bob","profile":{"real_name":"Bob Birch"}}])")
             .add("channels.json", R"([{"id":"C1","name":"general","created":1300000000,"creator":"U1","members":["U1"]}])")
             .add("general/2012-12-14.json",
                  "[" + message("1355517000.000001", "U1", R"(,"thread_ts":"1355517000.000001","reply_count":1)") + "," +
                      message("1355517523.000005", "U2", R"(,"thread_ts":"1355517000.000001")") + "," +
                      message("1355517600.000009", "U9", "") + "]")
             .bytes());
  const std::string first = "C1.1355517000.000001", reply = "C1.1355517523.000005", other = "C1.1355517600.000009";
  EXPECT_EQ(related("slack-t9", "messages", "channel_record"), format("{}>C1 {}>C1 {}>C1", first, reply, other));
  EXPECT_EQ(related("slack-t9", "messages", "user"), format("{}>U1 {}>U2 {}>-", first, reply, other))
      << "U9 is not in the export";
  EXPECT_EQ(related("slack-t9", "messages", "thread"), format("{0}>{0} {1}>{0} {2}>-", first, reply, other));
  const boost::json::value page = owner.json({"records", "messages", "--connection", "slack-t9", "--expand", "replies"});
  for (const auto& record : page.at("data").as_array()) {
    const auto& replies = record.at("expanded").at("replies").at("data").as_array();
    const bool begins_thread = text_at(record, "/id") == first;
    ASSERT_EQ(replies.size(), begins_thread ? 1U : 0U) << "a message that starts a thread is not a reply";
    if (begins_thread) {
      EXPECT_EQ(text_at(replies[0], "/id"), reply);
    }
  }
}

}  // namespace
}  // namespace ladder::import_tests
