#include "import/child/format.h"
#include "import/formats/mail/mail_message.h"
#include "import/formats/mail/mail_parts.h"
#include "import/formats/mail/mail_splitter.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"
#include "import/text/text.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace ladder::imports {
namespace {

using testing::Collected;
using testing::CollectingSink;
using testing::MemoryTree;

constexpr std::string_view kFromLine = "From ann@example.org Mon Jan 05 10:00:00 2024\n";

CollectingSink read_files(std::map<std::string, std::string> files, const Request& request = {}) {
  MemoryTree tree(std::move(files));
  CollectingSink sink = testing::read_all(mail_format(), tree, request);
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  return sink;
}

CollectingSink read_mbox(std::string text) { return read_files({{"Mail/All.mbox", std::move(text)}}); }

// A member of a record as people read it: a string decoded, anything else as JSON; "" when absent.
std::string member(const Collected& record, std::string_view name) {
  const auto value = json::member(record.data, name);
  if (!value) return {};
  return value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
}

std::string simple(std::string_view subject, std::string_view body, std::string_view more_headers = "") {
  return format(
      "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Fri, 05 Jan 2024 10:00:00 +0100\nSubject: {}\n"
      "Message-ID: <{}@example.org>\n{}\n{}",
      subject, subject, more_headers, body);
}

std::string mbox_of(const std::vector<std::string>& messages) {
  std::string out;
  for (const std::string& each : messages) out += std::string(kFromLine) + each + "\n\n";
  return out;
}

Collected only(const CollectingSink& sink, std::string_view stream = "messages") {
  const std::vector<Collected> found = sink.of(stream);
  EXPECT_EQ(found.size(), 1U);
  return found.empty() ? Collected{} : found.front();
}

Collected only_message(std::string_view message) { return only(read_mbox(std::string(kFromLine) + std::string(message) + "\n")); }

std::vector<std::string> subjects(const CollectingSink& sink) {
  std::vector<std::string> out;
  for (const Collected& each : sink.of("messages")) out.push_back(member(each, "subject"));
  return out;
}

TEST(Mail, DeclarationIsValidAndFullyEnforced) {
  const auto declaration = model::parse_declaration(*mail_format().declaration({}));
  ASSERT_TRUE(declaration) << declaration.error().message;
  EXPECT_EQ(declaration->default_key(), "mail");
  // `format` is an annotation everywhere; nothing else may be written that nobody checks.
  for (const std::string& each : declaration->unenforced()) EXPECT_TRUE(each.ends_with("/format")) << each;
}

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
  EXPECT_TRUE(sink.of("filings").empty());  // it carries labels
  EXPECT_TRUE(sink.losses.empty());
}

TEST(Mail, BulkMailIsToldByItsHeaders) {
  const auto bulk = [](std::string headers) { return member(only_message(simple("a", "x", headers)), "bulk"); };
  EXPECT_EQ(bulk("List-Id: <deals.example>\n"), "true");
  EXPECT_EQ(bulk("List-Unsubscribe: <https://deals.example/out>\n"), "true");
  EXPECT_EQ(bulk("Precedence: Bulk\n"), "true");
  EXPECT_EQ(bulk("List-Id: <news.example>\nList-Post: NO\n"), "true");
  EXPECT_EQ(bulk(""), "");
  EXPECT_EQ(bulk("Precedence: first-class\n"), "");
  EXPECT_EQ(bulk("List-Id: <choir.example>\nPrecedence: list\nList-Post: <mailto:choir@example.org>\n"), "");
}

TEST(Mail, ThreadsWithoutGmail) {
  EXPECT_EQ(member(only_message(simple("a", "x", "References: <r@x> <s@x>\nIn-Reply-To: <s@x>\n")), "thread_id"), "r@x");
  EXPECT_EQ(member(only_message(simple("a", "x", "In-Reply-To: <s@x>\n")), "thread_id"), "s@x");
  EXPECT_EQ(member(only_message(simple("a", "x")), "thread_id"), "a@example.org");
}

// The messages beside it do not matter: the same message of two mailboxes is one record, and must not be changed by each of them.
TEST(Mail, AThreadIsMadeFromTheMessageAlone) {
  const std::string first = simple("first", "x"), second = simple("second", "x", "In-Reply-To: <first@example.org>\n");
  const std::string third = simple("third", "x", "In-Reply-To: <second@example.org>\n");
  const CollectingSink chain = read_mbox(mbox_of({first, second, third})), alone = read_mbox(mbox_of({third}));
  ASSERT_EQ(chain.of("messages").size(), 3U);
  EXPECT_EQ(chain.of("messages")[2].data, alone.of("messages")[0].data);
  EXPECT_EQ(member(alone.of("messages")[0], "thread_id"), "second@example.org");
}

