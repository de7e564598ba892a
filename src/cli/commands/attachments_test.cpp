// Tests the names of saved files (safe in any folder, with an extension) and the display of times.
#include "cli/commands/attachments.h"

#include "cli/terminal/search_results.h"
#include "cli/terminal/short_ids.h"

#include <gtest/gtest.h>

namespace ladder::cli {
namespace {

std::string named(std::string name, std::string type) {
  Attachment attachment;
  attachment.name = std::move(name);
  attachment.mime_type = std::move(type);
  return file_name(attachment);
}

TEST(Attachments, FileNamesAreSafe) {
  EXPECT_EQ(named("ticket.pdf", "application/pdf"), "ticket.pdf");
  EXPECT_EQ(named("../../etc/passwd", ""), "_.._etc_passwd");
  EXPECT_EQ(named("/etc/passwd", ""), "_etc_passwd");
  EXPECT_EQ(named("..\\x", ""), "_x");
  EXPECT_EQ(named(".bashrc", ""), "bashrc");
  EXPECT_EQ(named("a\nb\x1b[31m", ""), "a_b_[31m");
  EXPECT_EQ(named("", "image/png"), "attachment.png");
  EXPECT_EQ(named("Certificate of cover", "application/pdf"), "Certificate of cover.pdf");
  EXPECT_EQ(named("notes", "text/plain; charset=utf-8"), "notes.txt");
  EXPECT_LE(named(std::string(5'000, 'x') + "é", "").size(), 240U);
}

TEST(Attachments, ListsBlobsOfTheRecordAndItsRelatedRecords) {
  api::Record record;
  record.ref = {"mail", "messages", "m1"};
  record.data = R"({"id":"m1","subject":"Tickets"})";
  api::Record file;
  file.ref = {"mail", "attachments", "a1"};
  file.data = R"({"id":"a1","file_name":"t.pdf","blob_ref":{"blob_id":"b1","mime_type":"application/pdf","size_bytes":12}})";
  api::Record filing;
  filing.ref = {"mail", "filings", "f1"};
  filing.data = R"({"id":"f1","blob_ref":null})";
  record.expanded = {{"attachments", true, false, {file}}, {"filings", true, false, {filing}}};
  RolesByStream roles;
  roles[{"mail", "attachments"}].title = "file_name";
  const auto found = attachments_of(record, roles);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].blob_id, "b1");
  EXPECT_EQ(found[0].name, "t.pdf");
  EXPECT_EQ(found[0].size_bytes, 12);
  EXPECT_EQ(attachments_of(file, roles).size(), 1U) << "a record may be a file itself";
}

TEST(ShortIds, KeepsPathsAndShortensDigests) {
  const std::string digest = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(short_id({"mail", "messages", digest}), "mail/messages:01234567");
  EXPECT_EQ(shown_id({"mail", "messages", digest}), "mail/messages:" + digest);
  EXPECT_EQ(short_id({"notes-home", "notes", "n1"}), "notes-home/notes:n1");
  const model::RecordRef path{"notes-home", "notes", "recipes/linsen: rot.md"};
  EXPECT_EQ(shown_id(path), "notes-home/notes:recipes/linsen: rot.md");
  EXPECT_EQ(parse_shown_id(shown_id(path)), path);
  const model::RecordRef hostile{"notes-home", "notes", "a/\x1b[31m"};
  EXPECT_EQ(shown_id(hostile), "notes-home/notes:/a%2F%1B[31m");
  EXPECT_EQ(parse_shown_id(shown_id(hostile)), hostile);
  for (const char* bad : {"", "no-id-at-all", "/notes:x/y", "home/:x/y", "home/notes:"}) EXPECT_FALSE(parse_shown_id(bad)) << bad;
}

TEST(ReadTime, FormatsTimesForPeople) {
  EXPECT_EQ(read_time("2026-04-01T00:00:00Z"), "2026-04-01");
  EXPECT_EQ(read_time("2026-04-01T09:30:15Z"), "2026-04-01 09:30 UTC");
  EXPECT_EQ(read_time("2026-04-01T09:30:15.123+02:00"), "2026-04-01 09:30+02:00");
  EXPECT_EQ(read_time("2026-04-01T09:30:00"), "2026-04-01 09:30");
  EXPECT_EQ(read_time("2026-04-01"), "2026-04-01");
  EXPECT_EQ(read_time("soon\x1b"), "soon⟦U+001B⟧");
}

}  // namespace
}  // namespace ladder::cli
