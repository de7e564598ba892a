#include "text/forms/affix_forms.h"

#include "base/text/utf8.h"
#include "text/forms/stem_changes.h"

#include <algorithm>
#include <array>

namespace ladder::text {
namespace {

constexpr std::u32string_view kVowels = U"aeiouyаеиоуыюяєі";

// Affixes separated by spaces, the most frequent first, folded as in the index. "은/는": the first follows a consonant,
// the second a vowel. `article` also precedes words with other endings. `closing`: letters that are a final ending, so
// no other ending follows them.
struct Affixes {
  Language language;
  std::size_t shortest_stem;  // characters that must remain when an affix is removed
  std::u32string_view prefixes, article, suffixes;
  std::u32string_view closing = {};
};

constexpr std::array<Affixes, 26> kAffixes = {{
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
     U"а и у і ом ою е ю я ів ам ами ах ові ем ею ям ями ях ии ого ому им их ими оі ои ія іи ію ією ті ть ти в ла ло ли о",
     kVowels},
    {Language::kPolish, 3, U"", U"",
     U"a u y i e ie em ow om ami ach owi iem ia ii ego ej ym ych ich ymi emu im o ł ła łam łem li ły ac ic any ana ane io",
     kVowels},
    {Language::kCzech, 3, U"", U"", U"a u y e i em ou um ech ach ami ich ovi ove eho emu ym ych ymi eni o l la li ly lo t at it",
     kVowels},
    {Language::kHungarian, 3, U"", U"",
     U"t at et ot ban ben k ok ek ak ba be on en ra re nak nek bol rol tol val vel hoz hez nal nel ig ja je a e ai ei m am em om "
     U"okat eket akat unk ink ul kor ert"},
    {Language::kRomanian, 3, U"", U"",
     U"ul a ului i e le ii ei iei ilor elor uri urile ie u iile lui lor urilor at ata ati ate esc"},
    {Language::kCatalan, 3, U"", U"", U"s ns es os a e"},
    {Language::kBasque, 3, U"", U"",
     U"a ak k an n ko ren aren ra ri ari tik rekin arekin ean eko era etik ek en ei ekin etan etako rik ik z tzat"},
    {Language::kIndonesian, 3, U"ber ter ke se", U"", U"nya an kan i lah ku mu kah"},
    {Language::kIrish, 3, U"", U"", U"i a e anna eanna acha eacha ai ta in"},
    {Language::kEstonian, 3, U"", U"",
     U"d i a u e s l t st le lt ga ks ni te de id is ist il ile ilt iga iks ad al ale as ast aga ud es est ed el"},
    {Language::kLatvian, 3, U"", U"", U"s a u i as am os us iem ai e es ei em is im ju jiem jam ja ies ot et it", kVowels},
    {Language::kSerbian, 3, U"", U"",
     U"а у е и о ом ем ама има ови еви ова ева ове еве овима евима ог ога ој ому им их ије ију ијама ти ла ли ло ао", kVowels},
    {Language::kCroatian, 3, U"", U"",
     U"a u e i o om em ama ima ovi evi ova eva ove eve ovima evima og oga oj omu im ih ije iju ijama ti la li lo ao", kVowels},
    {Language::kSlovenian, 3, U"", U"",
     U"a e i o u om em ov ev ah ih ama ami ega emu im ja ju jem je jev ovi evi imi ti l la li lo", kVowels},
    {Language::kSlovak, 3, U"", U"",
     U"a u y e i om ou ov ovi och am ami ach mi eho emu ej ym ych im ich ia iu ie o l la li lo t at it", kVowels},
    {Language::kBulgarian, 3, U"", U"",
     U"ът а та те то и ите ят я е о ове овете ия ията ии ища ищата ен на но ни ва ват ме л ла ли ло"},
    {Language::kPersian, 3, U"می نمی ن ب", U"", U"ها های ی ای هایی م ت ش هایم هایت هایش مان تان شان ان تر ترین ام ات اش ست"},
    {Language::kYiddish, 3, U"גע", U"", U"ן ען ער ס ט ע עס עם טע טן ערס לעך ים ות ה"},
    {Language::kArmenian, 3, U"", U"",
     U"ը ն ի ին ից ով ում ներ ները ների ներին ներից ներով ներում եր երը երի երին երից երով երում ս դ ու ուն ուց"},
    {Language::kTamil, 2, U"", U"",
     U"் யை ை கள் களை யில் ில் யின் ின் க்கு ுக்கு யால் ால் யும் ும் ம் த்தை த்தில் த்தின் த்துக்கு ங்கள் ங்களை களில் களின் "
     U"களுக்கு யைப் ைப் யைக் ைக் களைப் களைக் ிடம் யிடம்",
     U"்"},
    {Language::kNepali, 2, U"", U"", U"को मा ले लाई का की बाट सँग हरू हरूको हरूलाई हरूमा हरूले सम्म भित्र मुनि माथि देखि तिर पछि अघि कै"},
}};

// Initial letters that change: Irish words after articles and prepositions ("fiaclóir", "bhfiaclóir"), and Indonesian
// verbs and nouns derived from a word ("pesan", "memesan", "dipesan").
struct Beginning {
  Language language;
  std::u32string_view plain, changed;
};

constexpr std::array kBeginnings = {
    Beginning{Language::kIrish, U"b", U"mb bh"},
    Beginning{Language::kIrish, U"c", U"gc ch"},
    Beginning{Language::kIrish, U"d", U"nd dh"},
    Beginning{Language::kIrish, U"f", U"bhf fh"},
    Beginning{Language::kIrish, U"g", U"ng gh"},
    Beginning{Language::kIrish, U"m", U"mh"},
    Beginning{Language::kIrish, U"p", U"bp ph"},
    Beginning{Language::kIrish, U"s", U"ts sh"},
    Beginning{Language::kIrish, U"t", U"dt th"},
    Beginning{Language::kIrish, U"a", U"ha"},
    Beginning{Language::kIrish, U"e", U"he"},
    Beginning{Language::kIrish, U"i", U"hi"},
    Beginning{Language::kIrish, U"o", U"ho"},
    Beginning{Language::kIrish, U"u", U"hu"},
    Beginning{Language::kIndonesian, U"p", U"mem pem dip"},
    Beginning{Language::kIndonesian, U"t", U"men pen dit"},
    Beginning{Language::kIndonesian, U"k", U"meng peng dik"},
    Beginning{Language::kIndonesian, U"s", U"meny peny dis"},
    Beginning{Language::kIndonesian, U"b", U"memb pemb dib"},
    Beginning{Language::kIndonesian, U"c", U"menc penc dic"},
    Beginning{Language::kIndonesian, U"d", U"mend pend did"},
    Beginning{Language::kIndonesian, U"j", U"menj penj dij"},
    Beginning{Language::kIndonesian, U"g", U"mengg pengg dig"},
    Beginning{Language::kIndonesian, U"h", U"mengh pengh dih"},
    Beginning{Language::kIndonesian, U"l", U"mel pel dil"},
    Beginning{Language::kIndonesian, U"m", U"mem pem dim"},
    Beginning{Language::kIndonesian, U"n", U"men pen din"},
    Beginning{Language::kIndonesian, U"r", U"mer per dir"},
    Beginning{Language::kIndonesian, U"w", U"mew pew diw"},
    Beginning{Language::kIndonesian, U"a", U"menga penga dia"},
    Beginning{Language::kIndonesian, U"e", U"menge penge die"},
    Beginning{Language::kIndonesian, U"i", U"mengi pengi dii"},
    Beginning{Language::kIndonesian, U"o", U"mengo pengo dio"},
    Beginning{Language::kIndonesian, U"u", U"mengu pengu diu"},
};

const Affixes* affixes_of(Language language) {
  const auto* const found = std::ranges::find(kAffixes, language, &Affixes::language);
  return found == kAffixes.end() ? nullptr : found;
}

constexpr char32_t kFirstHangul = 0xAC00, kLastHangul = 0xD7A3;
constexpr char32_t kHangulEndings = 28;  // a syllable's number modulo this is its last consonant; 0: none
constexpr char32_t kEndsWithL = 8;

bool is_hangul(char32_t c) { return c >= kFirstHangul && c <= kLastHangul; }

// The variant of an affix that follows the stem. For words in other letters the sound is unknown; most end like a
// vowel.
std::u32string_view variant(std::u32string_view affix, std::u32string_view stem) {
  const auto slash = affix.find(U'/');
  if (slash == affix.npos) return affix;
  const char32_t last = is_hangul(stem.back()) ? (stem.back() - kFirstHangul) % kHangulEndings : 0;
  const bool as_vowel = last == 0 || (last == kEndsWithL && affix.starts_with(U"으"));  // "로" follows ㄹ
  return as_vowel ? affix.substr(slash + 1) : affix.substr(0, slash);
}

// Hebrew has special final letters.
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

// Particles that are recognized by their sound may leave stems of one syllable ("책을": a book).
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

constexpr std::size_t kShortestRest = 3;  // characters after the initial letters
constexpr std::size_t kMaxPlainBeginnings = 2;

std::vector<std::u32string> with_plain_beginning(const std::u32string& word, Language language) {
  std::vector<std::u32string> all;
  for (const Beginning& each : kBeginnings) {
    if (each.language != language || all.size() == kMaxPlainBeginnings) continue;
    for (const std::u32string_view changed : split(each.changed)) {
      if (!word.starts_with(changed) || word.size() < changed.size() + kShortestRest) continue;
      all.push_back(std::u32string(each.plain) + word.substr(changed.size()));
      break;
    }
  }
  return all;
}

std::vector<std::u32string> with_changed_beginning(const std::u32string& word, Language language) {
  std::vector<std::u32string> all;
  for (const Beginning& each : kBeginnings) {
    if (each.language != language || !word.starts_with(each.plain)) continue;
    for (const std::u32string_view changed : split(each.changed)) {
      all.push_back(std::u32string(changed) + word.substr(each.plain.size()));
    }
  }
  return all;
}

// The possible stems of the word, most likely first: without affixes, with the plain beginning and end of its language,
// and unchanged, since a letter that may be an affix may also belong to the word.
std::vector<std::u32string> stems_of(const std::u32string& word, const std::u32string& bare, const Affixes& affixes) {
  std::vector<std::u32string> stems;
  const auto add = [&](std::u32string stem) {
    if (std::ranges::find(stems, stem) == stems.end()) stems.push_back(std::move(stem));
  };
  for (const std::u32string& plain : with_plain_beginning(word, affixes.language)) {
    add(without_suffix(plain, affixes));
    add(plain);
  }
  add(without_suffix(bare, affixes));
  add(without_suffix(word, affixes));
  for (std::u32string& plain : plain_stems(word, affixes.language)) add(std::move(plain));
  if (!affixes.closing.contains(word.back())) {
    add(bare);
    add(word);
  } else if (is_folded_vowel(word.back()) && word.size() > affixes.shortest_stem) {
    add(word.substr(0, word.size() - 1));  // "tegla" has -a, although -la is also an ending
  }
  return stems;
}

}  // namespace

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
  const std::vector<std::u32string> stems = stems_of(letters, bare, *affixes);
  const std::u32string article(affixes->article);
  for (const std::u32string& stem : stems) add(with_suffix(stem, U""));
  for (const std::u32string& stem : stems) add(article + with_suffix(stem, U""));
  for (const std::u32string& stem : stems) {
    for (std::u32string& form : changed_forms(stem, language)) add(std::move(form));
    for (std::u32string& form : with_changed_beginning(stem, language)) add(std::move(form));
  }
  for (const std::u32string_view prefix : split(affixes->prefixes)) add(std::u32string(prefix) + bare);
  for (const std::u32string_view suffix : split(affixes->suffixes)) {
    for (const std::u32string& stem : stems) add(with_suffix(stem, suffix));
    for (const std::u32string& stem : stems) add(article + with_suffix(stem, suffix));
    for (const std::u32string& form : with_changed_beginning(stems.front(), language)) add(with_suffix(form, suffix));
  }
  std::vector<std::string> forms;
  for (auto form = made.begin() + 1; form != made.end(); ++form) forms.push_back(utf8::encode(*form));
  return forms;
}

}  // namespace ladder::text
