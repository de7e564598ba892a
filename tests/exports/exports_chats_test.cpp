// Imports generated exports of ChatGPT, Claude and Slack (demo/exports.h) from folders on disk. Every record is found once,
// every loss is reported with its offset, and a second run gives the same bytes.
#include "exports.h"
#include "import/formats/format.h"
#include "import/io/limits.h"
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

class ChatExports : public ::testing::TestWithParam<bool> {
 protected:
  demo::ExportRequest request(std::int64_t count) {
    return {.folder = scratch_.path(), .seed = 7, .count = count, .bytes = 0, .large_bytes = 300'000, .damaged = GetParam()};
  }

  CollectingSink read(const Format& format) {
    const std::array<std::string, 1> paths = {scratch_.path().string()};
    OpenedTrees opened = open_trees(paths);
    EXPECT_EQ(opened.trees.size(), 1U);
    CollectingSink sink = testing::read_all(format, *opened.trees.at(0));
    EXPECT_EQ(sink.faults, std::vector<std::string>());
    return sink;
  }

  // Checks that each stream has as many records as were written, with unique keys, and that a second run gives the same
  // records.
  CollectingSink expect(const Format& format, demo::Expected expected, const std::vector<std::string>& streams) {
    CollectingSink sink = read(format);
    for (const std::string& stream : streams) {
      std::set<std::string> ids;
      for (const auto& each : sink.of(stream)) ids.emplace(json::member(each.data, "id")->text);
      EXPECT_EQ(static_cast<std::int64_t>(sink.of(stream).size()), expected[stream]) << stream;
      EXPECT_EQ(static_cast<std::int64_t>(ids.size()), expected[stream]) << stream;
    }
    EXPECT_EQ(static_cast<std::int64_t>(sink.losses.size()), expected["lost"]);
    EXPECT_EQ(expected["lost"] > 0, GetParam());
    for (const Refusal& each : sink.losses) EXPECT_GT(each.place.byte, 0) << each.place.file;
    const CollectingSink again = read(format);
    EXPECT_EQ(again.records.size(), sink.records.size());
    for (std::size_t i = 0; i < std::min(again.records.size(), sink.records.size()); ++i)
      EXPECT_EQ(again.records[i].data, sink.records[i].data);
    return sink;
  }

  test_support::ScratchFolder scratch_;
};

TEST_P(ChatExports, ChatGpt) {
  demo::Expected expected = demo::write_chatgpt_export(request(300));
  const CollectingSink sink = expect(chatgpt_format(), expected, {"conversations", "messages"});
  EXPECT_EQ(sink.skips.at("messages: a message without content"), expected["blank"]);
}

TEST_P(ChatExports, Claude) {
  demo::Expected expected = demo::write_claude_export(request(300));
  const CollectingSink sink =
      expect(claude_format(), expected, {"conversations", "messages", "attachments", "projects", "project_docs"});
  EXPECT_EQ(sink.skips.at("messages: a message without content"), expected["blank"]);
}

TEST_P(ChatExports, Slack) {
  demo::Expected expected = demo::write_slack_export(request(1000));
  const CollectingSink sink = expect(slack_format(), expected, {"users", "channels", "messages"});
  for (const auto& record : sink.records) EXPECT_EQ(record.data.find("xoxe"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(WholeAndDamaged, ChatExports, ::testing::Bool());

}  // namespace
}  // namespace ladder::imports
