// Tests threads, by the headers of a message and, if these name none, by its subject and quotes.
#include "import/testing/mailbox.h"

#include "base/text/format.h"
#include "import/formats/mail/mail_thread.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): used by every test of mail

TEST(Mail, ThreadsWithoutGmail) {
  EXPECT_EQ(member(only_message(simple("a", "x", "References: <r@x> <s@x>\nIn-Reply-To: <s@x>\n")), "thread_id"), "r@x");
  EXPECT_EQ(member(only_message(simple("a", "x", "In-Reply-To: <s@x>\n")), "thread_id"), "s@x");
  EXPECT_EQ(member(only_message(simple("a", "x")), "thread_id"), "a@example.org");
}

// Other messages must not affect the thread: the same message in two mailboxes is one record, which imports must not keep
// changing.
TEST(Mail, AThreadDependsOnOneMessageOnly) {
  const std::string first = simple("first", "x"), second = simple("second", "x", "In-Reply-To: <first@example.org>\n");
  const std::string third = simple("third", "x", "In-Reply-To: <second@example.org>\n");
  const CollectingSink chain = read_mbox(mbox_of({first, second, third})), alone = read_mbox(mbox_of({third}));
  ASSERT_EQ(chain.of("messages").size(), 3U);
  EXPECT_EQ(chain.of("messages")[2].data, alone.of("messages")[0].data);
  EXPECT_EQ(member(alone.of("messages")[0], "thread_id"), "second@example.org");
}

struct Mail {
  std::string from, to, date, subject, text, headers = {};
};

Collected record_of(const Mail& mail) {
  return only_message(format("From: {}@example.org\nTo: {}@example.org\nDate: {}\nSubject: {}\n{}\n{}", mail.from, mail.to,
                             mail.date, mail.subject, mail.headers, mail.text));
}

std::string thread(const Mail& mail) { return member(record_of(mail), "thread_id"); }
std::string derived_thread(const Mail& mail) { return member(record_of(mail), "derived_thread_id"); }

const Mail kOffer = {"ann", "bob", "Fri, 05 Jan 2024 10:17:23 +0100", "Offer", "Here is the offer.", "Message-ID: <1@x>\n"};
const Mail kAnswer = {"bob",
                      "ann",
                      "Fri, 05 Jan 2024 11:02:00 +0100",
                      "Re: Offer",
                      "Too dear.\n\nOn Fri, Jan 5, 2024 at 10:17 AM Ann <ann@example.org> wrote:\n> Here is the offer.\n",
                      "Message-ID: <2@y>\n"};

TEST(MailThread, AnAnswerWithoutHeadersJoinsTheQuotedThread) {
  const Collected offer = record_of(kOffer), answer = record_of(kAnswer);
  EXPECT_EQ(member(offer, "thread_id"), "1@x") << "answers whose headers name it have this one";
  EXPECT_EQ(member(offer, "thread_derived"), "");
  EXPECT_EQ(member(answer, "thread_id"), member(offer, "derived_thread_id"));
  EXPECT_EQ(member(answer, "thread_derived"), "true");
  EXPECT_EQ(member(answer, "derived_thread_id"), "");
  const Mail forwarded = {
      "bob", "cid", "Mon, 08 Jan 2024 09:00:00 +0100", "WG: Re: offer",
      "see below\n-----Ursprüngliche Nachricht-----\nVon: Bob\nGesendet: Freitag, 5. Januar 2024 11:02\nAn: Ann\n\n"
      "Too dear.\n\nVon: Ann\nGesendet: Freitag, 5. Januar 2024 10:17\nAn: Bob\nBetreff: Offer\n\nHere is the offer.\n"};
  EXPECT_EQ(thread(forwarded), member(answer, "thread_id")) << "by the oldest message that it quotes";
}

TEST(MailThread, HeadersTakePrecedence) {
  Mail answer = kAnswer;
  answer.headers += "In-Reply-To: <1@x>\n";
  EXPECT_EQ(thread(answer), "1@x");
  EXPECT_EQ(derived_thread(answer), derived_thread(kOffer)) << "answers that name no message may quote the same";
  answer.headers += "References: <0@x> <1@x>\n";
  EXPECT_EQ(thread(answer), "0@x");
  EXPECT_EQ(derived_thread(answer), "");
  Mail gmail = kAnswer;
  gmail.headers = "X-GM-THRID: 17\n";
  EXPECT_EQ(thread(gmail), "17");
  EXPECT_EQ(derived_thread(gmail), "");
}

