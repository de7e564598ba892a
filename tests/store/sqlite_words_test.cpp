// The word index of SQLite, in more detail than the suite of every engine: its blocks after words were removed, how it
// is written and merged, and that no erased word remains in the files.
#include "store/sqlite_scene.h"

#include "store/search/search_ranges.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/posting_rows.h"
#include "store/sqlite/upkeep/sweep.h"
#include "text/passages.h"

#include <filesystem>
#include <random>
#include <set>

namespace ladder::store::sqlite {
namespace {

class WordScene : public Scene {
 public:
  WordScene() { search({"title", "body"}); }

  void search(const std::vector<std::string>& searched) {
    SourceRow source;
    source.key = "notes";
    source.source_id = "https://sources.example/notes";
    source.version = format("w{}", ++words_version_);
    source.declaration = "{}";
    source.added_at = kNow;
    const std::vector<Store::StreamFields> streams = {{"notes", {"title", "body"}, {}, searched}, {"diary", {"body"}}};
    must(store().put_source(owner().no, source, streams));
  }

  void finish_reindex() {
    for (int i = 0; i < 100'000; ++i) {
      if (must(store().reindex(Deadline::after(std::chrono::milliseconds(1))))) return;
    }
    ADD_FAILURE() << "reindexing does not come to an end";
  }

  std::multiset<std::string> keys(std::string_view text, std::optional<text::WordColumns> columns = {}) {
    std::multiset<std::string> found;
    for (const WordHit& hit : page(text, columns).hits) found.insert(hit.record.key);
    return found;
  }

  WordPage page(std::string_view text, std::optional<text::WordColumns> columns = {}) {
    const text::WordQuery query = must(text::parse_word_query(text, {.all = true, .forms = false, .fields = {}}));
    text::WordColumns all = 0;
    for (const WordColumnRow& row : must(store().catalog(owner().no)).word_columns) all |= text::WordColumns{1} << row.column;
    WordSearch search{.query = &query,
                      .scopes = {},
                      .after = {},
                      .limit = 100,
                      .accept = {},
                      .deadline = Deadline::after(std::chrono::seconds(20)),
                      .stop = {}};
    WordScope scope;
    scope.stream = target().stream;
    scope.columns = columns.value_or(all);
    search.scopes.push_back(scope);
    return must(must(store().read(kOwner))->search(search));
  }

  std::unique_ptr<Connection> look() const { return must(Connection::open(path(), Connection::Access::kRead)); }
  std::int64_t count(const char* sql) const { return must(look()->read_integer(sql)); }
  std::vector<PostingSegment> segments() const {
    const auto connection = look();
    return must(PostingRows(*connection, owner().no).segments());
  }

  // Returns every word, row, column and position in the index.
  std::multiset<std::string> instances() const {
    const auto connection = look();
    PostingRows rows(*connection, owner().no);
    std::multiset<std::string> found;
    for (const PostingSegment& segment : must(rows.segments())) {
      for (const BlockPtr& block : must(rows.blocks_after({segment.no, {}}, 1'000'000))) {
        ListReader lists(block->bytes);
        while (lists.next()) {
          PostingReader postings(lists.postings());
          while (postings.next()) {
            each_packed_position(postings.positions(), [&](int column, std::int32_t position) {
              found.insert(format("{} {} {} {}", lists.word(), postings.row(), column, position));
              return true;
            });
          }
        }
      }
    }
    return found;
  }
  void damage_blocks() const {
    must(must(Connection::open(path(), Connection::Access::kWrite))
             ->execute("UPDATE word_blocks SET block = substr(block, 1, 3)"));
  }

  bool in_files(std::string_view word) const {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path()).parent_path())) {
      if (file_bytes(entry.path()).find(word) != std::string::npos) return true;
    }
    return false;
  }

 private:
  int words_version_ = 0;
};

std::string note(std::string_view title, std::string_view body) { return format(R"({{"title":"{}","body":"{}"}})", title, body); }

std::string sentence(std::mt19937& random, int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += format("{}w{}", i == 0 ? "" : " ", random() % 300);
  return text;
}

