#include "store/catalog/items.h"

#include <algorithm>
#include <cstddef>

namespace ladder::store {
namespace {

using sql::Bytes, sql::Row, sql::Rows, sql::Session, sql::Statement;

constexpr Statement kFind{"SELECT body, version FROM ledger_items WHERE owner_no = $1 AND kind = $2 AND key = $3"};
constexpr Statement kAdd{
    "INSERT INTO ledger_items (owner_no, kind, key, version, body) VALUES ($1, $2, $3, 1, $4)"
    " ON CONFLICT (owner_no, kind, key) DO NOTHING"};
constexpr Statement kReplace{
    "UPDATE ledger_items SET body = $4, version = version + 1 WHERE owner_no = $1 AND kind = $2 AND key = $3 AND version = $5"};
constexpr Statement kRemove{"DELETE FROM ledger_items WHERE owner_no = $1 AND kind = $2 AND key = $3"};

constexpr std::size_t kAtOnce = 256;  // statements of one round trip

void add_put(Session& session, const LedgerItem& item) {
  const auto& [owner, kind, key] = item.at;
  session.work_for(owner);
  if (item.version == 0) session.add(kAdd, owner, kind, Bytes{key}, Bytes{item.body});
  else session.add(kReplace, owner, kind, Bytes{key}, Bytes{item.body}, item.version);
}

// Calls `some` with at most kAtOnce elements at a time, until it fails or returns false.
template <class T, class Some>
Result<bool> in_parts(std::span<const T> all, const Some& some) {
  for (std::size_t at = 0; at < all.size(); at += kAtOnce) {
    LADDER_TRY(const bool more, some(all.subspan(at, std::min(kAtOnce, all.size() - at))));
    if (!more) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<LedgerItem>> LedgerItems::find(std::span<const LedgerKey> keys) {
  if (keys.empty()) return std::vector<LedgerItem>();
  return database_.read(0, [&](Session& session) -> Result<std::vector<LedgerItem>> {
    std::vector<LedgerItem> items;
    LADDER_CHECK(in_parts(keys, [&](std::span<const LedgerKey> some) -> Result<bool> {
      for (const LedgerKey& key : some) {
        session.work_for(key.owner);
        session.add(kFind, key.owner, key.kind, Bytes{key.key});
      }
      LADDER_TRY(const auto answers, session.run());
      for (std::size_t i = 0; i < some.size(); ++i) {
        if (!answers[i].empty()) items.push_back({some[i], answers[i][0].text(0), answers[i][0].integer(1)});
      }
      return true;
    }));
    return items;
  });
}

Result<std::vector<LedgerItem>> LedgerItems::scan(OwnerNo owner, std::string_view kind, std::string_view from,
                                                  std::string_view to, std::int64_t limit, KeyOrder order) {
  return database_.read(owner, [&](Session& session) -> Result<std::vector<LedgerItem>> {
    const bool up = order == KeyOrder::kAscending;
    if (to.empty()) session.add(up ? kLedgerScan : kLedgerScanBack, owner, kind, Bytes{from}, limit);
    else session.add(up ? kLedgerRange : kLedgerRangeBack, owner, kind, Bytes{from}, limit, Bytes{to});
    LADDER_TRY(const auto answers, session.run());
    return answers.front().all(
        [&](const Row& row) { return LedgerItem{{owner, std::string(kind), row.text(0)}, row.text(1), row.integer(2)}; });
  });
}

Result<bool> LedgerItems::apply(const LedgerChange& change) {
  return database_.write(0, {}, [&](Session& session) -> Result<bool> {
    LADDER_TRY(const bool all_swapped, in_parts(std::span(change.puts), [&](std::span<const LedgerItem> some) -> Result<bool> {
                 for (const LedgerItem& item : some) add_put(session, item);
                 LADDER_TRY(const auto answers, session.run());
                 return std::ranges::all_of(answers, [](const Rows& rows) { return rows.affected() == 1; });
               }));
    if (!all_swapped) return false;
    for (const LedgerKey& key : change.removes) {
      session.work_for(key.owner);
      session.add(kRemove, key.owner, key.kind, Bytes{key.key});
    }
    LADDER_CHECK(session.commit());
    return true;
  });
}

}  // namespace ladder::store
