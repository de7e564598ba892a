#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/formats/slack/slack_text.h"
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

constexpr std::string_view kUsers =
    R"([{"id":"U1","team_id":"T9","name":"ann","real_name":"Ann Ash","tz":"Europe/Berlin","updated":1600000000,"is_bot":false,"deleted":false,)"
    R"("profile":{"real_name":"Ann Ash","display_name":"Ann 🦊","email":"ann@example.org","title":"Clerk"}},)"
    R"({"id":"U2","team_id":"T9","name":"bob","profile":{"real_name":"Bob Birch","display_name":""}}])";
constexpr std::string_view kChannels =
    R"([{"id":"C1","name":"general","created":1300000000,"creator":"U1","is_archived":false,"members":["U1","U2"],"topic":{"value":"all &amp; sundry"},)"
    R"("purpose":{"value":"for <@U2>"}},{"id":"C2","name":"fun-🎉","created":1300000001,"creator":"U2","members":["U2"]}])";

Files workspace(Files days) {
  days.emplace("users.json", kUsers);
  days.emplace("channels.json", kChannels);
  return days;
}

CollectingSink read_files(Files files, const Request& request = {}) {
  return testing::read_files(slack_format(), std::move(files), request);
}

std::string message(std::string_view ts, std::string_view text, std::string_view more = "", std::string_view user = "U1") {
  return format(R"({{"type":"message","user":"{}","text":"{}","ts":"{}"{}{}}})", user, text, ts, more.empty() ? "" : ",", more);
}

Collected only_message(const CollectingSink& sink) { return testing::only(sink, "messages"); }

Collected read_one(const std::string& text) {
  return only_message(read_files(workspace({{"general/2012-12-14.json", "[" + text + "]"}})));
}

class FewNames final : public slack::Names {
 public:
  std::string user(std::string_view id) const override { return id == "U1" ? "Ann" : ""; }
  std::string channel(std::string_view id) const override { return id == "C1" ? "general" : ""; }
};

TEST(Slack, MarkUpBecomesNames) {
  const FewNames names;
  const auto plain = [&](std::string_view text) { return slack::plain_text(text, names); };
  EXPECT_EQ(plain("hi <@U1> and <@U7>"), "hi @Ann and @U7");
  EXPECT_EQ(plain("<@U7|guest>"), "@guest");
  EXPECT_EQ(plain("<#C1|old-name> <#C7|other> <#C8>"), "#general #other #C8");
  EXPECT_EQ(plain("<https://example.org/a?b=1&amp;c=2|the page>"), "the page (https://example.org/a?b=1&c=2)");
  EXPECT_EQ(plain("<https://example.org> <http://example.org|example.org>"), "https://example.org http://example.org");
  EXPECT_EQ(plain("<mailto:a@example.org|a@example.org>"), "a@example.org");
  EXPECT_EQ(plain("<!here> <!subteam^S1|@crew> <!date^139^{date}|1 May> <!channel|channel>"), "@here @crew 1 May channel");
  EXPECT_EQ(plain("1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt; &copy;"), "1 < 2 && 3 > 2 &lt; &copy;");
  EXPECT_EQ(plain("a < b > c <unclosed <@U1>"), "a < b > c <unclosed @Ann");
  EXPECT_EQ(plain("<>"), "<>");
  EXPECT_EQ(plain("<"), "<");
}

TEST(Slack, UsersAndChannels) {
  const CollectingSink sink = read_files(workspace({}));
  const auto users = sink.of("users"), channels = sink.of("channels");
  ASSERT_EQ(users.size(), 2U);
  EXPECT_EQ(member(users[0], "name"), "Ann 🦊");
  EXPECT_EQ(member(users[0], "email"), "ann@example.org");
  EXPECT_EQ(member(users[1], "name"), "Bob Birch");
  ASSERT_EQ(channels.size(), 2U);
  EXPECT_EQ(member(channels[0], "creator"), "Ann 🦊");
  EXPECT_EQ(member(channels[0], "topic"), "all & sundry");
  EXPECT_EQ(member(channels[0], "purpose"), "for @Bob Birch");
  EXPECT_EQ(member(channels[0], "member_count"), "2");
  EXPECT_EQ(member(channels[1], "name"), "fun-🎉");
}

