#include "base/text/format.h"
#include "import/formats/chatgpt/chatgpt_content.h"
#include "import/formats/chatgpt/chatgpt_tree.h"
#include "import/formats/format.h"
#include "import/io/limits.h"
#include "import/json/json_members.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  return testing::read_files(chatgpt_format(), std::move(files), request);
}

CollectingSink read_json(std::string text) { return read_files({{"conversations.json", std::move(text)}}); }

std::string node(std::string_view id, std::string_view parent, std::string_view text, std::string_view role = "user") {
  return format(
      R"("{}":{{"id":"{}","parent":{},"children":[],"message":{{"id":"{}","author":{{"role":"{}"}},"create_time":1700000000.25,)"
      R"("content":{{"content_type":"text","parts":["{}"]}},"metadata":{{}},"recipient":"all"}}}})",
      id, id, parent.empty() ? "null" : format("\"{}\"", parent), id, role, text);
}

std::string conversation(std::string_view id, std::string_view nodes, std::string_view current) {
  return format(
      R"({{"title":"About {}","create_time":1699999999.5,"update_time":1700000100,"mapping":{{{}}},"current_node":"{}",)"
      R"("conversation_id":"{}","id":"{}"}})",
      id, nodes, current, id, id);
}

std::string message_with(std::string_view content) {
  return format(
      R"([{{"title":"T","mapping":{{"m":{{"parent":null,"message":{{"author":{{"role":"assistant"}},"create_time":null,)"
      R"("content":{}}}}}}},"current_node":"m","id":"c"}}])",
      content);
}

Collected only_message(const CollectingSink& sink) { return testing::only(sink, "messages"); }

std::string many(int first, int count) {
  std::string text = "[";
  for (int i = first; i < first + count; ++i) {
    const std::string id = format("c{:04}", i);
    text += (i == first ? "" : ",\n") + conversation(id, node("a", "", "q " + id) + "," + node("b", "a", "answer 🙂"), "b");
  }
  return text + "]";
}

