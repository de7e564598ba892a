// The query syntax: words, "quoted phrases", prefix*, +required, -excluded, field:word and field:"a phrase". A record
// with any of the words is a hit; a quoted phrase and a +word must occur, a -word must not. A sign counts only at the
// beginning or right after white space, a star only right after a word or a closing quote, and a field name only if it
// is one of WordGrammar::fields ("re: offer", "12:30" and "http://…" are text). Curly, low, angled and full-width
// quotes and the full-width signs and star also work. All other punctuation, such as an unpaired quote, a hyphen or a
// sign before a digit, only separates words.
//
// Prose has no operators. With kQuotingWords or more words outside of quotes, quotation marks do not make phrases
// required; the score rewards adjacent words anyway. In a text of several lines or of kProseWords words, signs, stars
// and field names are text.
//
// A run of several words ("a.b@c.d", "東京") is a phrase. Words joined by hyphens or apostrophes are searched one by one,
// and a long run of characters written without spaces by its pairs. If every word must occur (WordGrammar::all), each
// run is a phrase; an unquoted run of over kMaxPhraseWords words becomes several phrases.
#pragma once

#include "base/error/error.h"
#include "text/forms/function_words.h"
#include "text/words.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

inline constexpr std::size_t kMaxWordQueryChars = 8'000;
inline constexpr std::size_t kMaxWordTerms = 32;  // searched, required and excluded together
// Before a colon these require the word, like the operators of mail programs; other fields only restrict where it is
// searched.
inline constexpr std::string_view kFromOperator = "from", kToOperator = "to";
inline constexpr std::size_t kQuotingWords = 6, kProseWords = 24;

// Words at consecutive positions, each as stored in the index (text/passages.h). Inside a run of characters
// written without spaces, a word is kPairMark and the pair that begins there; at the end of the run or of the term, the
// single character.
struct WordTerm {
  std::vector<std::string> words;  // 1 to kMaxPhraseWords
  bool prefix = false;             // more letters may follow the last word; never set for a single character
  bool must = false;               // a record without it is not a hit
  int times = 1;                   // number of occurrences in the query: repetition indicates the subject
  // It weighs less: no record has the word and similarly spelled forms are searched, or it is part of a compound.
  bool corrected = false;
  std::string field = {};  // the only field where it counts; empty: all fields
  // Forms that also match, with less weight: words of the index, several separated by spaces.
  std::vector<std::string> forms = {};
  std::string typed = {};  // as the caller wrote it
  bool exact = false;      // it was quoted, so it has no forms

  bool same_words(const WordTerm& other) const { return words == other.words && prefix == other.prefix && field == other.field; }
  friend auto operator<=>(const WordTerm&, const WordTerm&) = default;
};

struct WordQuery {
  std::vector<WordTerm> terms;  // searched or required; at least one; unique
  std::vector<WordTerm> excluded;
  std::vector<std::string> left_out = {};         // words as typed, dropped because there were too many
  std::optional<DetectedLanguage> language = {};  // detected from words and letters

  friend bool operator==(const WordQuery&, const WordQuery&) = default;
};

struct WordGrammar {
  bool all = false;              // every word must occur
  bool forms = false;            // calls add_word_forms() without languages of records
  std::set<std::string> fields;  // valid before a colon
  // Maximum number of terms to keep. A caller that then selects rare terms passes more than kMaxWordTerms.
  std::size_t room = kMaxWordTerms;
};

// kInvalidRequest with param "q": empty, too long, too many required or excluded terms, an excluded phrase of over
// kMaxPhraseWords words, no word to search for (only exclusions or punctuation), invalid UTF-8. The message says how to
// fix it. A quoted phrase of over kMaxPhraseWords words is searched word by word. Function words of a question ("where
// does the …") are dropped if other words remain.
Result<WordQuery> parse_word_query(std::string_view text, const WordGrammar& grammar = {});

// Adds the other forms of each term, which count as the word (text/forms/word_forms.h). Forms in the languages of
// the records are added if the language of the question is unknown.
void add_word_forms(WordQuery& query, const std::vector<Language>& of_records);

// A required word that no record can have: a query with it counts its terms and finds nothing.
WordTerm absent_term();
bool is_absent_term(const WordTerm& term);

// Returns whether the forms of some term depend on the languages of the records.
bool needs_languages(const WordQuery& query);

// Possible languages of the question's words: its own, or those of the records if it is not certain.
std::vector<Language> languages_in_question(const WordQuery& query, const std::vector<Language>& of_records);

// A match of a term in a text: characters [start, end).
struct WordRange {
  std::size_t term = 0;  // index into the query's terms
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend auto operator<=>(const WordRange&, const WordRange&) = default;
};

// Every match of a term in the text, by ascending start; at most `limit` per term. A phrase does not cross a gap of
// over kMaxWordGapChars, as in the index. The caller checks whether a term counts in this text.
std::vector<WordRange> find_terms(const WordQuery& query, std::string_view valid_utf8, std::size_t limit);

}  // namespace ladder::text
