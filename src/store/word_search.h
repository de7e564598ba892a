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
#include "store/rows.h"
#include "store/text/word_query.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::store {

using WordColumns = std::uint32_t;          // a bit per column
inline constexpr int kMaxWordColumns = 32;  // searched fields of a stream

// The index interval that covers exactly the granted time range: values [from, to) of an index of the stream, or of the
// stream's order keys if index is 0; see IndexRange.
struct IndexInterval {
  IndexNo index = 0;
  std::string from, to;

  friend bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

// One stream that is searched.
struct WordScope {
  StreamNo stream = 0;
  WordColumns columns = 0;              // a term counts only in these; not 0
  WordColumns strong = 0;               // the ones with a higher weight: titles
  WordColumns context = 0;              // the ones with a lower weight: text shared by many records, such as a conversation title
  WordColumns copies = 0;               // the ones that are equal in copies of one record
  bool timed = false;                   // the order may use the records' consent times
  std::optional<Instant> since, until;  // consent times within [since, until); records without a time are excluded
  // Hints that let an engine read nothing else, so that the duration of a search reveals nothing outside the grant: the
  // index interval of [since, until), if known; and the only keys that `accept` accepts, if limited.
  std::optional<IndexInterval> interval;
  std::vector<std::string> keys;
  bool checked = false;        // each record is passed to WordSearch::accept before it counts
  bool grouped = false;        // its records are parts of a group (RankedText::groups)
  bool has_bulk_flag = false;  // its records say whether they were sent to many people (RankedText::bulk)
  // The columns where each term counts, first for WordQuery::terms, then for the excluded ones; empty: `columns` for
  // all.
  std::vector<WordColumns> term_columns = {};

  bool folds() const { return grouped || copies != 0; }  // one record may represent others
};

// A position in the order of hits.
struct HitSortKey {
  std::int64_t score = 0;
  std::optional<Instant> time;
  std::string key;
  std::size_t scope = 0;
};

enum class WordOrder : std::uint8_t { kScore, kNewest, kOldest };

// A word shared by the best hits; it raises or lowers other records that have it (top_hits.h).
struct FeedbackWord {
  std::uint32_t hash = 0;   // of the indexed word
  std::int32_t weight = 0;  // in thousandths

  friend bool operator==(const FeedbackWord&, const FeedbackWord&) = default;
};

// The statistics used for ranking the first page; later pages use the same.
struct WordWeights {
  std::vector<std::int32_t> terms;  // in thousandths
  std::uint32_t finders = 0;        // a bit per term: the terms that make a record a candidate if no term is required
  std::int64_t measured_above = 0;  // first scores above this are measured (word_rank.h); see kNothingMeasured
  std::int64_t usual_chars = 0;     // typical length of a record's text
  std::vector<FeedbackWord> feedback = {};

  friend bool operator==(const WordWeights&, const WordWeights&) = default;
};
inline constexpr std::int64_t kNothingMeasured = std::numeric_limits<std::int64_t>::max();

// The part of a record that ranking reads: its text in the searched columns.
struct RankedText {
  std::int64_t chars = 0;                // total length
  std::vector<std::string> texts;        // without context columns
  bool whole = true;                     // false: there are also longer texts, which are not read
  std::vector<std::string> groups = {};  // the groups of the record, by each of their names
  std::uint64_t wording = 0;             // of a part or a copy: equal for equal texts; 0: neither
  bool bulk = false;                     // sent to many people at once, so it counts less
};

struct WordSearch {
  const WordQuery* query = nullptr;
  std::vector<WordScope> scopes;  // each stream once
  std::optional<HitSortKey> after;
  std::int64_t limit = 0;
  WordOrder order = WordOrder::kScore;
  std::optional<WordWeights> weights = {};  // from the first page
  std::function<Result<bool>(std::size_t scope, const RecordRow& record)> accept;
  // If set, the first hit of a group, or of several with the same wording, represents the others (top_hits.h).
  bool fold = false;
  std::optional<HitSortKey> head_end = {};  // from the first page
  // If empty, nothing is measured or folded.
  std::function<RankedText(std::size_t scope, const RecordRow& record)> reading = {};
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
  HitSortKey sort_key;
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
  std::optional<HitSortKey> last = {};      // the last position examined: the next page starts here
  std::optional<HitSortKey> head_end = {};  // of a head that was not measured and does not hold every match
  bool all_in_head = true;                  // `more` and `alike` of the hits are exact
  std::int64_t matches = 0;                 // on all pages
  bool exact = true;                        // false: a lower bound
  std::int64_t ranked = 0;                  // number of ranked records
  WordWeights weights;
  std::int64_t matches_all = 0;           // number of `matches` that have every term
  std::vector<std::int64_t> counts = {};  // granted records with each term, up to kCountedRecords; only on the first page
};

}  // namespace ladder::store
