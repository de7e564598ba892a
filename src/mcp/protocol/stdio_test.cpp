#include "mcp/protocol/stdio.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace ladder::mcp {
namespace {

using Got = LineReader::Got;

// Returns the lines that a reader returns for a text that arrives in pieces.
std::vector<std::pair<Got, std::string>> read_all(std::string_view text, std::size_t piece, std::size_t max_bytes) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size(); at += piece) {
      const std::string_view part = text.substr(at, piece);
      EXPECT_EQ(::write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
    }
    ::close(ends[1]);
  });
  LineReader reader(ends[0], max_bytes);
  std::vector<std::pair<Got, std::string>> seen;
  std::string line;
  for (Got got = reader.next(line); got != Got::kEnd; got = reader.next(line)) seen.emplace_back(got, line);
  EXPECT_EQ(reader.next(line), Got::kEnd) << "the end stays";
  writer.join();
  ::close(ends[0]);
  return seen;
}

TEST(LineReader, LinesEndWithLfOrCrLfOrTheInput) {
  const std::vector<std::pair<Got, std::string>> expected = {
      {Got::kLine, "one"}, {Got::kLine, ""}, {Got::kLine, "two"}, {Got::kLine, "a\rb"}, {Got::kLine, "last"}};
  for (const std::size_t piece : {1UL, 2UL, 3UL, 100UL}) EXPECT_EQ(read_all("one\n\ntwo\r\na\rb\nlast", piece, 10), expected);
  EXPECT_TRUE(read_all("", 1, 10).empty());
  EXPECT_EQ(read_all("\n", 1, 10).size(), 1U);
}

TEST(LineReader, SkipsALineThatIsTooLong) {
  const std::string ten(10, 'x');
  const std::vector<std::pair<Got, std::string>> expected = {
      {Got::kLine, ten}, {Got::kTooLong, ""}, {Got::kLine, "next"}, {Got::kTooLong, ""}};
  for (const std::size_t piece : {1UL, 7UL, 1000UL}) {
    EXPECT_EQ(read_all(ten + "\n" + ten + "y\nnext\n" + std::string(5000, 'z'), piece, 10), expected) << piece;
  }
}

TEST(LineReader, ReturnsLongLinesCompletely) {
  const std::string half(300'000, 'h');
  const auto seen = read_all(half + "\n" + half, 50'000, 1'000'000);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].second, half);
  EXPECT_EQ(seen[1].second, half);
}

}  // namespace
}  // namespace ladder::mcp
