// Imports generated exports (demo/exports.h) from folders on disk. Every record is found once, every loss is reported, and a
// second run gives the same bytes.
#include "exports.h"
#include "import/formats/format.h"
#include "import/testing/collecting_sink.h"
#include "import/tree/tree.h"
#include "json/scan/scan.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace ladder::imports {
namespace {

using testing::CollectingSink;

CollectingSink read_folder(const Format& format, const std::filesystem::path& folder) {
  const std::array<std::string, 1> paths = {folder.string()};
  OpenedTrees opened = open_trees(paths);
  EXPECT_TRUE(opened.refusals.empty());
  EXPECT_EQ(opened.trees.size(), 1U);
  CollectingSink sink = testing::read_all(format, *opened.trees.at(0));
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  return sink;
}

std::int64_t distinct(const CollectingSink& sink, std::string_view stream) {
  std::set<std::string> ids;
  for (const auto& each : sink.of(stream)) ids.emplace(json::member(each.data, "id")->text);
  return static_cast<std::int64_t>(ids.size());
}

std::int64_t skipped(const CollectingSink& sink, std::string_view word) {
  std::int64_t count = 0;
  for (const auto& [reason, times] : sink.skips) count += reason.find(word) == std::string::npos ? 0 : times;
  return count;
}

void expect_same(const CollectingSink& a, const CollectingSink& b) {
  ASSERT_EQ(a.records.size(), b.records.size());
  for (std::size_t i = 0; i < a.records.size(); ++i) EXPECT_EQ(a.records[i].data, b.records[i].data);
}

class Exports : public ::testing::TestWithParam<bool> {
 protected:
  demo::ExportRequest request(std::int64_t count) {
    return {.folder = scratch_.path(), .seed = 1, .count = count, .bytes = 0, .large_bytes = 0, .damaged = GetParam()};
  }
  test_support::ScratchFolder scratch_;
};

TEST_P(Exports, Mail) {
  demo::Expected expected = demo::write_mail_export(request(1000));
  const CollectingSink sink = read_folder(mail_format(), scratch_.path());
  EXPECT_EQ(distinct(sink, "messages"), expected["messages"]);
  EXPECT_EQ(distinct(sink, "attachments"), expected["attachments"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.losses.size()), expected["lost"]);
  EXPECT_EQ(skipped(sink, "the text of a document"), expected["unread"]);
  EXPECT_EQ(skipped(sink, "date"), expected["undated"]);
  std::int64_t pdf_texts = 0;
  for (const auto& each : sink.of("attachments")) pdf_texts += each.data.find("nvoice ") != std::string::npos ? 1 : 0;
  EXPECT_EQ(pdf_texts, expected["pdf_texts"]);
  for (const Refusal& each : sink.losses) EXPECT_GT(each.place.byte, 0);
  expect_same(sink, read_folder(mail_format(), scratch_.path()));
}

TEST_P(Exports, Calendar) {
  demo::Expected expected = demo::write_calendar_export(request(1000));
  const CollectingSink sink = read_folder(calendar_format(), scratch_.path());
  EXPECT_EQ(distinct(sink, "events"), expected["events"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.of("events").size()), expected["events"]);
  EXPECT_EQ(distinct(sink, "tasks"), expected["tasks"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.losses.size()), expected["lost"]);
  EXPECT_EQ(skipped(sink, "older"), expected["older"]);
  expect_same(sink, read_folder(calendar_format(), scratch_.path()));
}

TEST_P(Exports, Contacts) {
  demo::Expected expected = demo::write_contacts_export(request(1000));
  const CollectingSink sink = read_folder(contacts_format(), scratch_.path());
  EXPECT_EQ(distinct(sink, "contacts"), expected["contacts"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.losses.size()), expected["lost"]);
  EXPECT_EQ(static_cast<std::int64_t>(sink.blobs.size()), expected["blobs"]);
  EXPECT_EQ(skipped(sink, "older"), expected["older"]);
  expect_same(sink, read_folder(contacts_format(), scratch_.path()));
}

INSTANTIATE_TEST_SUITE_P(WholeAndDamaged, Exports, ::testing::Bool());

}  // namespace
}  // namespace ladder::imports
