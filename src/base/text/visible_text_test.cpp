// Tests that control characters are shown, other text is unchanged, and shell words round-trip.
#include "base/text/visible_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace ladder {
namespace {

TEST(VisibleText, LeavesOrdinaryTextUnchanged) {
  const std::string text = "tab\tline\nΩ é 漢字 👩🏽‍🌾 \u200D\u200C\u200E\u200F\uFE0F";
  EXPECT_EQ(visible_text(text).text, text);
  EXPECT_EQ(visible_text(text).escaped, 0);
}

TEST(VisibleText, ShowsControlCharacters) {
  const VisibleText text = visible_text("a\x1b[31mb\r\x7f\u009b");
  EXPECT_EQ(text.text, "a⟦U+001B⟧[31mb⟦U+000D⟧⟦U+007F⟧⟦U+009B⟧");
  EXPECT_EQ(text.escaped, 4);
  EXPECT_EQ(visible_text(std::string_view("\0", 1)).text, "⟦U+0000⟧");
}

TEST(VisibleText, ShowsReorderingAndHiddenCharacters) {
  EXPECT_EQ(visible_text("\u202e\u2066\u2069").text, "⟦U+202E⟧⟦U+2066⟧⟦U+2069⟧");
  EXPECT_EQ(visible_text("\U000E0041").text, "⟦U+E0041⟧");
}

TEST(VisibleText, EscapesLiteralCodes) {
  EXPECT_EQ(visible_text("⟦U+001B⟧").text, "⟦U+27E6⟧U+001B⟧");
  EXPECT_EQ(visible_text("⟦x⟧").text, "⟦x⟧");
}

TEST(VisibleText, ReplacesInvalidUtf8) {
  EXPECT_EQ(visible_text("a\xff\xfe"
                         "b")
                .text,
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(visible_label("a\nb\tc"), "a⟦U+000A⟧b⟦U+0009⟧c");
}

TEST(ShellWord, LeavesPlainWordsUnquoted) {
  EXPECT_EQ(shell_word("notes-home/notes:n1"), "notes-home/notes:n1");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("é"), "'é'");
}

TEST(ShellWord, RoundTripsThroughAShell) {
  for (const std::string text :
       {"it's", "$(touch x) `id` \"$HOME\" \\ !", "line\nbreak", "\x1b[31m'\\", "[\"a\",\"1\"]", "*?~#&|;<>"}) {
    const std::string command = "bash -c " + shell_word("printf %s " + shell_word(text));
    FILE* shell = ::popen(command.c_str(), "r");
    ASSERT_NE(shell, nullptr);
    std::array<char, 256> buffer{};
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), shell);
    EXPECT_EQ(::pclose(shell), 0) << command;
    EXPECT_EQ(std::string(buffer.data(), got), text) << command;
  }
}

}  // namespace
}  // namespace ladder
