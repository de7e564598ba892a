// The query syntax: words, "quoted phrases", prefix*, +required, -excluded, field:word and field:"a phrase". A record that has
// one of the words is a hit; a quoted phrase and a +word must occur, a -word must not. A sign counts right after white space or
// at the beginning, a star right after a word or a closing quote, a field's name only if it is one of WordGrammar::fields ("re:
// offer", "12:30" and "http://…" are text). Curly, low, angled and full-width quotes and the full-width signs and star do as
// well. Anything else (punctuation, a lone quote or hyphen, a sign before a digit) only separates.
//
// Prose has no operators. From kQuotingWords words outside of quotes on, quotation marks mention words and do not require them;
// the score rewards neighbors anyway. In a text of several lines or of kProseWords words, signs, stars and field names are text.
//
// A run that makes several words ("a.b@c.d", "東京") is a phrase of them; words joined by hyphens or apostrophes are sought one
// by one, a long run of characters written without spaces by its pairs. Where every word must occur (WordGrammar::all), each run
// is a phrase, an unquoted one of over kLongestPhrase words several of that many.
#pragma once

#include "base/error/error.h"
#include "store/text/forms/function_words.h"
#include "store/text/words.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMaxWordQueryChars = 8'000;
inline constexpr std::size_t kMaxWordTerms = 32;  // sought, required and excluded together
// Before a colon these require the word, like the operators of mail programs; other fields only say where a word is sought.
inline constexpr std::string_view kFromOperator = "from", kToOperator = "to";
inline constexpr std::size_t kQuotingWords = 6, kProseWords = 24;

// Words at consecutive positions, each as it stands in the index (store/text/passages.h): inside a run of characters written
// without spaces the pair that begins there, behind kPairMark; at the end of the run, or of the term, the single character.
struct WordTerm {
  std::vector<std::string> words;  // 1 to kLongestPhrase
  bool prefix = false;             // the last word may go on; never set for a single character, which cannot
  bool must = false;               // a record without it is no hit
  int times = 1;                   // how often the query has it: a question that repeats a word is about it
  // It weighs less: no record has the word, and forms that are spelled nearly the same are sought, or it is part of a compound.
  bool corrected = false;
  std::string field = {};  // the only field where it counts; empty: all of them
  // Forms that stand for it, too, and weigh less: words of the index, several with a space between them.
  std::vector<std::string> forms = {};
  std::string typed = {};  // as the caller wrote it
  bool exact = false;      // it was quoted, so it has no forms

  bool same_words(const WordTerm& other) const { return words == other.words && prefix == other.prefix && field == other.field; }
  friend auto operator<=>(const WordTerm&, const WordTerm&) = default;
};

struct WordQuery {
  std::vector<WordTerm> terms;  // sought or required; at least one; none twice
  std::vector<WordTerm> excluded;
  std::vector<std::string> left_out = {};     // words as typed that were too many
  std::optional<ToldLanguage> language = {};  // that its words and letters tell

  friend bool operator==(const WordQuery&, const WordQuery&) = default;
};

struct WordGrammar {
  bool all = false;                      // every word must occur
  bool forms = false;                    // other forms of a word count as the word (store/text/forms/word_forms.h)
  std::vector<Language> languages = {};  // of the records: a question of which nothing tells the language has their forms, too
  std::set<std::string> fields;          // that may stand before a colon
  // How many terms are kept. A caller that chooses among them by how rare they are asks for more than kMaxWordTerms.
  std::size_t room = kMaxWordTerms;
};

// kInvalidRequest with param "q": empty, too long, too many required or excluded terms, an excluded phrase of over
// kLongestPhrase words, no word that is asked for (only exclusions or punctuation), invalid UTF-8. The message says the remedy. A
// quoted phrase of over kLongestPhrase words is sought word by word.
// Words of a question that only hold it together ("where does the …") are not sought where others are.
Result<WordQuery> parse_word_query(std::string_view text, const WordGrammar& grammar = {});

// A required word that no record can have: a query with it counts its terms and finds nothing.
WordTerm absent_term();

// The forms of some term depend on the languages of the records.
bool needs_languages(const WordQuery& query);

// The languages that the question's words may be of: its own, or those of the records if it is not sure.
std::vector<Language> languages_in_question(const WordQuery& query, const std::vector<Language>& of_records);

// The range of a term in a text: chars [start, end) from its first.
struct WordRange {
  std::size_t term = 0;  // of the query's terms
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend auto operator<=>(const WordRange&, const WordRange&) = default;
};

// Every place where a term lies in the text, by ascending start; at most `limit` of one term. A phrase does not reach across a
// gap of over kMaxWordGapChars, as in the index. Whether the term counts in this text is for the caller to know.
std::vector<WordRange> find_terms(const WordQuery& query, std::string_view valid_utf8, std::size_t limit);

}  // namespace ladder::store
