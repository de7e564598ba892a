#include "cli/help/markdown_text.h"

#include <gtest/gtest.h>

namespace ladder::cli {
namespace {

std::string shown(std::string_view markdown, std::size_t columns = 40) {
  return markdown_text(markdown, {columns, [](std::string_view text) { return "<" + std::string(text) + ">"; },
                                  [](std::string_view text, std::string_view target) {
                                    return std::string(text) + "(" + std::string(target) + ")";
                                  }});
}

TEST(MarkdownText, WrapsParagraphsAndItems) {
  EXPECT_EQ(shown("one two\nthree\n\n- a list item with several words that\n  continues\n- b\n", 30),
            "one two three\n\n- a list item with several\n  words that continues\n- b\n");
  EXPECT_EQ(shown("1. first\n2. second", 30), "1. first\n2. second\n");
}

TEST(MarkdownText, KeepsCode) {
  EXPECT_EQ(shown("```sh\nladder  init # *x*\n\n[a](b)\n```\n\n    indented  code\n"),
            "    ladder  init # *x*\n\n    [a](b)\n\n    indented  code\n");
}

TEST(MarkdownText, AlignsTables) {
  EXPECT_EQ(shown("| type | to find |\n|---|---|\n| `a\\|b` | one |\n| `\"third clock\"` | these words in this order |\n"),
            "<type             to find>\n`a|b`            one\n`\"third clock\"`  these words in this\n                 order\n");
  EXPECT_EQ(shown("| | |\n|---|---|\n| a | b |\n"), "a  b\n");
  EXPECT_EQ(shown("| x | y |\n|---|---|\n| this cell is much longer than a column | b |\n"),
            "<x                                   y>\nthis cell is much longer than a column\n  b\n");
}

TEST(MarkdownText, ReplacesInlineMarks) {
  EXPECT_EQ(shown("## A *b*\n\n**bold** `*code*` [text](x.md#y)\n\n![picture](p.png)\n<!-- a comment -->\n"),
            "<A b>\n\nbold `*code*` text(x.md#y)\n");
  EXPECT_EQ(shown("a [bracket] and (more)"), "a [bracket] and (more)\n");
  EXPECT_EQ(shown("as usual ([text](x.md))"), "as usual ((x.md))\n");
}

}  // namespace
}  // namespace ladder::cli
