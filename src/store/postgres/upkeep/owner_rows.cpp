// Deletes an owner in short transactions, and counts the rows of one. Other owners are not locked.
#include "store/catalog/access_rows.h"
#include "store/catalog/owned_tables.h"
#include "store/postgres/engine/postgres_store.h"

#include <array>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRowsAtOnce = 4'096;  // of a table in one transaction: at most 8 MB, some 20 ms

// The tables of this engine only.
#define LADDER_PG_OWNED_TABLES(X) LADDER_OWNED_TABLES(X) X(directory, "") X(word_owners, "")

struct OwnedTable {
  const char* name;
  Statement count, delete_some;
};
#define LADDER_OWNED_TABLE(table, key)                                                  \
  OwnedTable{#table,                                                                    \
             {"SELECT count(*) FROM " #table " WHERE owner_no = :owner"},               \
             {"DELETE FROM " #table " WHERE ctid = ANY (ARRAY(SELECT ctid FROM " #table \
              " WHERE owner_no = :owner LIMIT $1::bigint))"}},
constexpr OwnedTable kTables[] = {LADDER_PG_OWNED_TABLES(LADDER_OWNED_TABLE)};

constexpr Statement kCountOwners{"SELECT count(*) FROM owners WHERE owner_no = :owner"};
constexpr Statement kLockSuspended{"SELECT suspended_at IS NOT NULL FROM owners WHERE owner_no = :owner FOR UPDATE"};
constexpr Statement kDeleteOwner{"DELETE FROM owners WHERE owner_no = :owner"};

// Runs the statement with its parameters, if any, and returns the number of rows that it deleted.
template <class... P>
Result<std::int64_t> delete_rows(Connection& connection, const Statement& statement, const P&... parameters) {
  connection.begin();
  LADDER_TRY(const Rows owner, connection.run_one(kLockSuspended));
  if (!owner.empty() && !owner.boolean(0, 0)) return owner_has_access();
  LADDER_TRY(const Rows deleted, connection.run_one(statement, parameters...));
  LADDER_TRY(const auto committed, connection.commit());
  return deleted.affected();
}

}  // namespace

// Every call deletes rows before it looks at the deadline, so repeated calls come to an end.
Result<bool> PostgresStore::delete_owner(OwnerNo owner, Deadline deadline) {
  for (const OwnedTable& table : kTables) {
    for (std::int64_t rows = kRowsAtOnce; rows == kRowsAtOnce;) {
      LADDER_TRY(rows, pool_.run(owner, [&](Connection& connection) {
        return delete_rows(connection, table.delete_some, kRowsAtOnce);
      }));
      if (rows > 0 && deadline.passed()) return false;
    }
  }
  LADDER_CHECK(pool_.run(owner, [](Connection& connection) { return delete_rows(connection, kDeleteOwner); }));
  return true;
}

Result<std::vector<TableRows>> PostgresStore::owner_rows(OwnerNo owner) {
  return pool_.run(owner, [&](Connection& connection) -> Result<std::vector<TableRows>> {
    for (const OwnedTable& table : kTables) connection.add(table.count);
    connection.add(kCountOwners);
    LADDER_TRY(const auto answers, connection.run());
    std::vector<TableRows> rows;
    for (std::size_t i = 0; i < std::size(kTables); ++i) rows.push_back({kTables[i].name, answers[i].int8(0, 0)});
    rows.push_back({"owners", answers.back().int8(0, 0)});
    return rows;
  });
}

}  // namespace ladder::store::postgres