TEST(ChatGpt, WalksTheTreeFromTheCurrentNodeAndKeepsOtherBranches) {
  const std::string nodes = R"("root":{"id":"root","parent":null,"children":["q"],"message":null},)" +
                            node("q", "root", "first question") + "," + node("a1", "q", "old answer", "assistant") + "," +
                            node("q2", "a1", "old follow-up") + "," + node("a2", "q", "new answer", "assistant");
  const CollectingSink sink = read_json("[" + conversation("c1", nodes, "a2") + "]");
  const auto conversations = sink.of("conversations"), messages = sink.of("messages");
  ASSERT_EQ(conversations.size(), 1U);
  EXPECT_EQ(member(conversations[0], "id"), "c1");
  EXPECT_EQ(member(conversations[0], "title"), "About c1");
  EXPECT_EQ(member(conversations[0], "created_at"), "2023-11-14T22:13:19.500Z");
  EXPECT_EQ(member(conversations[0], "message_count"), "4");
  EXPECT_EQ(member(conversations[0], "branch_count"), "2");
  EXPECT_EQ(member(conversations[0], "problems"), "");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(member(messages[0], "id"), "c1.q");
  EXPECT_EQ(member(messages[0], "answers"), "");
  EXPECT_EQ(member(messages[1], "text"), "new answer");
  EXPECT_EQ(member(messages[1], "branch"), "current");
  EXPECT_EQ(member(messages[1], "number"), "2");
  EXPECT_EQ(member(messages[1], "answers"), "q");
  EXPECT_EQ(member(messages[2], "text"), "old answer");
  EXPECT_EQ(member(messages[2], "branch"), "other");
  EXPECT_EQ(member(messages[3], "leaves_at"), "q");
  EXPECT_EQ(member(messages[3], "number"), "3");
  EXPECT_EQ(member(messages[3], "conversation_id"), "c1");
  EXPECT_EQ(messages[3].time, std::optional<Instant>(1'700'000'000'250'000));
}

TEST(ChatGpt, ContentOfEveryKnownKind) {
  const auto text_of_content = [](std::string_view content) {
    return member(only_message(read_json(message_with(content))), "text");
  };
  EXPECT_EQ(text_of_content(R"({"content_type":"text","parts":["a","b \ud83d\ude00"]})"), "a\nb 😀");
  EXPECT_EQ(text_of_content(R"j({"content_type":"code","language":"python","text":"print(1)"})j"), "print(1)");
  EXPECT_EQ(text_of_content(R"({"content_type":"execution_output","text":"1\n"})"), "1\n");
  EXPECT_EQ(text_of_content(R"({"content_type":"tether_quote","title":"T","text":"quoted","url":"https://example.org/"})"),
            "T\nquoted");
  EXPECT_EQ(text_of_content(R"({"content_type":"tether_browsing_display","result":"r","summary":null})"), "r");
  EXPECT_EQ(text_of_content(R"({"content_type":"thoughts","thoughts":[{"summary":"S","content":"C"}]})"), "S\nC");
  EXPECT_EQ(text_of_content(R"({"content_type":"reasoning_recap","content":"Thought for 3s"})"), "Thought for 3s");
  EXPECT_EQ(text_of_content(R"({"content_type":"user_editable_context","user_profile":"P","user_instructions":"I"})"), "P\nI");
  EXPECT_EQ(text_of_content(R"({"content_type":"system_error","name":"E","text":"boom"})"), "E\nboom");
}

TEST(ChatGpt, ImagesAreNamed) {
  const CollectingSink sink = read_json(message_with(
      R"({"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-service://file-A","width":640,"height":480,)"
      R"("metadata":{"dalle":{"prompt":"a lighthouse"}}},"look",{"content_type":"audio_transcription","text":"said"}]})"));
  const Collected message = only_message(sink);
  EXPECT_EQ(member(message, "text"), "[image file-service://file-A, 640 × 480]\na lighthouse\nlook\nsaid");
  EXPECT_EQ(member(message, "attachments"), R"(["file-service://file-A"])");
  EXPECT_EQ(member(message, "content"), "");
  EXPECT_EQ(member(message, "sent_at"), "");
  EXPECT_EQ(message.time, std::nullopt);
}

TEST(ChatGpt, CitationMarksAreReplaced) {
  const Collected message = only_message(read_json(message_with(
      R"j({"content_type":"text","parts":["A cat \ue200cite\ue202turn0search1\ue201, \ue200entity\ue202x\ue201 )j"
      R"j(\ue200cite\ue202turn0search2\ue201 \ue200url\ue202y\ue201"]},"metadata":{"content_references":[)j"
      R"j({"matched_text":"\ue200cite\ue202turn0search1\ue201","alt":"([Cats](https://cats.example))"},)j"
      R"j({"matched_text":"\ue200entity\ue202x\ue201","alt":"Paris"},)j"
      R"j({"matched_text":"\ue200cite\ue202turn0search2\ue201","alt":null,"items":[{"url":"https://two.example"}]}]})j")));
  EXPECT_EQ(member(message, "text"), "A cat ([Cats](https://cats.example)), Paris (https://two.example) \uE200url\uE202y\uE201");
}

TEST(ChatGpt, UnknownContentIsKeptAsItIs) {
  const Collected message = only_message(read_json(
      message_with("{\"content_type\":\"hologram\", \"text\":\"seen\",\n \"id\": 9007199254740993, \"rays\": [1, 2 ]}")));
  EXPECT_EQ(member(message, "content_type"), "hologram");
  EXPECT_EQ(member(message, "text"), "seen");
  EXPECT_EQ(member(message, "content"), R"({"content_type":"hologram","text":"seen","id":9007199254740993,"rays":[1,2]})");
  const Collected part =
      only_message(read_json(message_with(R"({"content_type":"text","parts":["see",{"content_type":"smell","strength":3}]})")));
  EXPECT_EQ(member(part, "text"), "see\n[smell]");
  EXPECT_EQ(member(part, "content"), R"({"content_type":"text","parts":["see",{"content_type":"smell","strength":3}]})");
}

TEST(ChatGpt, EmptyMessagesAreSkippedAndCounted) {
  const CollectingSink sink = read_json(
      "[" + conversation("c", node("s", "", "", "system") + "," + node("q", "s", "hello") + "," + node("a", "q", "hi"), "a") +
      "]");
  EXPECT_EQ(sink.of("messages").size(), 2U);
  EXPECT_EQ(sink.skips.at("messages: a message without content"), 1);
  EXPECT_EQ(member(sink.of("messages")[0], "number"), "1");
}

TEST(ChatGpt, TheSameMessageIdInTwoConversationsIsTwoRecords) {
  const CollectingSink sink =
      read_json("[" + conversation("c1", node("m", "", "one"), "m") + "," + conversation("c2", node("m", "", "two"), "m") + "]");
  std::set<std::string> keys;
  for (const Collected& record : sink.of("messages")) keys.insert(member(record, "id"));
  EXPECT_EQ(keys, (std::set<std::string>{"c1.m", "c2.m"}));
}

TEST(ChatGpt, CyclesAndMissingParents) {
  const std::string circle = node("x", "y", "x says") + "," + node("y", "x", "y says") + "," + node("z", "gone", "z says") + "," +
                             node("self", "self", "me");
  const CollectingSink sink = read_json("[" + conversation("c", circle, "y") + "]");
  EXPECT_EQ(sink.of("messages").size(), 4U);
  EXPECT_EQ(member(sink.of("conversations")[0], "problems"),
            R"(["1 messages reply to a missing message","2 cycles of messages that reply to each other"])");
  EXPECT_EQ(member(sink.of("messages")[0], "text"), "x says");
  EXPECT_EQ(member(sink.of("messages")[1], "text"), "y says");
  EXPECT_EQ(member(sink.of("messages")[1], "branch"), "current");
  EXPECT_EQ(member(sink.of("messages")[2], "branch"), "other");
}

TEST(ChatGpt, WithoutACurrentNodeTheNewestMessageIsTaken) {
  const CollectingSink sink =
      read_json("[" + conversation("c", node("a", "", "one") + "," + node("b", "a", "two"), "nowhere") + "]");
  EXPECT_EQ(member(sink.of("messages")[1], "branch"), "current");
  EXPECT_NE(member(sink.of("conversations")[0], "problems").find("newest"), std::string::npos);
}

TEST(ChatGpt, ChildrenAloneMakeATree) {
  const CollectingSink sink = read_json(
      R"([{"title":"T","id":"c","current_node":"b","mapping":{"a":{"children":["b"],"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["one"]}}},)"
      R"("b":{"children":[],"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["two"]}}}}}])");
  ASSERT_EQ(sink.of("messages").size(), 2U);
  EXPECT_EQ(member(sink.of("messages")[1], "answers"), "a");
}

