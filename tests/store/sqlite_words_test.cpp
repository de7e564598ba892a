// The word index of SQLite, looked at from closer than the suite of every engine does: what FTS5 holds after words were taken
// out, how it is written and merged, and that nothing of erased words is left in the files.
#include "store/sqlite_scene.h"

#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/fts5_format.h"
#include "store/sqlite/search/posting_list.h"
#include "store/sqlite/search/word_ranges.h"
#include "store/sqlite/upkeep/sweep.h"
#include "store/sqlite/upkeep/word_merge.h"
#include "store/text/passages.h"

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

  std::multiset<std::string> keys(std::string_view text, std::optional<WordColumns> columns = {}) {
    std::multiset<std::string> found;
    for (const WordHit& hit : page(text, columns).hits) found.insert(hit.record.key);
    return found;
  }

  WordPage page(std::string_view text, std::optional<WordColumns> columns = {}) {
    const WordQuery query = must(parse_word_query(text, {.all = true, .forms = false, .fields = {}}));
    WordColumns all = 0;
    for (const WordColumnRow& row : must(store().catalog(owner().no)).word_columns) all |= WordColumns{1} << row.column;
    WordSearch search{.query = &query,
                      .scopes = {},
                      .after = {},
                      .horizon = {},
                      .limit = 100,
                      .accept = {},
                      .deadline = Deadline::after(std::chrono::seconds(20)),
                      .stop = {}};
    WordScope scope;
    scope.stream = target().stream;
    scope.columns = columns.value_or(all);
    search.scopes.push_back(scope);
    return must(must(store().read())->search(search));
  }

  std::unique_ptr<Connection> look() const { return must(Connection::open(path(), Connection::Access::kRead)); }
  std::int64_t count(const char* sql) const { return must(look()->read_integer(sql)); }
  std::size_t segments(const WordPart& part = {}) const { return must(read_segments(*look(), part)).ids().size(); }

  std::size_t levels(const WordPart& part = {}) const { return must(read_segments(*look(), part)).levels.size(); }

  // Every word, row, column and place that the index holds.
  std::multiset<std::string> instances() const {
    const auto connection = look();
    std::multiset<std::string> found;
    for (const WordPart& part : must(word_parts(*connection))) {
      must(connection->execute("DROP TABLE IF EXISTS temp.seen"));
      must(connection->execute(
          format("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, {}, instance)", part.table()).c_str()));
      Statement rows = connection->prepare("SELECT term, doc, col, offset FROM temp.seen");
      while (must(rows.step())) {
        found.insert(format("{} {} {} {}", rows.string_at(0), rows.integer_at(1), rows.string_at(2), rows.integer_at(3)));
      }
    }
    return found;
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

TEST(SqliteWords, WhatIsTakenOutLeavesNoGhosts) {
  WordScene scene, fresh;
  std::mt19937 random(20261116);
  std::map<std::string, std::string> live;
  // Batches in which rows come, change, go and come again, in no order of their ids.
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
  // The words alone, without their rows: numbers differ between the two stores.
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

TEST(SqliteWords, ATransactionMakesOneSegmentWhateverTheOrderOfItsRows) {
  WordScene scene;
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 200; ++i) batch.push_back(record_write(scene.store(), format("k{:03}", i), note("old", format("o{}", i))));
  must(scene.store().write(scene.target(), batch, kNow));
  EXPECT_EQ(scene.segments(), 1u);
  batch.clear();
  for (int i = 199; i >= 0; --i) {
    batch.push_back(record_write(scene.store(), format("k{:03}", i * 77 % 200), note("new", format("n{}", i))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  EXPECT_EQ(scene.segments(), 2u);
  EXPECT_EQ(scene.page("new").matches, 200);
  EXPECT_EQ(scene.page("old").matches, 0);
}

TEST(SqliteWords, AnUpdateOfOtherFieldsWritesNoWords) {
  WordScene scene;
  scene.put("a", R"({"title":"same words","body":"here","size":1})");
  const std::size_t before = scene.segments();
  EXPECT_EQ(scene.put("a", R"({"title":"same words","body":"here","size":2})"), Outcome::kChanged);
  EXPECT_EQ(scene.put("a", R"({"size":2,"body":"here","title":"same words"})"), Outcome::kChanged);
  EXPECT_EQ(scene.segments(), before);
  EXPECT_EQ(scene.count("SELECT sum(dirty) FROM word_parts"), 0) << "nothing was taken out";
  EXPECT_EQ(scene.keys("same"), std::multiset<std::string>{"a"});
  scene.expect_sound();
}

TEST(SqliteWords, SmallWritesDoNotPileUpSegments) {
  WordScene scene;
  std::mt19937 random(7);
  std::size_t most = 0;
  for (int i = 0; i < 600; ++i) {
    scene.put(format("k{}", random() % 50), note(sentence(random, 2), sentence(random, 15)));
    most = std::max(most, scene.segments());
  }
  EXPECT_LE(most, 40u);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.segments(), 1u) << "words were taken out, so all was rewritten";
  scene.expect_sound();
}

TEST(SqliteWords, NothingOfErasedWordsIsLeft) {
  WordScene scene;
  // Alone at their first letters, so that no neighbour in the index shares a beginning with them and hides the rest.
  scene.put("a", note("zyxerased", "qqqerased in passing"));
  scene.put("b", note("kept", "jjjkept " + std::string(4'000, 'v') + " xxxkept"));
  scene.put("c", note("long", "hhherased " + sentence(*std::make_unique<std::mt19937>(3), 3'000)));
  scene.put("a", note("other", "words"));
  scene.erase("c");
  EXPECT_FALSE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::milliseconds(0)))).complete);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  for (const char* word : {"zyxerased", "qqqerased", "hhherased"}) EXPECT_FALSE(scene.in_files(word)) << word;
  EXPECT_TRUE(scene.in_files("jjjkept")) << "the look itself must see what is there";
  EXPECT_EQ(scene.keys("xxxkept"), std::multiset<std::string>{"b"});
  EXPECT_EQ(scene.count("SELECT count(*) FROM texts"), 1);
  scene.expect_sound();
}

TEST(SqliteWords, AnErasureGoesOnWhileOthersWrite) {
  WordScene scene;
  std::mt19937 random(8);
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 3'000; ++i) {
    batch.push_back(record_write(scene.store(), format("k{}", i), note(format("u{:x}", random()), sentence(random, 30))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
  for (int i = 0; i < 8; ++i) scene.put(format("more{}", i), note("more", format("words{}", i)));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  ASSERT_GE(must(read_segments(*scene.look(), WordPart{})).levels.size(), 2u) << "not all on the level of new ones";
  scene.put("secret", note("zyxerased", "words"));
  scene.erase("secret");
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  must(connection->execute("BEGIN IMMEDIATE"));
  must(erase_some(*connection, {}));
  must(connection->execute("COMMIT"));
  ASSERT_EQ(scene.count("SELECT count(*) FROM word_parts WHERE erasing <> x''"), 1) << "a step is a part of it";
  // More new segments than are being merged, and too few to be merged themselves: FTS5 would do nothing now.
  for (int i = 0; i < 6; ++i) scene.put(format("new{}", i), note("new", format("words{}", i)));
  EXPECT_EQ(must(read_segments(*scene.look(), WordPart{})).next_merge(), nullptr);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.count("SELECT count(*) FROM word_parts WHERE dirty <> 0 OR erasing <> x''"), 0);
  EXPECT_FALSE(scene.in_files("zyxerased"));
  EXPECT_EQ(scene.page("new").matches, 6);
  scene.expect_sound();
}

// FTS5 would rewrite such a part in one step, however large it is, since it has nothing to write.
TEST(SqliteWords, APartOfWhichNothingLivesGoesInSteps) {
  constexpr int kTexts = 15;
  WordScene scene;
  std::mt19937 random(12);
  for (int i = 0; i < kTexts; ++i) {
    scene.put(format("long{}", i), note("heading", sentence(random, 20'000) + format(" zyxerased{} needle", i)));
  }
  scene.put("short", note("heading", "needle"));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  const auto parts = [&] { return scene.count("SELECT count(*) FROM word_parts WHERE part % 2 = 1"); };
  const auto retired = [&] {
    return scene.count("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'retired_*' AND sql LIKE 'CREATE VIRTUAL%'");
  };
  ASSERT_EQ(parts(), 1);
  for (int i = 0; i < kTexts; ++i) scene.erase(format("long{}", i));
  // The words of the texts go first; then the part is retired, and has its pages still.
  {
    Writer writer(scene.path());
    while (must(dead_texts_due(*scene.look()))) {
      WriteTransaction transaction = must(writer.begin());
      must(drop_dead_texts(transaction));
      must(transaction.commit());
    }
    for (int steps = 0; retired() == 0; ++steps) {
      ASSERT_LT(steps, 2'000);
      const auto due = must(word_upkeep_due(*scene.look()));
      ASSERT_TRUE(due);
      must(keep_up_words(writer, *due, false));
    }
  }
  EXPECT_EQ(parts(), 0);
  const std::int64_t pages = scene.count("SELECT count(*) FROM retired_words_t0_data");
  EXPECT_GT(pages, 32) << "more than go between two looks at the clock";
  // Meanwhile others search and write, into the part that is made anew.
  EXPECT_EQ(scene.keys("needle"), std::multiset<std::string>{"short"});
  scene.put("later", note("heading", sentence(random, 20'000) + " needle"));
  EXPECT_EQ(parts(), 1);
  EXPECT_EQ(retired(), 1);
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"short", "later"}));
  // Another sweep that finds the new part empty, too, leaves it until the first is gone.
  {
    const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
    must(connection->execute("BEGIN IMMEDIATE; UPDATE word_parts SET dirty = 1; DELETE FROM passages"));
    must(erase_some(*connection, {NumberKind::kTexts, 0}));
    EXPECT_EQ(must(connection->read_integer("SELECT count(*) FROM word_parts WHERE part % 2 = 1")), 1);
    must(connection->execute("ROLLBACK"));
  }
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(retired(), 0);
  EXPECT_EQ(scene.count("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'retired_*'"), 0);
  for (int i = 0; i < kTexts; ++i) EXPECT_FALSE(scene.in_files(format("zyxerased{}", i))) << i;
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"short", "later"}));
  scene.expect_sound();
}

TEST(SqliteWords, ALongTextIsBroughtIntoColumnsInStepsThatGoOn) {
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
  // The old words of the long text wait for the sweep, and the chunks they are worked out from are the record's.
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.count("SELECT count(*) FROM loose_values"), 0);
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "short"}));
  scene.expect_sound();
}

TEST(SqliteWords, OldWordsGoBeforeTheChunksTheyAreWorkedOutFrom) {
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

TEST(SqliteWords, OtherRulesForWordsStopWritesUntilInit) {
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

TEST(SqliteWords, BrokenRowsAreNoticed) {
  WordScene scene;
  std::mt19937 random(5);
  scene.put("a", note("one", "two"));
  scene.put("b", note("three", sentence(random, 4'000)));
  scene.expect_sound();
  const auto broken = [&](const char* breaks, const char* mends) {
    must(must(Connection::open(scene.path(), Connection::Access::kWrite))->execute(breaks));
    EXPECT_FALSE(must(scene.store().check_invariants()).empty()) << breaks;
    must(must(Connection::open(scene.path(), Connection::Access::kWrite))->execute(mends));
    scene.expect_sound();
  };
  broken("INSERT INTO words_r0(rowid, c0) VALUES(77 << 20, 'ghost')",
         "INSERT INTO words_r0(words_r0, rowid, c0) VALUES('delete', 77 << 20, 'ghost')");
  broken("INSERT INTO words_r0(words_r0, rowid, c0) SELECT 'delete', record_no << 20, 'one' FROM records WHERE key = x'61'",
         "INSERT INTO words_r0(rowid, c0) SELECT record_no << 20, 'one' FROM records WHERE key = x'61'");
  broken("UPDATE records SET word_mask = word_mask | 16", "UPDATE records SET word_mask = word_mask & ~16");
  broken("UPDATE passages SET start_char = start_char + 1", "UPDATE passages SET start_char = start_char - 1");
  broken("UPDATE texts SET record_no = record_no + 1000", "UPDATE texts SET record_no = record_no - 1000");
  broken("UPDATE word_columns SET state = 1", "UPDATE word_columns SET state = 0");
}

// Enough words that a new segment is smaller than the one they are in: FTS5 then keeps both on levels of their own.
void fill(WordScene& scene) {
  std::mt19937 random(17);
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 400; ++i) {
    batch.push_back(record_write(scene.store(), format("k{}", i), note(format("u{:x}", random()), sentence(random, 30))));
  }
  must(scene.store().write(scene.target(), batch, kNow));
}

TEST(SqliteWords, DeletionsAndSweepsLeaveFewLevels) {
  WordScene scene;
  fill(scene);
  std::size_t most = 0;
  for (int i = 0; i < 60; ++i) {
    if (i % 3 == 0) scene.put(format("k{}", i), note("replaced", format("words{}", i)));
    else scene.erase(format("k{}", i));
    EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
    most = std::max(most, scene.levels());
  }
  EXPECT_GT(most, 2u) << "the rewriting that makes levels took place";
  EXPECT_LE(most, kMaxLevels + 2);
  EXPECT_EQ(scene.page("replaced").matches, 20);
  scene.expect_sound();
}

// The structure record as it was after a thousand deletions: the same segments behind so many levels without any.
std::string with_empty_levels(std::string_view block, std::size_t levels) {
  const auto had = static_cast<unsigned char>(block[4]);
  const std::size_t now = levels + had;
  std::string more(block.substr(0, 4));
  more += {static_cast<char>(0x80 | now >> 7), static_cast<char>(now & 0x7F)};
  more += block.substr(5, 2);  // how many segments, how many writes
  more.append(2 * levels, '\0');
  return more + std::string(block.substr(7));
}

void ruin(WordScene& scene) {
  must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  std::string block;
  {
    Statement row = use_part(*connection, PartSql::kSegments, {});
    ASSERT_TRUE(must(row.step()));
    block = with_empty_levels(row.bytes_at(0), 2'001);
  }
  ASSERT_EQ(must(read_segments(*connection, {})).ids(), parse_segments(block)->ids());
  must(use_part(*connection, PartSql::kSetSegments, {}).blob(1, block).run());
}

// The store is left as if a merge had ended too early. The look at the pages finds what remains, and the erasure begins again.
TEST(SqliteWords, AnErasureIsConfirmedByALookAtThePages) {
  WordScene scene;
  fill(scene);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_FALSE(must(has_removal_marks(*scene.look(), WordPart{})));
  scene.put("secret", note("zyxerased", "words"));
  scene.erase("secret");
  EXPECT_TRUE(must(has_removal_marks(*scene.look(), WordPart{})));
  must(must(Connection::open(scene.path(), Connection::Access::kWrite))
           ->execute("UPDATE word_parts SET dirty = 0, erasing = CAST('look' AS BLOB)"));
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_FALSE(must(has_removal_marks(*scene.look(), WordPart{})));
  EXPECT_FALSE(scene.in_files("zyxerased"));
  scene.expect_sound();
}

TEST(SqliteWords, TooManyLevelsAreATypedErrorAndOpeningRepairsThem) {
  WordScene scene;
  fill(scene);
  scene.put("a", note("needle", "words"));
  ruin(scene);
  {
    // A connection that has not yet used the index, as a new process has.
    const auto fresh = must(Connection::open(scene.path(), Connection::Access::kWrite));
    const Status refused = use_part(*fresh, PartSql::kAdd, {}).unbind().integer(1, 1).text(2, "word").run();
    ASSERT_FALSE(refused) << "FTS5 knows no more than 2,000";
    EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
    EXPECT_NE(refused.error().message.find("ladder doctor --repair"), std::string::npos) << refused.error().message;
  }
  scene.reopen();
  EXPECT_LE(scene.levels(), kMaxLevels);
  EXPECT_EQ(scene.keys("needle"), std::multiset<std::string>{"a"}) << "nothing is lost, and nothing has to be indexed again";
  EXPECT_EQ(scene.erase("a"), Outcome::kDeleted);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_TRUE(scene.keys("needle").empty());
  scene.expect_sound();
}

TEST(SqliteWords, AnUnreadableStructureIsRepairedByOpeningAndReindexing) {
  WordScene scene;
  fill(scene);
  scene.put("a", note("needle", "words"));
  must(must(Connection::open(scene.path(), Connection::Access::kWrite))
           ->execute("UPDATE words_r0_data SET block = x'00000000FFFFFFFF' WHERE id = 10"));
  scene.reopen();
  scene.finish_reindex();
  EXPECT_EQ(scene.keys("needle"), std::multiset<std::string>{"a"});
  scene.expect_sound();
}

TEST(SqliteWords, ThePagesOfThisLibraryAreKnown) { EXPECT_TRUE(fts5_pages_are_known()); }

TEST(SqliteWords, AnIndexOfAnUnknownFormatIsKeptAndSearched) {
  WordScene scene;
  fill(scene);
  scene.put("a", note("needle", "words"));
  scene.put("b", note("needle", "gone soon"));
  const UnknownFts5Format unknown;
  scene.reopen();
  EXPECT_EQ(must(scene.store().catalog(scene.owner().no)).word_columns.size(), 2U);
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"a", "b"})) << "nothing was dropped";
  EXPECT_EQ(scene.erase("b"), Outcome::kDeleted);
  EXPECT_TRUE(must(scene.store().sweep(kNow, Deadline::after(std::chrono::seconds(30)))).complete);
  EXPECT_EQ(scene.keys("needle"), std::multiset<std::string>{"a"});
  scene.expect_sound();
}

// A newer FTS5 marks its tables with another version. Ladder leaves them as they are.
TEST(SqliteWords, OpeningDropsNothingWhoseVersionIsUnknown) {
  WordScene scene;
  fill(scene);
  scene.close();
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  must(
      connection->execute("UPDATE words_r0_config SET v = 99 WHERE k = 'version';"
                          "UPDATE words_r0_data SET block = x'00000000FFFFFFFF' WHERE id = 10"));
  scene.reopen();
  EXPECT_EQ(must(connection->read_integer("SELECT count(*) FROM word_parts")), 1);
  EXPECT_EQ(must(connection->read_integer("SELECT count(*) FROM words_r0_data WHERE id = 10 AND block = x'00000000FFFFFFFF'")),
            1);
}

TEST(SqliteWords, EmptiedWordsComeBackFromTheRecords) {
  WordScene scene;
  fill(scene);
  std::mt19937 random(4);
  scene.put("long", note("needle", sentence(random, 6'000)));
  // Words that no record has, and a record whose words are gone.
  must(must(Connection::open(scene.path(), Connection::Access::kWrite))
           ->execute("INSERT INTO words_r0(rowid, c0) VALUES(77 << 20, 'ghost')"));
  EXPECT_FALSE(must(scene.store().check_invariants()).empty());
  must(scene.store().empty_words());
  scene.put("while", note("needle", "written meanwhile"));
  scene.finish_reindex();
  EXPECT_EQ(scene.keys("needle"), (std::multiset<std::string>{"long", "while"}));
  scene.expect_sound();
}

TEST(SqliteWords, AStatementThatCouldNotBePreparedIsAnErrorWhateverIsDoneWithIt) {
  WordScene scene;
  const auto connection = scene.look();
  Statement statement = connection->prepare("SELECT x FROM nowhere WHERE y = ?1");
  statement.unbind().integer(1, 1).maybe_integer(2, std::nullopt).blob(1, "b").text(1, "t");
  statement.reset();
  const auto step = statement.step();
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::kStoreUnavailable);
  EXPECT_FALSE(statement.run());
  EXPECT_TRUE(statement.is_null(0));
  EXPECT_EQ(statement.integer_at(0), 0);
  EXPECT_EQ(statement.bytes_at(0), "");
}

TEST(SqliteWords, OnlyEmptyLevelsAreTakenOut) {
  const auto bytes = [](std::initializer_list<int> numbers) {
    std::string made = "ckie";
    for (const int number : numbers) made += static_cast<char>(number);
    return made;
  };
  // Four levels: an empty one, one with a merge that goes on into the next, an empty one.
  const std::string block = bytes({5, 4, 9, 0, 0, 2, 2, 1, 1, 3, 2, 1, 4, 0, 2, 3, 1, 2, 4, 1, 1, 0, 0, 0, 0});
  ASSERT_TRUE(parse_segments(block));
  EXPECT_EQ(without_empty_levels(block, 5), std::nullopt);
  EXPECT_EQ(without_empty_levels(block, 4), bytes({4, 4, 9, 0, 0, 2, 2, 1, 1, 3, 2, 1, 4, 0, 2, 3, 1, 2, 4, 1, 1, 0, 0}));
  EXPECT_EQ(without_empty_levels(block, 1), bytes({3, 4, 9, 0, 0, 2, 2, 1, 1, 3, 2, 1, 4, 0, 2, 3, 1, 2, 4, 1, 1}))
      << "the first level is where new segments go";
  EXPECT_EQ(without_empty_levels("ckie", 1), std::nullopt);
}

TEST(SqliteWords, SegmentsAreReadAsFts5WritesThem) {
  WordScene scene;
  for (int i = 0; i < 5; ++i) scene.put(format("k{}", i), note("title", format("body{}", i)));
  const WordSegments segments = must(read_segments(*scene.look(), WordPart{}));
  ASSERT_FALSE(segments.levels.empty());
  EXPECT_EQ(segments.ids().size(), 5u);
  EXPECT_EQ(segments.levels[0].merging, 0u);
  EXPECT_EQ(segments.levels[0].pages(), 5);
  EXPECT_EQ(segments.next_merge(), nullptr);
  EXPECT_FALSE(parse_segments(""));
  EXPECT_FALSE(parse_segments(std::string_view("\0\0\0\1\x02\x01\0\0\x05", 9))) << "cut off";
}

TEST(SqliteWords, NextMergeIsTheOneFts5Takes) {
  const auto level = [](std::size_t merging, std::size_t count) {
    WordSegments::Level made{merging, {}};
    for (std::size_t i = 0; i < count; ++i) made.segments.push_back({static_cast<std::int64_t>(i) + 1, 2});
    return made;
  };
  const auto chosen = [](const WordSegments& segments) {
    const WordSegments::Level* const next = segments.next_merge();
    return next ? next - segments.levels.data() : -1;
  };
  EXPECT_EQ(chosen({}), -1);
  EXPECT_EQ(chosen({{level(0, 7), level(0, 7)}}), -1);
  EXPECT_EQ(chosen({{level(0, 8), level(0, 8)}}), 0);
  EXPECT_EQ(chosen({{level(0, 8), level(0, 9)}}), 1);
  EXPECT_EQ(chosen({{level(0, 3), level(2, 2)}}), -1) << "fewer than lie before it: it waits for them, or they for it";
  EXPECT_EQ(chosen({{level(0, 1), level(2, 2)}}), 1);
  EXPECT_EQ(chosen({{level(0, 9), level(8, 8), level(0, 20)}}), 0) << "nothing older than what is being merged";
}

TEST(SqliteWords, PartsCoverTheBlocksInFewRanges) {
  WordScene scene;
  const auto connection = must(Connection::open(scene.path(), Connection::Access::kWrite));
  for (const std::int64_t no : {0, 1, 3}) must(make_part(*connection, {NumberKind::kRecords, no}));
  must(make_part(*connection, {NumberKind::kTexts, 2}));
  const std::int64_t size = WordPart{NumberKind::kRecords, 0}.end_number();
  const std::vector<ScopeBlock> blocks = {
      {10, 20, 0}, {20, 30, 1}, {40, 50, 0}, {size - 5, size + 5, 1}, {2 * size, 3 * size + 7, 0}};
  const std::vector<PartRanges> parts = must(part_ranges(*connection, blocks, NumberKind::kRecords));
  ASSERT_EQ(parts.size(), 3u) << "the third part is not there, and texts are others";
  EXPECT_EQ(parts[0].part.no, 0);
  ASSERT_EQ(parts[0].rows.size(), 3u) << "neighbours are one range";
  EXPECT_EQ(parts[0].rows[0].first, first_row(10));
  EXPECT_EQ(parts[0].rows[0].last, last_row(29));
  EXPECT_EQ(parts[0].rows[2].last, last_row(size - 1)) << "a block ends with its part";
  EXPECT_EQ(parts[1].rows.size(), 1u);
  EXPECT_EQ(parts[2].part.no, 3);
  std::vector<ScopeBlock> many;
  for (std::int64_t i = 0; i < 100; ++i) many.push_back({i * 1'000, i * 1'000 + 100 + i, 0});
  const std::vector<PartRanges> few = must(part_ranges(*connection, many, NumberKind::kRecords));
  ASSERT_EQ(few.size(), 1u);
  EXPECT_LE(few[0].rows.size(), 4u);
  EXPECT_EQ(few[0].rows.front().first, first_row(0));
  EXPECT_EQ(few[0].rows.back().last, last_row(many.back().end - 1));
}

}  // namespace
}  // namespace ladder::store::sqlite
