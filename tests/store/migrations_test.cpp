// Opening, creating and migrating a store.
#include "base/text/format.h"
#include "store_suite.h"

#include <sqlite3.h>

#include <filesystem>
#include <thread>

namespace ladder::store {
namespace {

using test_support::StoreLocation;

class MigrationsSuite : public ::testing::TestWithParam<std::string> {
 protected:
  MigrationsSuite() : place_(GetParam()) {}

  // Changes the store to look like one of another schema version.
  void pretend_schema(int schema) const {
    if (place_.database() != nullptr) {
      place_.database()->run(format("UPDATE ladder.meta SET value = '{}' WHERE key = 'schema_version'", schema));
      return;
    }
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(place_.location().c_str(), &db), SQLITE_OK);
    const std::string sql = format("UPDATE meta SET value = {} WHERE key = 'schema_version'", schema);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(db), 1);
    sqlite3_close(db);
  }

  StoreLocation place_;
};
LADDER_FOR_EVERY_ENGINE(MigrationsSuite);

void expect_not_set_up(const Result<std::unique_ptr<Store>>& opened) {
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kNotSetUp) << opened.error().message;
  EXPECT_FALSE(opened.error().message.empty());
}

TEST_P(MigrationsSuite, AMissingStoreIsNotSetUp) {
  const auto opened = open_store(place_.location(), OpenMode::kExisting);
  expect_not_set_up(opened);
  EXPECT_NE(opened.error().message.find("ladder init"), std::string::npos) << "the remedy: " << opened.error().message;
  if (place_.database() == nullptr) {
    EXPECT_TRUE(std::filesystem::is_empty(place_.folder().path())) << "looking makes nothing";
  }
}

TEST_P(MigrationsSuite, RunOnce) {
  std::vector<SealKeyRow> keys;
  OwnerNo owner = 0;
  {
    const auto store = place_.open(OpenMode::kCreate);
    EXPECT_EQ(store->engine(), GetParam());
    keys = store->seal_keys();
    owner = must(store->add_owner("local", kNow)).no;
    EXPECT_TRUE(must(store->check_invariants()).empty());
  }
  ASSERT_EQ(keys.size(), 1u);
  EXPECT_EQ(keys[0].secret.size(), 32u);
  for (const OpenMode mode : {OpenMode::kCreate, OpenMode::kExisting}) {
    const auto again = place_.open(mode);
    ASSERT_EQ(again->seal_keys().size(), 1u);
    EXPECT_EQ(again->seal_keys()[0].id, keys[0].id);
    EXPECT_EQ(again->seal_keys()[0].secret, keys[0].secret);
    EXPECT_EQ(must(again->find_owner("local"))->no, owner);
  }
}

TEST_P(MigrationsSuite, EveryStoreHasItsOwnKeys) {
  const StoreLocation other(GetParam());
  EXPECT_NE(place_.open()->seal_keys().at(0).secret, other.open()->seal_keys().at(0).secret);
}

TEST_P(MigrationsSuite, ANewerStoreIsRefusedAndLeftAlone) {
  place_.open();
  pretend_schema(999999);
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate, OpenMode::kExisting}) {
    const auto opened = open_store(place_.location(), mode);
    expect_not_set_up(opened);
    EXPECT_NE(opened.error().message.find("newer"), std::string::npos) << opened.error().message;
  }
}

TEST_P(MigrationsSuite, AStoreFromBeforeTheFirstReleaseIsRefusedAndLeftAlone) {
  place_.open();
  pretend_schema(7);
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const auto opened = open_store(place_.location(), mode);
    expect_not_set_up(opened);
    EXPECT_NE(opened.error().message.find("ladder export"), std::string::npos) << opened.error().message;
  }
}

TEST_P(MigrationsSuite, SeveralMayCreateItAtOnce) {
  constexpr int kThreads = 6;
  std::vector<std::unique_ptr<Store>> stores(kThreads);
  std::vector<std::string> failures(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        auto opened = open_store(place_.location(), OpenMode::kCreate);
        if (opened) {
          stores[i] = *std::move(opened);
        } else {
          failures[i] = opened.error().message;
        }
      });
    }
  }
  for (std::size_t i = 0; i < kThreads; ++i) {
    ASSERT_TRUE(stores[i]) << failures[i];
    EXPECT_EQ(stores[i]->seal_keys().at(0).secret, stores[0]->seal_keys().at(0).secret);
  }
}

TEST_P(MigrationsSuite, AnInvalidLocationIsRefused) {
  const std::string location =
      GetParam() == "postgres" ? "postgres://nobody@/nowhere?host=" + place_.folder().path().string() : "/dev/null/store.db";
  for (const OpenMode mode : {OpenMode::kExisting, OpenMode::kCreate}) {
    const auto opened = open_store(location, mode);
    ASSERT_FALSE(opened);
    EXPECT_TRUE(opened.error().code == Code::kNotSetUp || opened.error().code == Code::kStoreUnavailable)
        << opened.error().message;
    EXPECT_FALSE(opened.error().message.empty());
  }
}

}  // namespace
}  // namespace ladder::store
