// Gathers the hits of a search while the rows of the word index are walked.
#pragma once

#include "store/postings/posting_walk.h"
#include "store/search/search_ranges.h"
#include "store/text/word_rank.h"

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
  bool all = false;  // it has every term
};

// With what its final score takes, if it comes to that.
struct CountedCandidate : WordCandidate {
  TermCounts counts = {};
};

// Reads the words of one row, in the columns that count.
class RowReader {
 public:
  RowReader(const WordQuery& query, const WordExpression& expression) : query_(query), expression_(expression), places_(query) {}

  struct Found {
    bool any = false;  // a term is there
    bool excluded = false;
  };
  // Adds the row's words to the accumulator.
  Found read(const PostingWalk& row, const WordScope& scope, WordAccumulator& accumulator);
  // A bit for each phrase of the expression that is there, of the first 32.
  std::uint32_t phrases_in(const PostingWalk& row, const WordScope& scope) const;

 private:
  const WordQuery& query_;
  const WordExpression& expression_;
  RowPlaces places_;
};

// Sees the rows that a walk finds, one by one.
class HitSink {
 public:
  static constexpr std::int64_t kLooks = 4096;

  virtual ~HitSink() = default;
  // True: it is time to look at the clock, and at what was gathered.
  virtual bool see(const PostingWalk& walk, WordRowId row) {
    look(walk, row);
    return ++looks_ % kLooks == 0 || full();
  }
  virtual bool full() const { return false; }  // it wants no more

 protected:
  virtual void look(const PostingWalk& walk, WordRowId row) = 0;

 private:
  std::int64_t looks_ = 0;
};

// Everything that the sinks of one search share.
struct HitContext {
  const WordQuery& query;
  const WordWeights& weights;
  std::span<const WordScope> scopes;
};

// Records that have all their words in one row. Walks WordTerms::candidates.
class SingleHits final : public HitSink {
 public:
  SingleHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks)
      : context_(context), blocks_(blocks), reader_(context.query, expression) {}

  std::vector<CountedCandidate> found;  // to be taken out

 private:
  void look(const PostingWalk& walk, WordRowId row) override;

  const HitContext context_;
  BlockFinder blocks_;
  RowReader reader_;
};

// Texts: terms may lie in different rows. Walks WordTerms::any.
class TextHits final : public HitSink {
 public:
  TextHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks, SharedTexts shared)
      : context_(context), blocks_(blocks), shared_(std::move(shared)), reader_(context.query, expression) {}

  // Only these, ascending; all unless this is called.
  void look_at(std::span<const TextNo> texts) { texts_ = texts; }

  void end_text();                               // the rows of the last one have all come
  std::vector<CountedCandidate> found;           // by text number; to be taken out
  std::vector<CountedCandidate> shared_found();  // by record number, at the end of all

 private:
  struct Seen {
    WordAccumulator accumulator;
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
  std::optional<Seen> seen_;  // of text_; none: it is in no scope
  std::map<RecordNo, Seen> joined_;
};

// The records or texts that have a term of an expression. Walks it.
class NumbersWith final : public HitSink {
 public:
  NumbersWith(const WordQuery& query, const WordExpression& expression, std::span<const WordScope> scopes,
              std::span<const ScopeBlock> blocks)
      : scopes_(scopes), blocks_(blocks), reader_(query, expression) {}

  void end() { ended_ = true; }
  bool full() const override { return ended_; }
  bool see(const PostingWalk& walk, WordRowId row) override { return HitSink::see(walk, row) || found.size() >= kTakenAtOnce; }

  std::vector<WordCandidate> found;  // ascending, each once; to be taken out
  std::uint32_t phrases = 0;         // that were there, of the first 32

 private:
  static constexpr std::size_t kTakenAtOnce = 1024;

  void look(const PostingWalk& walk, WordRowId row) override;

  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  RowReader reader_;
  std::int64_t last_ = -1;
  bool ended_ = false;
};

// The rows of one record that show the terms best.
class BestRows {
 public:
  explicit BestRows(const WordScope& scope) : scope_(&scope) {}

  void look(const PostingWalk& walk, WordRowId row, const HitContext& context, RowReader& reader);
  // Rows that together have every term that the record has, the best first.
  std::vector<WordRowId> choose() const;

 private:
  struct Row {
    WordRowId id = 0;
    std::int32_t score = 0;
    std::size_t terms = 0;  // how many of them it has
    std::uint32_t has = 0;  // which
  };

  static bool better(const Row& a, const Row& b);

  const WordScope* scope_;
  std::optional<Row> best_;
  std::vector<std::optional<Row>> best_of_;  // each term
};

// The best rows of the hits of a page. Walks WordTerms::any over their texts.
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

// Counts the candidates of a search and keeps those that can be on the page: the best ones after the place where it begins. Keys
// and times, which tell equals apart, are looked up for these alone; but where the order is by time, for all.
class WordRanking {
 public:
  // `weights` may be completed later, but for measured_above: kNothingMeasured, or a threshold, or with `choose` one that is
  // found here among all candidates.
  WordRanking(const WordSearch& search, std::int64_t measured_above, bool choose);

  void add(const CountedCandidate& candidate);
  std::int64_t matches() const { return matches_; }
  std::int64_t matches_all() const { return matches_all_; }

  // After the last candidate: divides what was kept.
  void finish();
  bool kept_all() const { return !cut_; }  // of those that come after the place
  std::int64_t measured_above() const { return measured_above_; }
  // Candidates whose first score is over the threshold; none where the page begins behind them, unless hits are folded.
  const std::vector<CountedCandidate>& measured() const { return measured_; }
  // For a later page whose hits are folded and not measured: the candidates that are as good as the last one of the head.
  const std::vector<WordCandidate>& head() const { return head_; }
  // As good as the place itself: only key and time tell which of them come after it. All there are.
  const std::vector<WordCandidate>& beside() const { return beside_; }
  // The best of the rest: one more than the page takes, and those as good as the last of them.
  const std::vector<WordCandidate>& behind() const { return behind_; }
  // Leaves out ties of behind() that cannot be on the page.
  Status drop_ties(SearchRows& rows, std::span<const WordScope> scopes);

 private:
  void keep(const CountedCandidate& candidate);
  void prune();
  void keep_measured_above(std::int64_t score);

  const bool by_score_, choose_, folds_;
  std::int64_t measured_above_;
  std::optional<std::int64_t> head_score_;  // the least of the head
  const WordPlace* after_;                  // null: from the best on
  bool past_measured_ = false;
  const std::size_t wanted_;
  std::int64_t matches_ = 0, matches_all_ = 0;
  bool cut_ = false;
  // Until the threshold is known, measured_ has the candidates that are better than the worst of best_, and behind_ has its
  // equals: only the former may be measured, so that thousands of ties need no counts.
  std::vector<CountedCandidate> measured_;
  std::vector<WordCandidate> head_, beside_, behind_;
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> best_;  // scores of the best so many
  std::size_t prune_at_ = 1024;
};

}  // namespace ladder::store
