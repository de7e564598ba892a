#include "store/text/word_forms.h"

#include "store/text/affix_forms.h"
#include "store/text/turkish_forms.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string_view>

namespace ladder::store {
namespace {

struct Endings {
  Language language;
  const char* stemmer;
  std::string_view endings;  // with a space between them; the word without any is always tried
};

// The endings by which forms of a word differ, folded as in the index. What Snowball would not take off is no form, so a list may
// hold more than a word can take.
constexpr std::array<Endings, 12> kEndings = {{
    {Language::kEnglish, "english",
     "s es ed d ing ings e er ers or ors ly ion ions ation ations ational ional al ally ic ical ically able ably ible ment ments "
     "ness ity ities ive ively ize izes ized izing ization ise ised ising isation ance ances ence ences ant ants ent ents ful "
     "fully ous ously y ies ied ying less ator"},
    {Language::kGerman, "german",
     "e en er ern em es s n ens t st et te ten tet test est end ende enden ung ungen heit heiten keit keiten lich liche lichen "
     "licher liches isch ische ischen ischer isches ig ige igen iger iges nis nisse ere eren eres"},
    {Language::kFrench, "french",
     "e s es ee ees er ez ent ait ais aient ant ants ante antes ons a ai as eur eurs euse euses rice ion ions ation ations ment "
     "ments if ifs ive ives al aux ale ales able ables ite ites ir it is issent issait iste istes ique iques ance ances ence x"},
    {Language::kSpanish, "spanish",
     "o a os as e es ar er ir ando iendo ado ada ados adas ido ida idos idas an en amos emos imos aba aban ia ian io aron ieron "
     "ara are aran cion ciones mente dad dades able ables ible ibles ista istas ito ita itos itas ivo iva ivos ivas oso osa osos "
     "osas"},
    {Language::kItalian, "italian",
     "o a i e are ere ire ato ata ati ate ito ita iti ite uto uta uti ute ando endo ano ono ava avano eva evano iamo ate zione "
     "zioni mente ita ista isti iste ivo iva ivi ive oso osa osi ose abile abili ibile ibili"},
    {Language::kPortuguese, "portuguese",
     "o a os as e es ar er ir ando endo indo ado ada ados adas ido ida idos idas am em amos emos imos ava avam ia iam ou aram "
     "cao coes mente dade dades avel aveis ivel iveis ista istas inho inha oso osa osos osas ivo iva ivos ivas oes"},
    {Language::kDutch, "dutch",
     "e en s es er ers t te ten de den d end ende ing ingen heid heden lijk lijke lijken ig ige igen baar bare"},
    {Language::kSwedish, "swedish",
     "a an ar arna arnas as at ade ad ads en ens er erna ers et ets n na s t te e or orna het heten heter lig liga ligt"},
    {Language::kDanish, "danish", "e en ene ens er erne ers es et ets s t te ede eret ende hed heden heder lig lige ligt"},
    {Language::kNorwegian, "norwegian",
     "a e ede en ene ens er ers et ete ets s t te eren ert ende het heten heter lig lige ligt"},
    {Language::kFinnish, "finnish",
     "a aa n in an en t ssa sta lla lta lle na ksi tta ta ja ia jen ien ista issa illa ilta ille ina iksi i ni si nsa mme nne "
     "kin "
     "va vat nut tu tty ttu"},
    {Language::kRussian, "russian",
     "а я о е и ы у ю ом ем ам ям ами ями ах ях ов ев еи ои ии ию ия ии ию ие иям ием иями иях ь ьи ью ою ею ая яя ое ее ые ие "
     "ого его ому ему ым им ых их ую юю ыми ими ть л ла ло ли ет ют ит ят ешь ишь ем им ете ите ал ала ало али ил ила ило или"},
}};

class Stemmer {
 public:
  explicit Stemmer(const char* name) : stemmer_(sb_stemmer_new(name, "UTF_8"), sb_stemmer_delete) {}

