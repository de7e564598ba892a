#include "import/text/markdown.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

TEST(FrontMatterTest, ReadsCommonForms) {
  const FrontMatter found =
      read_front_matter("---\ntitle: \"A: b\"\ntags: [x, \"y, z\"]\naliases:\n  - one\n  - two\n# no\nempty:\n---\nText");
  EXPECT_EQ(found.first("title"), "A: b");
  EXPECT_EQ(found.find("tags")->values, (std::vector<std::string>{"x", "y, z"}));
  EXPECT_EQ(found.find("aliases")->values, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(found.first("empty"), "");
  EXPECT_EQ(read_front_matter("---\nnever closed\n").length, 0U);
  EXPECT_EQ(read_front_matter("# no\n---\n").length, 0U);
}

TEST(FrontMatterTest, LosesNothing) {
  EXPECT_EQ(read_front_matter("---\n\nA text between two lines.\n\n---\nmore").length, 0U);
  EXPECT_EQ(read_front_matter("---\n- a list\n---\nmore").length, 0U);
  const FrontMatter found =
      read_front_matter("---\ntitle: 'it''s'\nquote: \"a \\\"b\\\"\"\ntags: [\na,\nb\n]\nname: one\nname: two\n---\n");
  EXPECT_EQ(found.first("title"), "it's");
  EXPECT_EQ(found.first("quote"), "a \"b\"");
  EXPECT_EQ(found.first("tags"), "[\na,\nb\n]");
  EXPECT_EQ(found.find("name")->values, (std::vector<std::string>{"one", "two"}));
  EXPECT_GT(read_front_matter("---\n---\ntext").length, 0U) << "an empty one is one";
}

TEST(Markdown, KnowsTagsAndLinks) {
  const MarkdownInfo info = read_markdown(
      "# Title\n\nSee [[Other note|alias]], [[Part#Head]] and [web](https://x.example/a%20b \"t\") #tag #nested/tag #12 a#no\n"
      "![[pic.png]] [![x](inner.png)](outer) `[[code]]`\n```\n#code [[no]]\n```\n");
  EXPECT_EQ(info.heading, "Title");
  EXPECT_EQ(info.tags, (std::vector<std::string>{"tag", "nested/tag"}));
  EXPECT_EQ(info.links, (std::vector<std::string>{"Other note", "Part", "https://x.example/a b"}));
  EXPECT_EQ(info.embeds, (std::vector<std::string>{"pic.png", "inner.png"}));
}

TEST(Markdown, KnowsNamesWithBracketsAndLinksInTables) {
  const MarkdownInfo info = read_markdown(
      "| [[Other\\|alias]] | ![[pic.png\\|100]] |\n![](Screenshot%20(1).png) ![x](a(b) [y](https://x.example/z_(1)) (so)");
  EXPECT_EQ(info.links, (std::vector<std::string>{"Other", "https://x.example/z_(1)"}));
  EXPECT_EQ(info.embeds, (std::vector<std::string>{"pic.png", "Screenshot (1).png", "a(b"}));
}

}  // namespace
}  // namespace ladder::imports
