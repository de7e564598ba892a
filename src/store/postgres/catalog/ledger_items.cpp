#include "store/postgres/engine/items.h"

#include "store/postgres/engine/connection.h"

#include <algorithm>
#include <cstddef>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFind{
    "SELECT body, version FROM ledger_items WHERE owner_no = $1::bigint AND kind = $2::text AND key = $3::bytea"};
constexpr Statement kScan{kLedgerScanSql};
constexpr Statement kScanBack{kLedgerScanBackSql};
constexpr Statement kRange{kLedgerRangeSql};
constexpr Statement kRangeBack{kLedgerRangeBackSql};
constexpr Statement kAdd{
    "INSERT INTO ledger_items (owner_no, kind, key, body, version)"
    " VALUES ($1::bigint, $2::text, $3::bytea, $4::bytea, 1) ON CONFLICT (owner_no, kind, key) DO NOTHING"};
constexpr Statement kReplace{
    "UPDATE ledger_items SET body = $4::bytea, version = version + 1"
    " WHERE owner_no = $1::bigint AND kind = $2::text AND key = $3::bytea AND version = $5::bigint"};
constexpr Statement kRemove{"DELETE FROM ledger_items WHERE owner_no = $1::bigint AND kind = $2::text AND key = $3::bytea"};

constexpr std::size_t kAtOnce = 256;  // statements of one round trip

void add_put(Connection& connection, const LedgerItem& item) {
  if (item.version == 0) connection.add(kAdd, item.at.owner, item.at.kind, item.at.key, item.body);
  else connection.add(kReplace, item.at.owner, item.at.kind, item.at.key, item.body, item.version);
}

Result<bool> apply_change(Connection& connection, const LedgerChange& change) {
  connection.begin();
  for (std::size_t at = 0; at < change.puts.size();) {
    for (const std::size_t end = std::min(change.puts.size(), at + kAtOnce); at < end; ++at) add_put(connection, change.puts[at]);
    LADDER_TRY(const auto answers, connection.run());
    for (const Rows& rows : answers) {
      if (rows.affected() != 1) return false;  // the pool rolls it back
    }
  }
  for (const LedgerKey& key : change.removes) connection.add(kRemove, key.owner, key.kind, key.key);
  LADDER_TRY(const auto done, connection.commit());
  return true;
}

}  // namespace

Result<std::vector<LedgerItem>> PostgresLedgerStore::find(std::span<const LedgerKey> keys) {
  if (keys.empty()) return std::vector<LedgerItem>();
  return pool_.read([&](Connection& connection) -> Result<std::vector<LedgerItem>> {
    std::vector<LedgerItem> items;
    for (std::size_t at = 0; at < keys.size(); at += kAtOnce) {
      const auto some = keys.subspan(at, std::min(kAtOnce, keys.size() - at));
      for (const LedgerKey& key : some) connection.add(kFind, key.owner, key.kind, key.key);
      LADDER_TRY(const auto answers, connection.run());
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (!answers[i].empty()) items.push_back({some[i], answers[i].text(0, 0), answers[i].int8(0, 1)});
      }
    }
    return items;
  });
}

Result<std::vector<LedgerItem>> PostgresLedgerStore::scan(OwnerNo owner, std::string_view kind, std::string_view from,
                                                          std::string_view to, std::int64_t limit, KeyOrder order) {
  return pool_.read([&](Connection& connection) -> Result<std::vector<LedgerItem>> {
    const bool up = order == KeyOrder::kAscending;
    if (to.empty()) connection.add(up ? kScan : kScanBack, owner, kind, from, limit);
    else connection.add(up ? kRange : kRangeBack, owner, kind, from, limit, to);
    LADDER_TRY(const auto answers, connection.run());
    const Rows& rows = answers.front();
    std::vector<LedgerItem> items;
    items.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
      items.push_back({{owner, std::string(kind), rows.text(row, 0)}, rows.text(row, 1), rows.int8(row, 2)});
    }
    return items;
  });
}

Result<bool> PostgresLedgerStore::apply(const LedgerChange& change) {
  return pool_.run([&](Connection& connection) { return apply_change(connection, change); });
}

}  // namespace ladder::store::postgres
