// The one tokenizer, for both engines, for indexing, for queries and for finding the words again in a passage (design D19).
//
// A word is a run of letters, digits and marks (Unicode; tables generated into word_table.inc by tools/generate_words.cpp),
// folded and without its marks: "Éclair" and "eclair" are one word. Chinese and Japanese characters, kana, Hangul syllables of a
// run without spaces excepted, are words each by itself, and each also makes a pair with the one right after it, so that a longer
// run is found by its pairs. Thai, Lao, Khmer and Burmese, written without spaces, are treated like that as well. A word of over
// kMaxWordBytes goes on as the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr int kWordsVersion = 1;                // of the tables and rules; kept in the store (design D19)
inline constexpr std::size_t kMaxWordBytes = 255;      // of the folded word
inline constexpr std::int64_t kMaxWordGapChars = 256;  // so many chars without a word end a passage: no phrase reaches across

struct Word {
  std::string_view text;   // folded; valid until the next one
  std::int64_t start = 0;  // chars [start, end) of the text that was fed, from its first char
  std::int64_t end = 0;
  std::int64_t position = 0;  // 0, 1, …; a pair shares the position of its first character
  bool pair = false;          // two characters together; comes right after the single one
};

// Gives the words of a text that arrives in pieces of whole code points. Bounded memory, whatever the text.
class Words {
 public:
  void feed(std::string_view valid_utf8);  // the next piece, when next() has none left; it must live until then
  void finish();                           // there are no more pieces
  bool next(Word& word);                   // false: feed more, or the end

 private:
  // what it needs
};

}  // namespace ladder::store
