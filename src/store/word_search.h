// Searching the word index: what server/ asks a Reader and what it gets (design D19). The store knows rows, not grants: the
// streams, columns, times and records that count come with the question and are applied before anything is ranked or counted, so
// that what lies outside cannot be felt.
//
// The order is (score descending, time descending, records without one last, key ascending, scope ascending), or by time
// first. word_rank.h tells what a score is made of: the record's own words, and weights that come from granted records alone and
// travel with the cursor, so that one page follows the other whatever comes and goes meanwhile.
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

// The records of a time range, and no others: values [from, to) of an index of the stream, or with index 0 of its
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
  WordColumns strong = 0;               // of them, those that weigh more: titles
  WordColumns context = 0;              // of them, those that weigh less: what many records share, as their conversation's title
  WordColumns copies = 0;               // of them, those in which copies of one record have the same
  bool timed = false;                   // the order may use the records' consent times
  std::optional<Instant> since, until;  // consent times within [since, until) only; records without one are outside
  // Hints that let an engine look at nothing else, so that the time a search takes tells nothing of what is not granted: where
  // the records of [since, until) lie, if an index knows; and the only keys that `accept` takes, if there are only some.
  std::optional<WordStretch> stretch;
  std::vector<std::string> keys;
  bool checked = false;     // each record is shown to WordSearch::accept before it counts
  bool grouped = false;     // its records are parts of something (WordReading::groups)
  bool tells_bulk = false;  // its records say whether they went to many people at once (WordReading::bulk)
  // The columns where each term counts, first of WordQuery::terms, then of the excluded ones; empty: `columns` for all.
  std::vector<WordColumns> term_columns = {};

  bool folds() const { return grouped || copies != 0; }  // one of its records may stand for others
};

// A place in the order.
struct WordPlace {
  std::int64_t score = 0;
  std::optional<Instant> time;
  std::string key;
  std::size_t scope = 0;
};

enum class WordOrder : std::uint8_t { kScore, kNewest, kOldest };

// A word that the best hits share, which moves others that have it (word_head.h).
struct FeedbackWord {
  std::uint32_t hash = 0;   // of the word as in the index
  std::int32_t weight = 0;  // in thousandths

  friend bool operator==(const FeedbackWord&, const FeedbackWord&) = default;
};

// The statistics that the first page of a search ranked by; the others do, too.
struct WordWeights {
  std::vector<std::int32_t> terms;  // in thousandths
  std::uint32_t finders = 0;        // a bit per term: those that make a record a candidate, where none is required
  std::int64_t measured_above = 0;  // first scores over it are measured (word_rank.h); see kNothingMeasured
  std::int64_t usual_chars = 0;     // of a record's text
  std::vector<FeedbackWord> feedback = {};

  friend bool operator==(const WordWeights&, const WordWeights&) = default;
};
inline constexpr std::int64_t kNothingMeasured = std::numeric_limits<std::int64_t>::max();

// The part of a record that the ranking reads: its text in the columns that count.
struct WordReading {
  std::int64_t chars = 0;                // of all of it
  std::vector<std::string> texts;        // its own words, without context
  bool whole = true;                     // else there are longer texts, too, which are not read
  std::vector<std::string> groups = {};  // what the record is part of, by every name that it has
  std::uint64_t wording = 0;             // of a part or a copy: equal for equal texts; 0: it is neither
  bool bulk = false;                     // the record was sent to many people at once, so it counts less
};

struct WordSearch {
  const WordQuery* query = nullptr;
  std::vector<WordScope> scopes;  // each stream once
  std::optional<WordPlace> after;
  std::int64_t limit = 0;
  WordOrder order = WordOrder::kScore;
  std::optional<WordWeights> weights = {};  // those of the first page
  std::function<Result<bool>(std::size_t scope, const RecordRow& record)> accept;
  // Of the hits of one group, and of those with one wording, the first stands for the others (word_head.h).
  bool fold = false;
  std::optional<WordPlace> head_end = {};  // that of the first page
  // None: nothing is measured or folded.
  std::function<WordReading(std::size_t scope, const RecordRow& record)> reading = {};
  bool passages = true;  // hits tell where in their long texts the words are
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

inline constexpr std::int64_t kIsSecond = -1;  // WordHit::more of a record that follows another one of its group

struct WordHit {
  WordPlace place;
  RecordRow record;
  // For a record of several index rows: passages that together hold every required term, few and best first, each within
  // WordSearch's columns. Empty: the words are in its short fields, which hold all of its text.
  std::vector<WordPassage> passages;
  std::int64_t more = 0;   // hits of its group that it stands for, or kIsSecond
  std::int64_t alike = 0;  // hits of its wording, or nearly of it, that it stands for, but for those
};

struct WordPage {
  std::vector<WordHit> hits;
  bool more = false;
  std::optional<WordPlace> last = {};      // that was looked at: where the next page goes on
  std::optional<WordPlace> head_end = {};  // of a head that was not measured and does not hold every match
  bool all_in_head = true;                 // so that `more` and `alike` of the hits are exact
  std::int64_t matches = 0;                // of all pages
  bool exact = true;                       // else there are at least so many
  std::int64_t ranked = 0;                 // how many were
  WordWeights weights;
  std::int64_t matches_all = 0;           // of `matches`, those that have every term
  std::vector<std::int64_t> counts = {};  // of each term, granted records that have it, up to kCountedRecords; of a first page
};

}  // namespace ladder::store
