// The tokenizer and the cutting of passages. The first byte chooses the piece size, the rest is the text ("<<ab*300>>"
// makes long ones). A second, plain tokenizer goes over code points one by one and learns the kind of each from how the
// real one treats it alone. Passages must match their definition and be reproducible from their range.
#include "text/words.h"

#include "base/text/utf8.h"
#include "frame.h"
#include "repetition.h"
#include "text/passages.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ladder::fuzz {
namespace {

// Most texts are short, so that a million of them take minutes; some are long enough for several passages.
constexpr std::size_t kMaxBytes = 16'000;
constexpr std::size_t kMaxBytesUsually = 500;

// One word, or one pair.
struct Found {
  std::string text;
  std::int64_t start = 0, end = 0, position = 0;
  bool pair = false;

  friend bool operator==(const Found&, const Found&) = default;
};

void take_all(text::Words& words, std::vector<Found>& found) {
  for (text::Word word; words.next(word);)
    found.push_back({std::string(word.text), word.start, word.end, word.position, word.pair});
  text::Word none;
  FUZZ_CHECK(!words.next(none));
}

std::vector<Found> at_once(std::string_view text) {
  std::vector<Found> found;
  const Exact copy(text);
  text::Words words;
  words.feed(copy.view());
  words.finish();
  take_all(words, found);
  return found;
}

// Calls feed(piece) for pieces of up to `longest` chars.
template <class Feed>
void in_pieces(std::string_view text, std::size_t longest, Feed feed) {
  Chance chance(text);
  while (!text.empty()) {
    const std::string_view piece = utf8::slice(text, 0, static_cast<std::int64_t>(chance.below(longest + 1)));
    text.remove_prefix(piece.size());
    const Exact copy(piece);
    feed(copy.view());
  }
}

// The kind of a code point: how the tokenizer treats it alone, doubled, and between two letters.
struct Character {
  enum class Kind { kSeparator, kIgnored, kWord, kSingle, kEmoji } kind = Kind::kSeparator;
  std::string text;
};

Character character_of(const std::string& c) {
  const auto once = at_once(c), twice = at_once(c + c), between = at_once("a" + c + "a");
  if (once.empty()) return {between.size() == 1 ? Character::Kind::kIgnored : Character::Kind::kSeparator, ""};
  FUZZ_CHECK(once.size() == 1 && once[0].start == 0 && once[0].end == 1 && !once[0].pair);
  const std::string text = once[0].text;
  if (twice.size() == 1) return {Character::Kind::kWord, text};
  return {twice[1].pair ? Character::Kind::kSingle : Character::Kind::kEmoji, text};
}

const Character& character(char32_t c) {
  static std::map<char32_t, Character> known;  // valid for every text
  auto [entry, is_new] = known.try_emplace(c);
  if (is_new) entry->second = character_of(utf8::encode({&c, 1}));
  return entry->second;
}

// The rules of words.h, implemented plainly.
std::vector<Found> plainly(const std::u32string& text) {
  using Kind = Character::Kind;
  struct Plain {
    Kind kind = Kind::kWord;
    std::string text;
    std::size_t start = 0, end = 0;
    bool open = true;  // the next character may continue the word
  };
  std::vector<Plain> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const Character& c = character(text[i]);
    Plain* last = words.empty() || !words.back().open ? nullptr : &words.back();
    const bool has_room = last != nullptr && last->end - last->start < static_cast<std::size_t>(text::kMaxWordChars);
    if (c.kind == Kind::kSeparator) {
      if (last != nullptr) last->open = false;
    } else if (c.kind == Kind::kIgnored) {
      if (last == nullptr) continue;
      if (has_room) {
        last->end = i + 1;
      } else {
        last->open = false;
      }
    } else if (c.kind == Kind::kWord && has_room && last->kind == Kind::kWord &&
               last->text.size() + c.text.size() <= text::kMaxWordBytes) {
      last->text += c.text;
      last->end = i + 1;
    } else {
      words.push_back({c.kind, c.text, i, i + 1});
    }
  }
  std::vector<Found> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto start = static_cast<std::int64_t>(words[i].start), position = static_cast<std::int64_t>(i);
    found.push_back({words[i].text, start, static_cast<std::int64_t>(words[i].end), position, false});
    if (i + 1 == words.size() || words[i].kind != Kind::kSingle || words[i + 1].kind != Kind::kSingle) continue;
    if (words[i + 1].start != words[i].end) continue;
    found.push_back({words[i].text + words[i + 1].text, start, static_cast<std::int64_t>(words[i + 1].end), position, true});
  }
  return found;
}

