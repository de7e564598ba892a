#include "import/charset/read_text.h"
#include "import/text/text.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace std::string_literals;

TEST(Text, BecomesUtf8) {
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFh\xC3\xA9\r\nx\ry"), "h\xC3\xA9\nx\ny");
  EXPECT_EQ(to_utf8("\xFF\xFEh\0\xE9\0"s), "h\xC3\xA9");
  EXPECT_EQ(to_utf8("\xFE\xFF\0h\0\xE9"s), "h\xC3\xA9");
  EXPECT_EQ(to_utf8("\xFF\xFE\x3D\xD8\x00\xDEx\0\r\0\n\0\x3D\xD8y"s),
            "\xF0\x9F\x98\x80x\n");                             // the last piece ends inside a character
  EXPECT_EQ(to_utf8("\xFE\xFF\xDE\x00\0x"s), "\xEF\xBF\xBDx");  // an unpaired surrogate
  EXPECT_EQ(to_utf8("\0\0\xFE\xFF\0\1\xF6\0"s), "\xF0\x9F\x98\x80");
  EXPECT_EQ(to_utf8("h\xE9 \x93q\x94"), "h\xC3\xA9 \xE2\x80\x9Cq\xE2\x80\x9D");  // Windows-1252 without a label
  EXPECT_EQ(to_utf8("h\xC3\xA9", "iso-8859-1"), "h\xC3\xA9");                    // UTF-8 labeled as Latin-1
  EXPECT_EQ(to_utf8("\x82\xA0", "Shift_JIS"), "\xE3\x81\x82");
  EXPECT_EQ(to_utf8("\x1B$B$\"\x1B(B", "iso-2022-jp"), "\xE3\x81\x82");
  EXPECT_EQ(to_utf8("\xE9", "no-such-charset"), "\xC3\xA9");
  EXPECT_EQ(to_utf8("a\0\xFFz"s), "a\0\xEF\xBF\xBDz"s);  // not text in any encoding: invalid bytes are replaced
  EXPECT_EQ(replace_invalid("a\xE2\x82z\xFF"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(trim(" \xC2\xA0 x\t\n"), "x");
}

}  // namespace
}  // namespace ladder::imports
