// Owners, sources, connections, streams and fields.
#include "store/backup.h"
#include "store/index/field_versions.h"
#include "store_suite.h"

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

class CatalogSuite : public test_support::StoreFixture {
 protected:
  OwnerNo owner() { return must(store().add_owner("local", kNow)).no; }
  std::int64_t catalog_version(OwnerNo no) { return must(store().catalog(no)).owner.catalog_version; }
  ConnectionRow connection(SourceNo source, std::string id) {
    ConnectionRow row;
    row.source = source;
    row.connection_id = std::move(id);
    row.display_name = "Mine 😀";
    row.status = "active";
    row.created_at = kNow;
    return row;
  }
  void TearDown() override { EXPECT_TRUE(must(store().check_invariants()).empty()); }
};
LADDER_FOR_EVERY_ENGINE(CatalogSuite);

TEST_P(CatalogSuite, OwnersAreAddedOnce) {
  EXPECT_FALSE(must(store().find_owner("local")));
  EXPECT_TRUE(must(store().owners()).empty());
  const OwnerRow first = must(store().add_owner("local", kNow));
  EXPECT_EQ(first.name, "local");
  EXPECT_EQ(first.created_at, kNow);
  const OwnerRow again = must(store().add_owner("local", kNow + 1));
  EXPECT_EQ(again.no, first.no);
  EXPECT_EQ(again.created_at, kNow);
  const OwnerRow other = must(store().add_owner("Ünal 中", kNow));
  EXPECT_NE(other.no, first.no);
  EXPECT_EQ(must(store().find_owner("Ünal 中"))->no, other.no);
  EXPECT_EQ(must(store().owners()).size(), 2u);
}

TEST_P(CatalogSuite, ASourceHasItsStreamsAndFields) {
  const OwnerNo no = owner();
  const std::int64_t before = catalog_version(no);
  const SourceRow put = must(store().put_source(no, world_source(), world_streams()));
  EXPECT_GT(put.no, 0);
  EXPECT_EQ(put.key, "journal");
  const Catalog catalog = must(store().catalog(no));
  EXPECT_GT(catalog.owner.catalog_version, before);
  ASSERT_EQ(catalog.sources.size(), 1u);
  EXPECT_EQ(catalog.sources[0].source_id, world_source().source_id);
  EXPECT_EQ(catalog.sources[0].version, "1");
  EXPECT_EQ(catalog.sources[0].declaration, world_source().declaration);
  EXPECT_EQ(catalog.sources[0].added_at, kNow);
  EXPECT_TRUE(catalog.streams.empty()) << "streams belong to connections";
  EXPECT_EQ(catalog.fields.size(), 6u);
  std::set<FieldNo> numbers;
  for (const FieldRow& field : catalog.fields) {
    EXPECT_GE(field.no, kFirstFieldNo);
    EXPECT_EQ(field.source, put.no);
    EXPECT_TRUE(numbers.insert(field.no).second);
  }
}

TEST_P(CatalogSuite, TheSameSourceAgainChangesNothing) {
  const OwnerNo no = owner();
  const SourceRow put = must(store().put_source(no, world_source(), world_streams()));
  const std::int64_t before = catalog_version(no);
  EXPECT_EQ(must(store().put_source(no, world_source(), world_streams())).no, put.no);
  EXPECT_EQ(catalog_version(no), before);
  EXPECT_EQ(must(store().catalog(no)).fields.size(), 6u);
}

TEST_P(CatalogSuite, ANewVersionExtendsConnections) {
  const OwnerNo no = owner();
  const SourceNo source = must(store().put_source(no, world_source(), world_streams())).no;
  const std::vector<std::string> streams = {"notes", "events"};
  must(store().add_connection(no, connection(source, "one"), streams));
  must(store().add_connection(no, connection(source, "two"), streams));
  const Catalog before = must(store().catalog(no));
  SourceRow next = world_source();
  next.version = "2";
  next.declaration = R"({"source":"grown"})";
  auto grown = world_streams();
  grown[0].fields.push_back("extra");
  grown.push_back({"photos", {"id"}});
  EXPECT_EQ(must(store().put_source(no, next, grown)).no, source);
  const Catalog after = must(store().catalog(no));
  EXPECT_GT(after.owner.catalog_version, before.owner.catalog_version);
  EXPECT_EQ(after.sources.at(0).version, "2");
  EXPECT_EQ(after.sources.at(0).declaration, R"({"source":"grown"})");
  EXPECT_EQ(after.fields.size(), 8u);
  EXPECT_EQ(after.streams.size(), 6u) << "each connection has the new stream";
  for (const StreamRow& stream : before.streams) {
    EXPECT_TRUE(
        std::ranges::any_of(after.streams, [&](const StreamRow& row) { return row.no == stream.no && row.name == stream.name; }));
  }
  for (const FieldRow& field : before.fields) {
    EXPECT_TRUE(
        std::ranges::any_of(after.fields, [&](const FieldRow& row) { return row.no == field.no && row.name == field.name; }));
  }
}

