#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"
#include "import/testing/office_maker.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ladder::imports {
namespace {

using testing::CollectingSink;
using testing::MemoryTree;

boost::json::object json_of(const testing::Collected& record) { return boost::json::parse(record.data).as_object(); }

std::string text_in(const boost::json::object& object, const char* name) { return std::string(object.at(name).as_string()); }

TEST(Notes, AVaultBecomesNotesAndAttachments) {
  MemoryTree tree(
      {{".obsidian/app.json", "{}"},
       {".trash/old.md", "gone"},
       {"Daily/2025-01-01.md",
        "\xEF\xBB\xBF---\r\ntitle: First day\r\ndate: 2025-01-01\r\ntags: [diary]\r\n---\r\nSaw [[Ada]] #cold ![[sea.png]]\r\n"},
       {"Ada.md", "# Ada L.\nMother: [[Anne]]. ![](img/sea.png)"},
       {"img/sea.png", "\x89PNG"},
       {"unused.png", "x"},
       {"Takeout/archive_browser.html", "<p>What is in this archive"},
       {"page.html", "<title>Page</title><p>One<p>Two <a href=\"https://x.example\">x</a>"},
       {"plain.TXT", "caf\xE9"},
       {"empty.md", ""}},
      "Vault");
  const CollectingSink sink = read_all(notes_format(), tree);
  EXPECT_EQ(sink.faults, std::vector<std::string>{});
  EXPECT_TRUE(sink.losses.empty());
  const auto notes = sink.of("notes");
  ASSERT_EQ(notes.size(), 5U);
  const auto ada = json_of(notes[0]), day = json_of(notes[1]), empty = json_of(notes[2]), page = json_of(notes[3]),
             plain = json_of(notes[4]);
  EXPECT_EQ(text_in(ada, "title"), "Ada L.");
  EXPECT_EQ(text_in(day, "title"), "First day");
  EXPECT_EQ(text_in(day, "text"), "Saw [[Ada]] #cold ![[sea.png]]\n");
  EXPECT_EQ(text_in(day, "folder"), "Daily");
  EXPECT_EQ(text_in(day, "modified_at"), "2025-01-01T00:00:00.000Z");
  EXPECT_EQ(boost::json::serialize(day.at("tags")), R"(["diary","cold"])");
  EXPECT_EQ(boost::json::serialize(day.at("links")), R"(["Ada"])");
  EXPECT_EQ(text_in(empty, "title"), "empty");
  EXPECT_EQ(text_in(page, "text"), "One\n\nTwo x");
  EXPECT_EQ(text_in(plain, "text"), "caf\xC3\xA9");
  const auto attachments = sink.of("attachments");
  ASSERT_EQ(attachments.size(), 1U);  // once, although two notes embed it
  EXPECT_EQ(text_in(json_of(attachments[0]), "path"), "img/sea.png");
  ASSERT_EQ(sink.blobs.size(), 1U);
  EXPECT_EQ(sink.blobs[0].first, "image/png");
}

TEST(Notes, AnArchiveOfAFolderHasTheSameNamesAsTheFolder) {
  MemoryTree folder({{"a.md", "x"}, {"b/c.md", "y"}}, "Vault"), zip({{"Vault/a.md", "x"}, {"Vault/b/c.md", "y"}}, "Vault");
  const CollectingSink one = read_all(notes_format(), folder), two = read_all(notes_format(), zip);
  ASSERT_EQ(one.records.size(), two.records.size());
  for (std::size_t i = 0; i < one.records.size(); ++i) EXPECT_EQ(one.records[i].data, two.records[i].data);
}

TEST(Notes, ClaimOnlyEmbeddedFiles) {
  MemoryTree tree({{"Vault/Ada.md", "![[sea.png]] ![](../shared/map%201.jpg) ![[Bob]]"},
                   {"Vault/Bob.md", "![[gone.png]]"},
                   {"Vault/img/sea.png", "\x89PNG"},
                   {"Vault/unused.png", "x"},
                   {"shared/map 1.jpg", "x"}},
                  "Vault");
  const auto units = notes_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  std::vector<std::string> paths;
  for (const EntryNo entry : units[0].entries) paths.push_back(tree.entries()[entry].path);
  EXPECT_EQ(paths, (std::vector<std::string>{"Vault/Ada.md", "Vault/Bob.md", "Vault/img/sea.png", "shared/map 1.jpg"}));
  const CollectingSink sink = read_all(notes_format(), tree);
  EXPECT_TRUE(sink.losses.empty());
  EXPECT_EQ(sink.of("attachments").size(), 2U);
  ASSERT_EQ(sink.of("notes").size(), 2U);
  EXPECT_EQ(text_in(json_of(sink.of("notes")[0]), "path"), "Ada.md") << "a file elsewhere gives notes no other names";
}

TEST(Notes, FromTwoExportsShareAnAccount) {
  MemoryTree january(testing::Files{{"Keep/a.txt", "x"}}, "takeout-20260101T101010Z"),
      february(testing::Files{{"Keep/a.txt", "x"}}, "takeout-20260201T111111Z");
  EXPECT_EQ(notes_format().detect(january, {})[0].account, "takeout");
  EXPECT_EQ(notes_format().detect(february, {})[0].account, "takeout");
}

TEST(Notes, CreationTimeIsNotModificationTime) {
  MemoryTree tree(testing::Files{{"a.md", "---\ncreated: 2020-01-01\n---\nx"},
                                 {"b.md", "---\ncreated: 2020-01-01\nupdated: 2021-01-01\n---\nx"}});
  const auto notes = read_all(notes_format(), tree).of("notes");
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_TRUE(json_of(notes[0]).at("modified_at").is_null()) << "neither the note nor the disk says";
  EXPECT_EQ(text_in(json_of(notes[1]), "modified_at"), "2021-01-01T00:00:00.000Z");
}

TEST(Notes, OfficeFilesAndBooksAreDocumentsWithPages) {
  MemoryTree tree({{"Plans/costs.xlsx", testing::xlsx()},
                   {"Plans/report.docx", testing::docx(testing::docx_paragraph("Hello"))},
                   {"book.epub", testing::epub()},
                   {"old.docx", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 old"}},
                  "Vault");
  const CollectingSink sink = read_all(notes_format(), tree);
  EXPECT_EQ(sink.faults, std::vector<std::string>{});
  EXPECT_TRUE(sink.losses.empty());
  const auto documents = sink.of("documents");
  ASSERT_EQ(documents.size(), 4U);
  const auto costs = json_of(documents[0]), report = json_of(documents[1]), book = json_of(documents[2]),
             old = json_of(documents[3]);
  EXPECT_EQ(text_in(costs, "kind"), "xlsx");
  EXPECT_EQ(text_in(costs, "page_kind"), "sheet");
  EXPECT_EQ(costs.at("page_count").as_int64(), 2);
  EXPECT_EQ(text_in(costs.at("pages").at(0).as_object(), "name"), "Costs");
  EXPECT_EQ(text_in(report, "text"), "Hello\n\na footnote");
  EXPECT_FALSE(report.contains("pages"));
  EXPECT_EQ(text_in(book, "title"), "A book");
  EXPECT_FALSE(old.contains("text"));
  EXPECT_EQ(sink.blobs[0].first, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");
}

TEST(Notes, ResumeFromAPosition) {
  MemoryTree tree({{"a.md", "1"}, {"b.md", "2"}, {"c.md", "3"}});
  const auto units = notes_format().detect(tree, {});
  ASSERT_EQ(units.size(), 1U);
  CollectingSink sink;
  ASSERT_TRUE(notes_format().read(tree, units[0], {}, "a.md", sink));
  EXPECT_EQ(sink.records.size(), 2U);
  ASSERT_EQ(sink.checkpoints.size(), 2U);
  EXPECT_EQ(sink.checkpoints.back().first, "c.md");
}

}  // namespace
}  // namespace ladder::imports
