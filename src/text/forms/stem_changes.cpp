#include "text/forms/stem_changes.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::text {
namespace {

// The end of a plain stem, the end of the changed stem, and the endings after the changed stem ("-": none), folded as
// in the index. C is a consonant and V a vowel, the same letter on both sides.
struct StemChange {
  Language language;
  std::u32string_view plain, changed, endings;
};

constexpr std::u32string_view kBare = U"-";
constexpr std::u32string_view kWeak = U"n t ssa sta lla lta lle ksi";  // Finnish endings that close the syllable before them

constexpr std::array kChanges = {
    // A vowel is inserted between the last two consonants if no ending follows: "подарок", "палец", "любовь", "окон".
    StemChange{Language::kRussian, U"Cк", U"Cок", kBare},
    StemChange{Language::kRussian, U"Cк", U"Cек", kBare},
    StemChange{Language::kRussian, U"ьц", U"ец", kBare},
    StemChange{Language::kRussian, U"Cц", U"Cец", kBare},
    StemChange{Language::kRussian, U"ьм", U"ем", kBare},
    StemChange{Language::kRussian, U"ьн", U"ен", kBare},
    StemChange{Language::kRussian, U"Cн", U"Cен", U"- ь"},
    StemChange{Language::kRussian, U"Cн", U"Cон", U"- ь"},
    StemChange{Language::kRussian, U"Cл", U"Cол", kBare},
    StemChange{Language::kRussian, U"Cл", U"Cел", kBare},
    StemChange{Language::kRussian, U"Cр", U"Cер", kBare},
    StemChange{Language::kRussian, U"Cв", U"Cов", U"ь"},
    // о and е become і in a closed syllable ("стіл", "радість", "Київ"); к, г and х soften before і ("руці").
    StemChange{Language::kUkrainian, U"VєC", U"VіC", kBare},
    StemChange{Language::kUkrainian, U"CоC", U"CіC", U"- ь"},
    StemChange{Language::kUkrainian, U"CеC", U"CіC", U"- ь"},
    StemChange{Language::kUkrainian, U"оCC", U"іCC", U"ь"},
    StemChange{Language::kUkrainian, U"к", U"ц", U"і"},
    StemChange{Language::kUkrainian, U"г", U"з", U"і"},
    StemChange{Language::kUkrainian, U"х", U"с", U"і"},
    StemChange{Language::kUkrainian, U"Cк", U"Cок", kBare},
    StemChange{Language::kUkrainian, U"Cк", U"Cек", kBare},
    StemChange{Language::kUkrainian, U"Cц", U"Cец", U"ь"},
    StemChange{Language::kUkrainian, U"Cн", U"Cен", U"ь"},
    StemChange{Language::kUkrainian, U"Cн", U"Cон", kBare},
    StemChange{Language::kUkrainian, U"Cр", U"Cер", kBare},
    // Consonants soften before -e, -y and -i: "ręce", "nodze", "stole", "kobiecie", "doktorzy".
    StemChange{Language::kPolish, U"Vk", U"Vc", U"e y"},
    StemChange{Language::kPolish, U"Ck", U"Cc", U"e y"},
    StemChange{Language::kPolish, U"g", U"dz", U"e y"},
    StemChange{Language::kPolish, U"ch", U"sz", U"e"},
    StemChange{Language::kPolish, U"r", U"rz", U"e y"},
    StemChange{Language::kPolish, U"ł", U"l", U"e i"},
    StemChange{Language::kPolish, U"st", U"sci", U"e"},
    StemChange{Language::kPolish, U"Vt", U"Vci", U"e"},
    StemChange{Language::kPolish, U"Vd", U"Vdzi", U"e"},
    StemChange{Language::kPolish, U"nt", U"nc", U"i"},
    StemChange{Language::kPolish, U"Ck", U"Cek", kBare},
    StemChange{Language::kPolish, U"Cc", U"Ciec", kBare},
    StemChange{Language::kPolish, U"Cc", U"Cec", kBare},
    StemChange{Language::kPolish, U"Cn", U"Cien", kBare},
    StemChange{Language::kPolish, U"Cn", U"Cen", kBare},
    StemChange{Language::kPolish, U"Cr", U"Cer", kBare},
    // "ruce", "knize", "Praze"; "dárek"; "stůl".
    StemChange{Language::kCzech, U"k", U"c", U"e i ich"},
    StemChange{Language::kCzech, U"ch", U"s", U"e i"},
    StemChange{Language::kCzech, U"h", U"z", U"e i ich"},
    StemChange{Language::kCzech, U"g", U"z", U"e"},
    StemChange{Language::kCzech, U"Ck", U"Cek", kBare},
    StemChange{Language::kCzech, U"Cc", U"Cec", kBare},
    StemChange{Language::kCzech, U"Cn", U"Cen", kBare},
    StemChange{Language::kCzech, U"Cl", U"Cel", kBare},
    StemChange{Language::kCzech, U"Cr", U"Cer", kBare},
    StemChange{Language::kCzech, U"CoC", U"CuC", kBare},
    StemChange{Language::kSlovak, U"Ck", U"Cok", kBare},
    StemChange{Language::kSlovak, U"Ck", U"Ciek", kBare},
    StemChange{Language::kSlovak, U"Ck", U"Cek", kBare},
    StemChange{Language::kSlovak, U"Cc", U"Cec", kBare},
    StemChange{Language::kSlovak, U"Cn", U"Cen", kBare},
    StemChange{Language::kSlovak, U"Cn", U"Cien", kBare},
    StemChange{Language::kSlovak, U"k", U"c", U"i"},
    StemChange{Language::kSlovenian, U"Ck", U"Cek", kBare},
    StemChange{Language::kSlovenian, U"Cc", U"Cec", kBare},
    StemChange{Language::kSlovenian, U"Cn", U"Cen", kBare},
    StemChange{Language::kSlovenian, U"Cr", U"Cer", kBare},
    // "ruci", "knjizi", "dječaci"; "otac", "ponedjeljak".
    StemChange{Language::kCroatian, U"k", U"c", U"i ima"},
    StemChange{Language::kCroatian, U"g", U"z", U"i ima"},
    StemChange{Language::kCroatian, U"h", U"s", U"i ima"},
    StemChange{Language::kCroatian, U"Ck", U"Cak", kBare},
    StemChange{Language::kCroatian, U"Cc", U"Cac", kBare},
    StemChange{Language::kCroatian, U"Cn", U"Can", kBare},
    StemChange{Language::kCroatian, U"Cr", U"Car", kBare},
    StemChange{Language::kSerbian, U"к", U"ц", U"и има"},
    StemChange{Language::kSerbian, U"г", U"з", U"и има"},
    StemChange{Language::kSerbian, U"х", U"с", U"и има"},
    StemChange{Language::kSerbian, U"Cк", U"Cак", kBare},
    StemChange{Language::kSerbian, U"Cц", U"Cац", kBare},
    StemChange{Language::kSerbian, U"Cн", U"Cан", kBare},
    StemChange{Language::kSerbian, U"Cр", U"Cар", kBare},
    StemChange{Language::kBulgarian, U"к", U"ц", U"и ите"},
    StemChange{Language::kBulgarian, U"г", U"з", U"и ите"},
    StemChange{Language::kBulgarian, U"Cц", U"Cец", kBare},
    StemChange{Language::kBulgarian, U"Cн", U"Cен", kBare},
    StemChange{Language::kLatvian, U"d", U"z", U"a u i iem"},
    StemChange{Language::kLatvian, U"t", U"s", U"a u i iem"},
    StemChange{Language::kLithuanian, U"d", U"dz", U"iai iu iams ius iais io iuose"},
    StemChange{Language::kLithuanian, U"t", U"c", U"iai iu iams ius iais io iuose"},
    // A vowel precedes the last consonant unless an ending with a vowel follows: "cykel", "cyklar"; "vatten",
    // "vattnet".
    StemChange{Language::kSwedish, U"Cl", U"Cel", U"- n s"},
    StemChange{Language::kSwedish, U"Cr", U"Cer", U"- n s"},
    StemChange{Language::kSwedish, U"Cn", U"Cen", U"- s"},
    StemChange{Language::kDanish, U"Cl", U"Cel", U"- s"},
    StemChange{Language::kDanish, U"Cr", U"Cer", U"- s"},
    StemChange{Language::kNorwegian, U"Cl", U"Cel", U"- s"},
    StemChange{Language::kNorwegian, U"Cr", U"Cer", U"- s"},
    // The last consonant is slender in the genitive and the plural: "leabhar", "leabhair".
    StemChange{Language::kIrish, U"aC", U"aiC", U"- e"},
    StemChange{Language::kIrish, U"oC", U"oiC", U"- e"},
    StemChange{Language::kIrish, U"uC", U"uiC", U"- e"},
    // The word without an ending has the strong form: "sepp", "kott", "elekter".
    StemChange{Language::kEstonian, U"VkV", U"Vkk", kBare},
    StemChange{Language::kEstonian, U"VpV", U"Vpp", kBare},
    StemChange{Language::kEstonian, U"VtV", U"Vtt", kBare},
    StemChange{Language::kEstonian, U"Cri", U"Cer", kBare},
    StemChange{Language::kEstonian, U"Cli", U"Cel", kBare},
    StemChange{Language::kEstonian, U"se", U"ne", kBare},
    // Consonant gradation, and words with a different end when they have no ending ("vesi", "nainen", "kysymys").
    StemChange{Language::kFinnish, U"nkV", U"ngV", kWeak},
    StemChange{Language::kFinnish, U"mpV", U"mmV", kWeak},
    StemChange{Language::kFinnish, U"ntV", U"nnV", kWeak},
    StemChange{Language::kFinnish, U"ltV", U"llV", kWeak},
    StemChange{Language::kFinnish, U"rtV", U"rrV", kWeak},
    StemChange{Language::kFinnish, U"htV", U"hdV", kWeak},
    StemChange{Language::kFinnish, U"VtV", U"VdV", kWeak},
    StemChange{Language::kFinnish, U"VpV", U"VvV", kWeak},
    StemChange{Language::kFinnish, U"lpV", U"lvV", kWeak},
    StemChange{Language::kFinnish, U"rpV", U"rvV", kWeak},
    StemChange{Language::kFinnish, U"kkV", U"kV", kWeak},
    StemChange{Language::kFinnish, U"ppV", U"pV", kWeak},
    StemChange{Language::kFinnish, U"ttV", U"tV", kWeak},
    StemChange{Language::kFinnish, U"lkV", U"lV", kWeak},
    StemChange{Language::kFinnish, U"rkV", U"rV", kWeak},
    StemChange{Language::kFinnish, U"Vde", U"Vsi", kBare},
    StemChange{Language::kFinnish, U"ude", U"us", kBare},
    StemChange{Language::kFinnish, U"Vkse", U"Vs", kBare},
    StemChange{Language::kFinnish, U"Vse", U"Vnen", kBare},
    // "வீடு", "வீட்டில்".
    StemChange{Language::kTamil, U"டு", U"ட்ட", U"ில் ின் ுக்கு ை ுக்குள்"},
    StemChange{Language::kTamil, U"று", U"ற்ற", U"ில் ின் ுக்கு ை"},
};

constexpr std::size_t kShortest = 2;  // letters of a stem

bool stands_for(char32_t pattern, char32_t letter) {
  if (pattern == U'C') return !is_folded_vowel(letter);
  if (pattern == U'V') return is_folded_vowel(letter);
  return pattern == letter;
}

// Replaces the end of the text, if it ends with `end`.
std::optional<std::u32string> with_other_end(std::u32string_view text, std::u32string_view end, std::u32string_view other) {
  if (text.size() < std::max(end.size(), kShortest)) return std::nullopt;
  const std::u32string_view here = text.substr(text.size() - end.size());
  if (!std::ranges::equal(end, here, stands_for)) return std::nullopt;
  std::u32string made(text.substr(0, text.size() - end.size()));
  std::u32string kept;  // the letters matched by wildcards, in order
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (end[i] == U'C' || end[i] == U'V') kept += here[i];
  }
  std::size_t next = 0;
  for (const char32_t letter : other) made += letter == U'C' || letter == U'V' ? kept[next++] : letter;
  return made;
}

