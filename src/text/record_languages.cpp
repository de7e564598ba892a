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
  std::string_view code, name;  // ISO 639-1 code and English name
  std::string_view words;       // words that most texts of the language have and few others, folded as in the index
};

constexpr std::array<Markers, 27> kLatin = {{
    {Language::kEnglish, "en", "English", "and with this have"},
    {Language::kGerman, "de", "German", "und nicht wird wir"},
    {Language::kFrench, "fr", "French", "avec une nous leur"},
    {Language::kSpanish, "es", "Spanish", "pero muy porque esta"},
    {Language::kItalian, "it", "Italian", "della sono anche questo"},
    {Language::kPortuguese, "pt", "Portuguese", "nao uma voce pelo"},
    {Language::kDutch, "nl", "Dutch", "het niet een voor"},
    {Language::kSwedish, "sv", "Swedish", "och inte nagon jag"},
    {Language::kDanish, "da", "Danish", "ikke hvad jeg og"},
    {Language::kNorwegian, "no", "Norwegian", "ikke hva jeg og"},
    {Language::kFinnish, "fi", "Finnish", "etta mutta olen ovat"},
    {Language::kTurkish, "tr", "Turkish", "bir icin degil"},
    {Language::kPolish, "pl", "Polish", "jest oraz juz dla"},
    {Language::kCzech, "cs", "Czech", "jsem jsou nebo jsme"},
    {Language::kHungarian, "hu", "Hungarian", "hogy egy nem"},
    {Language::kRomanian, "ro", "Romanian", "pentru este sunt"},
    {Language::kCatalan, "ca", "Catalan", "amb aquest perque els"},
    {Language::kBasque, "eu", "Basque", "dago baina dira dute"},
    {Language::kIndonesian, "id", "Indonesian", "untuk tidak dengan"},
    {Language::kIrish, "ga", "Irish", "agus bhfuil"},
    {Language::kLithuanian, "lt", "Lithuanian", "yra kad nuo"},
    {Language::kLatvian, "lv", "Latvian", "bija lidz musu kapec"},
    {Language::kEstonian, "et", "Estonian", "ning kuidas meie meil"},
    {Language::kCroatian, "hr", "Croatian", "nije ili sto"},
    {Language::kSlovenian, "sl", "Slovenian", "nisem tudi kaj"},
    {Language::kSlovak, "sk", "Slovak", "som sme alebo"},
    {Language::kVietnamese, "vi", "Vietnamese", "khong cua nhung"},
}};
constexpr std::array<Markers, 14> kOthers = {{
    {Language::kRussian, "ru", "Russian", "что это был"},
    {Language::kUkrainian, "uk", "Ukrainian", "що та було"},
    {Language::kBulgarian, "bg", "Bulgarian", "това съм беше"},
    {Language::kSerbian, "sr", "Serbian", "није које сам"},
    {Language::kGreek, "el", "Greek", "και ειναι για"},
    {Language::kHebrew, "he", "Hebrew", "לא אני של"},
    {Language::kYiddish, "yi", "Yiddish", "איז און ניט"},
    {Language::kArabic, "ar", "Arabic", "على هذا التي"},
    {Language::kPersian, "fa", "Persian", "است این برای"},
    {Language::kArmenian, "hy", "Armenian", "համար որ այս"},
    {Language::kKorean, "ko", "Korean", "있습니다 그리고 있는"},
    {Language::kHindi, "hi", "Hindi", "है और नहीं"},
    {Language::kNepali, "ne", "Nepali", "छैन हुन्छ लागि"},
    {Language::kTamil, "ta", "Tamil", "மற்றும் ஒரு இல்லை"},
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
  for (const auto& [count, language] : found) languages.push_back(language);
  if (languages.size() > kMaxRecordLanguages) languages.resize(kMaxRecordLanguages);
  return languages;
}

LanguageName name_of(Language language) {
  for (const Alphabet alphabet : {Alphabet::kLatin, Alphabet::kOther}) {
    for (const Markers& each : markers_of(alphabet)) {
      if (each.language == language) return {each.code, each.name};
    }
  }
  return {};
}

}  // namespace ladder::text
