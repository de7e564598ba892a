#include "store/text/affix_forms.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>

namespace ladder::store {
namespace {

// Affixes with a space between them, the most frequent first, folded as in the index. "은/는": the first behind a consonant, the
// second behind a vowel. `article` stands before words with other endings, too.
struct Affixes {
  Language language;
  std::size_t shortest_stem;  // chars that are left when an affix is taken off
  std::u32string_view prefixes, article, suffixes;
};

constexpr std::array<Affixes, 10> kAffixes = {{
    {Language::kKorean, 2, U"", U"",
     U"은/는 을/를 이/가 의 에 에서 도 으로/로 과/와 했습니다 했어요 한 하는 만 까지 부터 입니다 이다/다 에게 한테 들 하고 할 "
     U"하기 했다 "
     U"해서 합니다 이에요/예요 이야/야 인 이나/나 이랑/랑 들이 들을 들은 에는 보다 처럼 된 됐어요"},
    {Language::kArabic, 3, U"ال و وال ب بال ل لل ف ك كال", U"ال", U"ة ه ات ين ون ها ي ى هم نا ته تها تي ان"},
    {Language::kHebrew, 3, U"ה ב ל ו מ ש כ וה שה וב ול", U"ה", U"ים ות ה ת י ית ו ך נו יו"},
    {Language::kGreek, 3, U"", U"",
     U"α ο η οσ ησ ασ ου ων ουσ εσ οι ι ια ιου ιων ιεσ εισ εωσ ματα ματοσ ματων ω ει ουμε ετε ουν ησα ησε ηκε ικο ικη ικα"},
    {Language::kHindi, 2, U"", U"", U"ों े ा ी ें ियों ियाँ ियां ाओं ओं ए ने ना नी ता ते ती कर"},
    {Language::kUkrainian, 3, U"", U"",
     U"а и у і ом ою е ю я ів ам ами ах ові ем ею ям ями ях ии ого ому им их ими оі ои ія іи ію ією ті ть ти в ла ло ли о"},
    {Language::kPolish, 3, U"", U"",
     U"a u y i e ie em ow om ami ach owi iem ia ii ego ej ym ych ich ymi emu im o ł ła łam łem li ły ac ic any ana ane io"},
    {Language::kCzech, 3, U"", U"", U"a u y e i em ou um ech ach ami ich ovi ove eho emu ym ych ymi eni o l la li ly lo t at it"},
    {Language::kHungarian, 3, U"", U"",
     U"t at et ot ban ben k ok ek ak ba be on en ra re nak nek bol rol tol val vel hoz hez nal nel ig ja je a e ai ei m am em om "
     U"okat eket akat unk ink ul kor ert"},
    {Language::kRomanian, 3, U"", U"",
     U"ul a ului i e le ii ei iei ilor elor uri urile ie u iile lui lor urilor at ata ati ate esc"},
}};

const Affixes* affixes_of(Language language) {
  const auto* const found = std::ranges::find(kAffixes, language, &Affixes::language);
  return found == kAffixes.end() ? nullptr : found;
}

constexpr char32_t kFirstHangul = 0xAC00, kLastHangul = 0xD7A3;
constexpr char32_t kHangulEndings = 28;  // a syllable's number within so many tells its last consonant; 0: none
constexpr char32_t kEndsWithL = 8;

bool is_hangul(char32_t c) { return c >= kFirstHangul && c <= kLastHangul; }

// The variant of an affix that stands behind the stem. How a word of other letters sounds is not known: most end as vowels do.
std::u32string_view variant(std::u32string_view affix, std::u32string_view stem) {
  const auto slash = affix.find(U'/');
  if (slash == affix.npos) return affix;
  const char32_t last = is_hangul(stem.back()) ? (stem.back() - kFirstHangul) % kHangulEndings : 0;
  const bool as_vowel = last == 0 || (last == kEndsWithL && affix.starts_with(U"으"));  // "로" stands behind ㄹ
  return as_vowel ? affix.substr(slash + 1) : affix.substr(0, slash);
}

// Hebrew has other letters at the end of a word.
constexpr std::u32string_view kWithin = U"כמנפצ", kFinal = U"ךםןףץ";

std::u32string with_last_letter(std::u32string text, std::u32string_view from, std::u32string_view to) {
  if (const auto at = from.find(text.back()); at != from.npos) text.back() = to[at];
  return text;
}

std::u32string with_suffix(const std::u32string& stem, std::u32string_view suffix) {
  if (suffix.empty()) return with_last_letter(stem, kWithin, kFinal);
  return with_last_letter(stem, kFinal, kWithin).append(variant(suffix, stem));
}

std::vector<std::u32string_view> split(std::u32string_view list) {
  std::vector<std::u32string_view> all;
  while (!list.empty()) {
    all.push_back(list.substr(0, list.find(U' ')));
    list.remove_prefix(std::min(list.size(), all.back().size() + 1));
  }
  return all;
}

// Particles that are told from the rest of a word by their sound leave stems of one syllable, too ("책을": a book).
bool may_leave_one_syllable(std::u32string_view suffix) { return suffix == U"은/는" || suffix == U"을/를"; }

std::u32string without_suffix(const std::u32string& word, const Affixes& affixes) {
  std::u32string stem = word;
  for (const std::u32string_view suffix : split(affixes.suffixes)) {
    const std::size_t shortest = may_leave_one_syllable(suffix) ? 1 : affixes.shortest_stem;
    for (std::size_t left = shortest; left < word.size() && left < stem.size(); ++left) {
      const std::u32string begin = word.substr(0, left);
      if (begin + std::u32string(variant(suffix, begin)) == word) stem = begin;
    }
  }
  return stem;
}

std::u32string without_prefix(const std::u32string& word, const Affixes& affixes) {
  std::size_t longest = 0;
  for (const std::u32string_view prefix : split(affixes.prefixes)) {
    if (word.starts_with(prefix) && word.size() >= prefix.size() + affixes.shortest_stem)
      longest = std::max(longest, prefix.size());
  }
  return word.substr(longest);
}

bool within(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

}  // namespace

std::optional<Language> language_of_script(std::string_view folded_word) {
  if (folded_word.empty()) return std::nullopt;
  std::size_t at = 0;
  const char32_t first = utf8::next(folded_word, at);
  if (is_hangul(first)) return Language::kKorean;
  if (within(first, 0x0590, 0x05FF)) return Language::kHebrew;
  if (within(first, 0x0600, 0x06FF)) return Language::kArabic;
  if (within(first, 0x0370, 0x03FF)) return Language::kGreek;
  if (within(first, 0x0900, 0x097F)) return Language::kHindi;
  return language_of_letters(folded_word) == Language::kUkrainian ? std::optional(Language::kUkrainian) : std::nullopt;
}

bool has_affixes(Language language) { return affixes_of(language) != nullptr; }

std::vector<std::string> affix_forms(const std::string& word, Language language, std::size_t most) {
  const Affixes* const affixes = affixes_of(language);
  const std::u32string letters = utf8::decode(word);
  if (affixes == nullptr || letters.empty()) return {};
  std::vector<std::u32string> made = {letters};
  const auto add = [&](std::u32string form) {
    if (made.size() <= most && std::ranges::find(made, form) == made.end()) made.push_back(std::move(form));
  };
  const std::u32string bare = without_prefix(letters, *affixes);
  // A letter that may be an affix may as well belong to the word, so both are tried.
  const std::array begins = {without_suffix(bare, *affixes), without_suffix(letters, *affixes), bare, letters};
  const std::u32string article(affixes->article);
  for (const std::u32string& begin : begins) add(with_suffix(begin, U""));
  for (const std::u32string& begin : begins) add(article + with_suffix(begin, U""));
  for (const std::u32string_view prefix : split(affixes->prefixes)) add(std::u32string(prefix) + bare);
  for (const std::u32string_view suffix : split(affixes->suffixes)) {
    for (const std::u32string& begin : begins) add(with_suffix(begin, suffix));
    for (const std::u32string& begin : begins) add(article + with_suffix(begin, suffix));
  }
  std::vector<std::string> forms;
  for (auto form = made.begin() + 1; form != made.end(); ++form) forms.push_back(utf8::encode(*form));
  return forms;
}

}  // namespace ladder::store
