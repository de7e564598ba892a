#include "store/engines/open_store.h"

#include <gtest/gtest.h>

namespace ladder::store {
namespace {

TEST(OpenStore, DistinguishesPostgresAddressesFromSqlitePaths) {
  EXPECT_TRUE(is_postgres_address("postgres://user@host/db"));
  EXPECT_TRUE(is_postgres_address("postgresql:///db?host=/tmp"));
  EXPECT_FALSE(is_postgres_address("/home/me/ladder.db"));
  EXPECT_FALSE(is_postgres_address("postgres"));
  EXPECT_FALSE(is_postgres_address("./postgres://x"));
  EXPECT_FALSE(is_postgres_address(""));
}

}  // namespace
}  // namespace ladder::store
