// Prints src/text/word_table.inc: each code point's kind for the tokenizer (text/words.h) and its folding,
// as a two-stage table. Build and run it by hand after a Unicode update (and increment kWordsVersion):
//
//   g++ -std=c++23 tools/generate_words.cpp -lutf8proc -o build/generate_words
//   build/generate_words > src/text/word_table.inc
//
// The entry of a code point c below kWordEnd is kWordEntry[kWordBlock[c / 128] * 128 + c % 128]; every other one
// separates. Entries below kFirstFold are kinds whose code points fold to themselves (or to nothing). Entry kFirstFold
// + n folds to the bytes kFoldText[kFoldAt[n]] up to kFoldText[kFoldAt[n + 1]]: a part of an ordinary word if n <
// kLetterFolds, else a character that is a word by itself and forms pairs.
//
// The rule, per code point:
//   - Default-ignorable code points and the tatweel are ignored, and so are the marks that are stripped: Mn and Me everywhere but
//     in the Indic scripts, where only nukta and accents are (combining classes 7, 220, 230), and Mc in Thai, Lao,
//     Khmer, Burmese.
//   - Letters, numbers, the marks that stay and the Kangxi radicals are parts of words: decomposed (NFKD), stripped, case-folded,
//     repeated until nothing changes. A code point stays unchanged if its decomposition has a character outside words ("½"),
//     or several characters of a script without spaces ("ゟ"). Hangul syllables stay unchanged, too.
//   - Symbols (So) of the emoji blocks are words by themselves. Everything else separates.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <utf8proc.h>

namespace {

using CodePoint = utf8proc_int32_t;
using Text = std::vector<CodePoint>;

constexpr CodePoint kCodePoints = 0x110000;
constexpr CodePoint kBlockSize = 128;
constexpr CodePoint kTatweel = 0x640;

// The entries below kFirstFold; words.cpp uses the same numbers.
enum : std::uint16_t { kSeparator, kIgnored, kLetter, kSingle, kEmoji, kFirstFold };

struct Range {
  CodePoint first, last;
};

bool within(CodePoint c, std::initializer_list<Range> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) { return c >= range.first && c <= range.last; });
}

bool is_hangul_syllable(CodePoint c) { return within(c, {{0xAC00, 0xD7A3}}); }
bool is_kangxi_radical(CodePoint c) { return within(c, {{0x2F00, 0x2FD5}}); }
bool in_emoji_block(CodePoint c) { return within(c, {{0x2600, 0x27BF}, {0x1F000, 0x1FAFF}}); }

// Devanagari to Sinhala, Tibetan, and the later blocks of the same scripts.
bool is_indic(CodePoint c) {
  return within(c, {{0x900, 0xDFF}, {0xF00, 0xFFF}, {0x1CD0, 0x1CFF}, {0xA8E0, 0xA8FF}, {0x11B00, 0x11B5F}, {0x11FC0, 0x11FFF}});
}

// Thai and Lao, Burmese, Khmer.
bool is_southeast_asian(CodePoint c) {
  return within(c, {{0xE00, 0xEFF}, {0x1000, 0x109F}, {0xA9E0, 0xA9FF}, {0xAA60, 0xAA7F}, {0x1780, 0x17FF}});
}

// Han with its iteration marks and numerals, kana with its prolonged sound mark, Bopomofo.
bool is_east_asian(CodePoint c) {
  return within(c, {{0x3005, 0x3007},
                    {0x3021, 0x3029},
                    {0x3031, 0x3035},
                    {0x3038, 0x303C},
                    {0x3041, 0x30FF},
                    {0x3105, 0x312F},
                    {0x31A0, 0x31BF},
                    {0x31F0, 0x31FF},
                    {0x3400, 0x4DBF},
                    {0x4E00, 0x9FFF},
                    {0xF900, 0xFAFF},
                    {0x1AFF0, 0x1B16F},
                    {0x20000, 0x3FFFF}});
}

