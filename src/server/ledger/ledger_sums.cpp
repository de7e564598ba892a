#include "server/ledger/ledger_sums.h"

#include "base/text/bytes.h"
#include "server/ledger/ledger.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::int64_t kRowsAtOnce = 1'024;
constexpr Instant kRecountInterval = kDay;
// The item with this reserved key holds the time of the last computation.
constexpr std::string_view kCountedKey = "";

using store::KeyOrder;
using store::LedgerChange;
using store::LedgerItem;
using store::LedgerKey;

std::unexpected<Error> damaged_sums() { return damaged_ledger("a sum of what a client has seen cannot be read"); }

Instant counted_at(const LedgerItem& mark) {
  std::size_t at = 0;
  return static_cast<Instant>(get_varint(mark.body, at).value_or(0));
}

SeenSum sum_for(const SeenRecord& seen) {
  return {seen.client_id, seen.shown.record.connection_id, seen.shown.record.stream, 0, 0, 0};
}

void add_to(SeenSum& sum, const SeenRecord& seen, std::int64_t records, std::int64_t times_chars) {
  sum.records += records;
  sum.chars += times_chars * seen.shown.total(Unit::kChars);
  sum.last_at = std::max(sum.last_at, seen.last_at);
}

// Returns all items of the owner's sums, including the mark.
Result<std::map<std::string, LedgerItem>> items_of(store::LedgerStore& store, store::OwnerNo owner) {
  std::map<std::string, LedgerItem> found;
  for (std::string from;;) {
    LADDER_TRY(auto items, store.scan(owner, kSumKind, from, "", kRowsAtOnce, KeyOrder::kAscending));
    const bool last = std::ssize(items) < kRowsAtOnce;
    if (!last) from = next_key(items.back().at.key);
    for (LedgerItem& item : items) found.emplace(item.at.key, std::move(item));
    if (last) return found;
  }
}

}  // namespace

void SumChanges::count(const SeenRecord& seen, std::int64_t records, std::int64_t times_chars) {
  const SeenSum fresh = sum_for(seen);
  add_to(differences_.try_emplace(sum_key(fresh), fresh).first->second, seen, records, times_chars);
}

Status SumChanges::put_into(LedgerChange& change) {
  std::vector<LedgerKey> keys;
  keys.reserve(differences_.size());
  for (const auto& [key, difference] : differences_) keys.push_back({owner_, std::string(kSumKind), key});
  LADDER_TRY(const auto items, store_.find(keys));
  std::map<std::string_view, const LedgerItem*> known;
  for (const LedgerItem& item : items) known.emplace(item.at.key, &item);
  for (const LedgerKey& key : keys) {
    SeenSum sum = differences_.at(key.key);
    std::int64_t version = 0;
    if (const auto found = known.find(key.key); found != known.end()) {
      // An unreadable sum is overwritten; the next recomputation corrects it.
      if (const auto before = read_sum(key.key, found->second->body)) {
        sum.records += before->records;
        sum.chars += before->chars;
        sum.last_at = std::max(sum.last_at, before->last_at);
      }
      version = found->second->version;
    }
    // The sum may lack entries written by an older Ladder; the next recomputation adds them.
    sum.records = std::max<std::int64_t>(sum.records, 0);
    sum.chars = std::max<std::int64_t>(sum.chars, 0);
    change.puts.push_back({key, pack_sum(sum), version});
  }
  return {};
}

Result<LedgerChange> Ledger::counted_sums(store::OwnerNo owner) {
  LedgerChange change;
  // Read before the ranges: if another process changes a sum meanwhile, the version differs and the computation is
  // retried.
  LADDER_TRY(const auto items, items_of(store_.ledger(), owner));
  const Instant now = clock_.now();
  const auto mark = items.find(std::string(kCountedKey));
  if (mark != items.end() && now - counted_at(mark->second) < kRecountInterval) return change;  // another process was faster
  std::map<std::string, SeenSum> sums;
  for (std::string from;;) {
    LADDER_TRY(const auto rows, store_.ledger().scan(owner, kSeenKind, from, "", kRowsAtOnce, KeyOrder::kAscending));
    for (const LedgerItem& row : rows) {
      const auto seen = read_seen(row.body);
      if (!seen) continue;  // `ladder doctor` reports it; one damaged row must not stop the ledger
      const SeenSum fresh = sum_for(*seen);
      add_to(sums.try_emplace(sum_key(fresh), fresh).first->second, *seen, 1, 1);
    }
    if (std::ssize(rows) < kRowsAtOnce) break;
    from = next_key(rows.back().at.key);
  }
  for (const auto& [key, item] : items) {
    if (key == kCountedKey || sums.contains(key)) continue;
    auto none = read_sum(key, item.body);
    if (!none) continue;
    none->records = none->chars = 0;
    sums.emplace(key, *std::move(none));
  }
  const auto put = [&](const std::string& key, std::string body) {
    const auto known = items.find(key);
    change.puts.push_back(
        {{owner, std::string(kSumKind), key}, std::move(body), known == items.end() ? 0 : known->second.version});
  };
  for (const auto& [key, sum] : sums) put(key, pack_sum(sum));
  std::string body;
  put_varint(body, static_cast<std::uint64_t>(now));
  put(std::string(kCountedKey), std::move(body));
  return change;
}

Status Ledger::count_sums(store::OwnerNo owner) {
  {
    const MutexLock lock(mutex_);
    const auto known = counted_at_.find(owner);
    if (known != counted_at_.end() && clock_.now() - known->second < kRecountInterval) return {};
  }
  const LedgerKey key{owner, std::string(kSumKind), std::string(kCountedKey)};
  LADDER_TRY(const auto marks, store_.ledger().find({&key, 1}));
  Instant at = marks.empty() ? 0 : counted_at(marks.front());
  if (marks.empty() || clock_.now() - at >= kRecountInterval) {
    LADDER_CHECK(change([&] { return counted_sums(owner); }));
    at = clock_.now();
  }
  const MutexLock lock(mutex_);
  counted_at_[owner] = at;
  return {};
}

Result<std::vector<SeenSum>> Ledger::sums(store::OwnerNo owner) {
  LADDER_CHECK(count_sums(owner));
  LADDER_TRY(const auto items, items_of(store_.ledger(), owner));
  std::vector<SeenSum> found;
  for (const auto& [key, item] : items) {
    if (key == kCountedKey) continue;
    auto sum = read_sum(key, item.body);
    if (!sum) return damaged_sums();
    if (sum->records > 0) found.push_back(*std::move(sum));
  }
  return found;
}

}  // namespace ladder::server
