// Compares the tokenizer's table with utf8proc for every code point: which are part of a word, which are ignored inside
// a word, which are a word by themselves, and how each is folded. Fails if word_table.inc was not regenerated after a
// Unicode update.
#include "base/text/utf8.h"
#include "text/words.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

enum class Kind { kSeparator, kIgnored, kWord, kSingle, kEmoji };

struct Found {
  std::string text;
  bool pair = false;
};

std::vector<Found> words_of(std::string_view text) {
  std::vector<Found> found;
  text::Words words;
  words.feed(text);
  words.finish();
  for (text::Word word; words.next(word);) found.push_back({std::string(word.text), word.pair});
  return found;
}

// Returns the kind that the tokenizer assigns to a code point, from its output.
Kind kind_of(const std::string& c) {
  const auto twice = words_of(c + c);
  if (twice.empty()) return words_of("a" + c + "a").size() == 1 ? Kind::kIgnored : Kind::kSeparator;
  if (twice.size() == 1) return Kind::kWord;
  return twice.size() == 3 && twice[1].pair ? Kind::kSingle : Kind::kEmoji;
}

bool between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

char initial(char32_t c) { return utf8proc_category_string(static_cast<utf8proc_int32_t>(c))[0]; }

bool without_spaces(char32_t c) {
  const bool thai_lao = between(c, 0xE00, 0xEFF);
  const bool khmer = between(c, 0x1780, 0x17FF);
  const bool burmese = between(c, 0x1000, 0x109F) || between(c, 0xA9E0, 0xA9FF) || between(c, 0xAA60, 0xAA7F);
  return thai_lao || khmer || burmese;
}

bool east_asian(char32_t c) {
  const bool han = between(c, 0x3005, 0x3007) || between(c, 0x3021, 0x3029) || between(c, 0x3038, 0x303C) ||
                   between(c, 0x3400, 0x4DBF) || between(c, 0x4E00, 0x9FFF) || between(c, 0xF900, 0xFAFF) ||
                   between(c, 0x20000, 0x3FFFF);
  const bool kana =
      between(c, 0x3031, 0x3035) || between(c, 0x3041, 0x30FF) || between(c, 0x31F0, 0x31FF) || between(c, 0x1AFF0, 0x1B16F);
  const bool bopomofo = between(c, 0x3105, 0x312F) || between(c, 0x31A0, 0x31BF);
  return han || kana || bopomofo;
}

bool indic(char32_t c) {
  return between(c, 0x900, 0xDFF) || between(c, 0xF00, 0xFFF) || between(c, 0x1CD0, 0x1CFF) || between(c, 0xA8E0, 0xA8FF) ||
         between(c, 0x11B00, 0x11B5F) || between(c, 0x11FC0, 0x11FFF);
}

bool single(char32_t c) {
  return (initial(c) == 'L' && (east_asian(c) || without_spaces(c))) || (initial(c) == 'N' && east_asian(c));
}

bool stripped(char32_t c) {
  const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  if (property->ignorable || c == 0x640) return true;
  if (initial(c) != 'M') return false;
  if (without_spaces(c)) return true;
  if (category(c) == UTF8PROC_CATEGORY_MC) return false;
  const auto combining = property->combining_class;
  return !indic(c) || combining == 7 || combining == 220 || combining == 230;
}

std::string mapped(const std::string& text, int options) {
  utf8proc_uint8_t* out = nullptr;
  const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                   static_cast<utf8proc_ssize_t>(text.size()), &out, static_cast<utf8proc_option_t>(options));
  EXPECT_GE(length, 0);
  std::string result(reinterpret_cast<const char*>(out), static_cast<std::size_t>(length));
  std::free(out);
  return result;
}

bool has_hangul_syllable(const std::string& text) {
  for (const char32_t c : utf8::decode(text)) {
    if (between(c, 0xAC00, 0xD7A3)) return true;
  }
  return false;
}

// Decomposes, strips and folds until nothing changes.
std::string folded(const std::string& text) {
  if (has_hangul_syllable(text)) return text;
  std::u32string kept;
  for (const char32_t c : utf8::decode(mapped(text, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT))) {
    if (!stripped(c)) kept += c;
  }
  const std::string next = mapped(utf8::encode(kept), UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE);
  return next == text ? text : folded(next);
}

struct Expected {
  Kind kind = Kind::kSeparator;
  std::string text;
};

Expected expected_of(char32_t c, const std::string& itself) {
  if (stripped(c)) return {Kind::kIgnored, ""};
  const bool emoji_block = between(c, 0x2600, 0x27BF) || between(c, 0x1F000, 0x1FAFF);
  if (category(c) == UTF8PROC_CATEGORY_SO && emoji_block) return {Kind::kEmoji, itself};
  const bool radical = between(c, 0x2F00, 0x2FD5);
  if (initial(c) != 'L' && initial(c) != 'N' && initial(c) != 'M' && !radical) return {};
  std::string text = folded(itself);
  const std::u32string parts = utf8::decode(text);
  bool words_only = true, has_word = false, has_single = false;
  for (const char32_t part : parts) {
    const bool word = initial(part) == 'L' || initial(part) == 'N' || initial(part) == 'M';
    words_only = words_only && word;
    has_word = has_word || word;
    has_single = has_single || single(part);
  }
  if (!has_word) return {Kind::kIgnored, ""};
  if (!words_only || (has_single && parts.size() > 1)) text = itself;
  return {single(utf8::decode(text).front()) ? Kind::kSingle : Kind::kWord, text};
}

TEST(WordTable, EveryCodePointFollowsTheRule) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (between(c, 0xD800, 0xDFFF)) continue;
    std::string itself;
    utf8::append(itself, c);
    const Expected expected = expected_of(c, itself);
    ASSERT_EQ(kind_of(itself), expected.kind) << std::hex << static_cast<unsigned>(c);
    const auto found = words_of(itself);
    ASSERT_EQ(found.empty() ? "" : found.front().text, expected.text) << std::hex << static_cast<unsigned>(c);
  }
}

}  // namespace
}  // namespace ladder::store
