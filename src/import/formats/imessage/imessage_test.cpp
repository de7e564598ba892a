#include "import/formats/imessage/typed_stream.h"
#include "import/sqlite/testing/sqlite_maker.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// The beginning of an NSAttributedString with this length and text.
std::string typed(std::string_view length, std::string_view text) {
  std::string out("\x04\x0Bstreamtyped\x81\xE8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString", 41);
  out.append(std::string("\0\x84\x84\x08NSObject\0\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+", 32));
  return out.append(length).append(text).append("\x86\x84\x02iI");
}

std::string hex(std::string_view bytes) {
  std::string out = "x'";
  for (const char c : bytes) {
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return out + "'";
}

TEST(IMessage, TypedStreamsHaveLengthsOfOneTwoAndFourBytes) {
  EXPECT_EQ(imessage::text_in_typed_stream(typed("\x05", "hello")), "hello");
  const std::string long_text(300, 'x');
  EXPECT_EQ(imessage::text_in_typed_stream(typed("\x81\x2C\x01", long_text)), long_text);
  EXPECT_EQ(imessage::text_in_typed_stream(typed(std::string("\x82\x05\0\0\0", 5), "hello")), "hello");
  EXPECT_EQ(imessage::text_in_typed_stream(typed("\x02", "+\x01")), "+\x01");
  EXPECT_EQ(imessage::text_in_typed_stream(typed("\x7F", "too short")), std::nullopt);
  EXPECT_EQ(imessage::text_in_typed_stream("bplist00"), std::nullopt);
}

Files database() {
  SqliteMaker maker;
  maker.run(
      "CREATE TABLE message(ROWID INTEGER PRIMARY KEY, guid, text, attributedBody, date, is_from_me, handle_id, "
      "associated_message_guid, "
      "associated_message_type, thread_originator_guid, item_type, group_title);"
      "CREATE TABLE handle(ROWID INTEGER PRIMARY KEY, id); INSERT INTO handle VALUES(1, '+15550100');"
      "CREATE TABLE chat(ROWID INTEGER PRIMARY KEY, guid, display_name, chat_identifier, style);"
      "INSERT INTO chat VALUES(1, 'iMessage;-;+15550100', '', '+15550100', 45), (2, 'iMessage;+;chat9', 'Family', 'chat9', 43);"
      "CREATE TABLE chat_message_join(chat_id, message_id); CREATE TABLE chat_handle_join(chat_id, handle_id);"
      "INSERT INTO chat_handle_join VALUES(1, 1), (2, 1);"
      "CREATE TABLE attachment(ROWID INTEGER PRIMARY KEY, filename, transfer_name);"
      "CREATE TABLE message_attachment_join(message_id, attachment_id);"
      "INSERT INTO attachment VALUES(1, '~/Library/Messages/Attachments/ab/IMG_1.jpg', 'IMG_1.jpg'), (2, NULL, 'gone.heic');"
      "INSERT INTO message_attachment_join VALUES(2, 1), (2, 2);"
      "INSERT INTO message VALUES(1, 'G1', NULL, " +
      hex(typed("\x05", "hello")) +
      ", 700000000000000000, 0, 1, NULL, 0, NULL, 0, NULL),"
      "(2, 'G2', char(65532) || 'photo', NULL, 700000000, 1, 0, NULL, 0, 'G1', 0, NULL),"
      "(3, 'G3', 'Loved', NULL, 700000001000000000, 1, 0, 'p:0/G1', 2000, NULL, 0, NULL),"
      "(4, 'G4', 'Liked', NULL, 700000002000000000, 0, 1, 'bp:G2', 2001, NULL, 0, NULL),"
      "(5, 'G5', 'Removed', NULL, 700000003000000000, 0, 1, 'bp:G2', 3001, NULL, 0, NULL),"
      "(6, 'G6', NULL, x'62706c697374', 700000004000000000, 0, 1, NULL, 0, NULL, 0, NULL),"
      "(7, 'G7', NULL, NULL, 700000005000000000, 0, 1, NULL, 0, NULL, 2, 'Trip'),"
      "(8, 'G8', NULL, NULL, 700000006000000000, 0, 1, NULL, 0, NULL, 0, NULL);"
      "INSERT INTO chat_message_join VALUES(1, 1), (2, 1), (1, 2), (1, 3), (2, 6), (2, 7);");
  EXPECT_EQ(maker.problems, "");
  return {{"Messages/chat.db", maker.bytes()}, {"Messages/Attachments/ab/IMG_1.jpg", "JPEG"}};
}

TEST(IMessage, MessagesHaveTextReactionsRepliesAndFiles) {
  const CollectingSink sink = read_files(imessage_format(), database());
  EXPECT_EQ(sink.losses.size(), 0U);
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(member(messages[0], "text"), "hello");
  EXPECT_EQ(member(messages[0], "sent_at"), "2023-03-08T20:26:40.000Z");
  EXPECT_EQ(member(messages[0], "author"), "+15550100");
  EXPECT_EQ(member(messages[0], "chat"), "+15550100");
  EXPECT_EQ(member(messages[0], "reactions"), R"([{"name":"loved","count":1,"by":["You"]}])");
  EXPECT_EQ(member(messages[1], "text"), "photo");
  EXPECT_EQ(member(messages[1], "sent_at"), "2023-03-08T20:26:40.000Z") << "seconds, as before 2017";
  EXPECT_EQ(member(messages[1], "reply_to"), "G1");
  EXPECT_EQ(member(messages[1], "reactions"), "") << "it was taken back";
  EXPECT_EQ(member(messages[1], "file_names"), "IMG_1.jpg\ngone.heic");
  EXPECT_EQ(member(messages[2], "problems"), R"(["the text is stored in a form that cannot be read"])");
  EXPECT_EQ(member(messages[3], "notice"), "the chat was named Trip");
  EXPECT_EQ(sink.of("files").size(), 1U);
  EXPECT_EQ(sink.skips.at("messages: a message without text or files"), 1);
  const auto chats = sink.of("chats");
  ASSERT_EQ(chats.size(), 2U);
  EXPECT_EQ(member(chats[1], "title"), "Family");
  EXPECT_EQ(member(chats[1], "members"), R"(["+15550100"])");
  expect_resumable(imessage_format(), database());
}

TEST(IMessage, ADamagedDatabaseIsReported) {
  Files files = database();
  std::string& bytes = files["Messages/chat.db"];
  for (std::size_t at = 4096; at < bytes.size(); ++at) bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
  const CollectingSink sink = read_files(imessage_format(), files);
  EXPECT_EQ(sink.losses.size(), 1U);
}

}  // namespace
}  // namespace ladder::imports