TEST(ChatGpt, ADeepTreeNeedsNoRecursion) {
  constexpr int kNodes = 100'000;
  std::string nodes;
  // The deepest node comes first, so that its ancestors are unknown when it is read.
  for (int i = kNodes - 1; i >= 0; --i) {
    nodes += format(
        R"({}"n{}":{{"parent":{},"message":{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["x"]}}}}}})",
        nodes.empty() ? "" : ",", i, i == 0 ? "null" : format("\"n{}\"", i - 1));
  }
  const std::string mapping = "{" + nodes + "}";
  const chatgpt::MessageTree tree = chatgpt::read_tree(json::value_of(mapping), format("n{}", kNodes - 1));
  ASSERT_EQ(tree.order.size(), static_cast<std::size_t>(kNodes));
  EXPECT_EQ(tree.nodes[tree.order.back()].number, kNodes);
  EXPECT_EQ(tree.branches, 1);
  EXPECT_TRUE(tree.nodes[tree.order.front()].current);
}

TEST(ChatGpt, SplitFilesInAnyOrderGiveTheSameRecords) {
  const CollectingSink whole = read_json(many(0, 30));
  const CollectingSink split = read_files({{"x/conversations-000.json", many(0, 10)},
                                           {"x/conversations-001.json", many(10, 10)},
                                           {"x/conversations-002.json", many(20, 10)}});
  const CollectingSink other = read_files(
      {{"conversations-0.json", many(20, 10)}, {"conversations-1.json", many(0, 10)}, {"conversations-2.json", many(10, 10)}});
  EXPECT_EQ(whole.records.size(), 90U);
  EXPECT_EQ(lines_of(split), lines_of(whole));
  EXPECT_EQ(lines_of(other), lines_of(whole));
  EXPECT_EQ(lines_of(read_json(many(0, 30))), lines_of(whole));
}

