#include "text/forms/snowball_forms.h"

#include "base/text/utf8.h"
#include "text/forms/stem_changes.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

namespace ladder::text {
namespace {

struct Endings {
  Language language;
  const char* stemmer;
  std::string_view endings;  // separated by spaces; the word without an ending is always tried
};

// The endings that distinguish forms of a word, folded as in the index. An ending that Snowball would not remove
// produces no form, so a list may contain more than a word can take.
constexpr std::array<Endings, 14> kEndings = {{
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
    {Language::kCatalan, "catalan",
     "s es os a o e io ions cio cions ar er ir re at ada ats ades it ida its ides ut uda ant ent en em eu am au an ava aven ia "
     "ien ara are aran "
     "ment ments dor dora tat tats isme ista istes al als able ables"},
    {Language::kLithuanian, "lithuanian",
     "as a os ai o u us ui ams ais uose oje e es ei ems is io ys i iu iai iams iais iuose yje ius iaus uje ia iose ese ti o a "
     "ojo "
     "ojau eja ejo ejau"},
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

// One stemmer for each of kEndings and each thread: they are not thread-safe.
const Stemmer& stemmer_of(std::size_t at) {
  thread_local std::array<std::unique_ptr<Stemmer>, kEndings.size()> stemmers;
  if (!stemmers[at]) stemmers[at] = std::make_unique<Stemmer>(kEndings[at].stemmer);
  return *stemmers[at];
}

constexpr std::size_t kShortestStem = 3;     // bytes
constexpr std::size_t kShortestPlain = 2;    // letters
constexpr std::size_t kEndingsOfPlain = 18;  // the first of a list are the endings of nouns

bool is_ascii_letter(char c) { return c >= 'a' && c <= 'z'; }

// The stem as it may appear before an ending: unchanged, with its last letter doubled ("run", "running"), with y for i
// ("studi", "study"), with a double consonant that Snowball shortened ("jaru", "jarrut").
std::vector<std::string> beginnings(const std::string& stem, const std::string& word) {
  std::vector<std::string> all = {stem};
  const char last = stem.back();
  if (is_ascii_letter(last) && !is_folded_vowel(static_cast<char32_t>(last))) all.push_back(stem + last);
  if (last == 'i') all.push_back(stem.substr(0, stem.size() - 1) + "y");
  const auto other = static_cast<std::size_t>(std::ranges::mismatch(stem, word).in1 - stem.begin());
  if (other > 0 && other < stem.size() && other < word.size() && is_ascii_letter(word[other]) && word[other] == word[other - 1]) {
    all.push_back(stem.substr(0, other) + word.substr(other, 1) + stem.substr(other));
  }
  return all;
}

const Endings* endings_of(Language language) {
  const auto* const found = std::ranges::find(kEndings, language, &Endings::language);
  return found == kEndings.end() ? nullptr : found;
}

std::string_view take_ending(std::string_view& rest) {
  const std::string_view ending = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), ending.size() + 1));
  return ending;
}

}  // namespace

bool has_stemmer(Language language) { return endings_of(language) != nullptr; }

void add_snowball_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms) {
  const Endings* const row = endings_of(language);
  if (row == nullptr) return;
  const Stemmer& stemmer = stemmer_of(static_cast<std::size_t>(row - kEndings.begin()));
  const std::string stem = stemmer.stem(word);
  if (stem.size() < kShortestStem) return;
  const auto add = [&](std::string form) {
    if (forms.size() >= most || form == word || std::ranges::find(forms, form) != forms.end()) return;
    if (stemmer.stem(form) == stem) forms.push_back(std::move(form));
  };
  const std::vector<std::string> begins = beginnings(stem, word);
  for (const std::string& begin : begins) add(begin);
  for (std::string_view rest = row->endings; !rest.empty();) {
    const std::string ending(take_ending(rest));
    for (const std::string& begin : begins) add(begin + ending);
  }
}

void add_changed_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms) {
  const Endings* const row = endings_of(language);
  if (row == nullptr) return;
  const auto add = [&](std::string form) {
    if (forms.size() < most && form != word && std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  };
  const std::u32string letters = utf8::decode(word);
  std::vector<std::u32string> stems = {letters};  // stems from which an ending may form the word
  for (std::string_view rest = row->endings; !rest.empty();) {
    const std::u32string ending = utf8::decode(take_ending(rest));
    if (letters.ends_with(ending) && letters.size() > ending.size() + kShortestPlain) {
      stems.push_back(letters.substr(0, letters.size() - ending.size()));
    }
  }
  for (const std::u32string& stem : stems) {
    for (const std::u32string& form : changed_forms(stem, language)) add(utf8::encode(form));
  }
  const std::vector<std::u32string> plain = plain_stems(letters, language);
  for (const std::u32string& stem : plain) {
    if (is_folded_vowel(stem.back())) add(utf8::encode(stem));
  }
  std::size_t tried = 0;
  for (std::string_view rest = row->endings; !rest.empty() && tried < kEndingsOfPlain; ++tried) {
    const std::string ending(take_ending(rest));
    for (const std::u32string& stem : plain) add(utf8::encode(stem) + ending);
  }
}

}  // namespace ladder::text
