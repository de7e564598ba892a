// Posting lists are read as FTS5 itself reads them, whatever was written, taken out and merged before: rows, phrases, columns and
// places of random expressions over random rows, beside FTS5's own walk over the same.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/posting_walk.h"
#include "store/sqlite/search/word_hits.h"
#include "store/sqlite/search/word_rows.h"
#include "store/sqlite/upkeep/word_merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ladder::store::sqlite {
namespace {

constexpr WordPart kPart{NumberKind::kRecords, 0};
constexpr std::int64_t kNumbers = 3'000;

// Lists everything that is to be seen of each row.
class Seen final : public CountingSink {
 public:
  explicit Seen(const WordExpression& expression) : expression_(expression) {}
  // Row, phrase, column and place; a row itself has -1 for the others.
  std::vector<std::array<std::int64_t, 4>> places;

 private:
  void look(const RowPhrases& phrases, WordRowId row) override {
    places.push_back({row, -1, -1, -1});
    for (std::size_t i = 0; i < expression_.phrases.size(); ++i) {
      if (expression_.phrases[i].kind == PhraseMeaning::Kind::kAgain) continue;
      phrases.each_place(i, [&](int column, int place) {
        places.push_back({row, static_cast<std::int64_t>(i), column, place});
        return true;
      });
    }
  }
  const WordExpression& expression_;
};

class Postings : public ::testing::Test {
 protected:
  Postings() : writer_(must(Connection::open(scene_.path(), Connection::Access::kWrite))) { must(make_part(*writer_, kPart)); }

