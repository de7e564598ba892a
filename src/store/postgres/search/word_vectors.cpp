#include "store/postgres/search/word_vectors.h"

#include "store/postgres/engine/wire_values.h"
#include "store/postgres/search/lexemes.h"

#include <algorithm>

namespace ladder::store::postgres {
namespace {

constexpr std::uint16_t kPlaceBits = (1 << 14) - 1;  // the others are the label

}  // namespace

VectorReader::VectorReader(const WordQuery& query, OwnerNo owner, WordColumns columns) : places_(query) {
  for (int column = 0; column < kMaxWordColumns; ++column) {
    if ((columns >> column & 1) != 0) columns_.push_back(column);
  }
  for (const WordTerm& term : query.terms) {
    Term& made = terms_.emplace_back();
    for (const std::string& word : term.words) made.words.push_back(word_no(word, term.prefix && &word == &term.words.back()));
    for (std::string_view form : term.forms) {
      std::vector<std::size_t>& words = made.forms.emplace_back();
      while (!form.empty()) {
        const std::string_view word = form.substr(0, form.find(' '));
        words.push_back(word_no(std::string(word), false));
        form.remove_prefix(std::min(form.size(), word.size() + 1));
      }
    }
  }
  std::vector<std::optional<std::string>> names;
  for (const int column : columns_) {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      std::string lexeme = lexeme_prefix(owner, column) + words_[word].text;
      if (words_[word].prefix) {
        prefixes_.push_back({std::move(lexeme), slot(column, word)});
      } else {
        names.emplace_back(lexeme);
        slots_.emplace_back(std::move(lexeme), slot(column, word));
      }
    }
  }
  std::ranges::sort(slots_);
  found_.resize(static_cast<std::size_t>(kMaxWordColumns) * words_.size());
  if (prefixes_.empty()) lexemes_ = query_array(names);
}

std::size_t VectorReader::word_no(const std::string& word, bool prefix) {
  const auto known = std::ranges::find(words_, Word{word, prefix});
  if (known != words_.end()) return static_cast<std::size_t>(known - words_.begin());
  words_.push_back({word, prefix});
  return words_.size() - 1;
}

void VectorReader::take(std::string_view lexeme, const char* places, std::uint16_t count) {
  const auto add = [&](std::size_t slot) {
    if (found_[slot].empty()) used_.push_back(slot);
    for (std::uint16_t i = 0; i < count; ++i) {
      found_[slot].push_back(get_big_endian<std::uint16_t>(places + sizeof(std::uint16_t) * i) & kPlaceBits);
    }
  };
  const auto name = [](const auto& slot) -> std::string_view { return slot.first; };
  const auto known = std::ranges::lower_bound(slots_, lexeme, {}, name);
  if (known != slots_.end() && known->first == lexeme) add(known->second);
  for (const Prefix& prefix : prefixes_) {
    if (lexeme.starts_with(prefix.lexeme)) add(prefix.slot);
  }
}

bool VectorReader::read(std::string_view vector, const WordScope& scope, WordAccumulator& accumulator) {
  for (const std::size_t slot : used_) found_[slot].clear();
  used_.clear();
  const char* at = vector.data();
  const auto lexemes = get_big_endian<std::int32_t>(at);
  at += sizeof lexemes;
  for (std::int32_t i = 0; i < lexemes; ++i) {
    const std::string_view lexeme(at);
    at += lexeme.size() + 1;
    const auto count = get_big_endian<std::uint16_t>(at);
    at += sizeof count;
    take(lexeme, at, count);
    at += sizeof(std::uint16_t) * count;
  }
  for (const std::size_t slot : used_) {
    if (!std::ranges::is_sorted(found_[slot])) std::ranges::sort(found_[slot]);
  }
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    add_phrase(term, terms_[term].words, false, scope, accumulator);
    for (const auto& form : terms_[term].forms) add_phrase(term, form, true, scope, accumulator);
  }
  return places_.end(accumulator);
}

void VectorReader::add_phrase(std::size_t term, const std::vector<std::size_t>& words, bool form, const WordScope& scope,
                              WordAccumulator& accumulator) {
  for (const int column : columns_) {
    for (const std::uint16_t place : found_[slot(column, words.front())]) {
      bool whole = true;
      for (std::size_t i = 1; i < words.size() && whole; ++i) {
        whole = std::ranges::binary_search(found_[slot(column, words[i])], static_cast<std::uint16_t>(place + i));
      }
      if (whole) places_.add(scope, term, column, place, form, accumulator);
    }
  }
}

}  // namespace ladder::store::postgres
