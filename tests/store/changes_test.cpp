// The change log: what a reader of some fields sees since a version (design D20, D5).
#include "store/index/field_versions.h"
#include "store_suite.h"

#include "base/limits.h"

namespace ladder::store {
namespace {

using Keys = std::vector<std::string>;

class ChangesSuite : public StoreSuite {
 protected:
  std::int64_t version() { return world().counters().max_version; }
};
LADDER_FOR_EVERY_ENGINE(ChangesSuite);

TEST_P(ChangesSuite, CreationIsVisibleForAnyFields) {
  world().put("a", R"({"id":"a","title":"t"})");
  world().put("b", R"({"id":"b"})");
  EXPECT_EQ(world().changes({}, 0), (Keys{"a", "b"}));
  EXPECT_EQ(world().changes({"body"}, 0), (Keys{"a", "b"}));
  EXPECT_EQ(world().changes({"title", "body"}, world().find("a")->version), (Keys{"b"}));
  EXPECT_TRUE(world().changes({"title"}, version()).empty());
}

TEST_P(ChangesSuite, AChangedFieldIsVisibleToItsReadersOnly) {
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

TEST_P(ChangesSuite, ARecordAppearsOnceAtItsNewestVersion) {
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

TEST_P(ChangesSuite, DeletionIsVisibleToAll) {
  world().put("a", R"({"title":"1"})");
  world().put("b", R"({"title":"1"})");
  const std::int64_t before = version();
  world().remove("a", kNow + 5);
  EXPECT_EQ(world().changes({"body"}, before), (Keys{"-a"}));
  EXPECT_EQ(world().changes({}, 0), (Keys{"b", "-a"}));
  const auto rows = must(must(store().read())->changes(world().stream("notes"), {}, before, kNewest, 10));
  EXPECT_EQ(rows.at(0).deleted_at, kNow + 5);
}

TEST_P(ChangesSuite, ARestoredRecordIsNotDeleted) {
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

TEST_P(ChangesSuite, PagesAreOrderedByVersion) {
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

TEST_P(ChangesSuite, StopAtAVersion) {
  world().put("a", R"({"title":"1","body":"1"})");  // 1
  world().put("b", R"({"title":"1","body":"1"})");  // 2
  world().put("c", R"({"title":"1","body":"1"})");  // 3
  world().put("a", R"({"title":"2","body":"1"})");  // 4
  world().put("b", R"({"title":"1","body":"2"})");  // 5
  world().remove("c");                              // 6
  const FieldNo title[] = {world().field("title")};
  const FieldNo both[] = {world().field("title"), world().field("body")};
  const auto keys = [&](std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto, std::int64_t limit = 100) {
    Keys found;
    for (const ChangeRow& row : must(must(store().read())->changes(world().stream("notes"), fields, since, upto, limit))) {
      EXPECT_GT(row.version, since);
      EXPECT_LE(row.version, upto);
      found.push_back((row.deleted ? "-" : "") + row.key);
    }
    return found;
  };
  ASSERT_EQ(version(), 6);
  EXPECT_EQ(keys(title, 0, 6), (Keys{"b", "a", "-c"}));
  EXPECT_EQ(keys(title, 0, 5), (Keys{"b", "a"})) << "a record deleted since is absent";
  EXPECT_EQ(keys(title, 0, 4), (Keys{"b", "a"}));
  EXPECT_EQ(keys(title, 0, 3), Keys{"b"}) << "a has a newer version of its title";
  EXPECT_EQ(keys({}, 0, 3), (Keys{"a", "b"})) << "none newer for readers of other fields";
  EXPECT_EQ(keys(both, 0, 4), Keys{"a"});
  EXPECT_EQ(keys(both, 4, 5), Keys{"b"});
  EXPECT_EQ(keys(both, 3, 6, 2), (Keys{"a", "b"}));
  EXPECT_EQ(keys(both, 0, 5, 1), Keys{"a"});
  EXPECT_EQ(keys(both, 5, 5), Keys{});
  EXPECT_EQ(keys(both, 6, 3), Keys{});
}

TEST_P(ChangesSuite, ReportsWhenARecordAppeared) {
  RecordWrite dated = world().record("a", R"({"title":"1"})");
  dated.consent_time = kNow - 7;
  world().write(world().notes(), World::one(std::move(dated)));  // 1
  world().put("b", R"({"title":"1"})");                          // 2
  world().put("c", R"({"title":"1"})");                          // 3
  world().put("b", R"({"title":"2"})");                          // 4
  world().put("c", R"({"title":"2"})");                          // 5
  const auto rows = [&] {
    const FieldNo title[] = {world().field("title")};
    std::map<std::string, ChangeRow> found;
    for (ChangeRow& row : must(must(store().read())->changes(world().stream("notes"), title, 0, kNewest, 100))) {
      std::string key = row.key;
      found.emplace(std::move(key), std::move(row));
    }
    return found;
  };
  auto found = rows();
  EXPECT_EQ(found.at("a").created, 1);
  EXPECT_EQ(found.at("b").created, 2);
  EXPECT_EQ(found.at("b").version, 4);
  EXPECT_EQ(found.at("c").created, 3);
  EXPECT_FALSE(found.at("a").consent_time) << "of deleted ones only";
  world().remove("a", kNow + 1);  // 6
  world().remove("b", kNow + 2);  // 7
  world().remove("c", kNow + 3);  // 8
  world().put("c", R"({"title":"2"})");
  found = rows();
  EXPECT_TRUE(found.at("a").deleted);
  EXPECT_EQ(found.at("a").created, 1);
  EXPECT_EQ(found.at("a").version, 6);
  EXPECT_EQ(found.at("a").deleted_at, kNow + 1);
  EXPECT_EQ(found.at("a").consent_time, kNow - 7);
  EXPECT_EQ(found.at("b").created, 2);
  EXPECT_FALSE(found.at("b").consent_time);
  EXPECT_FALSE(found.at("c").deleted);
  EXPECT_EQ(found.at("c").created, 9) << "it came again";
}

TEST_P(ChangesSuite, DeletionsAreReportedForALimitedTime) {
  constexpr Instant kSpan = limits::kTombstoneDays * kDay;
  for (const char* const key : {"a", "b", "c", "d"}) world().put(key, R"({"title":"1"})");
  world().remove("a", kNow);
  world().remove("b", kNow + kDay);
  world().remove("c", kNow + 2 * kDay);
  const std::int64_t newest = version();
  sweep_all(store(), kNow + kSpan);
  EXPECT_EQ(world().changes({}, 0), (Keys{"d", "-a", "-b", "-c"}));
  sweep_all(store(), kNow + kSpan + 1);
  EXPECT_EQ(world().changes({}, 0), (Keys{"d", "-b", "-c"}));
  expect_sound(store());
  world().put("a", R"({"title":"1"})");
  world().put("b", R"({"title":"1"})");
  sweep_all(store(), kNow + 2 * kSpan);
  EXPECT_EQ(world().changes({}, 0), (Keys{"d", "a", "b"}));
  EXPECT_EQ(version(), newest + 2) << "versions are not used again";
}

TEST_P(ChangesSuite, LongValuesAreComparedByContent) {
  const std::string body = long_text("words ", 9'000);
  world().put("a", R"({"title":"1","body":")" + body + "\"}");
  const std::int64_t before = version();
  world().put("a", R"({"title":"2","body":")" + body + "\"}");
  EXPECT_TRUE(world().changes({"body"}, before).empty()) << "stored again with the same text";
  EXPECT_EQ(world().changes({"title"}, before), (Keys{"a"}));
  world().put("a", R"({"title":"2","body":")" + body + ".\"}");
  EXPECT_EQ(world().changes({"body"}, before), (Keys{"a"}));
}

}  // namespace
}  // namespace ladder::store