TEST(SqliteWords, RemovedWordsLeaveNoEntries) {
  WordScene scene, fresh;
  std::mt19937 random(20261116);
  std::map<std::string, std::string> live;
  // Batches that add, change, delete and restore rows in random id order.
  for (int round = 0; round < 30; ++round) {
    std::vector<RecordWrite> batch;
    for (int i = 0; i < 40; ++i) {
      const std::string key = format("k{}", random() % 120);
      if (random() % 4 == 0) {
        batch.push_back(deletion(key));
        live.erase(key);
        continue;
      }
      live[key] = note(sentence(random, 3), sentence(random, 20));
      batch.push_back(record_write(scene.store(), key, live[key]));
    }
    must(scene.store().write(scene.target(), batch, kNow));
  }
  scene.expect_sound();
  // Compares the words without their rows: row numbers differ between the two stores.
  const auto words = [](const WordScene& of) {
    std::multiset<std::string> found;
    for (const std::string& instance : of.instances()) {
      const std::size_t space = instance.find(' ');
      found.insert(instance.substr(0, space) + instance.substr(instance.find(' ', space + 1)));
    }
    return found;
  };
  for (const auto& [key, data] : live) fresh.put(key, data);
  EXPECT_FALSE(words(fresh).empty());
  EXPECT_EQ(words(scene), words(fresh));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(words(scene), words(fresh)) << "merging changes nothing";
}

TEST(SqliteWords, ATransactionWritesOneSegmentForAnyRowOrder) {
  WordScene scene;
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 200; ++i) batch.push_back(record_write(scene.store(), format("k{:03}", i), note("old", format("o{}", i))));
  must(scene.store().write(scene.target(), batch, kNow));
  EXPECT_EQ(scene.segments().size(), 1u);
  batch.clear();
  for (int i = 199; i >= 0; --i) {
    batch.push_back(record_write(scene.store(), format("k{:03}", i * 77 % 200), note("new", format("n{}", i))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  EXPECT_EQ(scene.segments().size(), 2u);
  EXPECT_EQ(scene.page("new").matches, 200);
  EXPECT_EQ(scene.page("old").matches, 0);
}

TEST(SqliteWords, AnUpdateOfOtherFieldsWritesNoWords) {
  WordScene scene;
  scene.put("a", R"({"title":"same words","body":"here","size":1})");
  const std::vector<PostingSegment> before = scene.segments();
  EXPECT_EQ(scene.put("a", R"({"title":"same words","body":"here","size":2})"), Outcome::kChanged);
  EXPECT_EQ(scene.put("a", R"({"size":2,"body":"here","title":"same words"})"), Outcome::kChanged);
  EXPECT_EQ(scene.segments(), before);
  EXPECT_EQ(scene.keys("same"), std::multiset<std::string>{"a"});
  scene.expect_sound();
}

TEST(SqliteWords, SmallWritesDoNotPileUpSegments) {
  WordScene scene;
  std::mt19937 random(7);
  std::size_t most = 0;
  for (int i = 0; i < 600; ++i) {
    scene.put(format("k{}", random() % 50), note(sentence(random, 2), sentence(random, 15)));
    most = std::max(most, scene.segments().size());
  }
  EXPECT_LE(most, 40u);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_LT(scene.segments().size(), 16u);
  scene.expect_sound();
}

TEST(SqliteWords, NothingOfErasedWordsIsLeft) {
  WordScene scene;
  // These words share no first letters with others, so that prefix compression cannot hide a remainder.
  scene.put("a", note("zyxerased", "qqqerased in passing"));
  scene.put("b", note("kept", "jjjkept " + std::string(4'000, 'v') + " xxxkept"));
  scene.put("c", note("long", "hhherased " + sentence(*std::make_unique<std::mt19937>(3), 3'000)));
  scene.put("a", note("other", "words"));
  scene.erase("c");
  EXPECT_FALSE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::milliseconds(0)))).complete);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  for (const char* word : {"zyxerased", "qqqerased", "hhherased"}) EXPECT_FALSE(scene.in_files(word)) << word;
  EXPECT_TRUE(scene.in_files("jjjkept")) << "the search must find existing words";
  EXPECT_EQ(scene.keys("xxxkept"), std::multiset<std::string>{"b"});
  EXPECT_EQ(scene.count("SELECT count(*) FROM texts"), 1);
  scene.expect_sound();
}

// The transaction that deletes a record removes its words from the index, in every segment.
TEST(SqliteWords, AnErasureLeavesNoWordInAnyBlock) {
  WordScene scene;
  std::mt19937 random(8);
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 3'000; ++i) {
    batch.push_back(record_write(scene.store(), format("k{}", i), note(format("u{:x}", random()), sentence(random, 30))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  scene.put("secret", note("zyxerased", "words"));
  for (int i = 0; i < 20; ++i) scene.put(format("more{}", i), note("more", format("words{}", i)));
  const auto has_it = [&] {
    return std::ranges::any_of(scene.instances(), [](const std::string& one) { return one.starts_with("zyxerased"); });
  };
  EXPECT_TRUE(has_it());
  scene.erase("secret");
  EXPECT_FALSE(has_it());
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_FALSE(scene.in_files("zyxerased"));
  EXPECT_EQ(scene.page("more").matches, 20);
  scene.expect_sound();
}

TEST(SqliteWords, ALongTextIsIndexedInResumableSteps) {
  WordScene scene;
  std::mt19937 random(11);
  scene.put("long", note("heading", sentence(random, 30'000) + " needle"));
  scene.put("short", note("heading", "needle"));
  scene.search({"body"});
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "short"})) << "the body was searched all the time";
  int calls = 0;
  while (!must(scene.store().reindex(Deadline::after(std::chrono::milliseconds(0))))) {
    ++calls;
    scene.expect_sound();
    EXPECT_EQ(scene.page("needle").matches, 2);
    if (calls > 1'000) FAIL() << "it does not go on where it stopped";
  }
  EXPECT_GT(calls, 1);
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "short"}));
  EXPECT_TRUE(scene.keys("heading").empty());
  // The old words of the long text wait for the sweep, which derives them from the record's chunks.
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.count("SELECT count(*) FROM loose_values"), 0);
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "short"}));
  scene.expect_sound();
}

