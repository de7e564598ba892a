// The one tokenizer, for both engines, for indexing, for queries and for finding the words again in a passage (design D19).
//
// A word is a run of letters, numbers and marks, decomposed (NFKD), case-folded and without its marks: "Éclair" and "eclair" are
// one word, "ﬁ" is "fi", the tatweel, Arabic vowel signs and Hebrew points are gone. Nonspacing and enclosing marks are stripped;
// spacing marks (Mc) stay. In the Indic scripts (Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada,
// Malayalam, Sinhala, Tibetan) marks are vowels, so all stay but nukta and accents. What is stripped or invisible (joiners, soft
// hyphens, variation selectors) does not break a word and belongs to the one it follows. Hangul syllables stay whole and their
// runs are ordinary words. Scripts written without spaces are Han, kana and Bopomofo, and the letters of Thai, Lao, Khmer and
// Burmese (with all of their marks stripped): there each character is a word by itself and also makes a pair with the one right
// after it, so that a longer run is found by its pairs. A symbol of the emoji blocks is a word by itself, without pairs.
// Everything else separates. A word of over kMaxWordBytes goes on as the next one; one that reaches kMaxWordChars, by what is
// stripped from it, ends there.
//
// The table is generated into word_table.inc by tools/generate_words.cpp, which has the rule to the last code point.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr int kWordsVersion = 1;                // of the tables and rules; kept in the store (design D19)
inline constexpr std::size_t kMaxWordBytes = 255;      // of the folded word
inline constexpr std::int64_t kMaxWordChars = 1024;    // of the text, with what is stripped from it
inline constexpr std::int64_t kMaxWordGapChars = 256;  // so many chars without a word end a passage: no phrase reaches across

struct Word {
  std::string_view text;   // folded; valid until the next one
  std::int64_t start = 0;  // chars [start, end) of the text that was fed, from its first char
  std::int64_t end = 0;
  std::int64_t position = 0;  // 0, 1, …; a pair shares the position of its first character
  bool pair = false;          // two characters together; comes right after the first one of them alone
};

// The words of ASCII that are worth a look: those that begin with a letter or digit that was added, in either case.
class WordBeginnings {
 public:
  void add(std::string_view folded_word);  // no matter when it does not begin with ASCII

 private:
  friend class Words;
  static constexpr std::size_t kMax = 8;  // of more, each word is looked at
  std::array<unsigned char, kMax> letters_{};
  std::size_t count_ = 0;
};

// Gives the words of a text that arrives in pieces of whole code points. Bounded memory, whatever the text.
class Words {
 public:
  void feed(std::string_view valid_utf8);  // the next piece, when next() has none left; it must live until then
  void finish() { finished_ = true; }      // there are no more pieces
  bool next(Word& word);                   // false: feed more, or the end
  // Leaves out words of ASCII that begin otherwise, in a text that was fed whole; positions are not told from then on. Words that
  // are not plain to see stay for next(), whatever they begin with.
  void pass_over_others(const WordBeginnings& wanted);

 private:
  enum class Open : std::uint8_t { kNone, kWord, kSingle, kEmoji };

  bool step_ascii();                                                // over what is at at_; false: the open word ends before it
  bool step_code_point();                                           // likewise
  bool is_long() const { return char_ - start_ >= kMaxWordChars; }  // of the open word
  bool add(std::string_view folded, Open kind);
  void begin(Open kind);
  void close(Word& word);
  void give_single(Word& word);

  std::string_view piece_;
  std::size_t at_ = 0;     // in piece_
  std::int64_t char_ = 0;  // the char at at_, from the first that was fed
  bool finished_ = false;
  Open open_ = Open::kNone;
  bool single_waits_ = false;         // its pair with the one before it was given, it comes next
  bool adjacent_ = false;             // the character that was given last ends where the next begins
  std::int64_t start_ = 0, end_ = 0;  // of the open word; end_ when it is closed
  std::int64_t position_ = 0;
  std::int64_t last_start_ = 0;  // of the character that was given last
  std::size_t size_ = 0, last_size_ = 0;
  std::array<char, kMaxWordBytes> text_{};  // of the open word, or of the one that was given last
  std::array<char, 4> last_{};
  std::array<char, 8> pair_{};
};

}  // namespace ladder::store