std::string content_of(const std::vector<Found>& found) {
  std::string content;
  for (const Found& word : found) {
    if (!content.empty()) content += ' ';
    if (word.pair) content += text::kPairMark;
    content += word.text;
  }
  return content;
}

void check_words(const std::string& text, std::size_t longest, const std::vector<Found>& found) {
  FUZZ_CHECK(found == plainly(utf8::decode(text)));
  std::vector<Found> pieced;
  text::Words words;
  in_pieces(text, longest, [&](std::string_view piece) {
    words.feed(piece);
    take_all(words, pieced);
  });
  words.finish();
  take_all(words, pieced);
  FUZZ_CHECK(pieced == found);
  for (const Found& word : found) {
    FUZZ_CHECK(word.text.size() <= text::kMaxWordBytes && utf8::is_valid(word.text));
    FUZZ_CHECK(std::ranges::none_of(word.text, [](char c) { return c >= 0 && c <= ' '; }));
  }
}

std::vector<text::Passage> cut(std::string_view text, std::size_t longest) {
  std::vector<text::Passage> passages;
  text::PassageCutter cutter([&](text::Passage&& passage) -> Status {
    passages.push_back(std::move(passage));
    return {};
  });
  in_pieces(text, longest, [&](std::string_view piece) { FUZZ_CHECK(cutter.feed(piece).has_value()); });
  FUZZ_CHECK(cutter.finish().has_value());
  return passages;
}

// The own words of passages are contiguous; a passage ends at its limit, contains its overlap, and equals its range.
void check_passages(std::string_view text, std::size_t longest, const std::vector<Found>& found) {
  const auto passages = cut(text, longest);
  const auto whole = text::cut_passages(text);
  FUZZ_CHECK(whole && *whole == passages);
  std::vector<Found> singles;
  std::ranges::copy_if(found, std::back_inserter(singles), [](const Found& word) { return !word.pair; });
  std::map<std::int64_t, std::string> pairs;
  for (const Found& word : found) {
    if (word.pair) pairs[word.position] = word.text;
  }
  const auto gap_before = [&](std::size_t i) { return i == 0 || singles[i].start - singles[i - 1].end > text::kMaxWordGapChars; };
  std::size_t at = 0;
  for (const text::Passage& passage : passages) {
    FUZZ_CHECK(at < singles.size() && passage.start == singles[at].start);
    std::map<std::pair<std::string, bool>, std::int64_t> counts;
    bool repeated = false;
    const std::size_t first = at;
    do {
      repeated = ++counts[{singles[at].text, false}] >= text::kPassageRepeats;
      if (const auto pair = pairs.find(singles[at].position); pair != pairs.end()) {
        repeated = ++counts[{pair->second, true}] >= text::kPassageRepeats || repeated;
      }
      ++at;
    } while (at < singles.size() && !gap_before(at) && !repeated &&
             singles[at].start - singles[first].start < text::kPassageChars);
    std::size_t end = at;
    while (end < singles.size() && end < at + text::kPhraseOverlap && !gap_before(end)) ++end;
    FUZZ_CHECK(passage.end == singles[end - 1].end);
    FUZZ_CHECK(passage.words == content_of(at_once(utf8::slice(text, passage.start, passage.end - passage.start))));
    std::vector<Found> expected;
    for (const Found& word : found) {
      const auto position = static_cast<std::size_t>(word.position);
      if (position >= first && position < end && !(word.pair && position + 1 == end)) expected.push_back(word);
    }
    FUZZ_CHECK(passage.words == content_of(expected));
  }
  FUZZ_CHECK(at == singles.size());
}

}  // namespace

void run(std::string_view input) {
  if (input.empty()) return;
  constexpr std::size_t kLongest[] = {1, 3, 50, 5000};
  const auto choice = static_cast<unsigned char>(input.front());
  const std::size_t longest = kLongest[choice % std::size(kLongest)];
  const bool long_text = choice / std::size(kLongest) == '0' / std::size(kLongest);  // '0' to '3'
  const std::string text =
      valid_utf8(expanded(input.substr(1, long_text ? kMaxBytes : kMaxBytesUsually), long_text ? kMaxBytes : kMaxBytesUsually));
  const auto found = at_once(text);
  check_words(text, longest, found);
  check_passages(text, longest, found);
}

}  // namespace ladder::fuzz