// Another export of it: the labels change in place.
TEST(Mail, LabelsAreNoPartOfWhatAMessageIs) {
  const auto labelled = [](const std::string& labels) {
    return only_message(simple("a", "x", "X-Gmail-Labels: " + labels + "\nX-GM-THRID: 1\n"));
  };
  const Collected older = labelled("Inbox,Unread"), newer = labelled("Archived");
  EXPECT_EQ(member(older, "id"), member(newer, "id"));
  EXPECT_NE(member(older, "labels"), member(newer, "labels"));
}

TEST(Mail, UnquotedFromLinesDoNotCutMessages) {
  const CollectingSink sink = read_mbox(mbox_of({
      simple("one", "Dear all,\n\nFrom now on we meet on Mondays.\n\nFrom Monday: nothing\nelse"),
      simple("two", "text\nFrom ann@example.org Mon Jan 05 10:00:00 2024\nno header follows"),
  }));
  EXPECT_EQ(subjects(sink), (std::vector<std::string>{"one", "two"}));
  EXPECT_NE(member(sink.of("messages")[1], "text").find("no header follows"), std::string::npos);
}

TEST(Mail, SeparatorsWithoutDates) {
  const CollectingSink sink = read_mbox("From ann\n" + simple("one", "x") + "\n\nFrom bob\n" + simple("two", "y") + "\n");
  EXPECT_EQ(subjects(sink), (std::vector<std::string>{"one", "two"}));
}

TEST(Mail, AnUndatedMozillaLineSeparates) {
  const std::string text = std::string(kFromLine) + simple("one", "text") + "\n\nFrom - \nX-Mozilla-Status: 0001\n" +
                           simple("two", "From - \nno header follows here") + "\n\nFrom -\r\n" + simple("three", "text") + "\n";
  EXPECT_EQ(subjects(read_mbox(text)), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Mail, PlainTextIsPreferredAndHtmlKept) {
  const Collected message = only_message(simple("a", R"(preamble
--b
Content-Type: text/plain; charset=utf-8

plain words
--b
Content-Type: text/html; charset=utf-8

<p>rich <b>words</b></p>
--b--
)",
                                                "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n"));
  EXPECT_EQ(trim(member(message, "text")), "plain words");
  EXPECT_EQ(trim(member(message, "html")), "<p>rich <b>words</b></p>");
}

