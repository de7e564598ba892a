// Tests Ladder exports that were edited, damaged or truncated.
#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/format.h"
#include "import/formats/ladder/ladder_lines.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using testing::CollectingSink;
using testing::Files;
using testing::MemoryTree;

constexpr std::string_view kDeclaration = R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://a.example/b"},
  "declaration_version":"1","publisher":{"id":"https://a.example/"},"display":{"name":"Notes"},
  "streams":[{"name":"notes","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
  "schema":{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"}}}}]})";

std::string digest(std::string_view bytes) { return to_hex(crypto::view(crypto::sha256(bytes))); }

std::string line(std::string_view key, std::string_view data) {
  return format("{{\"key\":{},\"emitted_at\":\"2026-01-02T03:04:05Z\",\"data\":{}}}\n", key, data);
}

std::string stream_of(std::string_view name, std::string_view file, std::string_view text) {
  return format(R"({{"stream":"{}","file":"{}","sha256":"{}"}})", name, file, digest(text));
}

std::string connection_of(std::string_view id, std::string_view streams) {
  return format(
      R"({{"connection_id":"{0}","display_name":"N","source_key":"notes","streams":[{1}],"blobs":{{"file":"c/{0}.blobs"}}}})", id,
      streams);
}

Files export_of(std::string_view connections, int version = 1) {
  return {
      {"sources/n.json", std::string(kDeclaration)},
      {"ladder-export.json", format(R"({{"format":"ladder-export","version":{},"sources":[{{"key":"notes","file":"sources/n.json",
            "sha256":"{}"}}],"connections":[{}]}})",
                                    version, digest(kDeclaration), connections)}};
}

Files export_of_notes(const std::string& text) {
  Files files = export_of(connection_of("n", stream_of("notes", "c/notes.ndjson", text)));
  files["c/notes.ndjson"] = text;
  return files;
}

struct Read {
  Status done;
  CollectingSink sink;
};

Read read(const Files& files, std::string_view position = "") {
  MemoryTree tree(files);
  Read out;
  for (const Unit& unit : ladder_format().detect(tree, {})) {
    if (out.done && !unit.target.only_source) out.done = ladder_format().read(tree, unit, {}, position, out.sink);
  }
  return out;
}

std::vector<std::string> reasons(const CollectingSink& sink) {
  std::vector<std::string> out;
  for (const Refusal& loss : sink.losses) out.push_back(format("{}:{} {}", loss.place.file, loss.place.byte, loss.reason));
  return out;
}

TEST(LadderExport, LinesAreRestoredUnchanged) {
  const Read whole = read(export_of_notes(line("\"a\"", "{ \"id\":\"a\",\"n\":1.50}") + line(R"(["a","b\"c"])", "{}")));
  ASSERT_TRUE(whole.done && whole.sink.losses.empty() && whole.sink.faults.empty());
  ASSERT_EQ(whole.sink.records.size(), 2U);
  EXPECT_EQ(whole.sink.records[0].data, "{ \"id\":\"a\",\"n\":1.50}");
  EXPECT_EQ(whole.sink.records[1].key, R"(["a","b\"c"])");
  EXPECT_EQ(whole.sink.records[1].emitted_at, "2026-01-02T03:04:05Z");
}

// Regression test: an invalid key was accepted, and the parent process then gave up on the whole unit.
TEST(LadderExport, AnInvalidLineAffectsNoOther) {
  const std::string good = line("\"a\"", "{}");
  const std::string bad =
      line("[x]", "{}") + line("\"\xFF\"", "{}") + "nonsense\n" + line("\"b\"", "{") + line("\"c\"", "{}").substr(1);
  const Read whole = read(export_of_notes(good + bad + good));
  EXPECT_TRUE(whole.done && whole.sink.faults.empty());
  EXPECT_EQ(whole.sink.records.size(), 2U);
  EXPECT_EQ(whole.sink.losses.size(), 5U);
}

TEST(LadderExport, LongLinesAreReadAndFollowedByTheNext) {
  const std::string data = format("{{\"text\":\"{}\"}}", std::string(3 * LongLines::kHeldBytes / 2, 'x'));
  const std::string text =
      line("\"a\"", data) + line("\"b\"", "{}") + line("\"c\"", data).substr(0, line("\"c\"", data).size() - 1);
  const Read whole = read(export_of_notes(text));
  ASSERT_TRUE(whole.done && whole.sink.losses.empty());
  ASSERT_EQ(whole.sink.records.size(), 3U);
  EXPECT_EQ(whole.sink.records[0].data, data);
  EXPECT_EQ(whole.sink.records[1].key, "\"b\"");
  EXPECT_EQ(whole.sink.records[2].data, data);
  const Read torn = read(export_of_notes("[" + text));
  EXPECT_EQ(torn.sink.records.size(), 2U);
  ASSERT_EQ(torn.sink.losses.size(), 1U);
  EXPECT_EQ(torn.sink.losses[0].place.byte, 0);
}

