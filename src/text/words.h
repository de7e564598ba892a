// The tokenizer for both engines, used for indexing, for queries and for matching words in a passage (design D19).
//
// A word is a run of letters, numbers and marks, decomposed (NFKD), case-folded and without its marks: "Éclair" and
// "eclair" are the same word, "ﬁ" is "fi", and the tatweel, Arabic vowel signs and Hebrew points are removed.
// Nonspacing and enclosing marks are stripped; spacing marks (Mc) stay. In the Indic scripts (Devanagari, Bengali,
// Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala, Tibetan) marks are vowels, so all stay except
// nukta and accents. Stripped and invisible characters (joiners, soft hyphens, variation selectors) do not break a word
// and belong to the one they follow. Hangul syllables are not decomposed, and their runs are ordinary words. Scripts
// written without spaces are Han, kana and Bopomofo, and the letters of Thai, Lao, Khmer and Burmese (with all of their
// marks stripped): there each character is a word and also forms a pair with the one right after it, so that a longer
// run is found by its pairs. A symbol of the emoji blocks is a word without pairs. All other characters separate words.
// A word of over kMaxWordBytes continues as the next one; one that reaches kMaxWordChars because of stripped characters
// ends there.
//
// tools/generate_words.cpp generates the table in word_table.inc and defines the rule for every code point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::text {

inline constexpr int kWordsVersion = 1;                // of the tables and rules; recorded in the store (design D19)
inline constexpr std::size_t kMaxWordBytes = 255;      // of the folded word
inline constexpr std::int64_t kMaxWordChars = 1024;    // of the text, including stripped characters
inline constexpr std::int64_t kMaxWordGapChars = 256;  // characters without a word that end a passage: no phrase crosses them

struct Word {
  std::string_view text;   // folded; valid until the next word
  std::int64_t start = 0;  // characters [start, end) of the text, counted from the first one fed
  std::int64_t end = 0;
  std::int64_t position = 0;  // 0, 1, …; a pair shares the position of its first character
  bool pair = false;          // two adjacent characters; follows the first one as a word
};

// A filter for ASCII words: those that begin with an added letter or digit, in either case.
class WordBeginnings {
 public:
  void add(std::string_view folded_word);  // ignored if it does not begin with ASCII

 private:
  friend class Words;
  static constexpr std::size_t kMax = 8;  // with more, no words are filtered
  std::array<unsigned char, kMax> letters_{};
  std::size_t count_ = 0;
};

// Iterates over the words of a text that arrives in pieces of complete code points. Uses bounded memory.
class Words {
 public:
  void feed(std::string_view valid_utf8);  // the next piece, after next() returned false; must stay valid until then
  void finish() { finished_ = true; }      // no more pieces follow
  bool next(Word& word);                   // false: feed more, or the end
  // Skips ASCII words with other beginnings, in a text that was fed as one piece; positions are invalid from then on.
  // Other words, and those in unclear context, still come from next().
  void skip_others(const WordBeginnings& wanted);

 private:
  enum class Open : std::uint8_t { kNone, kWord, kSingle, kEmoji };

  bool step_ascii();       // consumes characters at at_; false: the open word ends before them
  bool step_code_point();  // the same for one code point
  bool is_long() const { return char_ - start_ >= kMaxWordChars; }  // of the open word
  bool add(std::string_view folded, Open kind);
  void begin(Open kind);
  void close(Word& word);
  void emit_single(Word& word);

  std::string_view piece_;
  std::size_t at_ = 0;     // in piece_
  std::int64_t char_ = 0;  // the character at at_, counted from the first one fed
  bool finished_ = false;
  Open open_ = Open::kNone;
  bool single_waits_ = false;         // its pair with the previous one was returned; it comes next
  bool adjacent_ = false;             // the last returned character ends where the next begins
  std::int64_t start_ = 0, end_ = 0;  // of the open word; end_ once it is closed
  std::int64_t position_ = 0;
  std::int64_t last_start_ = 0;  // of the last returned character
  std::size_t size_ = 0, last_size_ = 0;
  std::array<char, kMaxWordBytes> text_{};  // of the open word, or of the last one returned
  std::array<char, 4> last_{};
  std::array<char, 8> pair_{};
};

}  // namespace ladder::text