  std::string stem(std::string_view word) const {
    const auto* const made =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    if (made == nullptr) return std::string(word);
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

 private:
  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
};

// One for each of kEndings and each thread: they cannot be shared.
const Stemmer& stemmer_of(std::size_t at) {
  thread_local std::array<std::unique_ptr<Stemmer>, kEndings.size()> stemmers;
  if (!stemmers[at]) stemmers[at] = std::make_unique<Stemmer>(kEndings[at].stemmer);
  return *stemmers[at];
}

constexpr std::size_t kShortestWord = 3, kShortestStem = 3;  // bytes
constexpr std::size_t kMaxBySnowball = 24;                   // forms

bool is_ascii_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_vowel(char c) { return std::string_view("aeiouy").contains(c); }

// The stem as it may stand before an ending: as it is, with its last letter doubled ("run", "running"), with y for i ("studi",
// "study").
std::vector<std::string> beginnings(const std::string& stem) {
  std::vector<std::string> all = {stem};
  const char last = stem.back();
  if (is_ascii_letter(last) && !is_vowel(last)) all.push_back(stem + last);
  if (last == 'i') all.push_back(stem.substr(0, stem.size() - 1) + "y");
  return all;
}

void add_forms(Language language, const std::string& word, std::vector<std::string>& forms) {
  const auto at = static_cast<std::size_t>(std::ranges::find(kEndings, language, &Endings::language) - kEndings.begin());
  if (at == kEndings.size()) return;
  const Stemmer& stemmer = stemmer_of(at);
  const std::string stem = stemmer.stem(word);
  if (stem.size() < kShortestStem) return;
  const auto add = [&](std::string form) {
    if (forms.size() >= kMaxBySnowball || form == word || std::ranges::find(forms, form) != forms.end()) return;
    if (stemmer.stem(form) == stem) forms.push_back(std::move(form));
  };
  for (const std::string& beginning : beginnings(stem)) add(beginning);
  for (std::string_view rest = kEndings[at].endings; !rest.empty();) {
    const std::string_view ending = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), ending.size() + 1));
    for (const std::string& beginning : beginnings(stem)) add(beginning + std::string(ending));
  }
}

bool are_digits(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_cyrillic(std::string_view word) {
  return word.size() > 1 && (static_cast<unsigned char>(word[0]) == 0xD0 || static_cast<unsigned char>(word[0]) == 0xD1);
}

// Languages written with Latin letters; in a question of another, a Latin word may be of any language.
bool is_latin(Language language) {
  constexpr std::array kOthers = {Language::kRussian, Language::kUkrainian, Language::kGreek, Language::kHebrew,
                                  Language::kArabic,  Language::kKorean,    Language::kHindi};
  return std::ranges::find(kOthers, language) == kOthers.end();
}

constexpr std::size_t kDigitGroup = 3;
constexpr std::size_t kMaxOfTwo = 16;  // forms, which leaves some for words of other languages in a Turkish or Korean question
constexpr std::array kUsual = {Language::kEnglish, Language::kGerman, Language::kFrench, Language::kSpanish};

std::vector<std::string> make_forms(const std::string& word, std::optional<Language> language) {
  std::vector<std::string> forms;
  if (are_digits(word)) {
    if (word.size() <= kDigitGroup || word.front() == '0') return forms;
    std::string grouped = word;
    for (std::size_t at = word.size(); at > kDigitGroup;) grouped.insert(at -= kDigitGroup, 1, ' ');
    return {grouped};
  }
  if (word.size() < kShortestWord || std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; })) return forms;
  if (const auto by_script = language_of_script(word)) return affix_forms(word, *by_script, kMaxWordForms);
  if (is_cyrillic(word)) {
    if (language == Language::kUkrainian) return affix_forms(word, *language, kMaxWordForms);
    add_forms(Language::kRussian, word, forms);
    return forms;
  }
  const bool latin = language && is_latin(*language);
  if (latin && has_affixes(*language)) return affix_forms(word, *language, kMaxWordForms);
  if (language == Language::kTurkish) forms = turkish_forms(word, kMaxOfTwo);
  if (language == Language::kKorean) forms = affix_forms(word, *language, kMaxOfTwo);  // "Rust를" is one word
  if (static_cast<unsigned char>(word[0]) >= 0x80) return forms;
  if (latin && language != Language::kTurkish) {
    add_forms(*language, word, forms);
  } else {
    for (const Language usual : kUsual) add_forms(usual, word, forms);
  }
  return forms;
}

// The forms that this thread has made lately. A page that follows another asks for the same words, and so does whoever refines a
// question; making the forms of a word takes some two hundred stems.
constexpr std::size_t kMaxKept = 256;

struct Asked {
  std::string word;
  std::optional<Language> language;

  friend auto operator<=>(const Asked&, const Asked&) = default;
};

}  // namespace

std::vector<std::string> word_forms(const std::string& word, std::optional<Language> language) {
  thread_local std::map<Asked, std::vector<std::string>> kept;
  const Asked asked{word, language};
  if (const auto at = kept.find(asked); at != kept.end()) return at->second;
  if (kept.size() >= kMaxKept) kept.clear();
  return kept.emplace(asked, make_forms(word, language)).first->second;
}

std::optional<std::string> joined_digits(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.front().size() > kDigitGroup) return std::nullopt;
  std::string joined;
  for (const std::string& word : words) {
    if (!are_digits(word) || (&word != &words.front() && word.size() != kDigitGroup)) return std::nullopt;
    joined += word;
  }
  return joined;
}

}  // namespace ladder::store