// The newer version is taken in any order of the parts, keys are unique, and messages that only the older version has are kept.
TEST(ChatGpt, DuplicateConversationsDoNotDependOnFileOrder) {
  const std::string old = conversation("c", node("a", "", "question") + "," + node("gone", "a", "withdrawn"), "gone");
  std::string changed = conversation("c", node("a", "", "question, edited") + "," + node("b", "a", "answer"), "b");
  changed.replace(changed.find("1700000100"), 10, "1700000900");
  const CollectingSink one =
      read_files({{"conversations-000.json", "[" + old + "]"}, {"conversations-001.json", "[" + changed + "]"}});
  const CollectingSink other =
      read_files({{"conversations-000.json", "[" + changed + "]"}, {"conversations-001.json", "[" + old + "]"}});
  EXPECT_EQ(lines_of(one), lines_of(other));
  ASSERT_EQ(one.of("conversations").size(), 1U);
  EXPECT_EQ(member(one.of("conversations")[0], "updated_at"), "2023-11-14T22:28:20.000Z");
  std::multiset<std::string> texts;
  for (const Collected& message : one.of("messages")) texts.insert(member(message, "text"));
  EXPECT_EQ(texts, (std::multiset<std::string>{"answer", "question, edited", "withdrawn"}));
  EXPECT_EQ(one.skips.at("conversations: an older version of the same conversation"), 1);
  // If two were changed at the same time, the digest decides.
  const std::string twin = conversation("c", node("a", "", "another question"), "a");
  EXPECT_EQ(lines_of(read_files({{"conversations-0.json", "[" + old + "]"}, {"conversations-1.json", "[" + twin + "]"}})),
            lines_of(read_files({{"conversations-0.json", "[" + twin + "]"}, {"conversations-1.json", "[" + old + "]"}})));
}

TEST(ChatGpt, DamagedConversationsAreReportedAndTheRestIsRead) {
  std::string text = many(0, 1000);
  std::set<std::int64_t> expected;
  for (int i = 50; i < 1000; i += 100) {
    const std::size_t element = text.find(format("{{\"title\":\"About c{:04}\"", i));
    const std::size_t quote = text.find("\"current_node\"", element);
    text[quote] = i % 200 == 50 ? '\x02' : '}';
    expected.insert(static_cast<std::int64_t>(element));
  }
  const CollectingSink sink = read_json(text);
  EXPECT_EQ(sink.of("conversations").size(), 990U);
  std::set<std::int64_t> named;
  for (const Refusal& loss : sink.losses) {
    EXPECT_EQ(loss.place.file, "conversations.json");
    named.insert(loss.place.byte);
  }
  EXPECT_EQ(named, expected);
}