TEST(Mail, HtmlAloneBecomesText) {
  const Collected message = only_message(
      simple("a", "<style>x{}</style><p>One</p><p>Two <a href=\"https://example.org/x\">there</a></p><script>bad()</script>",
             "Content-Type: text/html; charset=utf-8\n"));
  EXPECT_EQ(member(message, "text"), "One\n\nTwo there");
  EXPECT_EQ(member(message, "links"), R"(["https://example.org/x"])");
}

std::string alternatives(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string body;
  for (const auto& [headers, text] : parts) body += format("--b\nContent-Type: {}\n\n{}\n", headers, text);
  return simple("alternatives", body + "--b--\n", "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n");
}

TEST(Mail, NoAlternativeIsLost) {
  const Collected two_plain = only_message(alternatives({{"text/plain", "The first words"}, {"text/plain", "The second zebra"}}));
  EXPECT_EQ(member(two_plain, "text"), "The first words");
  EXPECT_EQ(member(two_plain, "other_text"), "The second zebra");
  const Collected two_html =
      only_message(alternatives({{"text/html", "<p>one walrus</p>"}, {"text/html", "<p>one gnu</p><p>same</p>"}}));
  EXPECT_NE(member(two_html, "text").find("gnu"), std::string::npos);
  EXPECT_EQ(member(two_html, "other_text"), "one walrus");
  EXPECT_NE(member(two_html, "html").find("gnu"), std::string::npos);
  const Collected four = only_message(alternatives({{"text/plain", "a b c"},
                                                    {"text/html", "<p>a b c yak</p>"},
                                                    {"text/plain", "a b c okapi"},
                                                    {"text/html", "<p>a b c</p>"}}));
  EXPECT_EQ(member(four, "text"), "a b c");
  EXPECT_EQ(member(four, "other_text"), "a b c yak\na b c okapi");
  // The same text twice is not repeated.
  const Collected same = only_message(alternatives({{"text/plain", "a b c"}, {"text/plain", "A b, c!"}}));
  EXPECT_EQ(member(same, "other_text"), "");
}

TEST(Mail, NoAlternativeInsideAnotherIsLost) {
  const std::string inner =
      "--c\nContent-Type: text/plain\n\nan aside about quokkas\n--c\nContent-Type: text/html\n\n<p>plain words</p>\n--c--";
  const Collected record = only_message(alternatives({{"text/plain", "plain words"}, {"multipart/mixed; boundary=c", inner}}));
  EXPECT_EQ(member(record, "text"), "plain words");
  EXPECT_EQ(member(record, "other_text"), "an aside about quokkas");
  const Collected deep =
      only_message(alternatives({{"multipart/alternative; boundary=c", inner}, {"text/plain", "plain words"}}));
  EXPECT_NE((member(deep, "text") + member(deep, "other_text")).find("quokkas"), std::string::npos);
  EXPECT_NE((member(deep, "text") + member(deep, "other_text")).find("plain words"), std::string::npos);
}

TEST(Mail, VersionsForAmpAreHtml) {
  const CollectingSink sink = read_mbox(mbox_of({alternatives(
      {{"text/plain", "Hello there"},
       {"text/html", "<p>Hello there</p>"},
       {"text/x-amp-html", "<!doctype html><html amp4email><head><style amp-custom>p{}</style></head><p>Hello narwhal</p>"}})}));
  const Collected record = only(sink);
  EXPECT_EQ(member(record, "text"), "Hello there");
  EXPECT_EQ(member(record, "html"), "<p>Hello there</p>");
  EXPECT_EQ(member(record, "other_text"), "Hello narwhal");
  EXPECT_TRUE(sink.of("attachments").empty());
}

TEST(Mail, ABodyWithAFileNameIsTheText) {
  const CollectingSink alone =
      read_mbox(mbox_of({simple("named", "The whole message",
                                "Content-Type: text/plain; charset=utf-8\nContent-Disposition: inline; filename=\"m.txt\"\n")}));
  EXPECT_EQ(member(only(alone), "text"), "The whole message");
  EXPECT_EQ(member(only(alone, "attachments"), "file_name"), "m.txt");
  const Collected html = only_message(
      simple("named", "<p>The <b>page</b></p>", "Content-Type: text/html; name=\"m.html\"\nContent-Disposition: inline\n"));
  EXPECT_EQ(member(html, "text"), "The page");
  EXPECT_EQ(member(html, "html"), "<p>The <b>page</b></p>");
  // It stays an attachment if there is other text, or if the file is marked as attached.
  const std::string mixed =
      "--b\nContent-Type: text/plain\n\nThe letter\n--b\nContent-Type: text/plain\nContent-Disposition: inline; "
      "filename=a.txt\n\n"
      "The file\n--b--\n";
  EXPECT_EQ(member(only_message(simple("mixed", mixed, "Content-Type: multipart/mixed; boundary=b\n")), "text"), "The letter");
  EXPECT_EQ(member(only_message(simple("file", "The file", "Content-Disposition: attachment; filename=a.txt\n")), "text"), "");
}

TEST(Mail, TextAfterBase64IsNotDecoded) {
  const std::string_view headers = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n";
  const std::string footer = "_______________________________________________\nThe list, https://lists.example.org/a";
  for (const std::string encoded : {"SGVsbG8gd29ybGQ=", "SGVsbG8gd29ybGQh"}) {
    const Collected record = only_message(simple("list", encoded + "\n\n" + footer, headers));
    EXPECT_TRUE(member(record, "text").starts_with("Hello world")) << member(record, "text");
    EXPECT_LE(member(record, "text").size(), 12U);
    EXPECT_EQ(member(record, "other_text"), footer);
    EXPECT_EQ(member(record, "charset_guessed"), "");
  }
}

TEST(Mail, AnEmptyPlainPartGivesWayToHtml) {
  const Collected message =
      only_message(simple("a", "--b\nContent-Type: text/plain\n\n   \n--b\nContent-Type: text/html\n\n<p>said</p>\n--b--\n",
                          "Content-Type: multipart/alternative; boundary=b\n"));
  EXPECT_EQ(member(message, "text"), "said");
}

TEST(Mail, AListFooterDoesNotReplaceHtml) {
  const Collected message = only_message(
      simple("a", "--b\nContent-Type: text/html\n\n<p>the letter</p>\n--b\nContent-Type: text/plain\n\nfooter\n--b--\n",
             "Content-Type: multipart/mixed; boundary=b\n"));
  EXPECT_EQ(trim(member(message, "text")), "the letter\n\nfooter");
}

TEST(Mail, EncodingsAndCharsets) {
  const auto text = [](std::string_view headers, std::string_view body) {
    return std::string(trim(member(only_message(simple("a", body, headers)), "text")));
  };
  EXPECT_EQ(
      text("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n", "Gr=C3=BC=C3=9Fe =\naus"),
      "Grüße aus");
  EXPECT_EQ(text("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n", "R3LDvMOfZQ==\n"), "Grüße");
  EXPECT_EQ(text("Content-Type: text/plain; charset=iso-8859-1\n",
                 "Gr\xFC\xDF"
                 "e"),
            "Grüße");
  EXPECT_EQ(text("Content-Type: text/plain; charset=us-ascii\n",
                 "Gr\xC3\xBC\xC3\x9F"
                 "e"),
            "Grüße");                                                                          // mislabelled UTF-8
  EXPECT_EQ(text("Content-Type: text/plain; charset=utf-8\n", "it\x92s \x80 5"), "it’s € 5");  // mislabelled cp1252
  EXPECT_EQ(text("Content-Type: text/plain; charset=koi8-r\n", "\xF0\xD2\xC9\xD7\xC5\xD4"), "Привет");
  EXPECT_EQ(text("Content-Type: text/plain; charset=no-such-charset\n", "plain"), "plain");
  EXPECT_EQ(text("Content-Type: text/plain; charset=iso-2022-jp\n", "\x1B$B$3$s\x1B(B"), "こん");
  EXPECT_EQ(text("Content-Type: text/plain; charset=utf-8; format=flowed\n", "a long \nline\n> quoted \n> too\n-- \nAnn"),
            "a long line\n> quoted too\n-- \nAnn");
}

TEST(Mail, AMetaTagNamesTheCharsetWhenTheHeaderDoesNot) {
  const std::string page = "<html><head><meta charset=\"koi8-r\"></head><body>\xF0\xD2\xC9\xD7\xC5\xD4</body></html>";
  for (const char* type : {"Content-Type: text/html\n", "Content-Type: text/html; charset=us-ascii\n",
                           "Content-Type: text/html; charset=koi8-r\n"}) {
    const Collected message = only_message(simple("a", page, type));
    EXPECT_EQ(trim(member(message, "text")), "Привет") << type;
    EXPECT_NE(member(message, "html").find("Привет"), std::string::npos);
  }
  const std::string lie = "<meta http-equiv=Content-Type content='text/html; charset=utf-16'>caf\xC3\xA9";
  EXPECT_EQ(trim(member(only_message(simple("a", lie, "Content-Type: text/html\n")), "text")), "café");
}

TEST(Mail, EightBitHeaders) {
  EXPECT_EQ(member(only_message("From: J\xC3\xB6rg <j@example.org>\nSubject: Gr\xFC\xDF"
                                "e\n\nx"),
                   "subject"),
            "Grüße");
  EXPECT_EQ(member(only_message("From: J\xC3\xB6rg <j@example.org>\nSubject: x\n\nx"), "from"), "Jörg <j@example.org>");
}

TEST(Mail, Unflowed) {
  EXPECT_EQ(mail::unflowed("one \ntwo\n", true), "onetwo\n");
  EXPECT_EQ(mail::unflowed(" stuffed\n >not a quote\n", false), "stuffed\n>not a quote\n");
  EXPECT_EQ(mail::unflowed("open \n> other depth\n", false), "open \n> other depth\n");
  EXPECT_EQ(mail::unflowed("", false), "");
}

TEST(Mail, DatesAreHonest) {
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

TEST(Mail, DatesAreNotMadeFromHalfOfWhatIsThere) {
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
  const CollectingSink sink = read_files({{"Inbox.mbox", std::string(kFromLine) + message + "\n\n"},
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

TEST(Mail, Maildir) {
  const CollectingSink sink = read_files({{"Maildir/cur/1.M1.host:2,FRS", simple("one", "x")},
                                          {"Maildir/new/2.M2.host", simple("two", "x")},
                                          {"Maildir/tmp/3.M3.host", simple("three", "x")},
                                          {"Maildir/.Lists.Work/cur/4.M4.host:2,DT", simple("four", "x")},
                                          {"Maildir/dovecot-uidlist", "3 V1 N5\n"}});
  EXPECT_EQ(subjects(sink), (std::vector<std::string>{"four", "one", "two"}));
  const std::vector<Collected> filings = sink.of("filings");
  ASSERT_EQ(filings.size(), 3U);
  EXPECT_EQ(member(filings[0], "folder"), "Lists.Work");
  EXPECT_EQ(member(filings[0], "draft") + member(filings[0], "trashed") + member(filings[0], "read"), "truetruefalse");
  EXPECT_EQ(member(filings[1], "folder"), "INBOX");
  EXPECT_EQ(member(filings[1], "read") + member(filings[1], "flagged") + member(filings[1], "replied"), "truetruetrue");
  EXPECT_EQ(sink.skips.size(), 1U);
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
  // No closing boundary, a boundary that never comes, a part without headers, base64 with rubbish.
  EXPECT_EQ(trim(member(
                only_message(simple("a", "--b\nContent-Type: text/plain\n\nopen", "Content-Type: multipart/mixed; boundary=b\n")),
                "text")),
            "open");
  only_message(simple("a", "text without parts", "Content-Type: multipart/mixed; boundary=never\n"));
  only_message(simple("a", "text without parts", "Content-Type: multipart/mixed\n"));
  only_message(simple("a", "!!!R3LDvMOfZQ==!!!", "Content-Transfer-Encoding: base64\n"));
  only_message(simple("a", "x", "Content-Type: ;;;=\nContent-Transfer-Encoding: x-unknown\n"));
}

TEST(Mail, DeepNestingIsCutAndSaid) {
  std::string body, headers;
  constexpr int kDepth = 3000;
  for (int i = 0; i < kDepth; ++i) body += format("--b{0}\nContent-Type: multipart/mixed; boundary=b{1}\n\n", i, i + 1);
  body += format("--b{}\nContent-Type: text/plain\n\nbottom\n", kDepth);
  const Collected message = only_message(simple("a", body, "Content-Type: multipart/mixed; boundary=b0\n"));
  EXPECT_NE(member(message, "problems").find("nested deeper"), std::string::npos);
}

// GMime reads nested groups and comments by recursion; 200,000 of them would end the process.
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

TEST(Mail, MessagesInMessagesAreOpenedToADepth) {
  std::string text = "From: bottom@x\n\nbottom";
  for (int i = 0; i < 50; ++i) text = format("From: level{}@x\nContent-Type: message/rfc822\n\n{}", i, text);
  const Collected message = only_message(text);
  EXPECT_NE(member(message, "problems").find("nested deeper"), std::string::npos);
}

TEST(Mail, EveryLossIsNamedWithItsPlace) {
  std::vector<std::string> messages;
  for (int i = 0; i < 200; ++i) messages.push_back(simple(format("m{}", i), "text"));
  messages[57] = std::string(300, '\x01');
  messages[130] = "\xFF\xFE garbage\nmore garbage\n\nand a body";
  messages[131].clear();
  const CollectingSink sink = read_mbox(mbox_of(messages));
  EXPECT_EQ(sink.of("messages").size(), 197U);
  ASSERT_EQ(sink.losses.size(), 3U);
  std::size_t offset = 0;
  std::vector<std::int64_t> places;
  for (int i = 0; i < 200; ++i) {
    if (i == 57 || i == 130 || i == 131) places.push_back(static_cast<std::int64_t>(offset));
    offset += kFromLine.size() + messages[static_cast<std::size_t>(i)].size() + 2;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(sink.losses[i].place.file, "Mail/All.mbox");
    EXPECT_EQ(sink.losses[i].place.byte, places[i]);
  }
}

TEST(Mail, BytesBeforeTheFirstMessage) {
  const CollectingSink sink = read_mbox("rubbish\n\n" + mbox_of({simple("one", "x")}));
  EXPECT_EQ(subjects(sink), std::vector<std::string>{"one"});
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].place.byte, 0);
}

TEST(Mail, EmptyFilesAndMarks) {
  EXPECT_TRUE(read_mbox("").records.empty());
  EXPECT_EQ(subjects(read_mbox("\xEF\xBB\xBF" + mbox_of({simple("one", "x")}))), std::vector<std::string>{"one"});
  EXPECT_EQ(subjects(read_files({{"one.eml", "\xEF\xBB\xBF" + simple("one", "x")}})), std::vector<std::string>{"one"});
  const CollectingSink empty = read_files({{"one.eml", ""}});
  EXPECT_EQ(empty.losses.size(), 1U);
}

TEST(Mail, GmailIsAConnectionOfItsOwn) {
  MemoryTree tree(
      {{"a.mbox", mbox_of({"X-GM-THRID: 1\nFrom: a@x\n\nx"})}, {"b.mbox", mbox_of({"From: a@x\n\nx"})}, {"empty.mbox", ""}});
  const std::vector<Unit> units = mail_format().detect(tree, {});
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].account, "Gmail");
  EXPECT_EQ(units[1].account, "");
  EXPECT_EQ(units[2].account, "Gmail");  // empty: it goes with the others
}

TEST(Mail, FilesThatBeginWithHeadersAreMailWhateverTheirNames) {
  MemoryTree tree({{"msg_01.txt", simple("one", "text")},
                   {"folder/1075.M1.host:2,S", simple("two", "text")},
                   {"no ending", "Return-Path: <a@x>\r\nReceived: from b\r\n\tby c; today\r\n\r\ntext\r\n"},
                   {"box.txt", mbox_of({simple("three", "text"), simple("four", "text")})},
                   {"note.txt", "Dear diary,\nFrom: here\nTo: there\n\n"},
                   {"list.md", "Date: today\nTitle: a note with one header\n\ntext"},
                   {"half.txt", "From: a\nTo: b\nand then a sentence\n\n"},
                   {"no separator.txt", "From: a@x\nTo: b@x\nSubject: s\nand then a sentence\n"},
                   {"parts.txt", "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b--\n"},
                   {"page.html", simple("no", "text")}});
  const std::vector<Unit> units = mail_format().detect(tree, {});
  ASSERT_EQ(units.size(), 2U);
  std::set<std::string> found;
  for (const EntryNo entry : units[1].entries) found.insert(tree.entries()[entry].path);
  EXPECT_EQ(found,
            (std::set<std::string>{"msg_01.txt", "folder/1075.M1.host:2,S", "no ending", "no separator.txt", "parts.txt"}));
  EXPECT_EQ(units[1].confidence, Confidence::kCertain);
  EXPECT_NE(units[1].hint.find("--as notes"), std::string::npos);
  EXPECT_EQ(tree.entries()[units[0].entries.front()].path, "box.txt");
  const CollectingSink sink = testing::read_all(mail_format(), tree, {});
  EXPECT_EQ(sink.of("messages").size(), 7U);
  EXPECT_TRUE(sink.losses.empty());
  // The name of a message out of a Maildir keeps its flags.
  EXPECT_EQ(std::ranges::count_if(sink.of("filings"), [](const Collected& each) { return member(each, "read") == "true"; }), 1);
}

TEST(Mail, OtherFilesAreLeftAlone) {
  MemoryTree tree({{"notes.txt", "From here"}, {"a.json", "{}"}, {"README", "Title: x\n"}, {"cur/photo.jpg", "\xFF\xD8"}});
  EXPECT_TRUE(mail_format().detect(tree, {}).empty());
}

TEST(Mail, AMessageOverTheBoundIsCut) {
  constexpr std::size_t kBound = 1000;
  const std::string text = mbox_of({simple("large", std::string(kBound, 'x')), simple("small", "y")});
  BytesInMemory bytes(text);
  mail::Splitter splitter(bytes, text, 0, kBound);
  ASSERT_TRUE(splitter.next().value_or(false));
  EXPECT_EQ(splitter.message().text.size(), kBound);
  EXPECT_TRUE(splitter.message().cut());
  const auto large = mail::ReadMessage::read(splitter.message().text);
  ASSERT_NE(large, nullptr);
  CollectingSink sink;
  ASSERT_TRUE(mail::send(sink, *large, {{"a.mbox", 0}, splitter.message().size, splitter.message().kept}, {"a"}));
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].place.byte, 0);
  EXPECT_NE(member(only(sink), "problems").find("left out"), std::string::npos);
  ASSERT_TRUE(splitter.next().value_or(false));
  EXPECT_FALSE(splitter.message().cut());
  EXPECT_EQ(splitter.message().text, simple("small", "y") + "\n");
  EXPECT_FALSE(splitter.next().value_or(true));
}

