// Tests the records that are created from mail.
#include "base/text/base64.h"
#include "import/testing/mailbox.h"
#include "import/testing/office_maker.h"
#include "import/text/text.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): used by every test of mail

TEST(Mail, GmailTakeout) {
  const CollectingSink sink = read_mbox(
      "From 1788000000000000001@xxx Fri Jan 05 09:00:00 +0000 2024\r\n"
      "X-GM-THRID: 9223372036854775807\r\n"
      "X-Gmail-Labels: =?UTF-8?Q?Posteingang,Ge=C3=B6ffnet,\"a,_b\"?=\r\n =?UTF-8?Q?,_Wichtig?=\r\n"
      "From: =?UTF-8?B?SsO2cmc=?= <J@Example.org>\r\n"
      "To: \"Lee, Ann\" <ann@example.org>, bob@example.org\r\n"
      "Cc: Team: c@example.org, d@example.org;\r\n"
      "Subject: a long\r\n  folded =?iso-8859-1?Q?caf=E9?= =?iso-8859-1?Q?_au_lait?=\r\n"
      "Date: Fri, 5 Jan 2024 10:00:00 +0100\r\n"
      "Message-ID: <1@example.org>\r\n"
      "References: <root@example.org> <0@example.org>\r\n"
      "\r\n"
      "Hello\r\n>From here on\r\n>>From there\r\n> From a quote\r\n\r\n");
  const Collected message = only(sink);
  EXPECT_EQ(member(message, "thread_id"), "9223372036854775807");
  EXPECT_EQ(member(message, "labels"), R"(["Posteingang","Geöffnet","a, b","Wichtig"])");
  EXPECT_EQ(member(message, "label_names"), "Posteingang, Geöffnet, a, b, Wichtig");
  EXPECT_EQ(member(message, "from"), "Jörg <J@Example.org>");
  EXPECT_EQ(member(message, "from_address"), "j@example.org");
  EXPECT_EQ(member(message, "to"), "Lee, Ann <ann@example.org>, bob@example.org");
  EXPECT_EQ(member(message, "recipients"), R"(["ann@example.org","bob@example.org","c@example.org","d@example.org"])");
  EXPECT_EQ(member(message, "subject"), "a long folded café au lait");
  EXPECT_EQ(member(message, "sent_at"), "2024-01-05T09:00:00.000Z");
  EXPECT_EQ(member(message, "message_id"), "1@example.org");
  EXPECT_EQ(member(message, "references"), R"(["root@example.org","0@example.org"])");
  EXPECT_EQ(member(message, "text"), "Hello\nFrom here on\n>From there\n> From a quote");
  EXPECT_EQ(message.time, parse_time("2024-01-05T09:00:00Z"));
  EXPECT_TRUE(sink.of("filings").empty());  // it has labels
  EXPECT_TRUE(sink.losses.empty());
}

TEST(Mail, BulkMailIsDetectedByItsHeaders) {
  const auto bulk = [](std::string headers) { return member(only_message(simple("a", "x", headers)), "bulk"); };
  EXPECT_EQ(bulk("List-Id: <deals.example>\n"), "true");
  EXPECT_EQ(bulk("List-Unsubscribe: <https://deals.example/out>\n"), "true");
  EXPECT_EQ(bulk("Precedence: Bulk\n"), "true");
  EXPECT_EQ(bulk("List-Id: <news.example>\nList-Post: NO\n"), "true");
  EXPECT_EQ(bulk(""), "");
  EXPECT_EQ(bulk("Precedence: first-class\n"), "");
  EXPECT_EQ(bulk("List-Id: <choir.example>\nPrecedence: list\nList-Post: <mailto:choir@example.org>\n"), "");
}

// A later export with other labels updates the record.
TEST(Mail, LabelsDoNotAffectIdentity) {
  const auto labelled = [](const std::string& labels) {
    return only_message(simple("a", "x", "X-Gmail-Labels: " + labels + "\nX-GM-THRID: 1\n"));
  };
  const Collected older = labelled("Inbox,Unread"), newer = labelled("Archived");
  EXPECT_EQ(member(older, "id"), member(newer, "id"));
  EXPECT_NE(member(older, "labels"), member(newer, "labels"));
}

TEST(Mail, UnusableDatesAreLeftOut) {
  const auto dated = [](std::string_view date) {
    return read_mbox(std::string(kFromLine) + "From: a@x\nMessage-ID: <1@x>\n" + std::string(date) + "\nx\n");
  };
  CollectingSink sink = dated("");
  EXPECT_EQ(member(only(sink), "sent_at"), "");
  EXPECT_EQ(only(sink).time, std::nullopt);
  EXPECT_EQ(sink.skips.size(), 1U);
  for (const std::string_view absurd :
       {"Date: Thu, 01 Jan 1970 00:00:00 +0000\n", "Date: Fri, 31 Dec 9998 00:00:00 +0000\n", "Date: last Tuesday\n",
        "Date: Mon, 99 Foo 2024 99:99:99 +9999\n", "Date: 1 Jan 1904 00:00:00 +0000\n"}) {
    sink = dated(absurd);
    EXPECT_EQ(member(only(sink), "sent_at"), "") << absurd;
    EXPECT_EQ(member(only(sink), "date_text"), absurd.substr(6, absurd.size() - 7));
    EXPECT_EQ(sink.skips.size(), 1U);
  }
  EXPECT_EQ(member(only(dated("Date: 5 Jan 24 10:00 EST\n")), "sent_at"), "2024-01-05T15:00:00.000Z");
}

