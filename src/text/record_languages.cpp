#include "text/record_languages.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::text {
namespace {

struct Markers {
  Language language;
  std::string_view words;  // words that most texts of the language have and few others, folded as in the index
};

constexpr std::array<Markers, 27> kLatin = {{
    {Language::kEnglish, "and with this have"},      {Language::kGerman, "und nicht wird wir"},
    {Language::kFrench, "avec une nous leur"},       {Language::kSpanish, "pero muy porque esta"},
    {Language::kItalian, "della sono anche questo"}, {Language::kPortuguese, "nao uma voce pelo"},
    {Language::kDutch, "het niet een voor"},         {Language::kSwedish, "och inte nagon jag"},
    {Language::kDanish, "ikke hvad jeg og"},         {Language::kNorwegian, "ikke hva jeg og"},
    {Language::kFinnish, "etta mutta olen ovat"},    {Language::kTurkish, "bir icin degil"},
    {Language::kPolish, "jest oraz juz dla"},        {Language::kCzech, "jsem jsou nebo jsme"},
    {Language::kHungarian, "hogy egy nem"},          {Language::kRomanian, "pentru este sunt"},
    {Language::kCatalan, "amb aquest perque els"},   {Language::kBasque, "dago baina dira dute"},
    {Language::kIndonesian, "untuk tidak dengan"},   {Language::kIrish, "agus bhfuil"},
    {Language::kLithuanian, "yra kad nuo"},          {Language::kLatvian, "bija lidz musu kapec"},
    {Language::kEstonian, "ning kuidas meie meil"},  {Language::kCroatian, "nije ili sto"},
    {Language::kSlovenian, "nisem tudi kaj"},        {Language::kSlovak, "som sme alebo"},
    {Language::kVietnamese, "khong cua nhung"},
}};
constexpr std::array<Markers, 14> kOthers = {{
    {Language::kRussian, "что это был"},
    {Language::kUkrainian, "що та було"},
    {Language::kBulgarian, "това съм беше"},
    {Language::kSerbian, "није које сам"},
    {Language::kGreek, "και ειναι για"},
    {Language::kHebrew, "לא אני של"},
    {Language::kYiddish, "איז און ניט"},
    {Language::kArabic, "على هذا التي"},
    {Language::kPersian, "است این برای"},
    {Language::kArmenian, "համար որ այս"},
    {Language::kKorean, "있습니다 그리고 있는"},
    {Language::kHindi, "है और नहीं"},
    {Language::kNepali, "छैन हुन्छ लागि"},
    {Language::kTamil, "மற்றும் ஒரு இல்லை"},
}};
static_assert(kLatin.size() < kMaxWordTerms && kLatin.size() + kOthers.size() == kLanguages);

std::span<const Markers> markers_of(Alphabet alphabet) {
  return alphabet == Alphabet::kLatin ? std::span<const Markers>(kLatin) : std::span<const Markers>(kOthers);
}

constexpr std::int64_t kRareLanguage = 64;  // ignore languages with fewer records than the most frequent one by this factor

WordQuery make_markers(Alphabet alphabet) {
  WordQuery query;
  for (const Markers& each : markers_of(alphabet)) {
    WordTerm& term = query.terms.emplace_back();
    for (std::string_view rest = each.words; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      (term.words.empty() ? term.words : term.forms).emplace_back(word);
    }
  }
  query.terms.push_back(absent_term());
  return query;
}

}  // namespace

const WordQuery& language_markers(Alphabet alphabet) {
  static const WordQuery latin = make_markers(Alphabet::kLatin), others = make_markers(Alphabet::kOther);
  return alphabet == Alphabet::kLatin ? latin : others;
}

std::vector<Language> languages_of_records(Alphabet alphabet, std::span<const std::int64_t> counts) {
  const std::span<const Markers> markers = markers_of(alphabet);
  if (counts.size() < markers.size()) return {};
  std::vector<std::pair<std::int64_t, Language>> found;
  const std::int64_t most = std::ranges::max(counts.first(markers.size()));
  for (std::size_t at = 0; at < markers.size(); ++at) {
    if (counts[at] > 0 && counts[at] * kRareLanguage >= most) found.emplace_back(-counts[at], markers[at].language);
  }
  std::ranges::sort(found);
  std::vector<Language> languages;
  languages.reserve(found.size());
  for (const auto& [count, language] : found) languages.push_back(language);
  if (languages.size() > kMaxRecordLanguages) languages.resize(kMaxRecordLanguages);
  return languages;
}

}  // namespace ladder::text
