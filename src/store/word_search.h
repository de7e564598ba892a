// Searching the word index: what rs/ asks a Reader and what it gets (design D19). The store knows rows, not grants: the streams,
// columns, times and records that count come with the question and are applied before anything is ranked or counted, so that what
// lies outside cannot be felt.
//
// The order is (score descending, time descending, records without one last, key ascending, scope ascending). A score depends on
// the record and the query alone: how often each term occurs in the columns that count (saturated), columns that weigh more,
// terms close together, early in the text. No statistics over other records, no clock; and the same whether a record has one
// index row or several, since a text that does not count may be what makes them several.
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "store/rows.h"
#include "store/word_query.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::store {

using WordColumns = std::uint32_t;          // a bit per column
inline constexpr int kMaxWordColumns = 32;  // searched fields of a stream

// Where the records of a time range lie, and no others: values [from, to) of an index of the stream, or with index 0 of its
// order; as IndexRange has them.
struct WordStretch {
  IndexNo index = 0;
  std::string from, to;

  friend bool operator==(const WordStretch&, const WordStretch&) = default;
};

// One stream that is searched.
struct WordScope {
  StreamNo stream = 0;
  WordColumns columns = 0;              // a term counts in these only; not 0
  WordColumns strong = 0;               // of them, those that weigh double
  bool timed = false;                   // the order may use the records' consent times
  std::optional<Instant> since, until;  // consent times within [since, until) only; records without one are outside
  // What helps an engine to look at nothing else, so that the time a search takes tells nothing of what is not granted: where the
  // records of [since, until) lie, if an index knows; and the only keys that `accept` takes, if there are only some.
  std::optional<WordStretch> stretch;
  std::vector<std::string> keys;
  bool checked = false;  // each record is shown to WordSearch::accept before it counts
};

// A place in the order.
struct WordPlace {
  std::int64_t score = 0;
  std::optional<Instant> time;
  std::string key;
  std::size_t scope = 0;
};

// Where the ranked part ends, when not every candidate was ranked: those newer than it are ranked, the rest follow by time.
struct WordHorizon {
  std::optional<Instant> time;
  std::string key;
  std::size_t scope = 0;
};

struct WordSearch {
  const WordQuery* query = nullptr;
  std::vector<WordScope> scopes;  // each stream once
  std::optional<WordPlace> after;
  std::optional<WordHorizon> horizon;  // that of the first page
  std::int64_t limit = 0;
  std::function<Result<bool>(std::size_t scope, const RecordRow& record)> accept;
  Deadline deadline = Deadline::never();
  std::stop_token stop;
};

// A part of a record's text where the words are: chars [start, end) of the field in that column.
struct WordPassage {
  int column = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend auto operator<=>(const WordPassage&, const WordPassage&) = default;
};

struct WordHit {
  WordPlace place;
  RecordRow record;
  // For a record of several index rows: passages that together hold every required term, few and best first, each within
  // WordSearch's columns. Empty: the words are in its short fields, which hold all of its text.
  std::vector<WordPassage> passages;
};

struct WordPage {
  std::vector<WordHit> hits;
  bool more = false;
  std::int64_t matches = 0;  // of all pages
  bool exact = true;         // else there are at least so many
  bool all_ranked = true;    // else only the newest were, up to `horizon`
  std::int64_t ranked = 0;   // how many were
  std::optional<WordHorizon> horizon;
};

}  // namespace ladder::store
