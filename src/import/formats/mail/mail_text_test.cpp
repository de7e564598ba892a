// Tests the text of a message, for all kinds of parts, versions and encodings.
#include "import/formats/mail/mail_text.h"
#include "import/formats/mail/mail_message.h"
#include "import/testing/mailbox.h"
#include "import/text/text.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): used by every test of mail

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
  // The same text is not repeated.
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

TEST(Mail, ABodyWithAFileNameIsText) {
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
            "Grüße");                                                                          // mislabeled UTF-8
  EXPECT_EQ(text("Content-Type: text/plain; charset=utf-8\n", "it\x92s \x80 5"), "it’s € 5");  // mislabeled cp1252
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

// A message with a plain text and an HTML version.
std::string alternative(std::string_view plain, std::string_view html) {
  return simple("a", format("--b\nContent-Type: text/plain\n\n{}\n--b\nContent-Type: text/html\n\n{}\n--b--\n", plain, html),
                "Content-Type: multipart/alternative; boundary=b\n");
}

TEST(Mail, AStubDoesNotHideTheHtml) {
  const Collected stub =
      only_message(alternative("This email requires an HTML viewer.", "<p>Your order number is <b>A-48213</b>.</p>"));
  EXPECT_EQ(member(stub, "text"), "Your order number is A-48213.");
  EXPECT_EQ(member(stub, "other_text"), "This email requires an HTML viewer.");
  // The HTML has one more word: the plain text is shown, and the word can be found.
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

TEST(Mail, AMultipartWithoutABoundaryIsText) {
  for (const char* type : {"multipart/alternative", "multipart/mixed; boundary=nowhere", "multipart/mixed; boundary=\"\""}) {
    const Collected message = only_message(simple("a", "Order 48213: grüße\n", format("Content-Type: {}\n", type)));
    EXPECT_EQ(trim(member(message, "text")), "Order 48213: grüße") << type;
  }
  EXPECT_EQ(member(only_message(simple("a", "<html><p>Order 7", "Content-Type: multipart/alternative\n")), "text"), "Order 7");
}

TEST(Mail, AnUnknownTextTypeIsText) {
  for (const char* type : {"text/markdown", "text/enriched; charset=utf-8", "text/x-unheard-of"}) {
    const CollectingSink sink = read_mbox(mbox_of({simple("a", "Übersicht\n", format("Content-Type: {}\n", type))}));
    EXPECT_EQ(member(only(sink), "text"), "Übersicht") << type;
    EXPECT_TRUE(sink.of("attachments").empty()) << type;
  }
  const CollectingSink invitation = read_mbox(mbox_of({simple("a", "BEGIN:VCALENDAR\n", "Content-Type: text/calendar\n")}));
  EXPECT_EQ(invitation.of("attachments").size(), 1U);
}

TEST(Mail, HeadersAreInTheCharsetOfTheText) {
  // "Встреча" as raw KOI8-R bytes in the subject; the text names the charset.
  const Collected message = only_message(
      "From: \xE1\xCE\xCE\xC1 <a@example.org>\nSubject: \xF7\xD3\xD4\xD2\xC5\xDE\xC1\nContent-Type: text/plain; "
      "charset=koi8-r\n\n\xE4\xC1\n");
  EXPECT_EQ(member(message, "subject"), "Встреча");
  EXPECT_EQ(member(message, "from"), "Анна <a@example.org>");
  EXPECT_EQ(member(message, "charset_guessed"), "");
}

// Long non-ASCII texts are written like this. The first word ends with padding, which GMime takes for the end.
TEST(Mail, AdjacentEncodedWordsAreJoined) {
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
