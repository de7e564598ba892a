// Compares every finder with a bytewise loop, with a match at every position of a block.
#include "json/scan/byte_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace ladder::json::bytes {
namespace {

template <class Is>
const char* one_by_one(const std::string& text, Is is) {
  const char* at = text.data();
  while (at != text.data() + text.size() && !is(*at)) ++at;
  return at;
}

TEST(ByteRuns, MatchABytewiseSearch) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same texts every time
  const auto is_mark = [](char c) { return c == '"' || c == '\\'; };
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 70, 'a');
    for (char& c : text) {
      if (random() % 16 == 0) c = static_cast<char>(random());
    }
    const char* const end = text.data() + text.size();
    ASSERT_EQ(find_quote_or_backslash(text.data(), end), one_by_one(text, is_mark));
    ASSERT_EQ(find_escapable(text.data(), end), one_by_one(text, [&](char c) { return is_mark(c) || is_control(c); }));
    ASSERT_EQ(find_special(text.data(), end),
              one_by_one(text, [&](char c) { return is_mark(c) || is_control(c) || !is_ascii(c); }));
    ASSERT_EQ(find_unprintable(text.data(), end), one_by_one(text, [](char c) { return is_control(c) || !is_ascii(c); }));
  }
}

}  // namespace
}  // namespace ladder::json::bytes
