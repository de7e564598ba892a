// Deletes an owner in short transactions, and counts the rows of one. Deleted bytes are overwritten.
#include "store/catalog/access_rows.h"
#include "store/catalog/owned_tables.h"
#include "store/sqlite/engine/sqlite_store.h"

#include <array>
#include <optional>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // between two checks of the clock

// The tables of this engine only.
#define LADDER_SQLITE_OWNED_TABLES(X) \
  LADDER_OWNED_TABLES(X) X(directory, "value_id, first") X(word_purges, "stream_no, first_row")

struct OwnedTable {
  const char *name, *count, *delete_some;
};
#define LADDER_OWNED_TABLE(table, key)                                                                    \
  OwnedTable{#table, "SELECT count(*) FROM " #table " WHERE owner_no = :owner",                           \
             "DELETE FROM " #table " WHERE (owner_no, " key ") IN (SELECT owner_no, " key " FROM " #table \
             " WHERE owner_no = :owner LIMIT ?1)"},
constexpr OwnedTable kTables[] = {LADDER_SQLITE_OWNED_TABLES(LADDER_OWNED_TABLE)};

Result<std::optional<bool>> is_suspended(Connection& connection) {
  Statement row = connection.prepare("SELECT suspended_at IS NOT NULL FROM owners WHERE owner_no = :owner");
  LADDER_TRY(const bool found, row.step());
  return found ? std::optional(row.integer_at(0) != 0) : std::nullopt;
}

// Returns true when no row is left but the owner itself.
Result<bool> delete_some(WriteTransaction& transaction) {
  for (const OwnedTable& table : kTables) {
    Statement drop = transaction->prepare(table.delete_some);
    for (;;) {
      if (transaction.time_is_up()) return false;
      LADDER_CHECK(drop.integer(1, kRowsAtOnce).run());
      if (transaction->rows_changed() < kRowsAtOnce) break;
    }
  }
  return true;
}

}  // namespace

Result<bool> SqliteStore::delete_owner(OwnerNo owner, Deadline deadline) {
  for (;;) {
    LADDER_TRY(WriteTransaction transaction, writer_.begin(WriteKind::kErasing));
    transaction.set_owner(owner);
    LADDER_TRY(const std::optional<bool> suspended, is_suspended(*transaction));
    if (suspended && !*suspended) return owner_has_access();
    LADDER_TRY(const bool done, delete_some(transaction));
    if (done) LADDER_CHECK(transaction->prepare("DELETE FROM owners WHERE owner_no = :owner").run());
    LADDER_CHECK(transaction.commit_bulk());
    if (done) return true;
    if (deadline.passed()) return false;
  }
}

Result<std::vector<TableRows>> SqliteStore::owner_rows(OwnerNo owner) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take(owner));
  std::vector<TableRows> rows;
  const auto count = [&](const char* table, const char* sql) -> Status {
    Statement statement = reader->prepare(sql);
    LADDER_CHECK(statement.step());
    rows.push_back({table, statement.integer_at(0)});
    return {};
  };
  for (const OwnedTable& table : kTables) LADDER_CHECK(count(table.name, table.count));
  LADDER_CHECK(count("owners", "SELECT count(*) FROM owners WHERE owner_no = :owner"));
  return rows;
}

}  // namespace ladder::store::sqlite
