#include "store/sqlite/engine/items.h"

namespace ladder::store::sqlite {
namespace {

constexpr const char* kAdd =
    "INSERT INTO ledger_items(owner_no, kind, key, body, version) VALUES(?1, ?2, ?3, ?4, 1) "
    "ON CONFLICT(owner_no, kind, key) DO NOTHING";
constexpr const char* kReplace =
    "UPDATE ledger_items SET body = ?4, version = version + 1 "
    "WHERE owner_no = ?1 AND kind = ?2 AND key = ?3 AND version = ?5";

// Writes the items of a change. A sweep has thousands of them, so each statement is prepared once.
class ItemWriter {
 public:
  explicit ItemWriter(Connection& connection)
      : connection_(connection), add_(connection.prepare(kAdd)), replace_(connection.prepare(kReplace)) {}

  // Returns false when the item already exists or has a different version than expected.
  Result<bool> put(const LedgerItem& item) {
    const bool is_new = item.version == 0;
    Statement& statement = is_new ? add_ : replace_;
    statement.integer(1, item.at.owner).text(2, item.at.kind).blob(3, item.at.key).blob(4, item.body);
    if (!is_new) statement.integer(5, item.version);
    LADDER_CHECK(statement.run());
    statement.reset();
    return connection_.rows_changed() == 1;
  }

 private:
  Connection& connection_;
  Statement add_, replace_;
};

}  // namespace

Result<std::vector<LedgerItem>> SqliteLedgerStore::find(std::span<const LedgerKey> keys) {
  std::vector<LedgerItem> items;
  if (keys.empty()) return items;
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  ReadTransaction view(*reader);  // otherwise each row would be read in its own transaction
  LADDER_CHECK(view.begin());
  Statement row = reader->prepare("SELECT body, version FROM ledger_items WHERE owner_no = ?1 AND kind = ?2 AND key = ?3");
  for (const LedgerKey& key : keys) {
    LADDER_TRY(const bool found, row.integer(1, key.owner).text(2, key.kind).blob(3, key.key).step());
    if (found) items.push_back({key, row.string_at(0), row.integer_at(1)});
    row.reset();
  }
  return items;
}

Result<std::vector<LedgerItem>> SqliteLedgerStore::scan(OwnerNo owner, std::string_view kind, std::string_view from,
                                                        std::string_view to, std::int64_t limit, KeyOrder order) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  const bool up = order == KeyOrder::kAscending;
  Statement rows =
      reader->prepare(to.empty() ? (up ? kLedgerScanSql : kLedgerScanBackSql) : (up ? kLedgerRangeSql : kLedgerRangeBackSql));
  rows.integer(1, owner).text(2, kind).blob(3, from).integer(4, limit);
  if (!to.empty()) rows.blob(5, to);
  std::vector<LedgerItem> items;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return items;
    items.push_back({{owner, std::string(kind), rows.string_at(0)}, rows.string_at(1), rows.integer_at(2)});
  }
}

Result<bool> SqliteLedgerStore::apply(const LedgerChange& change) {
  LADDER_TRY(WriteTransaction transaction, writer_.begin());
  {
    ItemWriter writer(*transaction);
    for (const LedgerItem& item : change.puts) {
      LADDER_TRY(const bool done, writer.put(item));
      if (!done) return false;
    }
  }
  Statement remove = transaction->prepare("DELETE FROM ledger_items WHERE owner_no = ?1 AND kind = ?2 AND key = ?3");
  for (const LedgerKey& key : change.removes) {
    LADDER_CHECK(remove.integer(1, key.owner).text(2, key.kind).blob(3, key.key).run());
    remove.reset();
  }
  remove.reset();
  LADDER_CHECK(transaction.commit());
  return true;
}

}  // namespace ladder::store::sqlite
