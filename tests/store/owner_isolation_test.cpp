// Two owners with the same connection id, source key, record keys and values, in one store: whatever one does, the other
// sees, counts and searches exactly what it did before, and numbers of the other find nothing (design D36).
#include "base/text/format.h"
#include "store/index/field_index.h"
#include "store/rows/word_search.h"
#include "store_suite.h"
#include "text/word_query.h"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace ladder::store {
namespace {

constexpr std::array kWords = {"fox", "harbour", "letter", "quince"};
constexpr Instant kLater = kNow + 400 * kDay;  // every lease and tombstone has expired by then

// One of the owners, whose notes are indexed by time and searched.
class Side {
 public:
  Side(Store& store, std::string_view name) : world_(store, name, "conn_a") {
    SourceRow source = world_source();
    source.version = "indexed";
    std::vector<Store::StreamFields> streams = world_streams();
    streams[0].indexed = {{"at", IndexKind::kTime}, {"title", IndexKind::kText}};
    streams[0].searched = {"title", "body"};
    must(store.put_source(owner(), source, streams));
  }

  World& world() { return world_; }
  Store& store() { return world_.store(); }
  OwnerNo owner() const { return world_.owner(); }
  Catalog catalog() { return must(store().catalog(owner())); }
  ConnectionNo connection() { return catalog().connections.at(0).no; }

  WordPage search(std::string_view words, StreamNo stream) {
    WordScope scope;
    scope.stream = stream;
    for (const WordColumnRow& row : catalog().word_columns) scope.columns |= text::WordColumns{1} << row.column;
    const text::WordQuery query = must(text::parse_word_query(words, {.all = true, .forms = false, .fields = {}}));
    WordSearch search;
    search.query = &query;
    search.scopes = {scope};
    search.limit = 1'000;
    search.deadline = Deadline::after(std::chrono::seconds(30));
    return must(must(store().read(owner()))->search(search));
  }

