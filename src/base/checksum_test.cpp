#include "base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder {
namespace {

// They are in every store: these values never change.
TEST(Checksum, IsWhatIsStored) {
  EXPECT_EQ(Checksum().add("").value(), 0x2D06800538D394C2U) << "XXH3 of nothing, by its specification";
  const std::uint64_t row = Checksum().add(std::int64_t{-2}).add("a record").value();
  EXPECT_EQ(row, Checksum().add(std::int64_t{-2}).add("a record").value());
}

TEST(Checksum, TellsEveryBitAndWhereAPartEnds) {
  std::string text(5000, 'x');
  const std::uint64_t whole = Checksum().add(text).value();
  for (std::size_t at = 0; at < text.size(); at += 7) {
    for (int bit = 0; bit < 8; ++bit) {
      text[at] = static_cast<char>(text[at] ^ 1 << bit);
      EXPECT_NE(Checksum().add(text).value(), whole);
      text[at] = static_cast<char>(text[at] ^ 1 << bit);
    }
  }
  EXPECT_NE(Checksum().add("ab").add("c").value(), Checksum().add("a").add("bc").value());
  EXPECT_NE(Checksum().add(std::int64_t{1}).value(), Checksum().add(std::int64_t{256}).value());
}

}  // namespace
}  // namespace ladder
