// Searching the word index: the query that server/ passes to a Reader, and the result (design D19). The store handles
// rows, not grants: the granted streams, columns, times and records are part of the query and are applied before
// ranking and counting, so that the result reveals nothing outside them.
//
// Hits are ordered by (score descending, time descending, records without a time last, key ascending, scope ascending),
// or by time first. word_rank.h defines the score: it uses the record's own words, and weights computed from granted
// records only. The weights are stored in the cursor, so later pages stay consistent while records change.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/rows/rows.h"
#include "text/word_query.h"
#include "text/word_rank.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::store {

// The index interval that covers exactly the granted time range: values [from, to) of an index of the stream, or of the
// stream's order keys if index is 0; see IndexRange.
struct IndexInterval {
  IndexNo index = 0;
  std::string from, to;

  friend bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

// One stream that is searched.
struct WordScope : text::ColumnWeights {
  StreamNo stream = 0;
  text::WordColumns copies = 0;         // the ones that are equal in copies of one record
  bool timed = false;                   // the order may use the records' consent times
  std::optional<Instant> since, until;  // consent times within [since, until); records without a time are excluded
  // Hints that let an engine read nothing else, so that the duration of a search reveals nothing outside the grant: the
  // index interval of [since, until), if known; and the only keys that `accept` accepts, if limited.
  std::optional<IndexInterval> interval;
  std::vector<std::string> keys;
  bool checked = false;        // each record is passed to WordSearch::accept before it counts
  bool grouped = false;        // its records are parts of a group (RankedText::groups)
  bool has_bulk_flag = false;  // its records say whether they were sent to many people (RankedText::bulk)
  // Identifies how WordSearch::reading reads a record of this scope: equal keys give equal readings, so an engine may
  // reuse one. 0: unknown.
  std::uint64_t reading_key = 0;

  bool folds() const { return grouped || copies != 0; }  // one record may represent others
  // Returns whether some records are hidden, so that the number of records must not be used.
  bool is_restricted() const { return since || until || checked || !keys.empty(); }
};

struct WordSearch {
  const text::WordQuery* query = nullptr;
  std::vector<WordScope> scopes;  // each stream once
  std::optional<text::HitSortKey> after;
  std::int64_t limit = 0;
  text::WordOrder order = text::WordOrder::kScore;
  std::optional<text::WordWeights> weights = {};  // from the first page
  std::function<Result<bool>(std::size_t scope, const RecordRow& record)> accept;
  // If set, the first hit of a group, or of several with the same wording, represents the others (top_hits.h).
  bool fold = false;
  std::optional<text::HitSortKey> head_end = {};  // from the first page
  // If empty, nothing is measured or folded.
  std::function<text::RankedText(std::size_t scope, const RecordRow& record)> reading = {};
  bool passages = true;  // return passages for hits in long texts
  Deadline deadline = Deadline::never();
  std::stop_token stop;
};

// A part of a record's text that contains the words: characters [start, end) of the field in that column.
struct WordPassage {
  int column = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend auto operator<=>(const WordPassage&, const WordPassage&) = default;
};

inline constexpr std::int64_t kIsSecond = -1;  // WordHit::more of a record that follows another one of its group

struct WordHit {
  text::HitSortKey sort_key;
  RecordRow record;
  // For a record with several index rows: passages that together contain every required term, few and best first, each
  // within WordSearch's columns. Empty: the words are in its short fields, which contain all of its text.
  std::vector<WordPassage> passages;
  std::int64_t more = 0;   // hits of its group that it represents, or kIsSecond
  std::int64_t alike = 0;  // hits with (nearly) the same wording that it represents, not counting `more`
};

struct WordPage {
  std::vector<WordHit> hits;
  bool more = false;
  std::optional<text::HitSortKey> last = {};      // the last position examined: the next page starts here
  std::optional<text::HitSortKey> head_end = {};  // of a head that was not measured and does not hold every match
  bool all_in_head = true;                        // `more` and `alike` of the hits are exact
  std::int64_t matches = 0;                       // on all pages
  bool exact = true;                              // false: a lower bound
  std::int64_t ranked = 0;                        // number of ranked records
  text::WordWeights weights;
  std::int64_t matches_all = 0;           // number of `matches` that have every term
  std::vector<std::int64_t> counts = {};  // granted records with each term, up to kCountedRecords; only on the first page
};

}  // namespace ladder::store
