// Tests how mailboxes are read: the boundaries of messages, which files are mail, and what is reported as lost.
#include "import/formats/mail/mail_message.h"
#include "import/formats/mail/mail_splitter.h"
#include "import/testing/mailbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): used by every test of mail

TEST(Mail, UnquotedFromLinesDoNotSplitMessages) {
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

TEST(Mail, Maildir) {
  const CollectingSink sink = read_mail({{"Maildir/cur/1.M1.host:2,FRS", simple("one", "x")},
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

TEST(Mail, EveryLossIsReportedWithItsLocation) {
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

TEST(Mail, EmptyFilesAndByteOrderMarks) {
  EXPECT_TRUE(read_mbox("").records.empty());
  EXPECT_EQ(subjects(read_mbox("\xEF\xBB\xBF" + mbox_of({simple("one", "x")}))), std::vector<std::string>{"one"});
  EXPECT_EQ(subjects(read_mail({{"one.eml", "\xEF\xBB\xBF" + simple("one", "x")}})), std::vector<std::string>{"one"});
  const CollectingSink empty = read_mail({{"one.eml", ""}});
  EXPECT_EQ(empty.losses.size(), 1U);
}

TEST(Mail, GmailHasItsOwnConnection) {
  MemoryTree tree(
      {{"a.mbox", mbox_of({"X-GM-THRID: 1\nFrom: a@x\n\nx"})}, {"b.mbox", mbox_of({"From: a@x\n\nx"})}, {"empty.mbox", ""}});
  const std::vector<Unit> units = mail_format().detect(tree, {});
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].account, "Gmail");
  EXPECT_EQ(units[1].account, "");
  EXPECT_EQ(units[2].account, "Gmail");  // empty: joins the others
}

TEST(Mail, FilesThatStartWithHeadersAreMail) {
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
  // The name of a Maildir message contains its flags.
  EXPECT_EQ(std::ranges::count_if(sink.of("filings"), [](const Collected& each) { return member(each, "read") == "true"; }), 1);
}

TEST(Mail, OtherFilesAreLeftAlone) {
  MemoryTree tree({{"notes.txt", "From here"}, {"a.json", "{}"}, {"README", "Title: x\n"}, {"cur/photo.jpg", "\xFF\xD8"}});
  EXPECT_TRUE(mail_format().detect(tree, {}).empty());
}

TEST(Mail, AMessageOverTheLimitIsTruncated) {
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
  EXPECT_NE(member(only(sink), "problems").find("only the first"), std::string::npos);
  ASSERT_TRUE(splitter.next().value_or(false));
  EXPECT_FALSE(splitter.message().cut());
  EXPECT_EQ(splitter.message().text, simple("small", "y") + "\n");
  EXPECT_FALSE(splitter.next().value_or(true));
}

// Returns the bytes in pieces of the given size.
class ChunkedBytes final : public Bytes {
 public:
  ChunkedBytes(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    return bytes_.read(buffer, std::min(capacity, piece_));
  }

 private:
  BytesInMemory bytes_;
  std::size_t piece_;
};

std::string split_in(std::string_view mailbox, std::size_t piece) {
  ChunkedBytes bytes(mailbox, piece);
  mail::Splitter splitter(bytes, mailbox.substr(0, 4096), 0, 300);
  std::string out;
  while (splitter.next().value_or(false)) {
    const mail::MessageBytes& one = splitter.message();
    out += format("[{} {} {} {} {}|{}]", one.offset, one.size, one.kept, one.before_first, splitter.end_offset(), one.text);
  }
  return out;
}

// The splitter copies lines in bulk if they arrive together, and one by one otherwise. Both must give the same messages.
TEST(Mail, MessagesDoNotDependOnReadSizes) {
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

TEST(Mail, ResumesFromEveryCheckpoint) {
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
  // Bytes before the position are reported at once, so that progress continues from there.
  std::int64_t told = 0;
  tree.watch([&](std::int64_t bytes) { told += bytes; });
  CollectingSink watched;
  ASSERT_TRUE(mail_format().read(tree, units[0], {}, whole.checkpoints.back().first, watched));
  tree.watch({});
  EXPECT_GE(told, tree.entries()[0].size);
  EXPECT_LT(told, tree.entries()[0].size + 100'000);
  // A position from another tree restarts from the beginning.
  CollectingSink again;
  ASSERT_TRUE(mail_format().read(tree, units[0], {}, "0 77 0123456789abcdef0123456789abcdef", again));
  EXPECT_EQ(again.records.size(), whole.records.size());
}

// A mailbox is truncated at every position. Every message that was complete before the cut must be unchanged.
TEST(Mail, ATruncatedMailboxKeepsItsCompleteMessages) {
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

}  // namespace
}  // namespace ladder::imports
