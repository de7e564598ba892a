// Collects the hits of a search during the walk over the word index.
#pragma once

#include "store/postings/posting_walk.h"
#include "store/search/search_ranges.h"
#include "text/word_rank.h"

#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace ladder::store {

struct WordCandidate {
  std::int64_t number = 0;  // of a record, or of a text
  std::int32_t score = 0;
  std::uint32_t scope = 0;
  bool all = false;  // has every term
};

// A candidate with the counts needed for its final score.
struct CountedCandidate : WordCandidate {
  text::TermCounts counts = {};
};

// Reads the words of one row, in the searched columns.
class RowReader {
 public:
  RowReader(const text::WordQuery& query, const WordExpression& expression)
      : query_(query), expression_(expression), positions_(query) {}

  struct Found {
    bool any = false;  // has a term
    bool excluded = false;
  };
  // Adds the row's words to the accumulator.
  Found read(const PostingWalk& row, const WordScope& scope, text::WordAccumulator& accumulator);
  // A bit for each of the first 32 phrases of the expression in the row.
  std::uint32_t phrases_in(const PostingWalk& row, const WordScope& scope) const;

 private:
  const text::WordQuery& query_;
  const WordExpression& expression_;
  text::TermPositions positions_;
};

// Receives the rows of a walk one by one.
class HitSink {
 public:
  static constexpr std::int64_t kLooks = 4096;

  virtual ~HitSink() = default;
  // Returns true when the caller should check the deadline and take the results.
  virtual bool see(const PostingWalk& walk, WordRowId row) {
    look(walk, row);
    return ++looks_ % kLooks == 0 || full();
  }
  virtual bool full() const { return false; }  // needs no more rows

 protected:
  virtual void look(const PostingWalk& walk, WordRowId row) = 0;

 private:
  std::int64_t looks_ = 0;
};

// State shared by the sinks of one search.
struct HitContext {
  const text::WordQuery& query;
  const text::WordWeights& weights;
  std::span<const WordScope> scopes;
};

// Collects records that have all their words in one row. Walks WordTerms::candidates.
class SingleHits final : public HitSink {
 public:
  SingleHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks)
      : context_(context), blocks_(blocks), reader_(context.query, expression) {}

  std::vector<CountedCandidate> found;  // the caller takes them out

 private:
  void look(const PostingWalk& walk, WordRowId row) override;

  const HitContext context_;
  BlockFinder blocks_;
  RowReader reader_;
};

// Collects texts, whose terms may be in different rows. Walks WordTerms::any.
class TextHits final : public HitSink {
 public:
  TextHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks, SharedTexts shared)
      : context_(context), blocks_(blocks), shared_(std::move(shared)), reader_(context.query, expression) {}

  // Restricts the search to these texts, ascending.
  void look_at(std::span<const TextNo> texts) { texts_ = texts; }

  void end_text();                               // all rows of the last text have been seen
  std::vector<CountedCandidate> found;           // by text number; the caller takes them out
  std::vector<CountedCandidate> shared_found();  // by record number, after the last row

 private:
  struct Seen {
    text::WordAccumulator accumulator;
    std::uint32_t scope = 0;
    bool excluded = false;
  };

  void look(const PostingWalk& walk, WordRowId row) override;
  void add(std::int64_t number, const Seen& seen, std::vector<CountedCandidate>& to) const;

  const HitContext context_;
  BlockFinder blocks_;
  SharedTexts shared_;
  RowReader reader_;
  std::optional<std::span<const TextNo>> texts_;
  TextNo text_ = 0;
  std::optional<Seen> seen_;  // of text_; nullopt: it is in no scope
  std::map<RecordNo, Seen> joined_;
};

// Collects the records or texts that have a term of an expression. Walks it.
class NumbersWith final : public HitSink {
 public:
  NumbersWith(const text::WordQuery& query, const WordExpression& expression, std::span<const WordScope> scopes,
              std::span<const ScopeBlock> blocks)
      : scopes_(scopes), blocks_(blocks), reader_(query, expression) {}

  void end() { ended_ = true; }
  bool full() const override { return ended_; }
  bool see(const PostingWalk& walk, WordRowId row) override { return HitSink::see(walk, row) || found.size() >= kTakenAtOnce; }

