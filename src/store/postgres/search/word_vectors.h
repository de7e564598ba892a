// Finds the places of a query's terms in word vectors as PostgreSQL sends them, so that the score is made of the same facts as on
// the other engine.
#pragma once

#include "store/rows.h"
#include "store/text/word_rank.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

class VectorReader {
 public:
  VectorReader(const WordQuery& query, OwnerNo owner, WordColumns columns);

  // The lexemes that have to be read, as an array is written; nothing: all of them, since a word may go on.
  const std::optional<std::string>& lexemes() const { return lexemes_; }
  // Adds what the vector has to the accumulator; true when anything counted.
  bool read(std::string_view vector, const WordScope& scope, WordAccumulator& accumulator);

 private:
  using Places = std::vector<std::uint16_t>;  // ascending
  struct Prefix {
    std::string lexeme;
    std::size_t slot = 0;
  };
  // Slots: one for each column and each distinct word that is asked for.
  std::size_t slot(int column, std::size_t word) const { return static_cast<std::size_t>(column) * words_.size() + word; }
  std::size_t word_no(const std::string& word, bool prefix);
  void take(std::string_view lexeme, const char* places, std::uint16_t count);
  void add_phrase(std::size_t term, const std::vector<std::size_t>& words, bool form, const WordScope& scope,
                  WordAccumulator& accumulator);

  struct Word {
    std::string text;
    bool prefix = false;
    friend bool operator==(const Word&, const Word&) = default;
  };
  struct Term {
    std::vector<std::size_t> words;  // in words_
    std::vector<std::vector<std::size_t>> forms;
  };

  std::vector<int> columns_;
  std::vector<Word> words_;
  std::vector<Term> terms_;
  std::vector<std::pair<std::string, std::size_t>> slots_;  // by lexeme, ascending
  std::vector<Prefix> prefixes_;
  std::optional<std::string> lexemes_;
  std::vector<Places> found_;  // by slot
  std::vector<std::size_t> used_;
  RowPlaces places_;
};

}  // namespace ladder::store::postgres