TEST(Mail, PartlyUnderstoodDatesAreNotUsed) {
  const CollectingSink sink = read_mbox(std::string(kFromLine) + "Subject: half\nDate: 06:09:22 PM EDT\n\ntext\n");
  EXPECT_EQ(member(only(sink), "sent_at"), "");
  EXPECT_EQ(member(only(sink), "date_text"), "06:09:22 PM EDT");
  EXPECT_EQ(sink.skips.size(), 1U);
  const Collected zone = only_message("Subject: zone\nDate: Fri, 20 Aug 1999 12:09:22 XYZ\n\ntext");
  EXPECT_EQ(member(zone, "sent_at"), "1999-08-20T12:09:22.000Z");
  EXPECT_NE(member(zone, "problems").find("xyz"), std::string::npos);
}

TEST(Mail, TheSameMessageIdWithOtherContentIsTwoRecords) {
  const std::string one = simple("a", "first"), other = simple("a", "second");
  const CollectingSink sink = read_mbox(mbox_of({one, other, one}));
  std::set<std::string> ids;
  for (const Collected& each : sink.of("messages")) {
    EXPECT_EQ(member(each, "message_id"), "a@example.org");
    ids.insert(member(each, "id"));
  }
  EXPECT_EQ(ids.size(), 2U);
}

TEST(Mail, TheSameMessageInSeveralFoldersIsOneRecord) {
  const std::string message = simple("a", "text");
  std::string dos = message;
  for (std::size_t at = dos.find('\n'); at != std::string::npos; at = dos.find('\n', at + 2)) dos.insert(at, 1, '\r');
  const CollectingSink sink = read_mail({{"Inbox.mbox", std::string(kFromLine) + message + "\n\n"},
                                         {"Archive.mbox", std::string(kFromLine) + dos + "\r\n\r\n"},
                                         {"Maildir/.Sent/cur/1.a:2,RS", message}});
  std::set<std::string> records, folders;
  for (const Collected& each : sink.of("messages")) records.insert(each.data);
  for (const Collected& each : sink.of("filings")) folders.insert(member(each, "folder"));
  EXPECT_EQ(records.size(), 1U);
  EXPECT_EQ(folders, (std::set<std::string>{"Archive", "Inbox", "Sent"}));
}

TEST(Mail, LabelsThatChangeLaterKeepTheRecord) {
  const Collected before = only_message(simple("a", "x", "X-Gmail-Labels: Inbox,Unread\n"));
  const Collected after = only_message(simple("a", "x", "X-Gmail-Labels: Inbox\n"));
  EXPECT_EQ(member(before, "id"), member(after, "id"));
  EXPECT_NE(before.data, after.data);
}

TEST(Mail, AttachmentsAreBlobsWithTheirText) {
  const CollectingSink sink = read_mbox(std::string(kFromLine) + simple("a",
                                                                        R"(--b
Content-Type: text/plain

see attached
--b
Content-Type: text/csv; charset=iso-8859-1; name="x.csv"
Content-Disposition: attachment; filename*=UTF-8''%C3%BCber.csv

caf)"
                                                                        "\xE9"
                                                                        R"(;1
--b
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64
Content-Disposition: attachment; filename="=?UTF-8?B?8J+YgA==?=.bin"

AAECAw==
--b
Content-Type: message/rfc822

From: inner@example.org
Subject: inside

inner text
--b--
)",
                                                                        "Content-Type: multipart/mixed; boundary=b\n"));
  const std::vector<Collected> files = sink.of("attachments");
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(member(files[0], "file_name"), "über.csv");
  EXPECT_EQ(member(files[0], "mime_type"), "text/csv");
  EXPECT_EQ(member(files[0], "text"), "café;1");
  EXPECT_EQ(member(files[1], "file_name"), "😀.bin");
  EXPECT_EQ(member(files[1], "size_bytes"), "4");
  ASSERT_EQ(sink.blobs.size(), 3U);
  EXPECT_EQ(sink.blobs[1].second, std::string("\0\1\2\3", 4));
  EXPECT_EQ(member(files[2], "mime_type"), "message/rfc822");
  EXPECT_EQ(member(files[2], "file_name"), "inside.eml");
  EXPECT_EQ(member(files[2], "text"), "From: inner@example.org\nSubject: inside\n\ninner text");
  const Collected message = only(sink);
  EXPECT_EQ(member(message, "attachment_count"), "3");
  EXPECT_EQ(member(message, "attachment_names"), R"(["über.csv","😀.bin","inside.eml"])");
  EXPECT_EQ(member(files[0], "message"), member(message, "id"));
}

