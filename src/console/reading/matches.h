// Marks the words of a search in the texts of a page. Matches are numbered in the order in which they are written, so that
// links lead from one to the next.
#pragma once

#include "html/html.h"
#include "text/word_query.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::console {

class Matches {
 public:
  // `fields` are the names that are valid before a colon. A query that is empty or invalid has no matches.
  Matches(std::string_view q, std::set<std::string> fields);

  // A text of the record, and the byte ranges of its matches.
  class In {
   public:
    // Writes a part of the text, escaped, with its matches marked. `part` is a slice of the text.
    html::Writer part(std::string_view part);
    std::int64_t count(std::string_view part) const;
    std::int64_t count() const { return static_cast<std::int64_t>(ranges_.size()); }

   private:
    friend class Matches;
    In(Matches& all, std::string_view text) : all_(&all), text_(text) {}

    using Range = std::pair<std::size_t, std::size_t>;
    std::vector<Range>::const_iterator first_after(std::size_t at) const;

    Matches* all_;
    std::string_view text_;
    std::vector<Range> ranges_;           // disjoint, ascending
    std::optional<std::size_t> current_;  // an index into them
  };
  // `text` must be valid UTF-8 and outlive the result. The first match that ends after character `at` is the current one: links
  // with the fragment "at" lead to it.
  In in(std::string_view field, std::string_view text, std::optional<std::int64_t> at = {});
  html::Writer marked(std::string_view field, std::string_view text);  // a complete short text

  // The position of the first match, in characters.
  std::optional<std::int64_t> first(std::string_view field, std::string_view text) const;

  bool any_words() const { return query_.has_value(); }
  std::int64_t written() const { return written_; }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges(std::string_view field, std::string_view text) const;

  std::optional<text::WordQuery> query_;
  std::int64_t written_ = 0;
};

}  // namespace ladder::console
