#include "import/formats/meta/meta_text.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Meta, TextsAreRepaired) {
  EXPECT_EQ(meta::repaired("caf\u00C3\u00A9 \u00F0\u009F\u0098\u0080"), "café 😀");
  EXPECT_EQ(meta::repaired("café"), "café") << "already right: é alone is not UTF-8";
  EXPECT_EQ(meta::repaired("\u20AC\u00C3\u00A9"), "\u20AC\u00C3\u00A9");
}

const Files kThread = {{"your_facebook_activity/messages/inbox/annlee_123/message_2.json",
                        R"({"participants":[{"name":"Ann L\u00c3\u00a9e"},{"name":"Bob"}],"messages":[
        {"sender_name":"Bob","timestamp_ms":1600000000000,"content":"first","photos":[{"uri":"your_facebook_activity/messages/inbox/annlee_123/photos/a.jpg"}]}],
        "title":"Ann L\u00c3\u00a9e","thread_path":"inbox/annlee_123"})"},
                       {"your_facebook_activity/messages/inbox/annlee_123/message_1.json",
                        R"({"participants":[{"name":"Ann L\u00c3\u00a9e"},{"name":"Bob"}],"messages":[
        {"sender_name":"Ann L\u00c3\u00a9e","timestamp_ms":1700000000000,"content":"sch\u00c3\u00b6n","reactions":[{"reaction":"\u00e2\u009d\u00a4","actor":"Bob"}]},
        {"sender_name":"Bob","timestamp_ms":1700000000000,"content":"look","share":{"link":"https://a.example?fbclid=1","share_text":"A page"}},
        {"sender_name":"Bob","timestamp_ms":1699999999999,"is_unsent":true},
        {"sender_name":"Bob","timestamp_ms":1699999999998,"content":"Bob called you","call_duration":61},
        {"sender_name":"Bob","content":"no time"}],
        "title":"Ann L\u00c3\u00a9e"})"},
                       {"your_facebook_activity/messages/inbox/annlee_123/photos/a.jpg", "JPEG"}};

TEST(Meta, AThreadOfSeveralFilesIsOneChat) {
  const CollectingSink sink = read_files(meta_format(), kThread);
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_EQ(member(messages[0], "author"), "Ann Lée");
  EXPECT_EQ(member(messages[0], "text"), "schön");
  EXPECT_EQ(member(messages[0], "chat"), "Ann Lée");
  EXPECT_EQ(member(messages[0], "chat_id"), "123");
  EXPECT_EQ(member(messages[0], "reactions"), R"([{"name":"❤","count":1,"by":["Bob"]}])");
  EXPECT_EQ(member(messages[1], "text"), "look\nA page");
  EXPECT_EQ(member(messages[2], "deleted"), "true");
  EXPECT_EQ(member(messages[3], "kind"), "notice");
  EXPECT_EQ(member(messages[4], "file_names"), "a.jpg");
  EXPECT_EQ(sink.of("files").size(), 1U);
  const Collected chat = only(sink, "chats");
  EXPECT_EQ(member(chat, "members"), R"(["Ann Lée","Bob"])");
  EXPECT_EQ(member(chat, "message_count"), "5");
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].reason, "not a message: it has no time");
  expect_resumable(meta_format(), kThread);
}

TEST(Meta, EncryptedChatsHaveTheSameRecords) {
  const CollectingSink sink =
      read_files(meta_format(), {{"Ann Lee_7.json", R"({"participants":["Ann Lee","Bob"],"threadName":"Ann Lee","messages":[
        {"senderName":"Ann Lee","text":"hi","timestamp":1700000000000,"type":"text","isUnsent":false,"media":[{"uri":"./media/x.png"}],"reactions":[{"actor":"Bob","reaction":"x"}]}]})"},
                                 {"media/x.png", "PNG"},
                                 {"package_1.json", R"({"participants": 3})"}});
  const Collected message = only(sink, "messages");
  EXPECT_EQ(member(message, "author"), "Ann Lee");
  EXPECT_EQ(member(message, "text"), "hi");
  EXPECT_EQ(member(message, "sent_at"), "2023-11-14T22:13:20.000Z");
  EXPECT_EQ(sink.of("files").size(), 1U);
}

}  // namespace
}  // namespace ladder::imports