TEST(LadderExport, UndeclaredStreamsAreReported) {
  const std::string text = line("\"a\"", "{}");
  Files files =
      export_of(connection_of("n", stream_of("other", "c/other.ndjson", text) + "," + stream_of("notes", "c/n.ndjson", text)));
  files["c/other.ndjson"] = files["c/n.ndjson"] = text;
  const Read whole = read(files);
  EXPECT_TRUE(whole.done);
  EXPECT_EQ(whole.sink.records.size(), 1U);
  EXPECT_EQ(reasons(whole.sink), std::vector<std::string>{"c/other.ndjson:-1 the declaration has no stream \"other\""});
}

// Regression test: resuming reported losses twice and missed a wrong digest.
TEST(LadderExport, ResumingReportsTheSameLosses) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += i % 100 == 7 ? "nonsense\n" : line(format("\"{}\"", i), "{}");
  Files files =
      export_of(connection_of("n", stream_of("notes", "c/n.ndjson", "other bytes") + "," + stream_of("gone", "c/gone", "")));
  files["c/n.ndjson"] = text;
  const Read whole = read(files);
  ASSERT_GE(whole.sink.checkpoints.size(), 3U);
  EXPECT_EQ(whole.sink.losses.size(), 8U);
  for (std::size_t i = 0; i < whole.sink.checkpoints.size(); ++i) {
    const Read rest = read(files, whole.sink.checkpoints[i].first);
    EXPECT_EQ(rest.sink.records.size() + whole.sink.checkpoints[i].second, whole.sink.records.size());
    auto expected = reasons(whole.sink);
    expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(whole.sink.lost_before[i]));
    EXPECT_EQ(reasons(rest.sink), expected);
  }
}

TEST(LadderExport, ANestedExportIsReadByItsOwnIndex) {
  Files files = export_of_notes(line("\"outer\"", "{}"));
  for (const auto& [path, text] : export_of_notes(line("\"inner\"", "{}"))) files["older/" + path] = text;
  const Read whole = read(files);
  EXPECT_TRUE(whole.done);
  ASSERT_EQ(whole.sink.records.size(), 2U);
  EXPECT_NE(whole.sink.records[0].key, whole.sink.records[1].key);
}

TEST(LadderExport, AnInconsistentOrNewerIndexIsRefused) {
  const std::string notes = stream_of("notes", "c/notes.ndjson", "");
  for (const std::string& connections :
       {connection_of("n", notes + "," + notes), connection_of("n", notes) + "," + connection_of("n", "")}) {
    Files files = export_of(connections);
    files["c/notes.ndjson"] = "";
    const Read whole = read(files);
    ASSERT_FALSE(whole.done);
    EXPECT_EQ(whole.done.error().message, "ladder-export.json names a connection, a stream or a file twice");
  }
  const Read newer = read(export_of("", 2));
  ASSERT_FALSE(newer.done);
  EXPECT_NE(newer.done.error().message.find("upgrade ladder"), std::string::npos);
}

// A unit holds a limited number of streams. No unit is created for streams whose files are missing.
TEST(LadderExport, NoUnitIsEmpty) {
  std::string streams;
  Files present;
  for (int i = 0; i < 70; ++i) {
    const std::string file = format("c/{}.ndjson", i);
    streams += (i == 0 ? "" : ",") + stream_of(format("s{}", i), file, "");
    if (i < 32) present[file] = "";
  }
  Files files = export_of(connection_of("n", streams));
  files.merge(present);
  MemoryTree tree(files);
  EXPECT_EQ(ladder_format().detect(tree, {}).size(), 1U);
}

TEST(LadderExport, ABlobOfAnOddTypeIsKept) {
  Files files = export_of_notes(line("\"a\"", "{}"));
  files["c/n.blobs"] = format("{{\"sha256\":\"{}\",\"mime_type\":\"\\u0007 ü\"}}\n", digest("bytes"));
  files["blobs/" + digest("bytes")] = "bytes";
  const Read whole = read(files);
  EXPECT_TRUE(whole.done && whole.sink.losses.empty());
  ASSERT_EQ(whole.sink.blobs.size(), 1U);
  EXPECT_EQ(whole.sink.blobs[0].first, "application/octet-stream");
}

}  // namespace
}  // namespace ladder::imports