TEST(MailThread, TheSameSubjectDoesNotMakeAThread) {
  for (const std::string_view subject : {"Invoice", "Hello", "Monthly report of the committee", ""}) {
    const auto of = [&](std::string_view date, std::string_view id) {
      return record_of({"ann", "bob", std::string(date), std::string(subject), "See the file.", std::string(id)});
    };
    for (const std::string_view id : {"", "Message-ID: <{}@x>\n"}) {
      const auto named = [&](std::string_view number) { return id.empty() ? "" : format("Message-ID: <{}@x>\n", number); };
      const Collected january = of("Mon, 01 Jan 2024 03:00:00 +0100", named("1"));
      const Collected february = of("Thu, 01 Feb 2024 03:00:00 +0100", named("2"));
      EXPECT_NE(member(january, "thread_id"), member(february, "thread_id")) << subject << id;
      EXPECT_NE(member(january, "derived_thread_id") + "1", member(february, "derived_thread_id") + "2") << subject << id;
      const std::string one = member(january, "derived_thread_id"), other = member(february, "derived_thread_id");
      EXPECT_TRUE(one.empty() || one != other) << subject << id;
    }
  }
}

TEST(MailThread, AnswersWithoutAQuoteUseSubjectPeopleAndQuarter) {
  const auto answer = [](std::string_view from, std::string_view to, std::string_view date, std::string_view subject) {
    return thread({std::string(from), std::string(to), std::string(date), std::string(subject), "Yes.",
                   format("Message-ID: <{}{}@x>\n", from, date.substr(0, 6))});
  };
  const std::string subject = "Re: Swiss agreement draft", day = "Fri, 05 Jan 2024 10:00:00 +0100";
  const std::string first = answer("ann", "bob", day, subject);
  EXPECT_EQ(first, answer("bob", "ann", "Thu, 01 Feb 2024 10:30:00 +0100", "AW: Re[2]: swiss  agreement DRAFT"));
  EXPECT_NE(first, answer("ann", "cid", day, subject)) << "other people";
  EXPECT_NE(first, answer("ann", "bob", "Fri, 05 Apr 2024 10:00:00 +0100", subject)) << "another quarter";
  EXPECT_NE(first, answer("ann", "bob", day, "Swiss agreement draft")) << "no answer";
  EXPECT_NE(answer("ann", "bob", day, "Re: Hello"), answer("bob", "ann", day, "Re: Hello")) << "said often";
  EXPECT_NE(answer("ann", "bob", day, "Re:"), answer("bob", "ann", day, "Re:"));
}

TEST(MailThread, BulkMailHasNone) {
  Mail news = kOffer;
  news.headers += "List-Unsubscribe: <https://news.example/out>\n";
  EXPECT_EQ(derived_thread(news), "");
}

TEST(MailThread, PrefixesInManyLanguagesAreRemoved) {
  using mail::normalized_subject;
  for (const std::string_view subject :
       {"Re: Dinner  at eight", "RE: FW: dinner at eight", "AW: WG: Dinner at Eight", "Sv: VS: dinner at eight",
        "Re[2]: dinner at eight", "Re (3): Dinner at eight", "Re^2: dinner at eight", "[EXTERNAL] Re: [choir] Dinner at eight",
        "R: I: dinner at eight", "TR : Dinner at eight", "Odp: dinner at eight", "Ответ: dinner at eight",
        "回复：Dinner at eight", "답장: dinner at eight", "Dinner at eight (fwd)"}) {
    EXPECT_EQ(normalized_subject(subject).text, "dinner at eight") << subject;
    EXPECT_TRUE(normalized_subject(subject).is_answer) << subject;
  }
  for (const std::string_view subject :
       {"Re", "Research: first results", "I: a novel of one letter", "12:30", "", "[choir] Dinner", "Re [2 tickets: two"}) {
    EXPECT_EQ(normalized_subject(subject).is_answer, subject.starts_with("I:")) << subject;
  }
  EXPECT_EQ(normalized_subject("[choir] Dinner").text, "dinner");
  EXPECT_EQ(normalized_subject("Re: Re:").text, "");
}

}  // namespace
}  // namespace ladder::imports
