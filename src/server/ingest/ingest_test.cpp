// Tests of line splitting with input pieces of any size.
#include "server/ingest/ingest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace ladder::server {
namespace {

// Returns at most `piece` bytes per read, and optionally fails after the text.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string text, std::size_t piece, bool fails_at_end = false)
      : text_(std::move(text)), piece_(piece), fails_at_end_(fails_at_end) {}

  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = std::min({capacity, piece_, text_.size() - at_});
    if (count == 0 && fails_at_end_) return fail(Code::kStoreUnavailable, "the medium is gone");
    std::memcpy(buffer, text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t piece_, at_ = 0;
  bool fails_at_end_;
};

struct Seen {
  std::string text;
  std::int64_t number = 0;
  bool too_long = false, unterminated = false;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> split(const std::string& text, std::size_t piece, std::size_t max_line_bytes = 1000) {
  Pieces bytes(text, piece);
  LineSource lines(bytes, max_line_bytes);
  std::vector<Seen> seen;
  Line line;
  for (;;) {
    const auto more = lines.next(line);
    if (!more || !*more) break;
    seen.push_back({std::string(line.text), line.number, line.too_long, line.unterminated});
  }
  EXPECT_EQ(lines.bytes_read(), static_cast<std::int64_t>(text.size()));
  return seen;
}

class LineSourceTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LineSourceTest, EndsAtLfOrCrlfAndCountsBlankLines) {
  const std::vector<Seen> expected = {{"a", 1}, {"", 2}, {"b", 3}, {"", 4}, {" ", 5}, {"c\rd", 6}};
  EXPECT_EQ(split("a\n\nb\r\n\r\n \nc\rd\n", GetParam()), expected);
}

TEST_P(LineSourceTest, ReportsAnUnterminatedLastLine) {
  const std::vector<Seen> expected = {{"a", 1}, {"b", 2, false, true}};
  EXPECT_EQ(split("a\nb", GetParam()), expected);
  EXPECT_EQ(split("a\nb\r", GetParam()), expected);
  EXPECT_EQ(split("", GetParam()), std::vector<Seen>{});
}

TEST_P(LineSourceTest, RemovesAByteOrderMarkFromTheFirstLineOnly) {
  const std::vector<Seen> expected = {{"a", 1}, {"\xEF\xBB\xBF", 2}};
  EXPECT_EQ(split("\xEF\xBB\xBF"
                  "a\n\xEF\xBB\xBF\n",
                  GetParam()),
            expected);
}

TEST_P(LineSourceTest, SkipsAnOverlongLineAndContinues) {
  const std::string most(1000, 'm');
  for (const std::size_t length : {1001UZ, 1002UZ, 5000UZ, 700'000UZ}) {
    const std::string text = "a\n" + std::string(length, 'x') + "\n" + most + "\r\nb\n" + std::string(length, 'y');
    const std::vector<Seen> expected = {{"a", 1}, {"", 2, true}, {most, 3}, {"b", 4}, {"", 5, true, true}};
    EXPECT_EQ(split(text, GetParam()), expected) << length;
  }
}

TEST_P(LineSourceTest, ComputesTheDigestOfAnOverlongLine) {
  const std::string longest(300'000, 'x');
  Pieces bytes(longest + "\n" + longest + "\r\n", GetParam());
  LineSource lines(bytes, 1000);
  Line line;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(*lines.next(line));
    EXPECT_TRUE(line.too_long);
    EXPECT_EQ(line.digest, crypto::sha256(longest));
  }
}

// The receipt contains the line's digest, so it must not depend on the sizes of the input pieces.
TEST_P(LineSourceTest, ExcludesMarkAndReturnFromTheDigest) {
  for (const std::size_t length : {1001UZ, 1002UZ, 1004UZ, 1005UZ, 5000UZ, 300'000UZ}) {
    const std::string longest = std::string(length - 1, 'x') + "\r";
    Pieces bytes("\xEF\xBB\xBF" + longest + "\r\n" + longest + "\r", GetParam());
    LineSource lines(bytes, 1000);
    Line line;
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(*lines.next(line));
      EXPECT_TRUE(line.too_long);
      EXPECT_EQ(line.digest, crypto::sha256(longest)) << length;
    }
  }
}

TEST_P(LineSourceTest, AcceptsTheLongestLineWithMarkAndReturn) {
  const std::string most(1000, 'm');
  EXPECT_EQ(split("\xEF\xBB\xBF" + most + "\r\n", GetParam()), (std::vector<Seen>{{most, 1}}));
}

TEST_P(LineSourceTest, AcceptsLinesOfAnyLengthWithinTheLimit) {
  const std::string longest(3'000'000, 'x');
  const std::vector<Seen> expected = {{"a", 1}, {longest, 2}, {"b", 3}, {longest, 4}};
  EXPECT_EQ(split("a\n" + longest + "\nb\n" + longest + "\n", std::max<std::size_t>(GetParam(), 1000), 4'000'000), expected);
}

INSTANTIATE_TEST_SUITE_P(, LineSourceTest, ::testing::Values(1UZ, 2UZ, 7UZ, 4096UZ, 1UZ << 30));

TEST(LineSource, ReturnsLinesReadBeforeAnError) {
  Pieces bytes("a\nb\nhalf", 3, true);
  LineSource lines(bytes, 1000);
  Line line;
  ASSERT_TRUE(*lines.next(line));
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "b");
  const auto more = lines.next(line);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "the medium is gone");
}

TEST(LineSource, IsReadyIfALineIsBuffered) {
  Pieces bytes("a\nb\nc", 4);
  LineSource lines(bytes, 1000);
  Line line;
  EXPECT_FALSE(lines.ready());
  ASSERT_TRUE(*lines.next(line));
  EXPECT_TRUE(lines.ready());
  EXPECT_TRUE(lines.ready());
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "b");
  EXPECT_FALSE(lines.ready());
  ASSERT_TRUE(*lines.next(line));
  EXPECT_EQ(line.text, "c");
}

}  // namespace
}  // namespace ladder::server