TEST(Slack, AMessageWithThreadReactionsAndFiles) {
  const Collected message_record = read_one(message(
      "1355517523.000005", "see <#C2|fun> &amp; go",
      R"("thread_ts":"1355517000.000001","edited":{"user":"U1","ts":"1355517600.000000"},"client_msg_id":"x",)"
      R"("reactions":[{"name":"tada","users":["U2","U9"],"count":3}],)"
      R"("files":[{"id":"F1","name":"plan 📎.pdf","mimetype":"application/pdf","size":12345678901,"url_private":"https://files.slack.com/files-pri/T9-F1/plan.pdf?t=xoxe-123-abc&w=5"}])"));
  EXPECT_EQ(member(message_record, "id"), "C1.1355517523.000005");
  EXPECT_EQ(member(message_record, "ts"), "1355517523.000005");
  EXPECT_EQ(member(message_record, "sent_at"), "2012-12-14T20:38:43.000Z");
  EXPECT_EQ(member(message_record, "channel"), "general");
  EXPECT_EQ(member(message_record, "author"), "Ann 🦊");
  EXPECT_EQ(member(message_record, "text"), "see #fun-🎉 & go");
  EXPECT_EQ(member(message_record, "thread_id"), "C1.1355517000.000001");
  EXPECT_EQ(member(message_record, "is_reply"), "true");
  EXPECT_EQ(member(message_record, "edited_at"), "2012-12-14T20:40:00.000Z");
  EXPECT_EQ(member(message_record, "reactions"), R"([{"name":"tada","count":3,"by":["Bob Birch","U9"]}])");
  EXPECT_EQ(member(message_record, "reaction_count"), "3");
  EXPECT_EQ(
      member(message_record, "files"),
      R"([{"id":"F1","name":"plan 📎.pdf","mime_type":"application/pdf","size_bytes":12345678901,"url":"https://files.slack.com/files-pri/T9-F1/plan.pdf?w=5"}])");
  EXPECT_EQ(message_record.data.find("xox"), std::string::npos);
}

TEST(Slack, AFileIsFoundByItsTitle) {
  const Collected titled = read_one(message("1355517523.000005", "here",
                                            R"("files":[{"id":"F1","name":"scan0001.pdf","title":"Plan für März"},)"
                                            R"({"id":"F2","name":"notes.txt","title":"notes"}])"));
  EXPECT_EQ(member(titled, "file_names"), "scan0001.pdf\nPlan für März\nnotes.txt");
}

TEST(Slack, TokensAreRemovedFromUrls) {
  EXPECT_EQ(slack::without_token("https://x.example/a?t=xoxe-1"), "https://x.example/a");
  EXPECT_EQ(slack::without_token("https://x.example/a?a=1&token=2&b=3#f"), "https://x.example/a?a=1&b=3#f");
  EXPECT_EQ(slack::without_token("https://x.example/a?key=XOXB-1"), "https://x.example/a");
  EXPECT_EQ(slack::without_token("https://x.example/a?#"), "https://x.example/a#");
  EXPECT_EQ(slack::without_token("https://x.example/t=1"), "https://x.example/t=1");
}

TEST(Slack, BlocksAddMissingText) {
  EXPECT_EQ(
      member(
          read_one(message(
              "1.1", "",
              R"("blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"hi "},{"type":"user","user_id":"U2"},)"
              R"({"type":"link","url":"https://example.org/","text":"page"},{"type":"emoji","name":"wave"}]},)"
              R"({"type":"rich_text_list","style":"ordered","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},)"
              R"({"type":"rich_text_section","elements":[{"type":"text","text":"two"}]}]}]}])")),
          "text"),
      "hi @Bob Birchpage (https://example.org/):wave:\n1. one\n2. two");
  EXPECT_EQ(
      member(
          read_one(message(
              "1.1", "Alert",
              R"("blocks":[{"type":"header","text":{"type":"plain_text","text":"Disk"}},{"type":"section","text":{"type":"mrkdwn","text":"<@U1> 1 &lt; 2"},)"
              R"("fields":[{"type":"mrkdwn","text":"*load*"}]},{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Mute"}}]}])")),
          "text"),
      "Alert\nDisk\n@Ann 🦊 1 < 2\n*load*\nMute");
  // A text in both `text` and blocks appears only once.
  EXPECT_EQ(member(read_one(message("1.1", "*same* words",
                                    R"("blocks":[{"type":"section","text":{"type":"mrkdwn","text":"same words"}}])")),
                   "text"),
            "*same* words");
}

