// Passages: what one row of the word index holds of a text (design D4). A passage owns the words that start in it and also holds
// the next kPhraseOverlap, so that no phrase is lost at a cut. It begins with a word and ends after kPassageChars, where one word
// comes the kPassageRepeats-th time, or at a gap without words (then without overlap). Alike on both engines, and worked out
// again from the text whenever a row has to go: a passage is a function of the text alone.
//
// The content of a row, per column, is words with a space between them; a pair stands after the character it begins with, behind
// kPairMark: "w1 w2 \x01w2w3 w3 …". Words have neither spaces nor control characters.
#pragma once

#include "base/result.h"
#include "store/words.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::store {

inline constexpr std::int64_t kPassageChars = 3600;
inline constexpr std::int64_t kPhraseOverlap = 16;                     // positions; the longest phrase has one more
inline constexpr std::int64_t kLongestPhrase = kPhraseOverlap + 1;     // words
inline constexpr std::int64_t kPassageRepeats = 255 - kPhraseOverlap;  // PostgreSQL keeps 255 positions of a word in a row
inline constexpr char kPairMark = '\x01';

struct Passage {
  std::int64_t start = 0;  // chars [start, end) of the text: all its words, those of the overlap too
  std::int64_t end = 0;
  std::string words;  // the content of its row
};

// Cuts a text that arrives in pieces; gives each passage as soon as its overlap is known. A text without words has none.
class PassageCutter {
 public:
  using Use = std::function<Status(Passage&& passage)>;
  explicit PassageCutter(Use use) : use_(std::move(use)) {}
  Status feed(std::string_view valid_utf8);
  Status finish();

 private:
  Use use_;
  // what it needs
};

// All of a short text.
Result<std::vector<Passage>> cut_passages(std::string_view valid_utf8);

}  // namespace ladder::store
