// What a search gathers from the rows of the word index while FTS5 walks them.
#pragma once

#include "store/sqlite/word_expression.h"
#include "store/sqlite/word_ranges.h"
#include "store/sqlite/word_tokenizer.h"
#include "store/word_rank.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace ladder::store::sqlite {

struct WordCandidate {
  std::int64_t number = 0;  // of a record, or of a text
  std::int32_t score = 0;
  std::uint32_t scope = 0;
  bool all = false;  // it has every term
};

// Reads the words of one row, in the columns that count.
class RowReader {
 public:
  RowReader(const WordQuery& query, const WordExpression& expression) : query_(query), expression_(expression), places_(query) {}

  struct Found {
    bool any = false;  // a term is there
    bool excluded = false;
  };
  // Adds the row's words to the tally.
  Found read(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, WordTally& tally);
  // A bit for each phrase of the expression that is there, of the first 32.
  std::uint32_t phrases_in(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope) const;

 private:
  const WordQuery& query_;
  const WordExpression& expression_;
  RowPlaces places_;
};

// Hands over a row now and then, so that whoever steps can look at the clock, and at what was found.
class CountingSink : public HitSink {
 public:
  static constexpr std::int64_t kLooks = 4096;

  bool hit(const Fts5ExtensionApi& api, Fts5Context* context) override {
    look(api, context, api.xRowid(context));
    return ++looks_ % kLooks == 0 || full();
  }
  virtual bool full() const { return false; }  // it wants no more

 protected:
  virtual void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) = 0;

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
class SingleHits final : public CountingSink {
 public:
  SingleHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks)
      : context_(context), blocks_(blocks), reader_(context.query, expression) {}

  // From now on, when it has been shown a few rows, it looks at all that have the one phrase, whatever the range: that takes a
  // third off what a hit costs, and to begin costs as much as some of them. `pause` is called now and then, and says whether to
  // go on. Null: one by one, as they are shown. Until it has walked nothing may be taken out, so with several ranges it begins at
  // once.
  using Pause = std::function<bool()>;
  void walk_alone(Pause pause, bool several_ranges) {
    pause_ = std::move(pause);
    walked_ = false;
    few_left_ = several_ranges ? 0 : kFew;
  }

  bool hit(const Fts5ExtensionApi& api, Fts5Context* context) override;
  bool full() const override { return walked_; }

  std::vector<WordCandidate> found;  // to be taken out

 private:
  static constexpr int kFew = 32;

  static int show(const Fts5ExtensionApi* api, Fts5Context* context, void* self);

  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;

  const HitContext context_;
  BlockFinder blocks_;
  RowReader reader_;
  Pause pause_;
  bool walked_ = false;
  int few_left_ = 0;
};

// Texts: terms may lie in different rows. Walks WordTerms::any.
class TextHits final : public CountingSink {
 public:
  TextHits(const HitContext& context, const WordExpression& expression, std::span<const ScopeBlock> blocks, SharedTexts shared)
      : context_(context), blocks_(blocks), shared_(std::move(shared)), reader_(context.query, expression) {}

  // Only these, ascending; all unless this is called.
  void look_at(std::span<const TextNo> texts) { texts_ = texts; }

  void end_text();                            // the rows of the last one have all come
  std::vector<WordCandidate> found;           // by text number; to be taken out
  std::vector<WordCandidate> shared_found();  // by record number, at the end of all

 private:
  struct Seen {
    WordTally tally;
    std::uint32_t scope = 0;
    bool excluded = false;
  };

  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;
  void add(std::int64_t number, const Seen& seen, std::vector<WordCandidate>& to) const;

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
class NumbersWith final : public CountingSink {
 public:
  NumbersWith(const WordQuery& query, const WordExpression& expression, std::span<const WordScope> scopes,
              std::span<const ScopeBlock> blocks)
      : scopes_(scopes), blocks_(blocks), reader_(query, expression) {}

  void end() { ended_ = true; }
  bool full() const override { return ended_; }
  bool hit(const Fts5ExtensionApi& api, Fts5Context* context) override {
    return CountingSink::hit(api, context) || found.size() >= kTakenAtOnce;
  }

  std::vector<WordCandidate> found;  // ascending, each once; to be taken out
  std::uint32_t phrases = 0;         // that were there, of the first 32

 private:
  static constexpr std::size_t kTakenAtOnce = 1024;

  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;

  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  RowReader reader_;
  std::int64_t last_ = -1;
  bool ended_ = false;
};

// The rows of one record that show the terms best. Walks WordTerms::any over its texts.
class BestRows final : public CountingSink {
 public:
  BestRows(const HitContext& context, const WordExpression& expression, const WordScope& scope)
      : context_(context), scope_(scope), reader_(context.query, expression), best_of_(context.query.terms.size()) {}

  // Rows that together have every term that the record has, the best first.
  std::vector<WordRowId> choose() const;

 private:
  struct Row {
    WordRowId id = 0;
    std::int32_t score = 0;
    std::size_t terms = 0;  // how many of them it has
    std::uint32_t has = 0;  // which
  };

  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;
  static bool better(const Row& a, const Row& b);

  const HitContext context_;
  const WordScope& scope_;
  RowReader reader_;
  std::optional<Row> best_;
  std::vector<std::optional<Row>> best_of_;  // each term
};

}  // namespace ladder::store::sqlite
