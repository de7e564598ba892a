// Properties of words, passages and queries over random text in many scripts: the assumptions of the index, checked
// against simple loops over all words of the text.
#include "base/text/utf8.h"
#include "text/passages.h"
#include "text/word_query.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ladder::text {
namespace {

// One position of a text.
struct Position {
  std::string word, pair;  // as in the index
  std::int64_t start = 0, end = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// Collects the output of Words and checks its form.
class Collector {
 public:
  void take_all(Words& words) {
    for (Word word; words.next(word);) take(word);
  }
  std::vector<Position> positions;

 private:
  void take(const Word& word) {
    RC_ASSERT(!word.text.empty());
    RC_ASSERT(word.text.size() <= kMaxWordBytes);
    RC_ASSERT(word.start < word.end);
    if (word.pair) {
      RC_ASSERT(!positions.empty());
      RC_ASSERT(positions.back().pair.empty());
      RC_ASSERT(word.position == static_cast<std::int64_t>(positions.size()) - 1);
      RC_ASSERT(word.start == positions.back().start);
      RC_ASSERT(word.text.starts_with(positions.back().word));
      positions.back().pair = kPairMark + std::string(word.text);
      return;
    }
    RC_ASSERT(word.position == static_cast<std::int64_t>(positions.size()));
    RC_ASSERT(word.end - word.start <= kMaxWordChars);
    if (!positions.empty()) {
      RC_ASSERT(word.start >= positions.back().end);
      if (!positions.back().pair.empty())
        RC_ASSERT(positions.back().pair == kPairMark + positions.back().word + std::string(word.text));
    }
    positions.push_back({.word = std::string(word.text), .pair = {}, .start = word.start, .end = word.end});
  }
};

std::vector<Position> places_of(std::string_view text) {
  Words words;
  words.feed(text);
  words.finish();
  Collector collector;
  collector.take_all(words);
  RC_ASSERT((collector.positions.empty() || collector.positions.back().pair.empty()));
  return collector.positions;
}

// The positions as stored in a row.
std::string content_of(const std::vector<Position>& positions) {
  std::string content;
  for (const Position& position : positions) {
    if (!content.empty()) content += ' ';
    content += position.word;
    if (!position.pair.empty()) content += ' ' + position.pair;
  }
  return content;
}

// Parses the positions of a row from its content.
std::vector<Position> row_places(std::string_view content) {
  std::vector<Position> positions;
  while (!content.empty()) {
    const std::string word(content.substr(0, content.find(' ')));
    content.remove_prefix(std::min(content.size(), word.size() + 1));
    if (word.front() == kPairMark) {
      positions.back().pair = word;
    } else {
      positions.push_back({.word = word, .pair = {}});
    }
  }
  return positions;
}

std::string times(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

rc::Gen<std::string> fragment() {
  const auto word =
      rc::gen::element<std::string>("a", "Be", "cde", "É", "e\u0301", "ﬁ", "ß", "Ж", "كِتَ", "שָׁ", "हिन्दी", "한국", "42", "x²", "½");
  const auto character =
      rc::gen::element<std::string>("東", "京", "の", "ー", "ｶﾞ", "が", "ไ", "น้ำ", "ខ្ម", "မြ", "𠀀", "🎉", "❤\uFE0F");
  const auto separator = rc::gen::element<std::string>(" ", ", ", "\n", "-", "。", "\u3000", "™", "\U0010FFFF");
  const auto stripped = rc::gen::element<std::string>("\u0301", "\u00AD", "\u200D", "\u0640", "\u3099", "\uFE0F");
  const auto extreme = rc::gen::element<std::string>(
      std::string(256, ' '), std::string(257, ' '), times("\u0301", 1024), times("\u0301", 500), std::string(255, 'q'),
      std::string(300, 'q'), times("Ж", 200), times("東", 300), times("東京", 150), times("a ", 260), times("a b ", 150),
      times("one two three four five six seven eight nine ten ", 40), times(times("z", 250) + std::string(200, '.'), 8));
  return rc::gen::weightedOneOf<std::string>({{8, word}, {6, character}, {6, separator}, {2, stripped}, {2, extreme}});
}

rc::Gen<std::string> text() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(fragment()), [](const std::vector<std::string>& fragments) {
    std::string joined;
    for (const std::string& part : fragments) joined += part;
    return joined;
  });
}

// Cuts a text into pieces of some characters each.
std::vector<std::string> pieces_of(std::string_view text) {
  const auto longest = *rc::gen::element<std::int64_t>(1, 2, 7, 100, 4000);
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::string_view piece = utf8::slice(text, 0, *rc::gen::inRange<std::int64_t>(0, longest + 1));
    text.remove_prefix(piece.size());
    pieces.emplace_back(piece);
    if (pieces.size() > 2000) {
      pieces.emplace_back(text);
      break;
    }
  }
  return pieces;
}

