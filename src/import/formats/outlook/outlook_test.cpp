#include "import/formats/outlook/pff.h"
#include "import/testing/pst_maker.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

class OutlookFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    outlook::load_pff();
    if (!outlook::has_pff()) GTEST_SKIP() << "libpff is not installed";
  }

  static std::string mailbox() {
    PstMaker maker;
    const std::uint32_t inbox = maker.add_folder(PstMaker::kTop, "Inbox"), offers = maker.add_folder(inbox, "Offers");
    maker.add_item(
        inbox,
        PstMaker::Properties()
            .text(0x1A, "IPM.Note")
            .text(0x7D,
                  "From: Ann <ann@example.org>\r\nTo: bob@example.org\r\nDate: Fri, 05 Jan 2024 10:00:00 +0100\r\n"
                  "Subject: The roof\r\nMessage-ID: <1@example.org>\r\nContent-Type: text/html\r\nMIME-Version: 1.0\r\n\r\n")
            .text(0x37, "The roof")
            .text(0x1000, "It leaks.\r\n")
            .bytes(0x1013, "<p>It leaks.</p>")
            .number(0xE07, 1));
    // A message that was never sent by mail has no headers, and its subject begins with the length of its prefix.
    maker.add_item(offers, PstMaker::Properties()
                               .text(0x1A, "IPM.Note")
                               .text(0x37, "\x01\x05Re: The roof")
                               .text(0xC1A, "Bob")
                               .text(0xC1F, "/O=FIRM/OU=X/CN=RECIPIENTS/CN=BOB")
                               .time(0x39, 1'704'450'000)
                               .text(0x1000, "I repair it.")
                               .number(0xE07, 0));
    maker.add_item(inbox, PstMaker::Properties()
                              .text(0x1A, "IPM.Appointment")
                              .text(0x37, "Repair; roof")
                              .text(PstMaker::named(0x8208), "Home")
                              .time(PstMaker::named(0x820D), 1'704'704'400)
                              .time(PstMaker::named(0x820E), 1'704'708'000));
    maker.add_item(inbox, PstMaker::Properties()
                              .text(0x1A, "IPM.Contact")
                              .text(0x3001, "Nora Lind")
                              .text(0x3A1C, "+15550100")
                              .text(PstMaker::named(0x8083), "nora@example.org"));
    return maker.bytes();
  }
};

TEST_F(OutlookFiles, HaveMailWithFoldersEventsAndContacts) {
  const CollectingSink sink = read_files(outlook_format(), {{"old.pst", mailbox()}});
  EXPECT_TRUE(sink.losses.empty());
  ASSERT_EQ(sink.of("messages").size(), 2U);
  std::map<std::string, Collected> by_subject;
  for (const Collected& each : sink.of("messages")) by_subject[member(each, "subject")] = each;
  const Collected& first = by_subject["The roof"];
  EXPECT_EQ(member(first, "from") + " " + member(first, "message_id"), "Ann <ann@example.org> 1@example.org");
  EXPECT_EQ(member(first, "text"), "It leaks.");
  EXPECT_EQ(member(first, "html"), "<p>It leaks.</p>");
  EXPECT_EQ(member(first, "sent_at"), "2024-01-05T09:00:00.000Z");
  const Collected& second = by_subject["Re: The roof"];
  EXPECT_EQ(member(second, "from"), "Bob <BOB>");
  EXPECT_EQ(member(second, "sent_at"), "2024-01-05T10:20:00.000Z");
  std::map<std::string, std::string> read_flags;
  for (const Collected& each : sink.of("filings")) read_flags[member(each, "folder")] = member(each, "read");
  EXPECT_EQ(read_flags, (std::map<std::string, std::string>{{"Inbox", "true"}, {"Inbox/Offers", "false"}}));
  const Collected event = only(sink, "events");
  EXPECT_EQ(member(event, "title") + ", " + member(event, "location"), "Repair; roof, Home");
  EXPECT_EQ(member(event, "start") + " " + member(event, "end"), "2024-01-08T09:00:00.000Z 2024-01-08T10:00:00.000Z");
  const Collected contact = only(sink, "contacts");
  EXPECT_EQ(member(contact, "name"), "Nora Lind");
  EXPECT_NE(member(contact, "emails").find("nora@example.org"), std::string::npos);
  expect_resumable(outlook_format(), {{"old.pst", mailbox()}});
}

TEST_F(OutlookFiles, DamagedFilesAreReported) {
  const std::string whole = mailbox();
  for (std::size_t cut = 4; cut < whole.size(); cut += 97) {
    MemoryTree tree(Files{{"old.pst", whole.substr(0, cut)}});
    const CollectingSink sink = read_all(outlook_format(), tree);
    EXPECT_TRUE(sink.faults.empty()) << cut;
  }
  MemoryTree other(Files{{"old.pst", "no mailbox"}});
  EXPECT_TRUE(outlook_format().detect(other, {}).empty());
}

}  // namespace
}  // namespace ladder::imports
