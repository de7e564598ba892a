#include "import/formats/notion/notion_page.h"
#include "import/formats/notion/notion_tree.h"
#include "import/testing/archive_maker.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const std::string kHome = "00000000000000000000000000000001", kTasks = "00000000000000000000000000000002",
                  kTask = "00000000000000000000000000000003", kIdeas = "00000000000000000000000000000004";

Files workspace() {
  return {{"Home " + kHome + ".md", "# Home and garden\n\nWelcome. See [Ideas](Home%20" + kHome + "/Ideas%20" + kIdeas +
                                        ".md) and [a site](https://example.org).\n"},
          {"Home " + kHome + "/Ideas " + kIdeas + ".md", "# Ideas\n\nA pond.\n"},
          {"Home " + kHome + "/Ideas " + kIdeas + "/pond.png", "PNG"},
          {"Home " + kHome + "/Tasks " + kTasks + ".csv",
           "\xEF\xBB\xBFName,Status,Created\nCall Nora,Open,\"June 5, 2024 1:45 PM\"\n"},
          {"Home " + kHome + "/Tasks " + kTasks + "_all.csv",
           "\xEF\xBB\xBFName,Status,Created\nCall Nora,Open,\"June 5, 2024 1:45 PM\"\nBuy seeds,Done,\nBuy seeds,Done,\n"},
          {"Home " + kHome + "/Tasks/Call Nora " + kTask + ".md",
           "# Call Nora\n\nStatus: Open\nCreated: June 5, 2024 1:45 PM\n\nAsk about: the roof.\n"},
          {"other.txt", "not Notion's"}};
}

Collected page(const CollectingSink& sink, std::string_view title) {
  for (const Collected& each : sink.of("pages")) {
    if (member(each, "title") == title) return each;
  }
  ADD_FAILURE() << title;
  return {};
}

TEST(Notion, PagesHaveTheirPlace) {
  const CollectingSink sink = read_files(notion_format(), workspace());
  EXPECT_EQ(sink.of("pages").size(), 6U);
  const Collected home = page(sink, "Home and garden");
  EXPECT_EQ(member(home, "id"), kHome);
  EXPECT_EQ(member(home, "parent"), "");
  EXPECT_EQ(member(home, "linked_pages"), "[\"" + kIdeas + "\"]");
  EXPECT_EQ(member(home, "links"), R"(["https://example.org"])");
  const Collected ideas = page(sink, "Ideas");
  EXPECT_EQ(member(ideas, "parent"), kHome);
  EXPECT_EQ(member(ideas, "path"), "Home");
  EXPECT_EQ(member(ideas, "text"), "A pond.");
  const Collected file = only(sink, "files");
  EXPECT_EQ(member(file, "page") + member(file, "page_title"), kIdeas + "Ideas");
}

TEST(Notion, RowsOfDatabasesComeOnce) {
  const CollectingSink sink = read_files(notion_format(), workspace());
  EXPECT_EQ(member(page(sink, "Tasks"), "kind"), "database");
  const Collected call = page(sink, "Call Nora");
  EXPECT_EQ(member(call, "id"), kTask);
  EXPECT_EQ(member(call, "kind") + " " + member(call, "database") + " " + member(call, "path"), "row Tasks Home / Tasks");
  EXPECT_EQ(member(call, "text"), "Ask about: the roof.");
  EXPECT_EQ(member(call, "property_text"), "Status: Open\nCreated: June 5, 2024 1:45 PM");
  EXPECT_EQ(member(call, "created_at"), "2024-06-05T13:45:00.000Z");
  std::set<std::string> seeds;
  for (const Collected& each : sink.of("pages")) {
    if (member(each, "title") == "Buy seeds") seeds.insert(member(each, "id"));
  }
  EXPECT_EQ(seeds.size(), 2U) << "lines without a page";
  expect_resumable(notion_format(), workspace());
}

TEST(Notion, PagesAsHtml) {
  const CollectingSink sink = read_files(
      notion_format(),
      {{"Home " + kHome + ".html", "<html><head><title>Home</title></head><body><article id=\"x\"><p>Welcome</p></article>"}});
  const Collected home = only(sink, "pages");
  EXPECT_EQ(member(home, "title") + " " + member(home, "text") + " " + member(home, "format"), "Home Welcome html");
}

TEST(Notion, OnlyNamesWithAnIdAreNotions) {
  EXPECT_TRUE(notion::parse_file_name("A " + kHome + ".md"));
  EXPECT_TRUE(notion::parse_file_name(kHome + ".md"));
  for (const std::string& name :
       {std::string("note.md"), "A" + kHome + ".md", "A " + kHome.substr(1) + ".md", "A " + kHome + "x.md"}) {
    EXPECT_FALSE(notion::parse_file_name(name)) << name;
  }
  MemoryTree vault(Files{{"note.md", "# x"}, {"a.csv", "a,b"}});
  EXPECT_TRUE(notion_format().detect(vault, {}).empty());
}

// The export is a zip of zips.
TEST(Notion, ArchivesInTheArchiveAreOpened) {
  ZipMaker inner, more, outer;
  for (const auto& [path, text] : workspace()) (path.ends_with(".png") ? more : inner).add(path, text);
  outer.add("Export-0aa1-Part-1.zip", inner.bytes());
  outer.add("Export-0aa1-Part-2.zip", more.bytes());
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / format("ladder-notion-{}", getpid());
  save(folder / "0aa1_Export.zip", outer.bytes());
  const std::vector<std::string> paths = {(folder / "0aa1_Export.zip").string()};
  const OpenedTrees opened = open_trees(paths);
  ASSERT_EQ(opened.trees.size(), 1U);
  EXPECT_TRUE(opened.refusals.empty());
  const CollectingSink sink = read_all(notion_format(), *opened.trees.front());
  EXPECT_EQ(sink.faults, std::vector<std::string>());
  EXPECT_EQ(sink.of("pages").size(), 6U);
  EXPECT_EQ(sink.of("files").size(), 1U);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ladder::imports