std::vector<Passage> cut(std::string_view text) {
  auto passages = cut_passages(text);
  RC_ASSERT(passages.has_value());
  return *std::move(passages);
}

// Returns whether the index connects each word of the phrase to the next.
bool connected(const std::vector<Position>& positions, std::size_t first, std::size_t size) {
  for (std::size_t i = first + 1; i < first + size; ++i) {
    if (positions[i].start - positions[i - 1].end > kMaxWordGapChars) return false;
  }
  return true;
}

std::vector<std::string> phrase_of(const std::vector<Position>& positions, std::size_t first, std::size_t size) {
  std::vector<std::string> words;
  for (std::size_t i = first; i < first + size; ++i) {
    words.push_back(i + 1 == first + size || positions[i].pair.empty() ? positions[i].word : positions[i].pair);
  }
  return words;
}

bool stands_at(const std::vector<std::string>& phrase, bool prefix, const std::vector<Position>& positions, std::size_t at) {
  if (at + phrase.size() > positions.size()) return false;
  for (std::size_t i = 0; i < phrase.size(); ++i) {
    const Position& position = positions[at + i];
    if (prefix && i + 1 == phrase.size() ? position.word.starts_with(phrase[i]) : position.word == phrase[i]) continue;
    if (position.pair != phrase[i]) return false;
  }
  return true;
}

RC_GTEST_PROP(RandomWords, DoNotDependOnPieceSizes, ()) {
  const std::string whole = *text();
  Words words;
  Collector collector;
  for (const std::string& piece : pieces_of(whole)) {
    words.feed(piece);
    collector.take_all(words);
  }
  words.finish();
  collector.take_all(words);
  RC_ASSERT(collector.positions == places_of(whole));
}

RC_GTEST_PROP(RandomWords, TheRangeOfAWordContainsOnlyThatWord, ()) {
  const std::string whole = *text();
  for (const Position& position : places_of(whole)) {
    const auto again = places_of(utf8::slice(whole, position.start, position.end - position.start));
    RC_ASSERT(again.size() == 1u);
    RC_ASSERT(again.front().word == position.word);
    RC_ASSERT(places_of(position.word).front().word == position.word);
  }
}

RC_GTEST_PROP(RandomPassages, DoNotDependOnPieceSizes, ()) {
  const std::string whole = *text();
  std::vector<Passage> passages;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    passages.push_back(std::move(passage));
    return {};
  });
  for (const std::string& piece : pieces_of(whole)) RC_ASSERT(cutter.feed(piece).has_value());
  RC_ASSERT(cutter.finish().has_value());
  RC_ASSERT(passages == cut(whole));
}

// A row can be computed again from the text to delete it.
RC_GTEST_PROP(RandomPassages, WordsMatchTheRange, ()) {
  const std::string whole = *text();
  for (const Passage& passage : cut(whole)) {
    RC_ASSERT(content_of(places_of(utf8::slice(whole, passage.start, passage.end - passage.start))) == passage.words);
  }
}