// Gives out the bytes in pieces of that many.
class Drops final : public Bytes {
 public:
  Drops(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    return bytes_.read(buffer, std::min(capacity, piece_));
  }

 private:
  BytesInMemory bytes_;
  std::size_t piece_;
};

std::string split_in(std::string_view mailbox, std::size_t piece) {
  Drops bytes(mailbox, piece);
  mail::Splitter splitter(bytes, mailbox.substr(0, 4096), 0, 300);
  std::string out;
  while (splitter.next().value_or(false)) {
    const mail::MessageBytes& one = splitter.message();
    out += format("[{} {} {} {} {}|{}]", one.offset, one.size, one.kept, one.before_first, splitter.end_offset(), one.text);
  }
  return out;
}

// Lines that are there together are taken together; those that come one by one are not.
TEST(Mail, MessagesAreTheSameHoweverTheBytesArrive) {
  const std::vector<std::string> lines = {"\n",
                                          "\r\n",
                                          "From a@example.org Mon Jan 05 10:00:00 2024\n",
                                          "From nobody\n",
                                          ">From x\n",
                                          ">>From x\r\n",
                                          "> quoted\n",
                                          "Subject: a\n",
                                          "Fine\n",
                                          "\r",
                                          "F",
                                          "a line of text\n",
                                          "From "};
  std::mt19937_64 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string mailbox;
    for (std::size_t count = random() % 30; count > 0; --count) mailbox += lines[random() % lines.size()];
    ASSERT_EQ(split_in(mailbox, 4096), split_in(mailbox, 1)) << mailbox;
  }
}

