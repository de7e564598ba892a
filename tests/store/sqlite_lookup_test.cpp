// All words of a query are looked up in the segments of the word index together. What that finds is what opening each list by
// itself finds; what it costs is counted in pages that are read.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/posting_list.h"
#include "store/sqlite/search/word_rows.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

constexpr WordPart kPart{NumberKind::kRecords, 0};

// Counts the pages of the word index that connections read by themselves, and not through FTS5, while it lives.
class PageReads {
 public:
  explicit PageReads(Connection& connection) { count_of(connection.handle()); }
  // Of every connection that is opened from now on, in this thread or another.
  PageReads() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
  ~PageReads() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
  PageReads(const PageReads&) = delete;
  PageReads& operator=(const PageReads&) = delete;

  static std::int64_t during(const auto& work) {
    const std::int64_t before = reads;
    work();
    return reads - before;
  }

 private:
  static int note(unsigned, void*, void*, void* text) {
    const std::string_view sql = static_cast<const char*>(text);
    if (sql.starts_with("SELECT block FROM words_") && sql.ends_with("WHERE id = ?1")) ++reads;
    return 0;
  }
  static void count_of(sqlite3* db) { sqlite3_trace_v2(db, SQLITE_TRACE_STMT, &note, nullptr); }
  static int watch(sqlite3* db, const char**, const void*) {
    count_of(db);
    return SQLITE_OK;
  }

  static inline std::int64_t reads = 0;
};

// Every spelling that is one letter away.
AscendingWords spellings_of(const std::string& word) {
  std::set<std::string> made;
  for (std::size_t at = 0; at <= word.size(); ++at) {
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      made.insert(word.substr(0, at) + letter + word.substr(at));
      if (at < word.size()) made.insert(word.substr(0, at) + letter + word.substr(at + 1));
    }
    if (at < word.size()) made.insert(word.substr(0, at) + word.substr(at + 1));
  }
  made.erase(word);
  return {made.begin(), made.end()};
}

class Lookup : public ::testing::Test {
 protected:
  Lookup() : writer_(must(Connection::open(scene_.path(), Connection::Access::kWrite))) { must(make_part(*writer_, kPart)); }

  std::int64_t one_of(std::int64_t choices) { return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(choices)); }
  // Many words begin alike, and some with bytes beyond ASCII.
  std::string word(std::int64_t letters) {
    std::string made;
    for (std::int64_t left = 1 + one_of(7); left > 0; --left) made += static_cast<char>('a' + one_of(letters));
    return one_of(20) == 0 ? made + "é" + made : made;
  }
  std::string sentence(std::int64_t words, std::int64_t letters) {
    std::string text;
    for (; words > 0; --words) text += (text.empty() ? "" : " ") + word(letters);
    return text;
  }
  // A commit is a segment of its own until it is merged with others.
  void write(std::int64_t rows, std::int64_t words, std::int64_t letters) {
    must(writer_->execute("BEGIN IMMEDIATE"));
    WordRows to(*writer_);
    for (; rows > 0; --rows) {
      const WordRowId id = first_row(next_++);
      RowWords made{{static_cast<int>(one_of(4)), sentence(1 + one_of(words), letters)}};
      must(to.add({NumberKind::kRecords, id}, made));
      if (one_of(4) == 0 && !written_.empty()) {
        const auto taken = std::next(written_.begin(), one_of(std::ssize(written_)));
        must(to.remove({NumberKind::kRecords, taken->first}, taken->second));
        written_.erase(taken);
      }
      written_[id] = std::move(made);
    }
    must(to.flush());
    if (one_of(4) == 0) must(use_part(*writer_, PartSql::kMerge, kPart).integer(1, 1 + one_of(8)).run());
    must(writer_->execute("COMMIT"));
  }
  void open() { reader_ = must(Connection::open(scene_.path(), Connection::Access::kRead)); }

  // Segment and word wherever a list of its own is found.
  static std::set<std::pair<std::size_t, std::string>> one_by_one(const PartSegments& part, const AscendingWords& words) {
    std::set<std::pair<std::size_t, std::string>> found;
    for (std::size_t segment = 0; segment < part.segments.size(); ++segment) {
      for (const std::string& word : words) {
        SegmentPostings postings(part, part.segments[segment]);
        postings.seek(word);
        if (!postings.ended()) found.emplace(segment, word);
      }
    }
    must(part.status());
    return found;
  }
  static std::vector<WordRowId> rows_of(const PartSegments& part, const std::string& word) {
    std::vector<WordRowId> rows;
    for (PostingList list(part, word); !list.ended(); list.next_from(list.row() + 1)) rows.push_back(list.row());
    must(part.status());
    return rows;
  }

  Scene scene_;
  std::unique_ptr<Connection> writer_, reader_;
  std::map<WordRowId, RowWords> written_;
  std::int64_t next_ = 0;
  std::mt19937_64 random_{20261118};
};

