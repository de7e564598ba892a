#include "import/io/lines.h"
#include "base/text/format.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

TEST(LinesTest, HaveOffsets) {
  const std::string text = "one\r\ntwo\n\nlast";
  BytesInMemory bytes(text);
  Lines lines(bytes, 100);
  std::string seen;
  while (lines.next().value()) seen += format("{}@{};", lines.text(), lines.offset());
  EXPECT_EQ(seen, "one@100;two@105;@109;last@110;");
}

TEST(LinesTest, MayEndWithACarriageReturn) {
  const auto lines_of = [](const std::string& text) {
    BytesInMemory bytes(text);
    Lines lines(bytes);
    std::string seen;
    while (lines.next().value()) seen += format("{}@{};", lines.text(), lines.offset());
    return seen;
  };
  EXPECT_EQ(lines_of("one\rtwo\r\rlast"), "one@0;two@4;@8;last@9;");
  EXPECT_EQ(lines_of("one\r"), "one@0;");
  EXPECT_EQ(lines_of("a\rb\nc"), "a\rb@0;c@4;");
  // The first piece may end between CR and LF.
  EXPECT_EQ(lines_of(std::string(4095, 'a') + "\r\nb").substr(4095), "@0;b@4097;");
}

}  // namespace
}  // namespace ladder::imports