TEST(Mail, AMessageOfAHundredMegabytes) {
  constexpr std::size_t kSize = 100'000'000;
  std::string text = std::string(kFromLine) + simple("large", "");
  while (text.size() < kSize) text += "a line of a very long message that somebody sent to somebody else\n";
  MemoryTree tree({{"a.mbox", text}});
  CollectingSink sink;
  ASSERT_TRUE(mail_format().read(tree, mail_format().detect(tree, {}).at(0), {}, "", sink));
  EXPECT_TRUE(sink.losses.empty());
  EXPECT_GT(only(sink).data.size(), kSize);
}

TEST(Mail, ReadingGoesOnFromEveryCheckpoint) {
  std::vector<std::string> messages;
  for (int i = 0; i < 60; ++i) messages.push_back(simple(format("m{}", i), std::string(100'000, 'x')));
  MemoryTree tree({{"a.mbox", mbox_of(messages)}});
  const std::vector<Unit> units = mail_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  CollectingSink whole;
  ASSERT_TRUE(mail_format().read(tree, units[0], {}, "", whole));
  ASSERT_GE(whole.checkpoints.size(), 4U);
  for (const auto& [position, before] : whole.checkpoints) {
    CollectingSink rest;
    ASSERT_TRUE(mail_format().read(tree, units[0], {}, position, rest));
    ASSERT_EQ(rest.records.size(), whole.records.size() - before);
    for (std::size_t i = 0; i < rest.records.size(); ++i) {
      EXPECT_EQ(rest.records[i].data, whole.records[before + i].data);
      EXPECT_EQ(rest.records[i].at.byte, whole.records[before + i].at.byte);
    }
  }
  // Progress counts the bytes before it, so that progress goes on from there.
  std::int64_t told = 0;
  tree.watch([&](std::int64_t bytes) { told += bytes; });
  CollectingSink watched;
  ASSERT_TRUE(mail_format().read(tree, units[0], {}, whole.checkpoints.back().first, watched));
  tree.watch({});
  EXPECT_GE(told, tree.entries()[0].size);
  EXPECT_LT(told, tree.entries()[0].size + 100'000);
  // A position of another tree means the beginning.
  CollectingSink again;
  ASSERT_TRUE(mail_format().read(tree, units[0], {}, "0 77 0123456789abcdef0123456789abcdef", again));
  EXPECT_EQ(again.records.size(), whole.records.size());
}

// A mailbox cut anywhere: every message that was whole before the cut is there, unchanged.
TEST(Mail, ACutMailboxKeepsTheWholeMessagesBeforeTheCut) {
  const std::string text = mbox_of(
      {simple("one", "text\n>From x"), simple("two", "--b\n\npart\n--b--\n", "Content-Type: multipart/mixed; boundary=b\n"),
       simple("three", "R3LDvMOfZQ==", "Content-Transfer-Encoding: base64\n"), simple("four", "end")});
  const CollectingSink whole = read_mbox(text);
  const std::vector<Collected> messages = whole.of("messages");
  ASSERT_EQ(messages.size(), 4U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    MemoryTree tree({{"Mail/All.mbox", text.substr(0, cut)}});
    CollectingSink part;
    ASSERT_TRUE(mail_format().read(tree, mail_format().detect(tree, {}).at(0), {}, "", part));
    const std::vector<Collected> found = part.of("messages");
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::size_t end = i + 1 < messages.size() ? static_cast<std::size_t>(messages[i + 1].at.byte) : text.size();
      if (end > cut) break;
      ASSERT_GT(found.size(), i) << cut;
      EXPECT_EQ(found[i].data, messages[i].data) << cut;
    }
  }
}

// Samples that nobody here wrote.
std::string alternative(std::string_view plain, std::string_view html) {
  return simple("a", format("--b\nContent-Type: text/plain\n\n{}\n--b\nContent-Type: text/html\n\n{}\n--b--\n", plain, html),
                "Content-Type: multipart/alternative; boundary=b\n");
}

TEST(Mail, AStubDoesNotHideTheHtml) {
  const Collected stub =
      only_message(alternative("This email requires an HTML viewer.", "<p>Your order number is <b>A-48213</b>.</p>"));
  EXPECT_EQ(member(stub, "text"), "Your order number is A-48213.");
  EXPECT_EQ(member(stub, "other_text"), "This email requires an HTML viewer.");
  // One word more in the HTML: the plain text is shown, and the word is found.
  const std::string letter = "Dear Ann, thank you for your order of three apples and two pears. It will be sent on Monday. Bob";
  const Collected both = only_message(alternative(letter, "<p>" + letter + "</p><p>Order A-48213</p>"));
  EXPECT_EQ(trim(member(both, "text")), letter);
  EXPECT_EQ(member(both, "other_text"), "Order A-48213");
  const Collected same = only_message(
      alternative(letter + "\nhttps://example.org/x", "<p>" + letter + "</p><a href='https://example.org/x'>Monday</a>"));
  EXPECT_EQ(member(same, "other_text"), "");
}

TEST(Mail, ABrokenTypeIsPlainText) {
  for (const char* type : {"text", "text; charset=utf-8", "plain", ";;;=", "text/", "/html"}) {
    const Collected message = only_message(simple("a",
                                                  "Order 48213: gr\xC3\xBC\xC3\x9F"
                                                  "e",
                                                  format("Content-Type: {}\n", type)));
    EXPECT_EQ(member(message, "text"), "Order 48213: grüße") << type;
    EXPECT_EQ(member(message, "attachment_count"), "0") << type;
  }
  EXPECT_EQ(member(only_message(simple("a", "<html><p>Order&nbsp;7", "Content-Type: html\n")), "text"), "Order\u00A07");
}

TEST(Mail, PartsThatAreNowhereDividedAreTheText) {
  for (const char* type : {"multipart/alternative", "multipart/mixed; boundary=nowhere", "multipart/mixed; boundary=\"\""}) {
    const Collected message = only_message(simple("a", "Order 48213: grüße\n", format("Content-Type: {}\n", type)));
    EXPECT_EQ(trim(member(message, "text")), "Order 48213: grüße") << type;
  }
  EXPECT_EQ(member(only_message(simple("a", "<html><p>Order 7", "Content-Type: multipart/alternative\n")), "text"), "Order 7");
}

TEST(Mail, AKindOfTextThatIsNotKnownIsTheMessagesText) {
  for (const char* type : {"text/markdown", "text/enriched; charset=utf-8", "text/x-unheard-of"}) {
    const CollectingSink sink = read_mbox(mbox_of({simple("a", "Übersicht\n", format("Content-Type: {}\n", type))}));
    EXPECT_EQ(member(only(sink), "text"), "Übersicht") << type;
    EXPECT_TRUE(sink.of("attachments").empty()) << type;
  }
  const CollectingSink invitation = read_mbox(mbox_of({simple("a", "BEGIN:VCALENDAR\n", "Content-Type: text/calendar\n")}));
  EXPECT_EQ(invitation.of("attachments").size(), 1U);
}

TEST(Mail, HeadersAreInTheCharsetOfTheText) {
  // "Встреча" as plain bytes of KOI8-R in the subject, and the text names it.
  const Collected message = only_message(
      "From: \xE1\xCE\xCE\xC1 <a@example.org>\nSubject: \xF7\xD3\xD4\xD2\xC5\xDE\xC1\nContent-Type: text/plain; "
      "charset=koi8-r\n\n\xE4\xC1\n");
  EXPECT_EQ(member(message, "subject"), "Встреча");
  EXPECT_EQ(member(message, "from"), "Анна <a@example.org>");
  EXPECT_EQ(member(message, "charset_guessed"), "");
}

// As every program writes long texts that are not ASCII; the first word here ends with padding, which GMime takes for the end.
TEST(Mail, TextOfSeveralEncodedWordsIsWhole) {
  const std::string first = "=?UTF-8?B?5pel5pys6KqeYQ==?=", second = "=?utf-8?B?44Gu5Lu25ZCN44Gn44GZ?=";
  const auto subject_of = [](const std::string& words) {
    return member(only(read_mbox(mbox_of({"From: a@example.org\nMessage-ID: <x@y>\nSubject: " + words + "\n\nx"}))), "subject");
  };
  EXPECT_EQ(subject_of(first + "\n " + second), "日本語aの件名です");
  EXPECT_EQ(subject_of(first + " " + second + " and " + first), "日本語aの件名です and 日本語a");
  EXPECT_EQ(subject_of("=?UTF-8?B?5pel5pys6A==?= =?UTF-8?B?qp4=?="), "日本語") << "cut between the bytes of a letter";
  EXPECT_EQ(subject_of("=?UTF-8?Q?caf=C3?= =?UTF-8?B?qQ==?= =?iso-8859-1?Q?_ol=E9?="), "café olé");
  EXPECT_EQ(subject_of("a =? b =?UTF-8?X?x?= c"), "a =? b =?UTF-8?X?x?= c");
  for (const char* cut : {"a =?", "a =?UTF-8?", "a =?UTF-8?B", "a =?UTF-8?B?", "a =?UTF-8?B?w6k=", "a =?UTF-8?B?w6k=?"})
    EXPECT_EQ(subject_of(cut), cut);

  const CollectingSink sink = read_mbox(
      mbox_of({"From: \"" + first + " " + second +
               "\" <a@example.org>, =?UTF-8?B?w6k=?= =?UTF-8?B?LCBl?= <b@example.org>\nSubject: s\n"
               "Content-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: image/png; name=\"" +
               first + "\n " + second +
               ".png\"\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--B\nContent-Type: image/png; name=other.png\n"
               "Content-Disposition: attachment; filename*=UTF-8''caf%C3%A9.png\nContent-Transfer-Encoding: "
               "base64\n\niVBORw0KGgo=\n--B--\n"}));
  EXPECT_EQ(member(only(sink), "from"), "日本語aの件名です <a@example.org>, é, e <b@example.org>");
  EXPECT_EQ(member(only(sink), "attachment_names"), R"(["日本語aの件名です.png","café.png"])");
}

}  // namespace
}  // namespace ladder::imports