RC_GTEST_PROP(RandomPassages, EveryWordIsOwnedOnceWithinTheLimits, ()) {
  const std::string whole = *text();
  const auto positions = places_of(whole);
  const auto passages = cut(whole);
  RC_ASSERT(passages.empty() == positions.empty());
  std::size_t owned = 0;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const Passage& passage = passages[i];
    RC_ASSERT(owned < positions.size());
    RC_ASSERT(passage.start == positions[owned].start);
    const auto row = row_places(passage.words);
    const std::size_t first = owned;
    const std::int64_t next = i + 1 < passages.size() ? passages[i + 1].start : positions.back().start + 1;
    while (owned < positions.size() && positions[owned].start < next) {
      RC_ASSERT(positions[owned].start < passage.start + kPassageChars);
      ++owned;
    }
    RC_ASSERT(connected(positions, first, row.size()));
    RC_ASSERT(row.size() >= owned - first);
    RC_ASSERT(row.size() - (owned - first) <= static_cast<std::size_t>(kPhraseOverlap));
    RC_ASSERT(passage.end == positions[first + row.size() - 1].end);
    // The overlap is short only if the text, or its run without a gap, ends.
    if (row.size() - (owned - first) < static_cast<std::size_t>(kPhraseOverlap) && first + row.size() < positions.size()) {
      RC_ASSERT(!connected(positions, first + row.size() - 1, 2));
    }
    std::map<std::string, int> counts;
    for (const Position& position : row) {
      RC_ASSERT(++counts[position.word] <= 255);
      if (!position.pair.empty()) RC_ASSERT(++counts[position.pair] <= 255);
    }
  }
  RC_ASSERT(owned == positions.size());
}

// A passage ends only where the rule says so.
RC_GTEST_PROP(RandomPassages, NoPassageEndsTooSoon, ()) {
  const std::string whole = *text();
  const auto positions = places_of(whole);
  const auto passages = cut(whole);
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < passages.size(); ++i) {
    std::map<std::string, int> counts;
    int most = 0;
    for (; positions[at].start < passages[i + 1].start; ++at) {
      most = std::max(most, ++counts[positions[at].word]);
      if (!positions[at].pair.empty()) most = std::max(most, ++counts[positions[at].pair]);
    }
    const bool gap = !connected(positions, at - 1, 2);
    const bool full = positions[at].start >= passages[i].start + kPassageChars;
    RC_ASSERT((gap || full || most == kPassageRepeats));
    RC_ASSERT(most <= kPassageRepeats);
  }
}

RC_GTEST_PROP(RandomPassages, NoPhraseIsLost, ()) {
  const std::string whole = *text();
  const auto positions = places_of(whole);
  std::vector<std::vector<Position>> rows;
  for (const Passage& passage : cut(whole)) rows.push_back(row_places(passage.words));
  for (std::size_t first = 0; first < positions.size(); ++first) {
    std::size_t size = 1;
    while (size < static_cast<std::size_t>(kMaxPhraseWords) && first + size < positions.size() &&
           connected(positions, first, size + 1))
      ++size;
    const auto phrase = phrase_of(positions, first, size);
    const bool found = std::ranges::any_of(rows, [&](const std::vector<Position>& row) {
      for (std::size_t at = 0; at < row.size(); ++at) {
        if (stands_at(phrase, false, row, at)) return true;
      }
      return false;
    });
    RC_ASSERT(found);
  }
}

// A quoted piece of the text is found at its position, and the matches are those of a simple loop.
RC_GTEST_PROP(RandomQueries, QuotedTextIsFound, ()) {
  const std::string whole = *text();
  const auto positions = places_of(whole);
  RC_PRE(!positions.empty());
  const auto first = *rc::gen::inRange<std::size_t>(0, positions.size());
  const auto size = *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(kMaxPhraseWords, positions.size() - first) + 1);
  RC_PRE(connected(positions, first, size));
  const std::int64_t start = positions[first].start, end = positions[first + size - 1].end;
  RC_PRE(end - start < 1000);
  const bool prefix = *rc::gen::arbitrary<bool>();
  const auto query = parse_word_query('"' + std::string(utf8::slice(whole, start, end - start)) + '"' + (prefix ? "*" : ""));
  RC_ASSERT(query.has_value());
  RC_ASSERT(query->terms.size() == 1u);
  const WordTerm& term = query->terms.front();
  RC_ASSERT(term.words == phrase_of(positions, first, size));

  std::vector<WordRange> expected;
  for (std::size_t at = 0; at < positions.size(); ++at) {
    if (!stands_at(term.words, term.prefix, positions, at) || !connected(positions, at, size)) continue;
    expected.push_back({.term = 0, .start = positions[at].start, .end = positions[at + size - 1].end});
  }
  RC_ASSERT(find_terms(*query, whole, positions.size()) == expected);
  RC_ASSERT(std::ranges::count(expected, WordRange{.term = 0, .start = start, .end = end}) == 1);
  const auto limit = *rc::gen::inRange<std::size_t>(0, 4);
  expected.resize(std::min(expected.size(), limit));
  RC_ASSERT(find_terms(*query, whole, limit) == expected);
}