  // Everything that the owner can read, as text.
  std::string view() {
    const Catalog now = catalog();
    const auto reader = must(store().read(owner()));
    std::string text = format("catalog {}\n", now.owner.catalog_version);
    for (const ConnectionRow& row : now.connections)
      text += format("connection {} {} {}\n", row.no, row.connection_id, row.status);
    for (const StreamRow& stream : now.streams) {
      const StreamCounters counters = must(reader->counters(stream.no));
      text += format("stream {} {} {}\n", stream.name, counters.records, counters.max_version);
      for (const RecordRow& row : must(reader->page_by_key(stream.no, "", false, 10'000))) {
        text += format("record {} {} {} {}\n", row.no, row.version, row.key, world_.whole(row));
      }
      for (const ChangeRow& row : must(reader->changes(stream.no, {}, 0, kNewest, 10'000))) {
        text += format("change {} {} {}\n", row.version, row.key, row.deleted);
      }
      for (const char* word : kWords) {
        for (const WordHit& hit : search(word, stream.no).hits) text += format("{} in {}\n", word, hit.record.key);
      }
    }
    for (const IndexRow& index : now.indexes) {
      for (const IndexedRow& row : must(reader->index_page(index.no, {}, false, 10'000)))
        text += "entry of " + row.record.key + "\n";
      for (const DayCount& day : must(reader->index_days(index.no, 0, 100'000)))
        text += format("day {} {}\n", day.day, day.records);
    }
    for (int i = 0; i < 4; ++i) {
      const auto blob = must(store().find_blob(owner(), crypto::sha256(blob_bytes(i))));
      if (blob) text += format("blob {} {}\n", i, must(reader->chunks(blob->value, 0, 100)).size());
      const Digest digest = crypto::sha256(blob_bytes(i));
      for (const RecordRow& row : must(reader->records_with_blob(digest, 0, 100))) text += format("refers {} {}\n", i, row.key);
    }
    for (const ConnectionRow& row : now.connections) {
      for (const ImportRow& import : must(store().imports(owner(), row.no)))
        text += format("import {} {}\n", import.unit, import.body);
    }
    for (const GrantRow& grant : must(store().grants(owner()))) {
      text += format("grant {} {} {} {}\n", grant.grant_id, grant.named, grant.revoked_at.has_value(),
                     grant.last_used_at.value_or(0));
    }
    for (const TokenRow& token : must(store().owner_tokens(owner()))) text += format("token {}\n", token.revoked_at.has_value());
    return text;
  }

  // One random change. Both sides choose among the same keys and values.
  void change(std::minstd_rand& random) {
    const auto one_of = [&](unsigned n) { return static_cast<int>(random() % n); };
    const std::string key = format("k{}", one_of(12)), word = kWords[static_cast<std::size_t>(one_of(4))];
    const std::string data =
        one_of(3) == 0
            ? long_note(word)
            : format(R"({{"title":"{} {}","at":"2026-0{}-01T00:00:00Z","body":"{}"{}}})", word, one_of(3), 1 + one_of(9), word,
                     one_of(4) == 0 ? format(R"(,"blob_ref":{{"blob_id":"{}"}})", blob_id(crypto::sha256(blob_bytes(one_of(4)))))
                                    : "");
    switch (one_of(9)) {
      case 0:
      case 1:
      case 2:
        world_.write(world_.notes(), World::one(world_.record(key, data)));
        break;
      case 3:
        world_.write(world_.notes(), World::one(world_.staged_record(key, long_note(word))));
        break;
      case 4:
        world_.remove(key);
        break;
      case 5: {
        WriteTarget erasing = world_.notes();
        erasing.permanent = true;
        world_.write(erasing, World::one(World::deletion(key)));
        break;
      }
      case 6: {
        const std::string bytes = blob_bytes(one_of(4));
        Store::BlobBytes blob{{crypto::sha256(bytes), std::ssize(bytes), "text/plain", must(store().reserve_values(owner(), 1))},
                              bytes};
        must(store().add_blobs(owner(), {&blob, 1}));
        break;
      }
      case 7:
        must(store().put_import(owner(), connection(), {format("unit{}", one_of(2)), word, kNow}));
        break;
      case 8:
        if (one_of(2) == 0) must(store().delete_imports(owner(), connection()));
        else change_access(one_of(3));
        break;
    }
  }

 private:
  // A note with a long value, which can be staged.
  static std::string long_note(const std::string& word) {
    return format(R"({{"title":"{}","at":"2026-01-01T00:00:00Z","body":"{}"}})", word,
                  long_text(word + " and some more ", 9'000));
  }
  static std::string blob_bytes(int number) { return format("the bytes of blob {}", number); }

  void change_access(int number) {
    const std::string id = format("grant{}", number);
    if (must(store().find_grant(owner(), id))) {
      must(store().revoke_grant(owner(), id, kNow));
    } else {
      const NewGrant grant{.grant_id = id, .client_id = "agent", .body = "{}", .issued_at = kNow, .expires_at = {}, .named = id};
      NewToken token;
      token.hash = crypto::sha256(format("{} of {}", id, owner()));
      must(store().add_grants(owner(), {&grant, 1}, token));
    }
    const GrantUse use{owner(), must(store().find_grant(owner(), id))->no, kNow};
    must(store().record_grant_uses({&use, 1}));
  }

  World world_;
};

class OwnerIsolation : public test_support::StoreFixture {
 protected:
  void TearDown() override {
    for (const std::string& fault : must(store().check_invariants())) ADD_FAILURE() << fault;
  }
  Side ann_{store(), "ann"}, bob_{store(), "bob"};
};
LADDER_FOR_EVERY_ENGINE(OwnerIsolation);

TEST_P(OwnerIsolation, NothingThatOneDoesChangesWhatTheOtherSees) {
  std::minstd_rand random(36);
  for (int round = 0; round < 150; ++round) {
    Side& acts = random() % 2 == 0 ? ann_ : bob_;
    Side& watches = &acts == &ann_ ? bob_ : ann_;
    const std::string before = watches.view();
    acts.change(random);
    ASSERT_EQ(watches.view(), before) << "round " << round;
    if (round % 10 != 9) continue;
    const std::string of_ann = ann_.view(), of_bob = bob_.view();
    must(store().sweep(kNow, Deadline::after(std::chrono::seconds(30))));
    ASSERT_EQ(ann_.view(), of_ann) << "after the sweep of round " << round;
    ASSERT_EQ(bob_.view(), of_bob) << "after the sweep of round " << round;
    for (const std::string& fault : must(store().check_invariants())) ADD_FAILURE() << fault << " in round " << round;
  }
}

TEST_P(OwnerIsolation, RecordsAndValuesAreNumberedPerOwner) {
  const std::string data = format(R"({{"title":"fox","at":"2026-01-01T00:00:00Z","body":"{}"}})", long_text("fox ", 9'000));
  ann_.world().put("k", data);
  bob_.world().put("k", data);
  const RecordRow of_ann = *ann_.world().find("k"), of_bob = *bob_.world().find("k");
  EXPECT_EQ(of_ann.no, of_bob.no);
  EXPECT_EQ(of_ann.first_value, of_bob.first_value);
  EXPECT_EQ(of_ann.body, of_bob.body);
  EXPECT_NE(of_ann.stream, of_bob.stream) << "numbers of the catalog are unique in the store";

  WriteTarget erasing = ann_.world().notes();
  erasing.permanent = true;
  ann_.world().write(erasing, World::one(World::deletion("k")));  // a word whose list is longer than a block
  for (int i = 0; i < 10 && !must(store().sweep(kLater, Deadline::after(std::chrono::seconds(30)))).complete; ++i) {
  }
  EXPECT_EQ(ann_.world().stored_chunks(of_ann.first_value), 0);
  EXPECT_EQ(bob_.world().whole(*bob_.world().find("k")), data);
  EXPECT_EQ(bob_.search("fox", of_bob.stream).hits.size(), 1u);
}

TEST_P(OwnerIsolation, NumbersOfAnotherOwnerFindNothing) {
  ann_.world().put("k", R"({"title":"fox","at":"2026-01-01T00:00:00Z","body":"fox"})");
  ann_.world().remove("gone");
  must(store().put_import(ann_.owner(), ann_.connection(), {"unit", "body", kNow}));
  const std::string before = ann_.view();
  const StreamNo stream = ann_.world().stream("notes");

  const auto reader = must(store().read(bob_.owner()));
  EXPECT_TRUE(must(reader->records({}, {&stream, 1}, "k")).records.empty());
  EXPECT_TRUE(must(reader->page(stream, "", false, 10)).empty());
  EXPECT_TRUE(must(reader->page(stream, "", true, 10)).empty());
  EXPECT_TRUE(must(reader->page_by_key(stream, "", false, 10)).empty());
  EXPECT_TRUE(must(reader->changes(stream, {}, 0, kNewest, 10)).empty());
  EXPECT_EQ(must(reader->counters(stream)).records, 0);
  EXPECT_EQ(must(reader->order_count(stream, {}, 10)), 0);
  EXPECT_FALSE(must(reader->last_order_key(stream, {})));
  for (const IndexRow& index : ann_.catalog().indexes) {
    EXPECT_TRUE(must(reader->index_page(index.no, {}, false, 10)).empty());
    EXPECT_EQ(must(reader->index_count(index.no, {}, 10)), 0);
    EXPECT_TRUE(must(reader->index_days(index.no, 0, 100'000)).empty());
  }
  EXPECT_TRUE(bob_.search("fox", stream).hits.empty());
  EXPECT_TRUE(must(store().imports(bob_.owner(), ann_.connection())).empty());

  WriteTarget target = bob_.world().notes();
  target.stream = stream;
  std::vector<RecordWrite> writes = World::one(bob_.world().record("k", R"({"title":"of Bob"})"));
  const auto written = store().write(target, writes, kNow);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::kNotFound);
  must(store().delete_imports(bob_.owner(), ann_.connection()));
  must(store().drop_connection(bob_.owner(), ann_.connection(), Deadline::after(std::chrono::seconds(10))));
  EXPECT_EQ(ann_.view(), before);
}

TEST_P(OwnerIsolation, AConnectionIsErasedForOneOwner) {
  const std::string data = R"({"title":"fox","at":"2026-01-01T00:00:00Z","body":"harbour"})";
  ann_.world().put("k", data);
  bob_.world().put("k", data);
  const std::string before = bob_.view();
  WriteTarget erasing = ann_.world().notes();
  erasing.permanent = true;
  ann_.world().write(erasing, World::one(World::deletion("k")));
  const ConnectionNo gone = ann_.connection();
  for (int i = 0; i < 10 && !must(store().drop_connection(ann_.owner(), gone, Deadline::after(std::chrono::seconds(10)))); ++i) {
    must(store().sweep(kLater, Deadline::after(std::chrono::seconds(30))));
  }
  EXPECT_TRUE(ann_.catalog().connections.empty());
  EXPECT_EQ(bob_.view(), before);
}

}  // namespace
}  // namespace ladder::store