  std::int64_t one_of(std::int64_t choices) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(choices)); }

  // Few words are frequent and most are rare.
  std::string word() {
    const std::int64_t rank = one_of(1 + one_of(1 + one_of(400)));
    return format("w{}{}", rank, rank % 7 == 0 ? "longer" : "");
  }
  std::string sentence(std::int64_t words) {
    std::string text;
    for (; words > 0; --words) text += (text.empty() ? "" : " ") + word();
    return text;
  }
  // Now and then with more places than a page holds.
  RowWords row_words() {
    RowWords words;
    for (int column = 0; column < 4; ++column) {
      if (one_of(3) == 0) continue;
      words.push_back({column, sentence(one_of(60) == 0 ? 200 + one_of(6'000) : 1 + one_of(12))});
    }
    return words;
  }

  void change(WordRows& rows) {
    const WordRowId id = first_row(one_of(kNumbers)) + (one_of(4) == 0 ? one_of(3) : 0);
    const auto known = model_.find(id);
    if (known != model_.end()) must(rows.remove({NumberKind::kRecords, id}, known->second));
    if (known != model_.end()) model_.erase(known);
    RowWords words = one_of(4) == 0 ? RowWords{} : row_words();
    if (words.empty()) return;
    must(rows.add({NumberKind::kRecords, id}, words));
    model_[id] = std::move(words);
  }
  void write(int changes) {
    must(writer_->execute("BEGIN IMMEDIATE"));
    WordRows rows(*writer_);
    for (int i = 0; i < changes; ++i) change(rows);
    must(rows.flush());
    if (one_of(3) == 0) must(use_part(*writer_, PartSql::kMerge, kPart).integer(1, 1 + one_of(8)).run());
    if (one_of(8) == 0) must(use_part(*writer_, PartSql::kMerge, kPart).integer(1, -4).run());
    must(writer_->execute("COMMIT"));
  }

  WordQuery query() {
    WordQuery made;
    for (std::int64_t terms = 1 + one_of(4); terms > 0; --terms) {
      WordTerm term;
      for (std::int64_t words = one_of(3) == 0 ? 2 + one_of(2) : 1; words > 0; --words) term.words.push_back(word());
      for (std::int64_t forms = one_of(3); forms > 0; --forms) term.forms.push_back(sentence(1 + one_of(2)));
      term.must = one_of(5) == 0;
      made.terms.push_back(std::move(term));
    }
    if (one_of(4) == 0) made.excluded.push_back({.words = {word()}});
    return made;
  }

  std::vector<std::array<std::int64_t, 4>> by_fts5(const WordExpression& expression, const RowRange& range) {
    Seen seen(expression);
    reader_->show_hits_to(&seen);
    {
      Statement rows = use_part(*reader_, PartSql::kHits, kPart);
      rows.text(1, expression.text).integer(2, range.first).integer(3, range.last);
      while (must(rows.step())) {
      }
    }
    reader_->show_hits_to(nullptr);
    return seen.places;
  }
  std::vector<std::array<std::int64_t, 4>> by_postings(const WordExpression& expression, const RowRange& range,
                                                       const AscendingWords& looked_up = {}) {
    Seen seen(expression);
    PartSegments segments = must(part_segments(*reader_, kPart));
    if (!looked_up.empty()) must(look_up_words(segments, std::make_shared<const AscendingWords>(looked_up)));
    PostingWalk walk(segments, expression);
    for (WordRowId from = range.first;;) {
      const std::optional<WordRowId> row = walk.next(from, range.last);
      if (!row) break;
      seen.see(RowPhrases(walk), *row);
      from = *row + 1;
    }
    must(segments.status());
    return seen.places;
  }

  void compare() {
    reader_ = must(Connection::open(scene_.path(), Connection::Access::kRead));
    for (int i = 0; i < 25 && !HasFailure(); ++i) {
      const WordQuery asked = query();
      WordWeights weights;
      weights.finders = static_cast<std::uint32_t>(1 + one_of((1 << asked.terms.size()) - 1));
      const WordTerms terms(asked);
      const bool any = one_of(3) == 0;
      const WordExpression expression = any ? terms.any() : terms.candidates(weights);
      ASSERT_TRUE(PostingWalk::serves(expression));
      RowRange range{0, last_row(kNumbers)};
      if (one_of(3) == 0) range.first = first_row(one_of(kNumbers));
      if (one_of(3) == 0) range.last = std::max(range.first, last_row(one_of(kNumbers)));
      const auto wanted = by_fts5(expression, range);
      EXPECT_TRUE(by_postings(expression, range) == wanted) << expression.text;
      EXPECT_TRUE(by_postings(expression, range, words_of(asked)) == wanted) << expression.text;
      found_ += wanted.size();
    }
  }

  Scene scene_;
  std::unique_ptr<Connection> writer_, reader_;
  std::map<WordRowId, RowWords> model_;
  std::mt19937_64 random_{20261117};
  std::size_t found_ = 0;
};

TEST_F(Postings, AreReadAsFts5ReadsThem) {
  std::size_t most_segments = 0;
  for (int round = 0; round < 30 && !HasFailure(); ++round) {
    write(round == 0 ? 2'000 : static_cast<int>(one_of(120)));
    compare();
    most_segments = std::max(most_segments, must(part_segments(*reader_, kPart)).segments.size());
  }
  EXPECT_GT(found_, 100'000U) << "most expressions find something";
  EXPECT_GT(most_segments, 4U);
}

TEST_F(Postings, ADamagedPageIsATypedError) {
  write(500);
  must(writer_->execute("UPDATE words_r0_data SET block = substr(block, 1, 3) WHERE id > 10"));
  reader_ = must(Connection::open(scene_.path(), Connection::Access::kRead));
  const PartSegments segments = must(part_segments(*reader_, kPart));
  EXPECT_TRUE(PostingList(segments, "w0longer").ended());
  const Status read = segments.status();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kStoreUnavailable);
  EXPECT_NE(read.error().message.find("ladder doctor --repair"), std::string::npos) << read.error().message;
}

// Bytes that no FTS5 wrote: an error, or an end, and no reading beyond the page.
TEST_F(Postings, PagesOfRandomBytesEndSomehow) {
  write(500);
  for (int i = 0; i < 300; ++i) {
    must(writer_->execute("SAVEPOINT before_damage"));
    // Every third time the largest number that there is, as a row id it would be the last of all.
    const std::string_view largest("\xBF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", kLongestNumber);
    std::string damage(i % 3 == 0 ? largest : std::string_view());
    for (std::int64_t left = i % 3 == 0 ? 0 : 1 + one_of(6); left > 0; --left) damage += static_cast<char>(one_of(256));
    must(writer_
             ->prepare("UPDATE words_r0_data SET block = CAST(substr(block, 1, ?1) || ?2 || substr(block, ?1 + length(?2) + 1) "
                       "AS BLOB) WHERE id > 10")
             .integer(1, i % 3 == 0 ? 4 + i % 60 : one_of(200))
             .blob(2, damage)
             .run());
    const PartSegments segments = must(part_segments(*writer_, kPart));
    const WordQuery asked = query();
    const WordExpression expression = WordTerms(asked).any();
    PostingWalk walk(segments, expression);
    Seen seen(expression);
    int rows = 0;
    for (WordRowId from = 0; rows < 100'000; ++rows) {
      const std::optional<WordRowId> row = walk.next(from, std::numeric_limits<WordRowId>::max() - 1);
      if (!row) break;
      seen.see(RowPhrases(walk), *row);
      from = *row + 1;
    }
    EXPECT_LT(rows, 100'000);
    must(writer_->execute("ROLLBACK TO before_damage; RELEASE before_damage"));
  }
}

}  // namespace
}  // namespace ladder::store::sqlite
