#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kChat = R"json({
 "name": "Ann Lee", "type": "personal_chat", "id": 4321,
 "messages": [
  {"id": 1, "type": "message", "date": "2025-03-28T21:29:00", "date_unixtime": "1743193740", "from": "Ann Lee", "from_id": "user4321",
   "text": ["See ", {"type": "link", "text": "https://a.example"}], "text_entities": [{"type": "plain", "text": "See "}, {"type": "link", "text": "https://a.example"}],
   "reactions": [{"type": "emoji", "count": 2, "emoji": "\u2764", "recent": [{"from": "Bob", "from_id": "user1", "date": "2025-03-28T21:30:00"}]}]},
  {"id": 2, "type": "message", "date": "2025-03-28T21:30:00", "date_unixtime": "1743193800", "edited_unixtime": "1743193900", "from": "Bob", "from_id": "user1",
   "reply_to_message_id": 1, "photo": "photos/photo_1@28-03-2025_21-30-00.jpg", "text": "bell \x07 here"},
  {"id": 3, "type": "service", "date": "2025-03-28T21:31:00", "date_unixtime": "1743193860", "actor": "Bob", "actor_id": "user1", "action": "pin_message", "text": ""},
  {"id": 4, "type": "unsupported"},
  {"id": 5, "type": "message", "date": "2025-03-28T21:32:00", "date_unixtime": "1743193920", "from": null, "from_id": "user9", "forwarded_from": "News",
   "file": "(File not included. Change data exporting settings to download.)", "text": [{"type": "custom_emoji", "text": "x", "document_id": (File not included)
}]}
 ]
})json";

TEST(Telegram, AChatBecomesMessagesFilesAndAChat) {
  const CollectingSink sink =
      read_files(telegram_format(), {{"ChatExport_2025-03-29/result.json", std::string(kChat)},
                                     {"ChatExport_2025-03-29/messages.html", "<div>the same</div>"},
                                     {"ChatExport_2025-03-29/photos/photo_1@28-03-2025_21-30-00.jpg", "JPEG"}});
  EXPECT_EQ(sink.losses.size(), 0U);
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(member(messages[0], "id"), "user4321.1");
  EXPECT_EQ(member(messages[0], "text"), "See https://a.example");
  EXPECT_EQ(member(messages[0], "links"), R"(["https://a.example"])");
  EXPECT_EQ(member(messages[0], "sent_at"), "2025-03-28T20:29:00.000Z");
  EXPECT_EQ(member(messages[0], "chat"), "Ann Lee");
  EXPECT_EQ(member(messages[0], "reactions"), R"([{"name":"❤","count":2,"by":["Bob"]}])");
  EXPECT_EQ(member(messages[1], "reply_to"), "user4321.1");
  EXPECT_EQ(member(messages[1], "text"), "bell \x07 here");
  EXPECT_EQ(member(messages[1], "file_names"), "photo_1@28-03-2025_21-30-00.jpg");
  EXPECT_EQ(member(messages[2], "kind"), "notice");
  EXPECT_EQ(member(messages[2], "notice"), "pin message");
  EXPECT_EQ(member(messages[3], "author"), "Deleted account");
  EXPECT_EQ(member(messages[3], "forwarded_from"), "News");
  EXPECT_EQ(member(messages[3], "file_names"), "a file that was not exported");
  EXPECT_EQ(member(only(sink, "files"), "message"), "user4321.2");
  EXPECT_EQ(member(only(sink, "chats"), "message_count"), "4");
  EXPECT_EQ(sink.skips.at("messages: a message of a kind that Telegram does not export"), 1);
}

TEST(Telegram, AnAccountHasChatsOfAllKindsAndKnowsItsOwner) {
  const CollectingSink sink = read_files(
      telegram_format(),
      {{"DataExport_2025-03-29/result.json",
        R"({"about": "x", "personal_information": {"user_id": 1, "first_name": "Bob"}, "contacts": {"list": [{"first_name": "Ann"}]},
            "chats": {"about": "y", "list": [
              {"type": "saved_messages", "id": 1, "messages": [{"id": 7, "type": "message", "date": "2019-01-01T00:00:00", "from": "Bob", "from_id": "user1", "text": "note"}]},
              {"name": "Club", "type": "private_supergroup", "id": 5, "messages": [{"id": -999999999, "type": "message", "date_unixtime": "1743193740", "from": "Ann", "from_id": "user4321", "text": "hi"}]}]},
            "left_chats": {"list": [{"name": null, "type": "private_group", "id": 5, "messages": []}]}})"}});
  EXPECT_EQ(sink.losses.size(), 0U);
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(member(messages[0], "chat"), "Saved messages");
  EXPECT_EQ(member(messages[0], "from_owner"), "true");
  EXPECT_EQ(member(messages[0], "date_text"), "2019-01-01T00:00:00") << "an old export has no time zone";
  EXPECT_EQ(member(messages[1], "id"), "channel5.-999999999");
  EXPECT_EQ(member(messages[1], "from_owner"), "false");
  ASSERT_EQ(sink.of("chats").size(), 3U);
  EXPECT_EQ(member(sink.of("chats")[2], "title"), "Deleted account");
}

TEST(Telegram, ResumesAfterEveryCheckpointWithTheSameRecords) {
  std::string list;
  for (int i = 1; i <= 1200; ++i) {
    list += std::string(i == 1 ? "" : ",") + R"({"id":)" + std::to_string(i) +
            R"(,"type":"message","date_unixtime":"1743193740","from":"A","from_id":"user1","text":"t"})";
  }
  Files files{{"result.json", R"({"name":"A","type":"personal_chat","id":1,"messages":[)" + list + "]}"}};
  expect_resumable(telegram_format(), files);
}

TEST(Telegram, AccountsHaveTheirOwnConnection) {
  MemoryTree tree(
      Files{{"DataExport_1/result.json",
             R"({"about": "x", "personal_information": {"user_id": 17, "first_name": "Bob"}, "chats": {"list": []}})"},
            {"DataExport_2/result.json", R"({"about": "x", "chats": {"list": [{"user_id": 3}]}})"},
            {"ChatExport_3/result.json", std::string(kChat)}});
  const std::vector<Unit> units = telegram_format().detect(tree, {});
  std::set<std::string> accounts;
  for (const Unit& unit : units) accounts.insert(unit.part + " " + unit.account);
  EXPECT_EQ(accounts,
            (std::set<std::string>{"ChatExport_3/result.json ", "DataExport_1/result.json 17", "DataExport_2/result.json "}));
}

TEST(Telegram, AChatWithoutAnIdDoesNotTakeTheIdBefore) {
  const CollectingSink sink = read_files(telegram_format(), {{"DataExport_1/result.json", R"({"about": "x", "chats": {"list": [
      {"name": "Ann", "type": "personal_chat", "id": 5, "messages": [{"id": 1, "type": "message", "date_unixtime": "1743193740", "text": "a"}]},
      {"name": "Bob", "type": "personal_chat", "messages": [{"id": 1, "type": "message", "date_unixtime": "1743193740", "text": "b"}]},
      {"name": "Eve", "type": "personal_chat", "messages": [{"id": 1, "type": "message", "date_unixtime": "1743193740", "text": "c"}]}]}})"}});
  std::set<std::string> ids;
  for (const Collected& each : sink.of("messages")) ids.insert(member(each, "id"));
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_TRUE(ids.contains("user5.1"));
}

}  // namespace
}  // namespace ladder::imports
