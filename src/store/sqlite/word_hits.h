// What a search gathers from the rows of the word index while FTS5 walks them.
#pragma once

#include "store/sqlite/word_expression.h"
#include "store/sqlite/word_ranges.h"
#include "store/sqlite/word_score.h"
#include "store/sqlite/word_tokenizer.h"

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
};

// Reads the words of one row, in the columns that count.
class RowReader {
 public:
  explicit RowReader(const WordTerms& terms) : terms_(terms), places_(terms.required) {}

  // Adds the row's words to the tally; true when a required term is there.
  bool read(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, WordTally& tally);
  static bool has_any(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, int first, int end);

 private:
  struct Place {
    int column;
    std::int32_t place;
  };

  bool read_one(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, WordTally& tally);
  std::int32_t closest(std::size_t term) const;  // it and the next one

  const WordTerms& terms_;
  std::vector<std::vector<Place>> places_;  // of each term, in the row that is read
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

// Records that have all their words in one row. Walks WordTerms::all.
class SingleHits final : public CountingSink {
 public:
  SingleHits(const WordTerms& terms, std::span<const WordScope> scopes, std::span<const ScopeBlock> blocks)
      : terms_(terms), scopes_(scopes), blocks_(blocks), reader_(terms) {}

  // From now on, when it has been shown a few rows, it looks at all that have the one term, whatever the range: that takes a
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

  const WordTerms& terms_;
  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  RowReader reader_;
  Pause pause_;
  bool walked_ = false;
  int few_left_ = 0;
};

// Texts: terms may lie in different rows. Walks WordTerms::any.
class TextHits final : public CountingSink {
 public:
  TextHits(const WordTerms& terms, std::span<const WordScope> scopes, std::span<const ScopeBlock> blocks, SharedTexts shared)
      : terms_(terms), scopes_(scopes), blocks_(blocks), shared_(std::move(shared)), reader_(terms) {}

  void end_text();                            // the rows of the last one have all come
  std::vector<WordCandidate> found;           // by text number; to be taken out
  std::vector<WordCandidate> shared_found();  // by record number, at the end of all

 private:
  struct Seen {
    explicit Seen(std::size_t terms) : tally(terms) {}
    WordTally tally;
    std::uint32_t scope = 0;
    bool excluded = false;
  };

  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;
  bool matches(const Seen& seen) const;

  const WordTerms& terms_;
  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  SharedTexts shared_;
  RowReader reader_;
  TextNo text_ = 0;
  std::optional<Seen> seen_;  // of text_; none: it is in no scope
  std::map<RecordNo, Seen> joined_;
};

// The texts in which a term is found, as long as these are few. Walks one of WordTerms::each.
class FewTexts final : public CountingSink {
 public:
  static constexpr std::size_t kMostRows = 500;

  FewTexts(std::span<const WordScope> scopes, std::span<const ScopeBlock> blocks) : scopes_(scopes), blocks_(blocks) {}

  bool full() const override { return rows_ > kMostRows; }
  std::vector<TextNo> texts;  // ascending; all of them unless it is full

 private:
  void look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) override;

  std::span<const WordScope> scopes_;
  BlockFinder blocks_;
  std::size_t rows_ = 0;
};

// The rows of one record that show the terms best. Walks WordTerms::any over its texts.
class BestRows final : public CountingSink {
 public:
  BestRows(const WordTerms& terms, const WordScope& scope)
      : terms_(terms), scope_(scope), reader_(terms), best_of_(terms.required) {}

  // Rows that together have every term, the best first.
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

  const WordTerms& terms_;
  const WordScope& scope_;
  RowReader reader_;
  std::optional<Row> best_;
  std::vector<std::optional<Row>> best_of_;  // each term
};

}  // namespace ladder::store::sqlite