TEST_F(Lookup, FindsWhatEveryListByItselfFinds) {
  std::size_t found = 0, absent = 0, most_segments = 0;
  for (int round = 0; round < 25 && !HasFailure(); ++round) {
    write(round % 5 == 0 ? 400 : 1 + one_of(30), 30, 2 + round % 4);
    open();
    const PartSegments alone = must(part_segments(*reader_, kPart));
    std::set<std::string> asked;
    for (int i = 0; i < 200; ++i) asked.insert(word(2 + one_of(5)));
    asked.insert({"", "a", "zzzz", "é"});
    const auto words = std::make_shared<const AscendingWords>(asked.begin(), asked.end());
    PartSegments together = alone;
    must(look_up_words(together, words));
    std::set<std::pair<std::size_t, std::string>> places;
    for (const SegmentPlace& place : together.places) places.emplace(place.segment, (*words)[place.word]);
    EXPECT_TRUE(places == one_by_one(alone, *words)) << "round " << round;
    for (const std::string& one : *words) {
      EXPECT_EQ(rows_of(together, one), rows_of(alone, one)) << one;
      (together.places_of(one)->empty() ? absent : found) += 1;
    }
    EXPECT_FALSE(together.places_of("never asked for"));
    most_segments = std::max(most_segments, alone.segments.size());
  }
  EXPECT_GT(found, 500U);
  EXPECT_GT(absent, 500U);
  EXPECT_GT(most_segments, 4U);
}