TEST_P(CatalogSuite, AVersionHasOneText) {
  const OwnerNo no = owner();
  must(store().put_source(no, world_source(), world_streams()));
  SourceRow other = world_source();
  other.declaration = R"({"source":"other"})";
  auto put = store().put_source(no, other, world_streams());
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Code::kConflict);
  other.version = "2";
  must(store().put_source(no, other, world_streams()));
  SourceRow back = world_source();
  back.declaration = R"({"source":"a third text"})";
  put = store().put_source(no, back, world_streams());
  ASSERT_FALSE(put) << "version 1 had another text, though it is not current any more";
  EXPECT_EQ(put.error().code, Code::kConflict);
  EXPECT_EQ(must(store().catalog(no)).sources.at(0).version, "2");
  must(store().put_source(no, world_source(), world_streams()));
  EXPECT_EQ(must(store().catalog(no)).sources.at(0).version, "1") << "with its own text it may come back";
}

TEST_P(CatalogSuite, AKeyBelongsToOneSource) {
  const OwnerNo no = owner();
  must(store().put_source(no, world_source(), world_streams()));
  SourceRow other = world_source();
  other.source_id = "https://example.org/other";
  const std::int64_t before = catalog_version(no);
  const auto put = store().put_source(no, other, world_streams());
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, Code::kConflict);
  SourceRow renamed = world_source();
  renamed.key = "another";
  const auto second_key = store().put_source(no, renamed, world_streams());
  ASSERT_FALSE(second_key);
  EXPECT_EQ(second_key.error().code, Code::kConflict);
  EXPECT_EQ(catalog_version(no), before) << "a refused change is none";
}

TEST_P(CatalogSuite, OwnersAreSeparate) {
  const OwnerNo ann = must(store().add_owner("ann", kNow)).no;
  const OwnerNo bob = must(store().add_owner("bob", kNow)).no;
  const SourceNo of_ann = must(store().put_source(ann, world_source(), world_streams())).no;
  const SourceNo of_bob = must(store().put_source(bob, world_source(), world_streams())).no;
  EXPECT_NE(of_ann, of_bob) << "the same key and id under another owner";
  must(store().add_connection(ann, connection(of_ann, "shared"), std::vector<std::string>{"notes"}));
  const auto taken = store().add_connection(bob, connection(of_bob, "shared"), std::vector<std::string>{"notes"});
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kConflict);
  EXPECT_EQ(must(store().catalog(ann)).connections.size(), 1u);
  EXPECT_TRUE(must(store().catalog(bob)).connections.empty());
  EXPECT_TRUE(must(store().catalog(bob)).streams.empty());
  for (const FieldRow& field : must(store().catalog(bob)).fields) EXPECT_EQ(field.source, of_bob);
}

TEST_P(CatalogSuite, AConnectionIsReturnedComplete) {
  const OwnerNo no = owner();
  const SourceNo source = must(store().put_source(no, world_source(), world_streams())).no;
  const std::int64_t before = catalog_version(no);
  const ConnectionRow added =
      must(store().add_connection(no, connection(source, "one"), std::vector<std::string>{"notes", "events"}));
  EXPECT_GT(catalog_version(no), before);
  const Catalog catalog = must(store().catalog(no));
  ASSERT_EQ(catalog.connections.size(), 1u);
  const ConnectionRow& row = catalog.connections[0];
  EXPECT_EQ(row.no, added.no);
  EXPECT_EQ(row.source, source);
  EXPECT_EQ(row.connection_id, "one");
  EXPECT_EQ(row.display_name, "Mine 😀");
  EXPECT_EQ(row.status, "active");
  EXPECT_EQ(row.created_at, kNow);
  ASSERT_EQ(catalog.streams.size(), 2u);
  for (const StreamRow& stream : catalog.streams) EXPECT_EQ(stream.connection, row.no);
}

TEST_P(CatalogSuite, TheVersionShowsChangesOfOthers) {
  const OwnerNo no = owner();
  const auto other = place().open(OpenMode::kExisting);
  const std::int64_t before = must(store().access_status({no, 0, 0})).catalog_version;
  must(other->put_source(no, world_source(), world_streams()));
  EXPECT_GT(must(store().access_status({no, 0, 0})).catalog_version, before);
  EXPECT_EQ(must(store().catalog(no)).sources.size(), 1u);
}

TEST_P(CatalogSuite, NotesAreStoredByName) {
  EXPECT_EQ(must(store().note("backup")), std::nullopt);
  EXPECT_TRUE(store().keep_note("backup", std::string("a\0b", 3)));
  EXPECT_TRUE(store().keep_note("other", ""));
  EXPECT_TRUE(store().keep_note("backup", std::string("\0\xFF", 2)));
  reopen();
  EXPECT_EQ(must(store().note("backup")), std::string("\0\xFF", 2));
  EXPECT_EQ(must(store().note("other")), "");
}

TEST_P(CatalogSuite, TheLastBackupIsRecorded) {
  EXPECT_EQ(must(last_backup(store())), std::nullopt);
  const BackupNote note{kNow, "/mnt/disk/ladder ä", 382'000'000, true};
  EXPECT_TRUE(record_backup(place().location(), {1, "elsewhere", 1, false}));
  EXPECT_TRUE(record_backup(place().location(), note));
  EXPECT_EQ(must(last_backup(store())), note);
  EXPECT_TRUE(store().keep_note("backup", "x"));
  EXPECT_EQ(must(last_backup(store())), std::nullopt) << "an unreadable note is no backup";
}

}  // namespace
}  // namespace ladder::store
