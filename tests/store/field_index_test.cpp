// The field index as stored: which indexes exist, and reading by value.
#include "field_index_suite.h"

#include <set>

namespace ladder::store {
namespace {

LADDER_FOR_EVERY_ENGINE(FieldIndexSuite);

TEST_P(FieldIndexSuite, AStreamWithoutRecordsHasItsIndexesReady) {
  EXPECT_TRUE(must(store().catalog(world().owner())).indexes.empty());
  const std::int64_t before = catalog_version();
  declare(kAll);
  EXPECT_GT(catalog_version(), before);
  const auto found = indexes();
  ASSERT_EQ(found.size(), 4u);
  for (const auto& field : kAll) {
    EXPECT_EQ(found.at(field.name).kind, field.kind);
    EXPECT_TRUE(found.at(field.name).ready);
  }
  EXPECT_TRUE(indexes(world().stream("events")).empty());
  EXPECT_TRUE(must(store().reindex(Deadline::after(std::chrono::seconds(60)))));
}

TEST_P(FieldIndexSuite, ANewConnectionHasItsIndexesReady) {
  declare({{"when", IndexKind::kTime}});
  world().put("a", R"({"when":"2026-01-01"})");
  ConnectionRow connection;
  connection.source = must(store().catalog(world().owner())).sources.at(0).no;
  connection.connection_id = "conn_b";
  connection.status = "active";
  connection.created_at = kNow;
  must(store().add_connection(world().owner(), connection, Keys{"notes", "events"}));
  const Catalog catalog = must(store().catalog(world().owner()));
  ASSERT_EQ(catalog.indexes.size(), 2u);
  EXPECT_NE(catalog.indexes[0].stream, catalog.indexes[1].stream);
  for (const IndexRow& index : catalog.indexes) EXPECT_TRUE(index.ready);
}

TEST_P(FieldIndexSuite, ExistingRecordsAreIndexed) {
  world().put("a", R"({"when":"2026-01-01","size":2})");
  world().put("b", R"({"when":"2025-01-01","size":1})");
  world().put("c", R"({"title":"neither"})");
  declare({{"when", IndexKind::kTime}, {"size", IndexKind::kNumber}});
  for (const auto& [field, index] : indexes()) EXPECT_FALSE(index.ready) << field;
  expect_sound(store());
  const std::int64_t before = catalog_version();
  finish_reindex();
  EXPECT_GT(catalog_version(), before);
  for (const auto& [field, index] : indexes()) {
    EXPECT_TRUE(index.ready) << field;
    EXPECT_EQ(page_keys(index.no, {}, false, 10), (Keys{"b", "a"})) << field;
  }
}

TEST_P(FieldIndexSuite, TheSameIndexStaysAndAnotherKindIsNew) {
  declare({{"when", IndexKind::kTime}, {"size", IndexKind::kNumber}});
  world().put("a", R"({"when":"2026-01-01","size":2})");
  const auto before = indexes();
  declare({{"when", IndexKind::kTime}, {"size", IndexKind::kText}});
  const auto after = indexes();
  EXPECT_EQ(after.at("when").no, before.at("when").no);
  EXPECT_TRUE(after.at("when").ready);
  EXPECT_NE(after.at("size").no, before.at("size").no);
  EXPECT_EQ(after.at("size").kind, IndexKind::kText);
  EXPECT_FALSE(after.at("size").ready);
  expect_sound(store());
  finish_reindex();
  EXPECT_EQ(page_keys(after.at("size").no, entries_with(index_text("2")), false, 10), Keys{"a"});
}

TEST_P(FieldIndexSuite, NumbersOfDroppedIndexesAreNotReused) {
  std::set<IndexNo> seen;
  for (int round = 0; round < 5; ++round) {
    declare({{"when", IndexKind::kTime}});
    EXPECT_TRUE(seen.insert(indexes().at("when").no).second);
    declare({});
    EXPECT_TRUE(indexes().empty());
    sweep_all(store(), kNow);
    if (round == 2) reopen();
  }
}

TEST_P(FieldIndexSuite, ADroppedIndexIsSwept) {
  declare(kAll);
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 300; ++i) {
    batch.push_back(world().record(
        format("k{}", i), format(R"({{"when":"{}","size":{},"tag":"t{}","seen":"2026-01-01"}})", format_time(i * kDay), i, i)));
  }
  world().write(world().notes(), std::move(batch));
  declare({{"tag", IndexKind::kText}});
  expect_sound(store());
  int steps = 0;
  for (bool complete = false; !complete;) {  // longer each time: a busy machine achieves nothing in five milliseconds
    complete = must(store().sweep(kNow, Deadline::after(++steps * std::chrono::milliseconds(5)))).complete;
    expect_sound(store());
  }
  const IndexNo tag = indexes().at("tag").no;
  EXPECT_EQ(must(must(store().read(world().owner()))->index_count(tag, {}, 1'000)), 300);
  declare(kAll);
  finish_reindex();
  EXPECT_EQ(std::ssize(must(must(store().read(world().owner()))->index_days(indexes().at("when").no, kFirstDay, kLastDay))), 300);
}

TEST_P(FieldIndexSuite, DeclaringTheSameChangesNothing) {
  SourceRow source = world_source();
  source.version = "same";
  must(store().put_source(world().owner(), source, streams(kAll)));
  const std::int64_t before = catalog_version();
  const auto indexes_before = indexes();
  must(store().put_source(world().owner(), source, streams(kAll)));
  EXPECT_EQ(catalog_version(), before);
  for (const auto& [field, index] : indexes()) EXPECT_EQ(index.no, indexes_before.at(field).no);
}

TEST_P(FieldIndexSuite, CountsStopAtTheirLimit) {
  declare({{"size", IndexKind::kNumber}});
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 20; ++i) batch.push_back(world().record(format("k{}", i), format(R"({{"at":{},"size":{}}})", i, i / 2)));
  world().write(world().notes(), std::move(batch));
  const IndexNo index = indexes().at("size").no;
  const auto reader = must(store().read(world().owner()));
  EXPECT_EQ(must(reader->index_count(index, {}, 100)), 20);
  EXPECT_EQ(must(reader->index_count(index, {}, 7)), 7);
  EXPECT_EQ(must(reader->index_count(index, {}, 0)), 0);
  EXPECT_EQ(must(reader->index_count(index, {index_number("3"), index_number("5")}, 100)), 4);
  EXPECT_EQ(must(reader->index_count(index, {index_number("8"), {}}, 100)), 4);
  EXPECT_EQ(must(reader->index_count(index, {index_number("5"), index_number("3")}, 100)), 0);
  const auto rows = must(reader->page(world().stream("notes"), {}, false, 100));
  ASSERT_EQ(rows.size(), 20u);
  const StreamNo stream = world().stream("notes");
  EXPECT_EQ(must(reader->order_count(stream, {}, 100)), 20);
  EXPECT_EQ(must(reader->order_count(stream, {}, 9)), 9);
  EXPECT_EQ(must(reader->order_count(stream, {rows[4].order_key, rows[9].order_key}, 100)), 5);
  EXPECT_EQ(must(reader->order_count(stream, {{}, rows[9].order_key}, 100)), 9);
  EXPECT_EQ(must(reader->order_count(stream, {rows[15].order_key, {}}, 100)), 5);
  EXPECT_EQ(must(reader->order_count(world().stream("events"), {}, 100)), 0);
}

TEST_P(FieldIndexSuite, ADayIsRemovedWithItsLastRecord) {
  declare({{"seen", IndexKind::kDays}});
  const IndexNo index = indexes().at("seen").no;
  const auto days = [&](std::int64_t first, std::int64_t last) {
    return must(must(store().read(world().owner()))->index_days(index, first, last));
  };
  using Days = std::vector<DayCount>;
  world().put("a", R"({"seen":"1969-12-31T23:59:59Z"})");
  world().put("b", R"({"seen":"1970-01-01T00:00:00Z"})");
  world().put("c", R"({"seen":"1970-01-01T23:00:00+01:00"})");
  world().put("d", R"({"seen":"never"})");
  EXPECT_EQ(days(kFirstDay, kLastDay), (Days{{-1, 1}, {0, 2}}));
  EXPECT_EQ(days(-1, -1), (Days{{-1, 1}}));
  EXPECT_EQ(days(0, 100), (Days{{0, 2}}));
  EXPECT_EQ(days(1, 100), Days{});
  EXPECT_EQ(must(must(store().read(world().owner()))->index_count(index, {}, 10)), 0) << "days only";
  world().put("a", R"({"seen":"1970-01-02"})");
  EXPECT_EQ(days(kFirstDay, kLastDay), (Days{{0, 2}, {1, 1}}));
  world().remove("b");
  world().put("c", R"({})");
  EXPECT_EQ(days(kFirstDay, kLastDay), (Days{{1, 1}}));
}

TEST_P(FieldIndexSuite, LongTextsAreFoundAnywhere) {
  declare({{"tag", IndexKind::kText}});
  const IndexNo index = indexes().at("tag").no;
  const std::string medium = long_text("medium é ", 200);
  const std::string outlined = long_text("long 中 ", 20'000);
  world().put("a", "{\"tag\":\"" + medium + "\"}");
  world().put("b", "{\"tag\":\"" + outlined + "\"}");
  world().put("c", "{\"tag\":\"" + outlined + ".\"}");
  world().write(world().notes(), World::one(world().staged_record("d", "{\"tag\":\"" + outlined + "\"}")));
  EXPECT_EQ(page_keys(index, entries_with(index_text(medium)), false, 10), Keys{"a"});
  EXPECT_EQ(page_keys(index, entries_with(index_text(outlined)), false, 10), (Keys{"b", "d"}));
  EXPECT_EQ(page_keys(index, entries_with(index_text(outlined)), true, 1), (Keys{"d", "b"}));
  world().remove("b");
  world().put("d", R"({"tag":"short"})");
  EXPECT_EQ(page_keys(index, entries_with(index_text(outlined)), false, 10), Keys{});
  EXPECT_EQ(must(must(store().read(world().owner()))->index_count(index, {}, 10)), 3);
}

TEST_P(FieldIndexSuite, ABlobIsFoundInTheRecordsOfItsOwner) {
  World other(store(), "other", "conn_other");
  const Digest red = crypto::sha256("red");
  const Digest blue = crypto::sha256("blue");
  const auto data = [](const Digest& blob) { return R"({"blob_ref":{"blob_id":")" + blob_id(blob) + "\"}}"; };
  const auto found = [&](const Digest& blob, std::int64_t page_size) {
    Keys keys;
    const auto reader = must(store().read(world().owner()));
    for (RecordNo after = 0;;) {
      const auto rows = must(reader->records_with_blob(blob, after, page_size));
      for (const RecordRow& row : rows) {
        EXPECT_GT(row.no, after);
        after = row.no;
        keys.push_back(row.key);
      }
      if (std::ssize(rows) < page_size) break;
    }
    std::ranges::sort(keys);
    return keys;
  };
  world().put("a", data(red));
  world().put("b", data(red));
  other.put("c", data(red));
  world().put("d", data(blue));
  world().put("e", R"({"blob_ref":{"blob_id":"none"}})");
  for (const std::int64_t page_size : {1, 2, 10}) {
    EXPECT_EQ(found(red, page_size), (Keys{"a", "b"})) << "not in the other owner's";
    EXPECT_EQ(found(blue, page_size), Keys{"d"});
  }
  world().put("a", data(blue));
  world().put("d", data(blue).insert(1, R"("title":"same blob",)"));
  world().remove("b");
  EXPECT_EQ(found(red, 1), Keys{});
  EXPECT_EQ(found(blue, 1), (Keys{"a", "d"}));
  other.put("c", "{}");
  EXPECT_EQ(found(red, 1), Keys{});
}

}  // namespace
}  // namespace ladder::store
