#include "text/forms/compounds.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace ladder::text {
namespace {

constexpr std::size_t kShortestPart = 3;  // letters
constexpr std::size_t kLongestWord = 40;

struct Links {
  Language language;
  std::array<std::u32string_view, 7> links;  // between two parts; the first is empty
  std::u32string_view dropped;               // last letters that the first part may lose: "Schule", "Schulhof"
};

constexpr std::array<Links, 6> kLinks = {{
    {Language::kSwedish, {U"", U"s", U"e", U"o", U"u", U"a"}, U"ae"},
    {Language::kGerman, {U"", U"s", U"n", U"es", U"en", U"er", U"e"}, U"e"},
    {Language::kDutch, {U"", U"s", U"e", U"en", U"er", U"n"}, U"e"},
    {Language::kDanish, {U"", U"s", U"e", U"er"}, U"e"},
    {Language::kNorwegian, {U"", U"s", U"e", U"er"}, U"e"},
    {Language::kFinnish, {U"", U"n", U"en", U"s"}, U""},
}};

const Links* links_of(Language language) {
  const auto* const found = std::ranges::find(kLinks, language, &Links::language);
  return found == kLinks.end() ? nullptr : found;
}

// Unused array elements are empty, like the first.
bool is_link(const Links& row, std::u32string_view between) { return std::ranges::find(row.links, between) != row.links.end(); }

bool are_letters(std::u32string_view word) {
  return std::ranges::all_of(word, [](char32_t c) { return (c >= U'a' && c <= U'z') || (c >= 0xDF && c <= 0x24F); });
}

}  // namespace

bool makes_compounds(Language language) { return links_of(language) != nullptr; }

std::vector<std::string> compounds_of(std::string_view first, std::span<const std::string> seconds, Language language) {
  const Links* const row = links_of(language);
  const std::u32string letters = utf8::decode(first);
  std::vector<std::string> made;
  if (row == nullptr || letters.size() < kShortestPart || !are_letters(letters)) return made;
  std::vector<std::string> beginnings;
  for (const std::u32string_view link : row->links) {
    if (beginnings.empty() || !link.empty()) beginnings.push_back(utf8::encode(letters + std::u32string(link)));
  }
  if (letters.size() > kShortestPart && row->dropped.contains(letters.back())) {
    const std::u32string stem = letters.substr(0, letters.size() - 1);
    beginnings.push_back(utf8::encode(stem));
    beginnings.push_back(utf8::encode(stem + U's'));
  }
  for (const std::string& second : seconds) {
    const std::u32string end = utf8::decode(second);
    if (end.size() < kShortestPart || !are_letters(end)) continue;
    for (const std::string& beginning : beginnings) made.push_back(beginning + second);
  }
  return made;
}

std::vector<CompoundParts> compound_parts(std::string_view word, Language language) {
  const Links* const row = links_of(language);
  const std::u32string letters = utf8::decode(word);
  if (row == nullptr || letters.size() < 2 * kShortestPart || letters.size() > kLongestWord || !are_letters(letters)) return {};
  std::vector<std::tuple<std::size_t, std::size_t, CompoundParts>> found;  // by the length of the shorter part and of the link
  for (std::size_t end = kShortestPart; end + kShortestPart <= letters.size(); ++end) {
    for (std::size_t begin = end; begin + kShortestPart <= letters.size() && begin <= end + 2; ++begin) {
      const std::u32string_view all = letters;
      if (!is_link(*row, all.substr(end, begin - end))) continue;
      CompoundParts parts{utf8::encode(all.substr(0, end)), utf8::encode(all.substr(begin))};
      if (is_function_word(language, parts.first) || is_function_word(language, parts.second)) continue;
      const std::size_t shorter = std::min(end, letters.size() - begin);
      found.emplace_back(letters.size() - shorter, begin - end, std::move(parts));
    }
  }
  std::ranges::sort(found);
  std::vector<CompoundParts> ways;
  ways.reserve(found.size());
  for (auto& [length, link, parts] : found) ways.push_back(std::move(parts));
  return ways;
}

}  // namespace ladder::text