  std::vector<WordCandidate> found;  // ascending, unique; the caller takes them out
  std::uint32_t phrases = 0;         // found, of the first 32

 private:
  static constexpr std::size_t kTakenAtOnce = 1024;

  void look(const PostingWalk& walk, WordRowId row) override;

  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  RowReader reader_;
  std::int64_t last_ = -1;
  bool ended_ = false;
};

// Finds the rows of one record that show the terms best.
class BestRows {
 public:
  explicit BestRows(const WordScope& scope) : scope_(&scope) {}

  void look(const PostingWalk& walk, WordRowId row, const HitContext& context, RowReader& reader);
  // Returns rows that together have every term of the record, best first.
  std::vector<WordRowId> choose() const;

 private:
  struct Row {
    WordRowId id = 0;
    std::int32_t score = 0;
    std::size_t terms = 0;  // number of terms in it
    std::uint32_t has = 0;  // a bit per term
  };

  static bool better(const Row& a, const Row& b);

  const WordScope* scope_;
  std::optional<Row> best_;
  std::vector<std::optional<Row>> best_of_;  // per term
};

// Finds the best rows for the hits of a page. Walks WordTerms::any over their texts.
class PassageHits final : public HitSink {
 public:
  PassageHits(const HitContext& context, const WordExpression& expression)
      : context_(context), reader_(context.query, expression) {}

  void expect(TextNo text, std::size_t hit, const WordScope& scope);
  // By hit, the best row of each first.
  std::vector<std::pair<std::size_t, WordRowId>> choose() const;

 private:
  void look(const PostingWalk& walk, WordRowId row) override;

  const HitContext context_;
  RowReader reader_;
  std::map<TextNo, std::size_t> hits_;
  std::map<std::size_t, BestRows> best_;  // by hit
};

// Counts the candidates of a search and keeps those that can be on the page: the best ones after the start position.
// Keys and times, which order ties, are looked up for these alone, or for all candidates if the order is by time.
class WordRanking {
 public:
  // `weights` may be completed later, except measured_above: kNothingMeasured, a threshold, or with `choose` one that
  // is chosen here from all candidates.
  WordRanking(const WordSearch& search, std::int64_t measured_above, bool choose);

  void add(const CountedCandidate& candidate);
  std::int64_t matches() const { return matches_; }
  std::int64_t matches_all() const { return matches_all_; }

  // Call after the last candidate: splits the kept candidates into the lists below.
  void finish();
  bool kept_all() const { return !cut_; }  // no candidate after the start position was dropped
  std::int64_t measured_above() const { return measured_above_; }
  // Candidates whose first score is over the threshold; empty if the page begins after them, unless hits are folded.
  const std::vector<CountedCandidate>& measured() const { return measured_; }
  // For a later page whose hits are folded but not measured: candidates at least as good as the last one of the head.
  const std::vector<WordCandidate>& head() const { return head_; }
  // All candidates with the score of the start position. Only key and time decide which of them come after it.
  const std::vector<WordCandidate>& ties() const { return ties_; }
  // The best of the rest: one more than the page needs, and those with the same score as the last of them.
  const std::vector<WordCandidate>& rest() const { return rest_; }
  // Removes ties in rest() that cannot be on the page.
  Status drop_ties(SearchRows& rows, std::span<const WordScope> scopes);

 private:
  void keep(const CountedCandidate& candidate);
  void prune();
  void keep_measured_above(std::int64_t score);

  const bool by_score_, choose_, folds_;
  std::int64_t measured_above_;
  std::optional<std::int64_t> head_score_;  // lowest score in the head
  const text::HitSortKey* after_;           // null: start with the best
  bool past_measured_ = false;
  const std::size_t wanted_;
  std::int64_t matches_ = 0, matches_all_ = 0;
  bool cut_ = false;
  // Until the threshold is known, measured_ has the candidates better than the worst of best_, and rest_ has its
  // equals. Only the former may be measured, so that thousands of ties need no counts.
  std::vector<CountedCandidate> measured_;
  std::vector<WordCandidate> head_, ties_, rest_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> best_;  // the best scores
  std::size_t prune_at_ = 1024;
};

}  // namespace ladder::store