template <typename Visit>
void for_each_ending(std::u32string_view endings, Visit visit) {
  while (!endings.empty()) {
    const std::u32string_view ending = endings.substr(0, endings.find(U' '));
    endings.remove_prefix(std::min(endings.size(), ending.size() + 1));
    visit(ending == kBare ? std::u32string_view() : ending);
  }
}

void add_new(std::vector<std::u32string>& all, std::u32string text) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
}

}  // namespace

bool is_folded_vowel(char32_t letter) { return std::u32string_view(U"aeiouyıæøœаеиоуыэюяєі").contains(letter); }

std::vector<std::u32string> plain_stems(std::u32string_view word, Language language) {
  std::vector<std::u32string> stems;
  for (const StemChange& change : kChanges) {
    if (change.language != language) continue;
    for_each_ending(change.endings, [&](std::u32string_view ending) {
      if (stems.size() == kMaxPlainStems || !word.ends_with(ending)) return;
      auto stem = with_other_end(word.substr(0, word.size() - ending.size()), change.changed, change.plain);
      if (stem && stem->size() > kShortest) add_new(stems, *std::move(stem));
    });
  }
  return stems;
}

std::vector<std::u32string> changed_forms(std::u32string_view stem, Language language) {
  std::vector<std::u32string> forms;
  for (const StemChange& change : kChanges) {
    if (change.language != language) continue;
    const auto changed = with_other_end(stem, change.plain, change.changed);
    if (!changed) continue;
    for_each_ending(change.endings, [&](std::u32string_view ending) { add_new(forms, *changed + std::u32string(ending)); });
  }
  return forms;
}

}  // namespace ladder::text