TEST(ChatGpt, ATruncatedFileYieldsItsCompleteConversations) {
  const std::string text = many(0, 20);
  const CollectingSink sink = read_json(text.substr(0, text.size() - 50));
  EXPECT_EQ(sink.of("conversations").size(), 19U);
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].place.byte, static_cast<std::int64_t>(text.rfind("{\"title\"")));
  EXPECT_NE(sink.losses[0].reason.find("the file ends"), std::string::npos);
}

TEST(ChatGpt, ResumesFromACheckpoint) {
  MemoryTree tree({{"conversations-000.json", many(0, 300)}, {"conversations-001.json", many(300, 300)}});
  const auto units = chatgpt_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].what, "a ChatGPT export in 2 parts");
  CollectingSink whole;
  ASSERT_TRUE(chatgpt_format().read(tree, units[0], {}, "", whole).has_value());
  ASSERT_GT(whole.checkpoints.size(), 3U);
  for (const auto& [position, before] : whole.checkpoints) {
    CollectingSink rest;
    ASSERT_TRUE(chatgpt_format().read(tree, units[0], {}, position, rest).has_value());
    EXPECT_EQ(before + rest.records.size(), whole.records.size()) << position;
  }
}

TEST(ChatGpt, OnlyItsOwnFilesAreClaimed) {
  MemoryTree tree({{"claude/conversations.json",
                    R"([{"uuid":"u","name":"n","summary":"","created_at":"2025-01-01T00:00:00Z","chat_messages":[]}])"},
                   {"gpt/conversations.json", many(0, 1)},
                   {"gpt/chat.html", "<html>"},
                   {"gpt/user.json", "{}"},
                   {"gpt/holiday.json", "[{\"title\":1,\"create_time\":2}]"},
                   {"empty/conversations.json", ""},
                   {"conversations.json.bak", many(0, 1)}});
  const auto units = chatgpt_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].entries.size(), 3U);
  EXPECT_EQ(units[0].confidence, Confidence::kCertain);
}

TEST(ChatGpt, WrongEncodingsAreRepairedAndReported) {
  std::string text = "[" + conversation("c", node("a", "", "caf\xE9 \x80"), "a") + "]";
  const CollectingSink sink = read_json(text);
  EXPECT_EQ(member(only_message(sink), "text"), "café €");
  EXPECT_NE(member(sink.of("conversations")[0], "problems").find("UTF-8"), std::string::npos);
  EXPECT_EQ(read_json("\xEF\xBB\xBF" + many(0, 2)).of("messages").size(), 4U);
  const CollectingSink lone = read_json(message_with(R"({"content_type":"text","parts":["half \ud83d"]})"));
  EXPECT_EQ(member(only_message(lone), "text"), "half \xEF\xBF\xBD");
}

TEST(ChatGpt, ElementsThatAreNotConversations) {
  const CollectingSink sink =
      read_json(R"([{"title":"no tree","create_time":1},7,null,{"title":"T","mapping":{"m":5,"n":{"message":[]}},"id":"c"},)" +
                conversation("d", node("a", "", "fine"), "a") + "]");
  EXPECT_EQ(sink.of("conversations").size(), 2U);
  EXPECT_EQ(sink.of("messages").size(), 1U);
  EXPECT_EQ(sink.losses.size(), 5U);
  for (const Refusal& loss : sink.losses) EXPECT_GE(loss.place.byte, 0);
}

TEST(ChatGpt, AbsurdTimesAreLeftOut) {
  for (const std::string_view time : {"0", "-5", "1e300", "\"soon\"", "true", "999999999999999"}) {
    const std::string text = format(R"([{{"title":"T","create_time":{},"mapping":{{}},"id":"c"}}])", time);
    const CollectingSink sink = read_json(text);
    ASSERT_EQ(sink.of("conversations").size(), 1U) << time;
    EXPECT_EQ(member(sink.of("conversations")[0], "created_at"), "") << time;
  }
}

}  // namespace
}  // namespace ladder::imports