TEST_F(Lookup, ReadsAPageOnceForAllWordsOnIt) {
  write(6'000, 12, 20);
  write(400, 12, 20);
  write(1, 1, 20);
  open();
  const PageReads reads(*reader_);
  PartSegments part = must(part_segments(*reader_, kPart));
  const auto words = std::make_shared<const AscendingWords>(spellings_of("bcdea"));
  std::set<std::pair<std::int64_t, std::int64_t>> pages;
  for (const WordSegment& segment : part.segments) {
    for (const std::string& word : *words) {
      pages.emplace(segment.id, must(page_of_key(part, segment, segment_key(word))));
    }
  }
  EXPECT_LT(pages.size() * 3, words->size() * part.segments.size()) << "neighbours are on one page";
  EXPECT_LE(PageReads::during([&] { must(look_up_words(part, words)); }), std::ssize(pages));

  std::size_t absent = 0;
  for (const std::string& word : *words) {
    const auto places = part.places_of(word);
    absent += places->empty() ? 1 : 0;
    // The second page is of rows that begin behind the word's own.
    EXPECT_LE(PageReads::during([&] { PostingList(part, word); }), 2 * std::ssize(*places)) << word;
  }
  EXPECT_GT(absent, words->size() / 2);
  EXPECT_LT(absent, words->size());
}

TEST_F(Lookup, ADamagedPageIsATypedError) {
  write(500, 12, 20);
  must(writer_->execute("UPDATE words_r0_data SET block = substr(block, 1, 3) WHERE id > 10"));
  open();
  PartSegments part = must(part_segments(*reader_, kPart));
  const Status read = look_up_words(part, std::make_shared<const AscendingWords>(AscendingWords{"word"}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kStoreUnavailable);
}

// Bytes that no FTS5 wrote: an error, or an end, and no reading beyond the page.
TEST_F(Lookup, PagesOfRandomBytesEndSomehow) {
  write(500, 30, 10);
  const auto words = std::make_shared<const AscendingWords>(spellings_of("abcde"));
  for (int i = 0; i < 300; ++i) {
    must(writer_->execute("SAVEPOINT before_damage"));
    std::string damage;
    for (std::int64_t left = 1 + one_of(6); left > 0; --left) damage += static_cast<char>(one_of(256));
    // At the front, where the first words are, or at the end, where the footer is.
    must(writer_
             ->prepare("UPDATE words_r0_data SET block = CAST(substr(block, 1, iif(?1 < 0, length(block) + ?1, ?1)) || ?2 || "
                       "substr(block, iif(?1 < 0, length(block) + ?1, ?1) + length(?2) + 1) AS BLOB) WHERE id > 10")
             .integer(1, one_of(2) == 0 ? one_of(200) : -7 - one_of(100))
             .blob(2, damage)
             .run());
    PartSegments part = must(part_segments(*writer_, kPart));
    if (const Status read = look_up_words(part, words); !read) {
      EXPECT_EQ(read.error().code, Code::kStoreUnavailable);
    }
    must(writer_->execute("ROLLBACK TO before_damage; RELEASE before_damage"));
  }
}

// Spellings that nobody has cost a search no more than the pages on which they would stand.
TEST(LookupCost, OfASearchGrowsWithThePagesAndNotWithTheSpellings) {
  const PageReads reads;
  Scene scene;
  SourceRow source;
  source.key = "notes";
  source.source_id = "https://sources.example/notes";
  source.version = "searched";
  source.declaration = "{}";
  source.added_at = kNow;
  const std::vector<Store::StreamFields> streams = {{"notes", {"title", "body"}, {}, {"title", "body"}}, {"diary", {"body"}}};
  must(scene.store().put_source(scene.owner().no, source, streams));
  for (int i = 0; i < 40; ++i) {
    scene.put(format("n{:02}", i), format(R"({{"title":"note {}","body":"the garden of {}{}"}})", i, i % 8 == 0 ? "harbour " : "",
                                          i % 9 == 0 ? std::string(9'000, 'x') : "none"));
  }
  scene.reopen();

  const auto search = [&](const std::string& word, const AscendingWords& forms) {
    WordQuery query;
    query.terms.push_back({.words = {word}, .forms = forms});
    WordSearch asked;
    asked.query = &query;
    WordScope& scope = asked.scopes.emplace_back();
    scope.stream = scene.target().stream;
    scope.columns = 3;
    asked.limit = 20;
    asked.passages = false;
    return must(must(scene.store().read())->search(asked));
  };
  std::int64_t pages = 0;
  {
    const auto connection = must(Connection::open(scene.path(), Connection::Access::kRead));
    for (const WordPart& part : must(word_parts(*connection))) {
      pages += must(connection->read_integer(("SELECT count(*) FROM " + part.table() + "_idx").c_str()));
    }
  }
  (void)search("garden", {});
  std::vector<std::string> few, many;
  const std::int64_t of_few = PageReads::during([&] {
    for (const WordHit& hit : search("harbor", {"harbour"}).hits) few.push_back(hit.record.key);
  });
  const std::int64_t of_many = PageReads::during([&] {
    for (const WordHit& hit : search("harbor", spellings_of("harbor")).hits) many.push_back(hit.record.key);
  });
  EXPECT_EQ(few.size(), 5U);
  EXPECT_EQ(many, few);
  EXPECT_GT(of_few, 0);
  EXPECT_LE(of_many, of_few + pages) << "of " << spellings_of("harbor").size() << " spellings";
}

}  // namespace
}  // namespace ladder::store::sqlite