TEST(Mail, MalformedMime) {
  // A missing closing boundary, a boundary that never occurs, a part without headers, invalid base64.
  EXPECT_EQ(trim(member(
                only_message(simple("a", "--b\nContent-Type: text/plain\n\nopen", "Content-Type: multipart/mixed; boundary=b\n")),
                "text")),
            "open");
  only_message(simple("a", "text without parts", "Content-Type: multipart/mixed; boundary=never\n"));
  only_message(simple("a", "text without parts", "Content-Type: multipart/mixed\n"));
  only_message(simple("a", "!!!R3LDvMOfZQ==!!!", "Content-Transfer-Encoding: base64\n"));
  only_message(simple("a", "x", "Content-Type: ;;;=\nContent-Transfer-Encoding: x-unknown\n"));
}

TEST(Mail, DeepNestingIsLimitedAndReported) {
  std::string body, headers;
  constexpr int kDepth = 3000;
  for (int i = 0; i < kDepth; ++i) body += format("--b{0}\nContent-Type: multipart/mixed; boundary=b{1}\n\n", i, i + 1);
  body += format("--b{}\nContent-Type: text/plain\n\nbottom\n", kDepth);
  const Collected message = only_message(simple("a", body, "Content-Type: multipart/mixed; boundary=b0\n"));
  EXPECT_NE(member(message, "problems").find("nested deeper"), std::string::npos);
}

// GMime parses nested groups and comments recursively; 200,000 of them would crash the process.
TEST(Mail, HostileAddressesAreKeptAsText) {
  constexpr int kDepth = 200'000;
  std::string groups, comments;
  for (int i = 0; i < kDepth; ++i) groups += "g:";
  comments.assign(kDepth, '(');
  for (const std::string& hostile : {groups, comments}) {
    EXPECT_NE(member(only_message("From: a@x\nTo: " + hostile + "\n\nx"), "to"), "");
    const std::string inside = "--b\nContent-Type: message/rfc822\n\nFrom: i@x\nTo: " + hostile + "\n\ninner\n--b--\n";
    EXPECT_EQ(member(only_message(simple("a", inside, "Content-Type: multipart/mixed; boundary=b\n")), "attachment_count"), "1");
  }
}

TEST(Mail, NestedMessagesAreReadToALimit) {
  std::string text = "From: bottom@x\n\nbottom";
  for (int i = 0; i < 50; ++i) text = format("From: level{}@x\nContent-Type: message/rfc822\n\n{}", i, text);
  const Collected message = only_message(text);
  EXPECT_NE(member(message, "problems").find("nested deeper"), std::string::npos);
}

TEST(Mail, AppleMailsFilesHaveFlagsAndFolders) {
  const std::string text = simple("hello", "Dear Bob\n");
  const std::string file = std::to_string(text.size()) + "\n" + text +
                           "<?xml version=\"1.0\"?><plist><dict><key>flags</key><integer>17</integer></dict></plist>";
  const CollectingSink sink =
      read_mail({{"Mail/V10/A/Travel.mbox/B/Data/1/Messages/12.partial.emlx", file}, {"plain.emlx", text}});
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(member(messages[0], "text"), "Dear Bob");
  EXPECT_EQ(messages[0].data, messages[1].data);
  const auto filings = sink.of("filings");
  EXPECT_EQ(member(filings[0], "folder"), "Travel");
  EXPECT_EQ(member(filings[0], "read"), "true");
  EXPECT_EQ(member(filings[0], "flagged"), "true");
  EXPECT_EQ(member(filings[0], "replied"), "false");
  EXPECT_EQ(sink.skips.at("attachments: files of a message that Apple Mail keeps apart from it (.partial.emlx)"), 1);
}

TEST(Mail, AttachedOfficeFilesHaveTextAndSheets) {
  const std::string encoded = base64::encode(testing::xlsx());
  std::string lines;
  for (std::size_t at = 0; at < encoded.size(); at += 76) lines += encoded.substr(at, 76) + "\n";
  const CollectingSink sink = testing::read_mbox(
      std::string(testing::kFromLine) +
      testing::simple("costs",
                      "--b\nContent-Type: text/plain\n\nSee the sheet.\n--b\nContent-Type: application/octet-stream; "
                      "name=\"costs.xlsx\"\nContent-Transfer-Encoding: base64\n\n" +
                          lines + "--b--\n",
                      "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n"));
  const Collected sheet = testing::only(sink, "attachments");
  EXPECT_EQ(testing::member(sheet, "file_name"), "costs.xlsx");
  EXPECT_TRUE(testing::member(sheet, "text").starts_with("Day\tAmount\n2025-01-01\t12.5")) << testing::member(sheet, "text");
  EXPECT_EQ(testing::member(sheet, "page_kind"), "sheet");
  EXPECT_NE(testing::member(sheet, "pages").find("\"name\":\"Costs\""), std::string::npos);
}

}  // namespace
}  // namespace ladder::imports
