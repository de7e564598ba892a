// The change log: what a reader of some fields gets to see since a version (design D20, D5).
#include "store/field_versions.h"
#include "store_suite.h"

namespace ladder::store {
namespace {

using Keys = std::vector<std::string>;

class ChangesSuite : public StoreSuite {
 protected:
  std::int64_t version() { return world().counters().max_version; }
};
LADDER_FOR_EVERY_ENGINE(ChangesSuite);

TEST_P(ChangesSuite, CreationShowsWhateverTheFields) {
  world().put("a", R"({"id":"a","title":"t"})");
  world().put("b", R"({"id":"b"})");
  EXPECT_EQ(world().changes({}, 0), (Keys{"a", "b"}));
  EXPECT_EQ(world().changes({"body"}, 0), (Keys{"a", "b"}));
  EXPECT_EQ(world().changes({"title", "body"}, world().find("a")->version), (Keys{"b"}));
  EXPECT_TRUE(world().changes({"title"}, version()).empty());
}

TEST_P(ChangesSuite, AChangedFieldShowsToItsReadersOnly) {
  world().put("a", R"({"id":"a","title":"1","body":"1"})");
  world().put("b", R"({"id":"b","title":"1","body":"1"})");
  const std::int64_t before = version();
  world().put("a", R"({"id":"a","title":"2","body":"1"})");
  EXPECT_EQ(world().changes({"title"}, before), (Keys{"a"}));
  EXPECT_EQ(world().changes({"title", "body"}, before), (Keys{"a"}));
  EXPECT_TRUE(world().changes({"body"}, before).empty()) << "a hidden field's change does not show";
  EXPECT_TRUE(world().changes({}, before).empty());
  EXPECT_EQ(world().changes({"body"}, 0), (Keys{"a", "b"})) << "and does not move the record either";
  EXPECT_EQ(world().changes({"title"}, 0), (Keys{"b", "a"}));
}

TEST_P(ChangesSuite, ARecordShowsOnceAtItsNewestVersion) {
  world().put("a", R"({"title":"1","body":"1"})");
  world().put("b", R"({"title":"1"})");
  world().put("a", R"({"title":"2","body":"1"})");
  world().put("a", R"({"title":"2","body":"2"})");
  world().put("a", R"({"title":"3","body":"2"})");
  const auto reader = must(store().read());
  const FieldNo both[] = {world().field("title"), world().field("body")};
  const auto rows = must(reader->changes(world().stream("notes"), both, 0, kNewest, 100));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].key, "a");
  EXPECT_EQ(rows[1].version, world().find("a")->version);
  const FieldNo body[] = {world().field("body")};
  const auto of_body = must(reader->changes(world().stream("notes"), body, 0, kNewest, 100));
  ASSERT_EQ(of_body.size(), 2u);
  EXPECT_LT(of_body[1].version, world().find("a")->version) << "its version under a grant is that of its granted fields";
}

TEST_P(ChangesSuite, AddedAndRemovedFieldsAreChanges) {
  world().put("a", R"({"id":"a"})");
  std::int64_t before = version();
  world().put("a", R"({"id":"a","title":"new"})");
  EXPECT_EQ(world().changes({"title"}, before), (Keys{"a"}));
  before = version();
  world().put("a", R"({"id":"a"})");
  EXPECT_EQ(world().changes({"title"}, before), (Keys{"a"}));
  EXPECT_TRUE(world().changes({"id"}, before).empty());
}

TEST_P(ChangesSuite, UndeclaredFieldsShareANumber) {
  world().put("a", R"({"x":1,"y":1})");
  const std::int64_t before = version();
  world().put("a", R"({"x":2,"y":2})");
  EXPECT_TRUE(world().changes({"id", "at", "title", "body"}, before).empty());
  const FieldNo undeclared[] = {kUndeclaredField};
  EXPECT_EQ(must(must(store().read())->changes(world().stream("notes"), undeclared, before, kNewest, 10)).size(), 1u);
}

TEST_P(ChangesSuite, DeletionShowsToAll) {
  world().put("a", R"({"title":"1"})");
  world().put("b", R"({"title":"1"})");
  const std::int64_t before = version();
  world().remove("a", kNow + 5);
  EXPECT_EQ(world().changes({"body"}, before), (Keys{"-a"}));
  EXPECT_EQ(world().changes({}, 0), (Keys{"b", "-a"}));
  const auto rows = must(must(store().read())->changes(world().stream("notes"), {}, before, kNewest, 10));
  EXPECT_EQ(rows.at(0).deleted_at, kNow + 5);
}

TEST_P(ChangesSuite, ARecordThatComesBackIsNotDeleted) {
  world().put("a", R"({"title":"1"})");
  world().put("a", R"({"title":"2"})");
  world().remove("a");
  const std::int64_t before = version();
  world().put("a", R"({"title":"1"})");
  EXPECT_EQ(world().changes({}, 0), (Keys{"a"}));
  EXPECT_EQ(world().changes({"body"}, before), (Keys{"a"}));
  world().remove("a");
  EXPECT_EQ(world().changes({"title"}, 0), (Keys{"-a"}));
}

TEST_P(ChangesSuite, PagesByVersion) {
  std::vector<RecordWrite> batch;
  for (int i = 0; i < 40; ++i) batch.push_back(world().record("k" + std::to_string(i), R"({"title":"1","body":"1"})"));
  world().write(world().notes(), std::move(batch));
  for (int i = 0; i < 40; i += 3) world().put("k" + std::to_string(i), R"({"title":"2","body":"1"})");
  for (int i = 0; i < 40; i += 4) world().put("k" + std::to_string(i), R"({"title":"2","body":"2"})");
  for (int i = 0; i < 40; i += 5) world().remove("k" + std::to_string(i));
  const Keys all = world().changes({"title", "body"}, 0);
  EXPECT_EQ(all.size(), 40u);
  for (const std::int64_t limit : {1, 2, 7, 39}) {
    Keys paged;
    const FieldNo fields[] = {world().field("title"), world().field("body")};
    for (std::int64_t since = 0;;) {
      const auto rows = must(must(store().read())->changes(world().stream("notes"), fields, since, kNewest, limit));
      EXPECT_LE(static_cast<std::int64_t>(rows.size()), limit);
      for (const ChangeRow& row : rows) paged.push_back((row.deleted ? "-" : "") + row.key);
      if (rows.empty()) break;
      since = rows.back().version;
    }
    EXPECT_EQ(paged, all) << limit;
  }
}

TEST_P(ChangesSuite, LongValuesAreComparedByContent) {
  const std::string body = long_text("words ", 9'000);
  world().put("a", R"({"title":"1","body":")" + body + "\"}");
  const std::int64_t before = version();
  world().put("a", R"({"title":"2","body":")" + body + "\"}");
  EXPECT_TRUE(world().changes({"body"}, before).empty()) << "stored anew, but the same text";
  EXPECT_EQ(world().changes({"title"}, before), (Keys{"a"}));
  world().put("a", R"({"title":"2","body":")" + body + ".\"}");
  EXPECT_EQ(world().changes({"body"}, before), (Keys{"a"}));
}

}  // namespace
}  // namespace ladder::store
