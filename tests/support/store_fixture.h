// Suites that every engine must pass: TEST_P over engines(), each test with an empty location for its store.
#pragma once

#include "base/time/time.h"
#include "store/store.h"
#include "support/postgres_cluster.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace ladder::test_support {

// An initially empty location for one store of either engine.
class StoreLocation {
 public:
  explicit StoreLocation(const std::string& engine);  // "sqlite" or "postgres"

  const std::string& location() const { return location_; }  // to pass to open_store
  const ScratchFolder& folder() const { return folder_; }
  const Database* database() const { return database_.get(); }  // null on SQLite

  void run(const std::string& sql) const;  // runs a script on the bare engine; throws on failure

  // Opens it, creating or migrating; on failure fails the running test and throws.
  std::unique_ptr<store::Store> open(store::OpenMode mode = store::OpenMode::kCreate) const;

 private:
  ScratchFolder folder_;
  std::unique_ptr<Database> database_;
  std::string location_;
};

// The engines a suite runs on; for INSTANTIATE_TEST_SUITE_P.
inline auto engines() { return ::testing::Values(std::string("sqlite"), std::string("postgres")); }
inline std::string engine_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

class StoreFixture : public ::testing::TestWithParam<std::string> {
 protected:
  StoreFixture() : place_(GetParam()), store_(place_.open()) {}

  StoreLocation& place() { return place_; }
  store::Store& store() { return *store_; }
  void reopen() {
    store_.reset();
    store_ = place_.open(store::OpenMode::kExisting);
  }

 private:
  StoreLocation place_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace ladder::test_support

// Instantiates a suite for both engines; the last line of its file.
#define LADDER_FOR_EVERY_ENGINE(suite) \
  INSTANTIATE_TEST_SUITE_P(, suite, ::ladder::test_support::engines(), ::ladder::test_support::engine_name)