TEST(SqliteWords, OldWordsAreRemovedBeforeTheirChunks) {
  WordScene scene;
  std::mt19937 random(12);
  scene.put("long", note("heading", sentence(random, 8'000)));
  scene.search({"body"});
  scene.finish_reindex();
  scene.erase("long");  // both the old texts and the new ones are waiting now
  scene.expect_sound();
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.count("SELECT count(*) FROM passages"), 0);
  EXPECT_EQ(scene.count("SELECT count(*) FROM chunks"), 0);
  EXPECT_TRUE(scene.instances().empty());
  scene.expect_sound();
}

TEST(SqliteWords, ANewTokenizerStopsWritesUntilInit) {
  WordScene scene;
  scene.put("a", note("found", "before"));
  must(must(Connection::open(scene.path(), Connection::Access::kWrite))
           ->execute("UPDATE meta SET value = value + 1 WHERE key = 'words_version'; CREATE TABLE x(y); DROP TABLE x"));
  scene.reopen();
  EXPECT_EQ(scene.keys("found"), std::multiset<std::string>{"a"}) << "reads go on";
  std::vector<RecordWrite> batch = {deletion("a")};
  const auto refused = scene.store().write(scene.target(), batch, kNow);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
  EXPECT_NE(refused.error().message.find("ladder init"), std::string::npos) << refused.error().message;
  const auto renewed = must(open_sqlite(scene.path(), OpenMode::kCreate));
  while (!must(renewed->reindex(Deadline::after(std::chrono::milliseconds(10))))) {
  }
  scene.reopen();
  EXPECT_EQ(scene.keys("found"), std::multiset<std::string>{"a"});
  EXPECT_EQ(scene.erase("a"), Outcome::kDeleted);
  EXPECT_TRUE(scene.keys("found").empty());
  scene.expect_sound();
}

TEST(SqliteWords, DetectsBrokenRows) {
  WordScene scene;
  std::mt19937 random(5);
  scene.put("a", note("one", "two"));
  scene.put("b", note("three", sentence(random, 4'000)));
  scene.expect_sound();
  const auto broken = [&](const char* breaks, const char* repairs) {
    must(must(Connection::open(scene.path(), Connection::Access::kWrite))->execute(breaks));
    EXPECT_FALSE(must(scene.store().check_invariants()).empty()) << breaks;
    must(must(Connection::open(scene.path(), Connection::Access::kWrite))->execute(repairs));
    scene.expect_sound();
  };
  broken("UPDATE word_blocks SET sum = sum + 1", "UPDATE word_blocks SET sum = sum - 1");
  broken("UPDATE word_segments SET last_row = last_row - (1 << 30)", "UPDATE word_segments SET last_row = last_row + (1 << 30)");
  broken("UPDATE word_segments SET segment_no = segment_no + 1000", "UPDATE word_segments SET segment_no = segment_no - 1000");
  broken("UPDATE records SET word_mask = word_mask | 16", "UPDATE records SET word_mask = word_mask & ~16");
  broken("UPDATE passages SET start_char = start_char + 1", "UPDATE passages SET start_char = start_char - 1");
  broken("UPDATE texts SET record_no = record_no + 1000", "UPDATE texts SET record_no = record_no - 1000");
  broken("UPDATE word_columns SET state = 1", "UPDATE word_columns SET state = 0");
}

void fill(WordScene& scene) {
  std::mt19937 random(17);
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 400; ++i) {
    batch.push_back(record_write(scene.store(), format("k{}", i), note(format("u{:x}", random()), sentence(random, 30))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
}

TEST(SqliteWords, DamagedBlocksAreATypedErrorAndCanBeRebuilt) {
  WordScene scene;
  fill(scene);
  scene.put("a", note("needle", "words"));
  scene.damage_blocks();
  scene.reopen();
  const text::WordQuery query = must(text::parse_word_query("needle"));
  WordSearch search;
  search.query = &query;
  search.scopes.emplace_back();
  search.scopes[0].stream = scene.target().stream;
  search.scopes[0].columns = 3;
  search.limit = 10;
  const auto refused = must(scene.store().read(scene.owner().no))->search(search);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kDamagedData);
  EXPECT_NE(refused.error().message.find("ladder doctor --repair"), std::string::npos) << refused.error().message;
  must(scene.store().clear_word_index());
  scene.finish_reindex();
  EXPECT_EQ(scene.keys("needle"), std::multiset<std::string>{"a"});
  scene.expect_sound();
}

TEST(SqliteWords, RebuildsEmptiedWordsFromTheRecords) {
  WordScene scene;
  fill(scene);
  std::mt19937 random(4);
  scene.put("long", note("needle", sentence(random, 6'000)));
  must(must(Connection::open(scene.path(), Connection::Access::kWrite))
           ->execute("DELETE FROM word_blocks WHERE key = (SELECT max(key) FROM word_blocks)"));
  EXPECT_FALSE(must(scene.store().check_invariants()).empty());
  must(scene.store().clear_word_index());
  scene.put("while", note("needle", "written meanwhile"));
  scene.finish_reindex();
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "while"}));
  scene.expect_sound();
}

TEST(SqliteWords, AFailedPrepareMakesEveryUseAnError) {
  WordScene scene;
  const auto connection = scene.look();
  Statement statement = connection->prepare("SELECT x FROM nowhere WHERE y = ?1");
  statement.integer(1, 1).maybe_integer(2, std::nullopt).blob(1, "b").text(1, "t");
  statement.reset();
  const auto step = statement.step();
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::kStoreUnavailable);
  EXPECT_FALSE(statement.run());
  EXPECT_TRUE(statement.is_null(0));
  EXPECT_EQ(statement.integer_at(0), 0);
  EXPECT_EQ(statement.bytes_at(0), "");
}

TEST(SqliteWords, FewRangesCoverTheBlocks) {
  const std::vector<ScopeBlock> blocks = {{10, 20, 0}, {20, 30, 1}, {40, 50, 0}};
  const std::vector<RowRange> ranges = row_ranges(blocks);
  ASSERT_EQ(ranges.size(), 2u) << "neighbors are one range";
  EXPECT_EQ(ranges[0].first, first_row(10));
  EXPECT_EQ(ranges[0].last, last_row(29));
  EXPECT_EQ(ranges[1].last, last_row(49));
  std::vector<ScopeBlock> many;
  for (std::int64_t i = 0; i < 100; ++i) many.push_back({i * 1'000, i * 1'000 + 100 + i, 0});
  const std::vector<RowRange> few = row_ranges(many);
  EXPECT_LE(few.size(), 16u);
  EXPECT_EQ(few.front().first, first_row(0));
  EXPECT_EQ(few.back().last, last_row(many.back().end - 1));
  EXPECT_TRUE(row_ranges({}).empty());
}

}  // namespace
}  // namespace ladder::store::sqlite
