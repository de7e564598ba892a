#include "text/forms/turkish_forms.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::text {
namespace {

// An ending in the notation of grammars. I: ı, i or u, A: a or e, D: d or t, depending on the preceding letters.
struct Ending {
  std::string_view behind_consonant, behind_vowel;
};

// Endings of nouns, the most frequent first: the bare word, accusative and possessive, genitive, plural, locative,
// dative, etc.
constexpr std::array<Ending, 22> kEndings = {{
    {"", ""},
    {"I", "sI"},
    {"In", "nIn"},
    {"DA", "DA"},
    {"A", "yA"},
    {"lAr", "lAr"},
    {"DAn", "DAn"},
    {"lArI", "lArI"},
    {"I", "yI"},
    {"Im", "m"},
    {"InI", "sInI"},
    {"IndA", "sIndA"},
    {"lArIn", "lArIn"},
    {"InA", "sInA"},
    {"ImIz", "mIz"},
    {"lA", "ylA"},
    {"InIn", "sInIn"},
    {"lArdA", "lArdA"},
    {"lArA", "lArA"},
    {"IndAn", "sIndAn"},
    {"lArdAn", "lArdAn"},
    {"lArIndA", "lArIndA"},
}};
constexpr std::size_t kShortestStem = 3;  // characters
constexpr std::size_t kMaxStems = 3;

constexpr char32_t kDotlessI = U'ı';

bool is_vowel(char32_t c) { return std::u32string_view(U"aeiouı").contains(c); }
bool is_hard(char32_t c) { return std::u32string_view(U"cfhkpst").contains(c); }  // c: ç, folded

std::optional<char32_t> last_vowel(std::u32string_view text) {
  const auto at = text.find_last_of(U"aeiouı");
  return at == text.npos ? std::nullopt : std::optional(text[at]);
}

char32_t high_vowel(char32_t before) {
  if (before == U'a' || before == kDotlessI) return kDotlessI;
  return before == U'e' || before == U'i' ? U'i' : U'u';
}

// Appends the ending. `front`: treat a preceding o or u as ö or ü.
std::u32string with_ending(std::u32string text, std::string_view ending, bool front) {
  for (const char part : ending) {
    const char32_t vowel = last_vowel(text).value_or(U'e');
    const bool rounded = vowel == U'o' || vowel == U'u';
    if (part == 'I') text += high_vowel(vowel);
    else if (part == 'A') text += (rounded ? front : vowel == U'e' || vowel == U'i') ? U'e' : U'a';
    else if (part == 'D') text += is_hard(text.back()) ? U't' : U'd';
    else text += static_cast<char32_t>(part);
  }
  return text;
}

bool has_several_vowels(std::u32string_view text) { return std::ranges::count_if(text, is_vowel) > 1; }

// The stem before a vowel. Most words of one syllable stay unchanged.
std::u32string softened(std::u32string stem) {
  if (!has_several_vowels(stem)) return stem;
  if (stem.back() == U'k') stem.back() = U'g';
  else if (stem.back() == U'p') stem.back() = U'b';
  return stem;
}

// The bare stem, given its form before a vowel.
std::u32string hardened(std::u32string stem) {
  if (!has_several_vowels(stem)) return stem;
  if (stem.back() == U'g') stem.back() = U'k';
  else if (stem.back() == U'b') stem.back() = U'p';
  return stem;
}

std::u32string form_of(const std::u32string& stem, const Ending& ending, bool front) {
  if (is_vowel(stem.back())) return with_ending(stem, ending.behind_vowel, front);
  const bool before_vowel = ending.behind_consonant.starts_with('I') || ending.behind_consonant.starts_with('A');
  return with_ending(before_vowel ? softened(stem) : stem, ending.behind_consonant, front);
}

// No Turkish word ends with two consonants of which the last is soft.
bool may_end_so(std::u32string_view stem) {
  return stem.size() < 2 || is_vowel(stem.back()) || is_vowel(stem[stem.size() - 2]) || is_hard(stem.back());
}

struct Stem {
  std::u32string text;
  bool front = true, back = true;  // possible vowels of its endings after o and u
};

// The stem, if the first `length` letters are a stem and the rest is an ending.
std::optional<Stem> stem_of(const std::u32string& word, std::size_t length) {
  const std::u32string begin = word.substr(0, length);
  if (!last_vowel(begin)) return std::nullopt;
  for (const std::u32string& text : {hardened(begin), begin}) {
    const auto fits = [&](bool front) {
      return std::ranges::any_of(kEndings, [&](const Ending& ending) { return form_of(text, ending, front) == word; });
    };
    Stem stem{text, fits(true), fits(false)};
    if (may_end_so(text) && (stem.front || stem.back)) return stem;
  }
  return std::nullopt;
}

// The word, and the word without each possible ending, longest first: the shortest are wrong more often.
std::vector<Stem> stems_of(const std::u32string& word) {
  std::vector<Stem> stems = {{word}};
  for (std::size_t length = word.size() - 1; length >= kShortestStem && stems.size() < kMaxStems; --length) {
    if (auto stem = stem_of(word, length)) stems.push_back(*std::move(stem));
  }
  return stems;
}

}  // namespace

std::vector<std::string> turkish_forms(const std::string& word, std::size_t most) {
  const std::u32string letters = utf8::decode(word);
  if (letters.size() < kShortestStem || !last_vowel(letters)) return {};
  std::vector<std::u32string> made = {letters};
  const auto add = [&](std::u32string form) {
    if (made.size() <= most && std::ranges::find(made, form) == made.end()) made.push_back(std::move(form));
  };
  const std::vector<Stem> stems = stems_of(letters);
  for (const Ending& ending : kEndings) {
    for (const Stem& stem : stems) {
      if (stem.front) add(form_of(stem.text, ending, true));
      if (stem.back) add(form_of(stem.text, ending, false));
    }
  }
  std::vector<std::string> forms;
  for (auto form = made.begin() + 1; form != made.end(); ++form) forms.push_back(utf8::encode(*form));
  return forms;
}

}  // namespace ladder::text
