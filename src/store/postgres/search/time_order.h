// Candidates of a search one after the other by time: a merge of what the streams have, each asked for its next ones when they
// are needed. A source is a stream that is walked, or a whole group that is asked through the word index.
#pragma once

#include "store/postgres/search/word_group.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ladder::store::postgres {

class TimeOrder {
 public:
  // Begins after `from`; from the beginning when there is none.
  TimeOrder(Connection& connection, const WordScoring& scoring, std::optional<TimePlace> from)
      : connection_(connection), scoring_(scoring), from_(std::move(from)) {}

  void add_walks(const WordGroup& group);   // its streams, each by time
  void add_lookup(const WordGroup& group);  // all of it by the word index
  void add_candidates(WordCandidates candidates);

  // The next ones, up to `count` and up to `last` inclusive. Fewer: there are no more.
  Result<WordCandidates> next(std::size_t count, const std::optional<TimePlace>& last);

 private:
  struct Source {
    const WordGroup* group = nullptr;
    const WordStream* stream = nullptr;  // null: the group
    TimePlace seen;                      // everything up to here has been fetched
    bool begun = false, exhausted = false;
    std::int64_t batch = 0;  // how many it gives at a time
  };

  // Up to where everything is known; nullopt: everything is.
  std::optional<TimePlace> known_upto() const;
  Status fetch(std::size_t wanted);
  std::vector<Source*> choose(std::size_t wanted);
  Status fetch_lookup(Source& source);
  Status fetch_walks(std::span<Source* const> sources);
  void take(WordCandidates fetched);

  Connection& connection_;
  const WordScoring scoring_;
  const std::optional<TimePlace> from_;
  std::vector<Source> sources_;
  WordCandidates waiting_;  // by time, from next_ on
  std::size_t next_ = 0;
};

}  // namespace ladder::store::postgres