bool is_letter(CodePoint c) {
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(CodePoint c) {
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_number(CodePoint c) {
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

// A word by itself that forms pairs.
bool is_single(CodePoint c) {
  return is_letter(c) ? is_east_asian(c) || is_southeast_asian(c) : is_number(c) && is_east_asian(c);
}

bool is_stripped_mark(CodePoint c) {
  if (!is_mark(c)) return false;
  if (is_southeast_asian(c)) return true;
  if (utf8proc_category(c) == UTF8PROC_CATEGORY_MC) return false;
  if (!is_indic(c)) return true;
  const auto combining = utf8proc_get_property(c)->combining_class;
  return combining == 7 || combining == 220 || combining == 230;
}

bool is_ignored(CodePoint c) { return c == kTatweel || utf8proc_get_property(c)->ignorable || is_stripped_mark(c); }

bool is_part_of_word(CodePoint c) { return is_letter(c) || is_number(c) || is_mark(c) || is_kangxi_radical(c); }

Text decompose(CodePoint c, int options) {
  CodePoint parts[64];
  int boundary_class = 0;
  const auto length = utf8proc_decompose_char(c, parts, 64, static_cast<utf8proc_option_t>(options), &boundary_class);
  if (length < 0 || length > 64) {
    std::fprintf(stderr, "U+%04X does not decompose\n", static_cast<unsigned>(c));
    std::exit(1);
  }
  return Text(parts, parts + length);
}

Text without_ignored(Text text) {
  std::erase_if(text, is_ignored);
  return text;
}

// Folds a part of a word by one step.
Text folded_once(CodePoint c) {
  if (is_hangul_syllable(c)) return {c};
  const Text parts = decompose(c, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT);
  const bool whole =
      std::all_of(parts.begin(), parts.end(), [](CodePoint part) { return is_part_of_word(part) || is_ignored(part); });
  const Text kept = without_ignored(parts);
  const bool of_singles = std::any_of(kept.begin(), kept.end(), is_single);
  if (!whole && std::any_of(kept.begin(), kept.end(), is_part_of_word)) return {c};
  if (!whole) return {};
  if (of_singles && kept.size() > 1) return {c};
  Text folded;
  for (const CodePoint part : kept) {
    const Text more = decompose(part, UTF8PROC_CASEFOLD);
    folded.insert(folded.end(), more.begin(), more.end());
  }
  return without_ignored(folded);
}

Text folded(CodePoint c) {
  Text text = {c};
  for (;;) {
    Text next;
    for (const CodePoint part : text) {
      const Text more = folded_once(part);
      next.insert(next.end(), more.begin(), more.end());
    }
    if (next == text) return text;
    text = std::move(next);
  }
}

std::string encode(const Text& text) {
  std::string bytes;
  for (const CodePoint c : text) {
    utf8proc_uint8_t out[4];
    const auto length = utf8proc_encode_char(c, out);
    bytes.append(reinterpret_cast<const char*>(out), static_cast<std::size_t>(length));
  }
  return bytes;
}

// The meaning of a code point: a kind alone, or a kind and its folded text.
struct Meaning {
  std::uint16_t kind = kSeparator;
  Text text;  // empty: itself, or nothing
};

Meaning meaning_of(CodePoint c) {
  if (is_ignored(c)) return {kIgnored, {}};
  if (utf8proc_category(c) == UTF8PROC_CATEGORY_SO && in_emoji_block(c)) return {kEmoji, {}};
  if (!is_part_of_word(c)) return {};
  Text text = folded(c);
  if (text.empty()) return {kIgnored, {}};
  const std::uint16_t kind = is_single(text.front()) ? kSingle : kLetter;
  for (const CodePoint part : text) {
    if (is_single(part) != (kind == kSingle)) {
      std::fprintf(stderr, "U+%04X is folded to characters of two kinds\n", static_cast<unsigned>(c));
      std::exit(1);
    }
  }
  if (text == Text{c}) text.clear();
  return {kind, std::move(text)};
}

// Prints a row of numbers, broken into lines of at most 120 columns.
template <class Number>
void print_numbers(const std::vector<Number>& numbers) {
  std::string line = "   ";
  for (const Number number : numbers) {
    const std::string text = " " + std::to_string(number) + ",";
    if (line.size() + text.size() > 120) {
      std::puts(line.c_str());
      line = "   ";
    }
    line += text;
  }
  std::puts(line.c_str());
}

void print_bytes(const std::string& bytes) {
  std::vector<int> numbers;
  for (const char byte : bytes) numbers.push_back(static_cast<unsigned char>(byte));
  print_numbers(numbers);
}

}  // namespace

int main() {
  std::vector<Meaning> meanings;
  for (CodePoint c = 0; c < kCodePoints; ++c) meanings.push_back(meaning_of(c));

  // The distinct foldings: those of ordinary words first.
  std::map<std::pair<std::uint16_t, std::string>, std::uint16_t> folds;
  for (const Meaning& meaning : meanings) {
    if (!meaning.text.empty()) folds.try_emplace({meaning.kind, encode(meaning.text)}, std::uint16_t{0});
  }
  std::string fold_text;
  std::vector<std::size_t> fold_at;
  std::size_t letter_folds = 0;
  for (auto& [fold, entry] : folds) {
    entry = static_cast<std::uint16_t>(kFirstFold + fold_at.size());
    fold_at.push_back(fold_text.size());
    fold_text += fold.second;
    if (fold.first == kLetter) letter_folds = fold_at.size();
  }
  fold_at.push_back(fold_text.size());

  std::map<std::vector<std::uint16_t>, std::size_t> known;
  std::vector<std::size_t> blocks;
  std::vector<std::uint16_t> entries;
  std::size_t used = 0;  // blocks up to the last one with a word character
  for (CodePoint start = 0; start < kCodePoints; start += kBlockSize) {
    std::vector<std::uint16_t> block;
    for (CodePoint c = start; c < start + kBlockSize; ++c) {
      const Meaning& meaning = meanings[static_cast<std::size_t>(c)];
      block.push_back(meaning.text.empty() ? meaning.kind : folds.at({meaning.kind, encode(meaning.text)}));
    }
    const auto [entry, is_new] = known.try_emplace(block, known.size());
    if (is_new) entries.insert(entries.end(), block.begin(), block.end());
    blocks.push_back(entry->second);
    if (std::any_of(block.begin(), block.end(), [](std::uint16_t kind) { return kind != kSeparator; })) used = blocks.size();
  }
  blocks.resize(used);

  std::printf("// Generated by tools/generate_words.cpp from Unicode %s. Do not edit.\n", utf8proc_unicode_version());
  std::printf("constexpr char32_t kWordEnd = 0x%zX;\n", used * kBlockSize);
  std::printf("constexpr std::uint16_t kFirstFold = %d;\n", static_cast<int>(kFirstFold));
  std::printf("constexpr std::uint16_t kLetterFolds = %zu;\n\n", letter_folds);
  std::printf("constexpr std::uint16_t kWordBlock[] = {\n");
  print_numbers(blocks);
  std::printf("};\n\nconstexpr std::uint16_t kWordEntry[] = {\n");
  print_numbers(entries);
  std::printf("};\n\nconstexpr std::uint16_t kFoldAt[] = {\n");
  print_numbers(fold_at);
  std::printf("};\n\nconstexpr unsigned char kFoldText[] = {\n");
  print_bytes(fold_text);
  std::printf("};\n");
}