// Mostly ASCII, with runs about as long as the longest word, to test skipping by blocks.
rc::Gen<std::string> plain_text() {
  const auto word =
      rc::gen::element<std::string>("a", "B", "abc", "Abd", "quagga", "QUAGGA", "q", "7", "1st", "the", "zz", "aquagga");
  const auto separator =
      rc::gen::element<std::string>(" ", ", ", "\n", "\x11", "@", "[", "`", "{", "/", ":", "_", "                    ");
  const auto other = rc::gen::element<std::string>("é", "e\u0301", "\u0301", "東", "Ａ", "\u3000");
  const auto run = rc::gen::map(rc::gen::pair(rc::gen::inRange<std::size_t>(200, 560), rc::gen::element('a', 'Q', '7')),
                                [](const auto& of) { return std::string(of.first, of.second); });
  const auto part = rc::gen::weightedOneOf<std::string>({{20, word}, {18, separator}, {2, other}, {1, run}});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(part), [](const std::vector<std::string>& parts) {
    std::string joined;
    for (const std::string& each : parts) joined += each;
    return joined;
  });
}

RC_GTEST_PROP(RandomQueries, SingleWordsMatchASimpleLoop, ()) {
  const std::string whole = *plain_text();
  const auto positions = places_of(whole);
  WordQuery query;
  const auto add = [&](std::string word, bool prefix) {
    WordTerm term;
    term.words = {std::move(word)};
    term.prefix = prefix;
    if (std::ranges::find(query.terms, term) == query.terms.end()) query.terms.push_back(term);
  };
  const auto count = *rc::gen::inRange(1, 12);  // some have more beginnings than are stored
  for (int i = 0; i < count; ++i) {
    const auto typed =
        *rc::gen::element<std::string>("a", "b", "abc", "ab", "quagga", "q", "7", "1st", "zz", "e", "é", "h", "k", "m", "x");
    const bool from_text = !positions.empty() && *rc::gen::arbitrary<bool>();
    const auto at = from_text ? *rc::gen::inRange<std::size_t>(0, positions.size()) : 0;
    add(from_text ? positions[at].word : typed, *rc::gen::arbitrary<bool>());
  }
  std::vector<WordRange> expected;
  for (const Position& position : positions) {
    for (std::size_t i = 0; i < query.terms.size(); ++i) {
      const auto& words = query.terms[i].words;
      const bool prefix = query.terms[i].prefix;
      const bool found = prefix ? position.word.starts_with(words.front()) : position.word == words.front();
      if (found) expected.push_back({.term = i, .start = position.start, .end = position.end});
    }
  }
  RC_ASSERT(find_terms(query, whole, positions.size() + 1) == expected);
}

RC_GTEST_PROP(RandomQueries, AnyTextIsAQueryOrATypedError, ()) {
  const auto piece =
      rc::gen::oneOf(fragment(), rc::gen::element<std::string>("\"", "-", "*", " ", " -", "“", "”", "＊", "\xFF", "\xE6"));
  std::string typed;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) typed += part;
  const auto query = parse_word_query(typed);
  if (!query) {
    RC_ASSERT(query.error().code == Code::kInvalidRequest);
    RC_ASSERT(query.error().param == "q");
    return;
  }
  RC_ASSERT(!query->terms.empty());
  RC_ASSERT(query->terms.size() + query->excluded.size() <= kMaxWordTerms);
  RC_ASSERT(std::set(query->terms.begin(), query->terms.end()).size() == query->terms.size());
  for (const auto* terms : {&query->terms, &query->excluded}) {
    for (const WordTerm& term : *terms) {
      RC_ASSERT(!term.words.empty());
      RC_ASSERT(term.words.size() <= static_cast<std::size_t>(kMaxPhraseWords));
      RC_ASSERT(term.words.back().front() != kPairMark);
    }
  }
}

}  // namespace
}  // namespace ladder::text
