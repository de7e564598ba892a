#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/io/limits.h"
#include "import/json/json_members.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::imports {
namespace {

using testing::Collected;
using testing::CollectingSink;
using testing::Files;
using testing::lines_of;
using testing::member;
using testing::MemoryTree;

CollectingSink read_files(Files files, const Request& request = {}) {
  return testing::read_files(claude_format(), std::move(files), request);
}

CollectingSink read_json(std::string text) { return read_files({{"conversations.json", std::move(text)}}); }

std::string message(std::string_view id, std::string_view sender, std::string_view rest) {
  return format(
      R"({{"uuid":"{}","sender":"{}","created_at":"2025-02-03T04:05:06.789012Z","updated_at":"2025-02-03T04:05:06Z",{}}})", id,
      sender, rest);
}

std::string conversation(std::string_view id, std::string_view messages) {
  return format(
      R"({{"uuid":"{}","name":"About {}","summary":"","created_at":"2025-02-03T04:05:06.789012Z","updated_at":"2025-02-04T00:00:00+02:00",)"
      R"("account":{{"uuid":"acc"}},"chat_messages":[{}]}})",
      id, id, messages);
}

std::string with_content(std::string_view blocks, std::string_view text = "") {
  return "[" +
         conversation(
             "c", message("m", "assistant", format(R"("text":"{}","content":{},"attachments":[],"files":[])", text, blocks))) +
         "]";
}

std::string many(int first, int count) {
  std::string text = "[";
  for (int i = first; i < first + count; ++i) {
    const std::string id = format("c{:04}", i);
    text += (i == first ? "" : ",") +
            conversation(id, message(id + "-q", "human", R"("text":"why 🙂","content":[{"type":"text","text":"why 🙂"}])") + "," +
                                 message(id + "-a", "assistant", R"("text":"so","content":[{"type":"text","text":"so"}])"));
  }
  return text + "]";
}

TEST(Claude, ConversationsAndMessages) {
  const CollectingSink sink = read_json(many(7, 1));
  const Collected conversation = only(sink, "conversations");
  EXPECT_EQ(member(conversation, "id"), "c0007");
  EXPECT_EQ(member(conversation, "title"), "About c0007");
  EXPECT_EQ(member(conversation, "created_at"), "2025-02-03T04:05:06.789Z");
  EXPECT_EQ(member(conversation, "updated_at"), "2025-02-03T22:00:00.000Z");
  EXPECT_EQ(member(conversation, "message_count"), "2");
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(member(messages[0], "id"), "c0007-q");
  EXPECT_EQ(member(messages[0], "role"), "human");
  EXPECT_EQ(member(messages[0], "text"), "why 🙂");
  EXPECT_EQ(member(messages[1], "number"), "2");
  EXPECT_EQ(member(messages[1], "conversation_id"), "c0007");
  EXPECT_EQ(messages[1].time, parse_time("2025-02-03T04:05:06.789012Z"));
}

TEST(Claude, EitherTextOrContentMayBeEmpty) {
  EXPECT_EQ(
      member(only(read_json(with_content(R"([{"type":"text","text":"one"},{"type":"text","text":"two"}])")), "messages"), "text"),
      "one\n\ntwo");
  EXPECT_EQ(member(only(read_json(with_content("[]", "only here")), "messages"), "text"), "only here");
  EXPECT_EQ(member(only(read_json(with_content("null", "only here")), "messages"), "text"), "only here");
  const CollectingSink blank = read_json(with_content("[]"));
  EXPECT_EQ(blank.of("messages").size(), 0U);
  EXPECT_EQ(blank.skips.at("messages: a message without content"), 1);
}

TEST(Claude, ReasoningAndToolsAreSeparate) {
  const Collected message = only(
      read_json(with_content(
          R"([{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"artifacts","input":{"title":"Plan","content":"line 1\nline 2","n":[1, 2]}},)"
          R"({"type":"tool_result","name":"artifacts","content":[{"type":"text","text":"OK"},{"type":"image","source":{}}],"is_error":false},)"
          R"({"type":"tool_result","name":"search","content":"no net","is_error":true},{"type":"token_budget"},{"type":"text","text":"done"}])")),
      "messages");
  EXPECT_EQ(member(message, "text"), "done");
  EXPECT_EQ(member(message, "thinking"), "hm");
  EXPECT_EQ(member(message, "tools"), R"(["artifacts","search"])");
  EXPECT_EQ(member(message, "tool_text"),
            "[asked artifacts]\ntitle: Plan\ncontent: line 1\nline 2\nn: [1,2]\n\n[answered artifacts]\nOK\n[image]\n\n[failed "
            "search]\nno net");
  EXPECT_EQ(member(message, "content"), "");
}

TEST(Claude, UnknownBlocksAreKeptAsTheyAre) {
  const Collected message =
      only(read_json(with_content("[{\"type\":\"dance\",\n\"text\":\"step\",\"id\": 9007199254740993}]")), "messages");
  EXPECT_EQ(member(message, "text"), "step");
  EXPECT_EQ(member(message, "content"), R"([{"type":"dance","text":"step","id":9007199254740993}])");
}

TEST(Claude, LongPastesAreAttachments) {
  const CollectingSink sink = read_json(
      "[" +
      conversation(
          "c",
          message(
              "m", "human",
              R"("text":"","content":[],"attachments":[{"file_name":"","file_size":12,"file_type":"txt","extracted_content":"a long paste"},)"
              R"({"file_name":"résumé 📄.pdf","file_size":99999999999,"file_type":"application/pdf","extracted_content":"work"}],)"
              R"("files":[{"file_name":"photo.png"},7])")) +
      "]");
  const auto attachments = sink.of("attachments");
  ASSERT_EQ(attachments.size(), 3U);
  EXPECT_EQ(member(attachments[0], "id"), "m.1");
  EXPECT_EQ(member(attachments[0], "text"), "a long paste");
  EXPECT_EQ(member(attachments[0], "message_id"), "m");
  EXPECT_EQ(member(attachments[1], "file_name"), "résumé 📄.pdf");
  EXPECT_EQ(member(attachments[1], "size_bytes"), "99999999999");
  EXPECT_EQ(member(attachments[1], "kind"), "text");
  EXPECT_EQ(member(attachments[2], "kind"), "file");
  EXPECT_EQ(member(attachments[2], "file_name"), "photo.png");
  const Collected message = only(sink, "messages");
  EXPECT_EQ(member(message, "attachment_count"), "3");
  EXPECT_EQ(member(message, "attachment_names"), R"(["résumé 📄.pdf","photo.png"])");
  EXPECT_EQ(sink.losses.size(), 1U);
}

TEST(Claude, ProjectsInOneFileOrInSeparateFiles) {
  const std::string one =
      R"({"uuid":"p1","name":"Garden","description":"Beds","is_private":true,"is_starter_project":false,"prompt_template":"Be brief.",)"
      R"("created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-02T00:00:00Z","creator":{"uuid":"u","full_name":"Ann"},)"
      R"("docs":[{"uuid":"d1","filename":"soil.md","content":"# Soil","created_at":"2025-01-01T01:00:00Z"},{"filename":"x","content":"y"}]})";
  const std::string two = R"({"uuid":"p2","name":"Empty","description":"","is_private":false,"prompt_template":"","docs":[]})";
  const CollectingSink together = read_files({{"projects.json", "[" + one + ",\n" + two + "]"}});
  const CollectingSink apart = read_files({{"x/projects/p2.json", two}, {"x/projects/p1.json", one}});
  EXPECT_EQ(lines_of(together), lines_of(apart));
  ASSERT_EQ(together.of("projects").size(), 2U);
  const auto docs = together.of("project_docs");
  ASSERT_EQ(docs.size(), 2U);
  EXPECT_EQ(member(docs[0], "id"), "d1");
  EXPECT_EQ(member(docs[0], "text"), "# Soil");
  EXPECT_EQ(member(docs[1], "id"), "p1.2");
  EXPECT_EQ(member(together.of("projects")[0], "instructions"), "Be brief.");
  EXPECT_EQ(member(together.of("projects")[0], "doc_count"), "2");
  EXPECT_EQ(member(together.of("projects")[0], "creator"), "Ann");
}

TEST(Claude, IsDistinguishedFromChatGptByItsMembers) {
  const std::string gpt = R"([{"title":"T","create_time":1.5,"update_time":2,"mapping":{},"current_node":"x","id":"c"}])";
  MemoryTree tree({{"a/conversations.json", gpt},
                   {"b/conversations.json", many(0, 1)},
                   {"b/users.json", "[]"},
                   {"b/projects.json", "[]"},
                   {"c/projects/notes.json", "{\"name\":\"not ours\"}"}});
  const auto claude = claude_format().detect(tree, {}), chatgpt = chatgpt_format().detect(tree, {});
  ASSERT_EQ(claude.size(), 1U);
  ASSERT_EQ(chatgpt.size(), 1U);
  EXPECT_EQ(tree.entries()[claude[0].entries[0]].path, "b/conversations.json");
  EXPECT_EQ(tree.entries()[chatgpt[0].entries[0]].path, "a/conversations.json");
  EXPECT_EQ(claude[0].entries.size(), 2U);
}

TEST(Claude, TheSummaryMayFillTheHead) {
  const std::string text = format(R"([{{"uuid":"c","name":"n","summary":"{}","chat_messages":[]}}])", std::string(10'000, 's'));
  EXPECT_EQ(read_json(text).of("conversations").size(), 1U);
}

TEST(Claude, DamagedConversationsAreReportedAndTheRestIsRead) {
  std::string text = many(0, 1000);
  std::set<std::int64_t> expected;
  for (int i = 50; i < 1000; i += 100) {
    const std::size_t element = text.find(format("{{\"uuid\":\"c{:04}\"", i));
    text[text.find("\"account\"", element)] = i % 200 == 50 ? ' ' : '{';
    expected.insert(static_cast<std::int64_t>(element));
  }
  const CollectingSink sink = read_json(text);
  EXPECT_EQ(sink.of("conversations").size(), 990U);
  EXPECT_EQ(sink.of("messages").size(), 1980U);
  std::set<std::int64_t> named;
  for (const Refusal& loss : sink.losses) named.insert(loss.place.byte);
  EXPECT_EQ(named, expected);
}

TEST(Claude, TruncatedRepeatedAndSplitFiles) {
  const std::string text = many(0, 20);
  const CollectingSink cut = read_json(text.substr(0, text.size() - 30));
  EXPECT_EQ(cut.of("conversations").size(), 19U);
  EXPECT_EQ(cut.losses.size(), 1U);
  const CollectingSink whole = read_json(text);
  EXPECT_EQ(lines_of(read_json(text)), lines_of(whole));
  EXPECT_EQ(lines_of(read_files({{"conversations-001.json", many(0, 10)}, {"conversations-000.json", many(10, 10)}})),
            lines_of(whole));
}

TEST(Claude, DuplicateConversationsDoNotDependOnFileOrder) {
  const std::string old =
      "[" + conversation("c", message("a", "human", R"("text":"first")") + "," + message("b", "human", R"("text":"gone")")) + "]";
  std::string changed = "[" + conversation("c", message("a", "human", R"("text":"first, edited")")) + "]";
  changed.replace(changed.find("2025-02-04"), 10, "2025-03-04");
  const CollectingSink one = read_files({{"conversations-000.json", old}, {"conversations-001.json", changed}});
  EXPECT_EQ(lines_of(one), lines_of(read_files({{"conversations-000.json", changed}, {"conversations-001.json", old}})));
  ASSERT_EQ(one.of("conversations").size(), 1U);
  EXPECT_EQ(member(one.of("conversations")[0], "updated_at").substr(0, 7), "2025-03");
  std::multiset<std::string> texts;
  for (const Collected& each : one.of("messages")) texts.insert(member(each, "text"));
  EXPECT_EQ(texts, (std::multiset<std::string>{"first, edited", "gone"}));
}

TEST(Claude, ResumesFromACheckpoint) {
  MemoryTree tree(
      {{"conversations.json", many(0, 500)}, {"projects/p.json", R"({"uuid":"p","name":"P","prompt_template":"","docs":[]})"}});
  const auto units = claude_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  CollectingSink whole;
  ASSERT_TRUE(claude_format().read(tree, units[0], {}, "", whole).has_value());
  ASSERT_GT(whole.checkpoints.size(), 3U);
  for (const auto& [position, before] : whole.checkpoints) {
    CollectingSink rest;
    ASSERT_TRUE(claude_format().read(tree, units[0], {}, position, rest).has_value());
    EXPECT_EQ(before + rest.records.size(), whole.records.size()) << position;
  }
}

TEST(Claude, WrongEncodingsAndOddShapes) {
  const CollectingSink latin = read_json(with_content("[{\"type\":\"text\",\"text\":\"caf\xE9\"}]"));
  EXPECT_EQ(member(only(latin, "messages"), "text"), "café");
  EXPECT_NE(member(only(latin, "conversations"), "problems").find("UTF-8"), std::string::npos);
  EXPECT_EQ(read_json("\xEF\xBB\xBF" + many(0, 2)).of("messages").size(), 4U);
  const CollectingSink odd = read_json(
      R"([{"uuid":"c","name":null,"chat_messages":[1,{"text":"no id"}]},{"name":"no uuid"},"x",{"uuid":"d","chat_messages":"none"}])");
  EXPECT_EQ(odd.of("conversations").size(), 2U);
  EXPECT_EQ(member(only(odd, "messages"), "id"), "c.1");
  EXPECT_EQ(odd.losses.size(), 4U);
}

}  // namespace
}  // namespace ladder::imports