TEST(Slack, AttachmentsAreReadable) {
  const Collected record = read_one(message(
      "1.1", "x",
      R"("attachments":[{"title":"Build","title_link":"https://ci.example/1?token=s","text":"failed for <@U2>","fields":[{"title":"Branch","value":"main"}]},)"
      R"({"fallback":"only this"}])"));
  EXPECT_EQ(member(record, "attachment_text"), "Build (https://ci.example/1)\nfailed for @Bob Birch\nBranch: main\nonly this");
}

TEST(Slack, AuthorsMissingFromTheLists) {
  EXPECT_EQ(
      member(read_one(message("1.1", "x", R"("user_profile":{"real_name":"Gone Person","display_name":"","name":"gone"})", "U8")),
             "author"),
      "Gone Person");
  EXPECT_EQ(member(read_one(message("1.1", "x", "", "U8")), "author"), "U8");
  EXPECT_EQ(
      member(read_one(R"({"type":"message","subtype":"bot_message","bot_id":"B1","username":"deploy","text":"x","ts":"1.1"})"),
             "author"),
      "deploy");
  EXPECT_EQ(member(read_one(R"({"type":"message","subtype":"bot_message","bot_id":"B1","text":"x","ts":"1.1"})"), "author"),
            "B1");
}

TEST(Slack, DirectConversationsAndPrivateGroups) {
  Files files = workspace({{"D1/2020-01-01.json", "[" + message("1577880000.000100", "psst") + "]"},
                           {"secret/2020-01-01.json", "[" + message("1577880000.000100", "sh") + "]"}});
  files.emplace("dms.json", R"([{"id":"D1","created":1,"members":["U1","U2"]}])");
  files.emplace("groups.json", R"([{"id":"G1","name":"secret","created":1,"creator":"U1","members":["U1"]}])");
  const CollectingSink sink = read_files(std::move(files));
  std::map<std::string, std::string> names;
  for (const Collected& channel : sink.of("channels"))
    names[member(channel, "id")] = member(channel, "kind") + " " + member(channel, "name");
  EXPECT_EQ(names.at("D1"), "direct Ann 🦊, Bob Birch");
  EXPECT_EQ(names.at("G1"), "group secret");
  std::set<std::string> keys;
  for (const Collected& each : sink.of("messages")) keys.insert(member(each, "id"));
  EXPECT_EQ(keys, (std::set<std::string>{"D1.1577880000.000100", "G1.1577880000.000100"}));
}

TEST(Slack, RenamedChannelsThatShareAFolder) {
  const std::string channels =
      R"([{"id":"C1","name":"news","created":1000000000,"members":["U1"]},{"id":"C2","name":"news","created":1500000000,"members":["U2"]},)"
      R"({"id":"C3","name":"later","created":1,"members":[],"previous_names":["sooner"]}])";
  const CollectingSink sink = read_files({{"users.json", std::string(kUsers)},
                                          {"channels.json", channels},
                                          {"news/2010-01-01.json", "[" + message("1262340000.000001", "old", "", "U2") + "]"},
                                          {"news/2020-01-01.json", "[" + message("1577880000.000001", "by ann", "", "U1") + "," +
                                                                       message("1577880000.000002", "by bob", "", "U2") + "," +
                                                                       message("1577880000.000003", "by whom", "", "U7") + "]"},
                                          {"sooner/2020-01-01.json", "[" + message("1577880000.000001", "old name") + "]"},
                                          {"nowhere/2020-01-01.json", "[" + message("1577880000.000001", "no list") + "]"}});
  std::map<std::string, std::string> where, uncertain;
  for (const Collected& each : sink.of("messages")) {
    where[member(each, "text")] = member(each, "channel_id");
    uncertain[member(each, "text")] = member(each, "channel_uncertain");
  }
  EXPECT_EQ(where.at("old"), "C1");
  EXPECT_EQ(where.at("by ann"), "C1");
  EXPECT_EQ(where.at("by bob"), "C2");
  EXPECT_EQ(where.at("by whom"), "C1");
  EXPECT_EQ(uncertain.at("by bob"), "");
  EXPECT_EQ(uncertain.at("by whom"), "true");
  EXPECT_EQ(where.at("old name"), "C3");
  EXPECT_EQ(where.at("no list"), "folder:nowhere");
  EXPECT_EQ(sink.of("channels").size(), 4U);
}

