#include "import/text/loose_base64.h"

#include "base/text/base64.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ladder::imports {
namespace {

// Decodes in pieces of this size.
std::string decoded(std::string_view text, std::size_t piece = 1'000'000) {
  LooseBase64 decoder;
  std::string out;
  for (std::size_t at = 0; at <= text.size(); at += piece) {
    const std::string_view part = text.substr(at, piece);
    std::string room(LooseBase64::most(part.size()), '\0');
    room.resize(decoder.decode(part, room.data()));
    out += room;
  }
  std::string rest(2, '\0');
  rest.resize(decoder.finish(rest.data()));
  return out + rest;
}

TEST(LooseBase64, GivesBackWhatWasEncodedWhateverTheLinesAndPieces) {
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same bytes every time
  for (std::size_t size = 0; size < 200; ++size) {
    std::string bytes(size, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    std::string text = base64::encode(bytes);
    for (std::size_t at = 76; at < text.size(); at += 78) text.insert(at, "\r\n");
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) EXPECT_EQ(decoded(text, piece), bytes);
  }
}

TEST(LooseBase64, PassesOverStrays) {
  EXPECT_EQ(decoded(" Y-W\tJ\xff"
                    "j!\n"),
            "abc");
}

TEST(LooseBase64, ReadsOnBehindPadding) { EXPECT_EQ(decoded("YQ==\nYmM=\nZGVm"), "abcdef"); }

TEST(LooseBase64, TakesWhatACutEndHolds) {
  EXPECT_EQ(decoded("YWJjZG"), "abcd");
  EXPECT_EQ(decoded("YWJjZGU"), "abcde");
  EXPECT_EQ(decoded("YWJjZ"), "abc");
  EXPECT_EQ(decoded("="), "");
}

TEST(LooseBase64, EndsWhereOtherTextFollows) {
  const auto after = [](std::string_view text) { return std::string(text.substr(base64_end(text))); };
  EXPECT_EQ(after("YWJj"), "");
  EXPECT_EQ(after("YQ==\r\n"), "");
  EXPECT_EQ(after("YQ==\n\n-- \nRegards, Ann\n"), "\n\n-- \nRegards, Ann\n");
  EXPECT_EQ(after("YWJj\nRegards, Ann"), "\nRegards, Ann");
  EXPECT_EQ(after("YQ==\nRegards"), "\nRegards");
  EXPECT_EQ(after("YQ==\nYmM=\n"), "");
  EXPECT_EQ(after("YWJjZG"), "");
  EXPECT_EQ(after(" Y-W\tJj!\n"), "");
  EXPECT_EQ(after("no base64 at all, only words"), "");
  EXPECT_EQ(after(""), "");
}

}  // namespace
}  // namespace ladder::imports
