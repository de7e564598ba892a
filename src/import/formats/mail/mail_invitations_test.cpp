#include "import/testing/mailbox.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): used by every test of mail

constexpr std::string_view kInvitation =
    "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VTIMEZONE\nTZID:Own\nX-LIC-LOCATION:Europe/Berlin\nEND:VTIMEZONE\nBEGIN:VEVENT\n"
    "UID:meet@example.org\nSUMMARY:Offer for the roof\nDTSTART;TZID=Own:20240705T100000\nDTEND;TZID=Own:20240705T110000\n"
    "LOCATION:Room 4\nDESCRIPTION:bring the plans\nORGANIZER;CN=Ann:mailto:ann@example.org\n"
    "ATTENDEE;CN=Bob;PARTSTAT=NEEDS-ACTION:mailto:bob@example.org\nRRULE:FREQ=WEEKLY\nEND:VEVENT\nEND:VCALENDAR\n";

std::string message_with(std::string_view parts) {
  return simple("invitation", format("--b\nContent-Type: text/plain\n\nPlease come.\n{}--b--\n", parts),
                "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n");
}

std::string part(std::string_view type) { return format("--b\nContent-Type: {}\n\n{}", type, kInvitation); }

TEST(MailInvitations, AreEventsOfTheirMessage) {
  const CollectingSink sink = read_mbox(mbox_of({message_with(part("text/calendar; method=REQUEST; charset=utf-8"))}));
  const Collected event = only(sink, "invitations");
  EXPECT_EQ(member(event, "message"), member(only(sink), "id"));
  EXPECT_EQ(member(event, "method"), "request");
  EXPECT_EQ(member(event, "title") + ", " + member(event, "location"), "Offer for the roof, Room 4");
  EXPECT_EQ(member(event, "start") + " " + member(event, "end"), "2024-07-05T08:00:00.000Z 2024-07-05T09:00:00.000Z");
  EXPECT_EQ(member(event, "start_zone"), "Europe/Berlin");
  EXPECT_EQ(member(event, "organizer"), "Ann <ann@example.org>");
  EXPECT_EQ(member(event, "attendee_names"), "Bob <bob@example.org>");
  EXPECT_EQ(member(event, "rules"), R"(["FREQ=WEEKLY"])");
  EXPECT_EQ(event.time, parse_time("2024-07-05T08:00:00Z"));
  EXPECT_EQ(sink.of("attachments").size(), 1U) << "the file itself is kept";
}

TEST(MailInvitations, TheSameEventTwiceInAMessageIsOne) {
  const CollectingSink sink =
      read_mbox(mbox_of({message_with(part("text/calendar") + part("application/ics; name=invite.ics"))}));
  EXPECT_EQ(sink.of("invitations").size(), 1U);
  EXPECT_EQ(sink.of("attachments").size(), 2U);
}

TEST(MailInvitations, EveryMessageAboutAnEventHasItsOwn) {
  const std::string again = message_with(part("text/calendar"));
  const std::string later = simple("changed", std::string(kInvitation), "Content-Type: text/calendar\n");
  const CollectingSink sink = read_mbox(mbox_of({again, later, again}));
  std::set<std::string> ids;
  for (const Collected& each : sink.of("invitations")) ids.insert(member(each, "id"));
  EXPECT_EQ(ids.size(), 2U);
}

TEST(MailInvitations, OtherCalendarsAndDamagedOnesAreOnlyFiles) {
  for (const std::string_view text :
       {"BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:x\nEND:VTODO\nEND:VCALENDAR\n", "BEGIN:VEVENT\nUID:cut", ""}) {
    const CollectingSink sink = read_mbox(mbox_of({simple("a", text, "Content-Type: text/calendar\n")}));
    EXPECT_TRUE(sink.of("invitations").empty()) << text;
    EXPECT_EQ(sink.of("messages").size(), 1U) << text;
  }
}

}  // namespace
}  // namespace ladder::imports