TEST(Slack, DamageIsReportedAndTheRestIsRead) {
  std::string day = "[";
  std::vector<std::size_t> starts;
  for (int i = 0; i < 1000; ++i) {
    if (i > 0) day += ",\n    ";
    starts.push_back(day.size());
    day += message(format("1577880000.{:06}", i), format("number {}", i), R"("blocks":[{"type":"rich_text","elements":[]}])");
  }
  day += "]";
  std::set<std::int64_t> expected;
  for (std::size_t i = 7; i < starts.size(); i += 100) {
    day[day.find("\"text\"", starts[i])] = i % 200 == 7 ? '\x03' : '[';
    expected.insert(static_cast<std::int64_t>(starts[i]));
  }
  const CollectingSink sink = read_files(workspace({{"general/2020-01-01.json", day},
                                                    {"general/2020-01-02.json", "[" + message("1577980000.1", "next day") + ","},
                                                    {"general/2020-01-03.json", ""}}));
  EXPECT_EQ(sink.of("messages").size(), 991U);
  std::set<std::int64_t> named;
  std::map<std::string, int> files;
  for (const Refusal& loss : sink.losses) {
    ++files[loss.place.file];
    if (loss.place.file == "general/2020-01-01.json") named.insert(loss.place.byte);
  }
  EXPECT_EQ(named, expected);
  EXPECT_EQ(files.at("general/2020-01-02.json"), 1);
  EXPECT_EQ(files.at("general/2020-01-03.json"), 1);
}

TEST(Slack, DuplicateTimestampsAndEmptyMessages) {
  const CollectingSink sink =
      read_files(workspace({{"general/2020-01-01.json", "[" + message("1.1", "one") + "," + message("1.1", "again") + "," +
                                                            message("1.2", "") + R"(,5,{"type":"message","text":"no ts"}])"}}));
  EXPECT_EQ(member(only_message(sink), "text"), "one");
  EXPECT_EQ(sink.skips.at("messages: a message with the same channel and ts as an earlier one"), 1);
  EXPECT_EQ(sink.skips.at("messages: a message without text or files"), 1);
  EXPECT_EQ(sink.losses.size(), 2U);
}

TEST(Slack, RepeatedAndResumedReadsAreTheSame) {
  Files days;
  for (int day = 1; day <= 9; ++day) {
    days.emplace(format("general/2020-01-0{}.json", day), "[" + message(format("157788000{}.000001", day), "hello") + "]");
    days.emplace(format("gone/2020-01-0{}.json", day), "[" + message(format("157788000{}.000001", day), "hello") + "]");
  }
  EXPECT_EQ(lines_of(read_files(workspace(days))), lines_of(read_files(workspace(days))));
  MemoryTree tree(workspace(days));
  const auto units = slack_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  CollectingSink whole;
  ASSERT_TRUE(slack_format().read(tree, units[0], {}, "", whole).has_value());
  const auto all = lines_of(whole);
  for (const auto& [position, before] : whole.checkpoints) {
    CollectingSink rest;
    ASSERT_TRUE(slack_format().read(tree, units[0], {}, position, rest).has_value());
    std::set<std::string> together;
    for (std::size_t i = 0; i < before; ++i) together.insert(whole.records[i].stream + " " + whole.records[i].data);
    for (const Collected& record : rest.records) together.insert(record.stream + " " + record.data);
    EXPECT_EQ(together, std::set<std::string>(all.begin(), all.end())) << position;
  }
}

TEST(Slack, DetectsOnlySlack) {
  MemoryTree tree({{"ws/users.json", std::string(kUsers)},
                   {"ws/channels.json", std::string(kChannels)},
                   {"ws/integration_logs.json", "[]"},
                   {"ws/general/2020-01-01.json", "[]"},
                   {"ws/general/notes.txt", "x"},
                   {"diary/2020/2020-01-01.json", "{}"},
                   {"claude/users.json", R"([{"uuid":"u","full_name":"Ann"}])"},
                   {"other/users.json", R"([{"id":1,"name":"x"}])"}});
  const auto units = slack_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].what, "a Slack export of 1 channel");
  EXPECT_EQ(units[0].account, "T9");
  EXPECT_EQ(units[0].entries.size(), 4U);
}

TEST(Slack, WrongEncodings) {
  EXPECT_EQ(member(read_one(message("1.1", "caf\xE9")), "text"), "café");
  EXPECT_EQ(member(only_message(read_files(workspace(
                       {{"general/2020-01-01.json", "\xEF\xBB\xBF[" + message("1.1", "\\ud83d\\ude00 \\ud83d") + "]\r\n"}}))),
                   "text"),
            "😀 \xEF\xBF\xBD");
}

}  // namespace
}  // namespace ladder::imports
