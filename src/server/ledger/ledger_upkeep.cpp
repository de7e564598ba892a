// Ledger maintenance: checks the digest chain, expires old entries, and erases the ranges of erased records.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "server/ledger/ledger.h"
#include "server/ledger/ledger_pages.h"
#include "server/ledger/ledger_sums.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::server {
namespace {

constexpr std::int64_t kPagesAtOnce = 16;
constexpr std::int64_t kRowsAtOnce = 256;
constexpr Instant kErasureTail = 60 * kSecond;  // by then, a response in progress during the erasure has been recorded

using store::KeyOrder;
using store::LedgerChange;
using store::LedgerItem;
using store::LedgerKey;

std::string date_of(std::int64_t day) { return format_time(day * kDay).substr(0, 10); }

std::string packed_number(std::int64_t value) {
  std::string out;
  put_varint(out, static_cast<std::uint64_t>(value));
  return out;
}

// Checks the pages of one day, starting from the previous day's digest.
class DayCheck {
 public:
  DayCheck(store::LedgerStore& store, store::OwnerNo owner, const LedgerDay& day) : store_(store), owner_(owner), day_(day) {}

  Result<std::vector<std::string>> run() {
    crypto::Digest last = day_.before;
    std::int64_t pages = 0, entries = 0;
    const std::string to = page_key(day_.day + 1, 0);
    for (std::string from = page_key(day_.day, 0);;) {
      LADDER_TRY(const auto items, store_.scan(owner_, kPageKind, from, to, kPagesAtOnce, KeyOrder::kAscending));
      for (const LedgerItem& item : items) {
        const auto page = EntryPage::read(item.body);
        if (!page) {
          find("page {} cannot be read", pages);
          return std::move(findings_);
        }
        if (day_and_page(item.at.key).second != pages) find("page {} is missing", pages);
        if (page->before != last) find("page {} does not follow the one before it", pages);
        for (const PagedEntry& entry : page->entries) {
          if (!entry.read()) find("an entry of page {} cannot be read", pages);
        }
        last = page->digest();
        entries += std::ssize(page->entries);
        ++pages;
      }
      if (std::ssize(items) < kPagesAtOnce) break;
      from = next_key(items.back().at.key);
    }
    if (pages != day_.pages) find("there are {} pages, not {}", pages, day_.pages);
    if (entries != day_.entries) find("there are {} entries, not {}", entries, day_.entries);
    if (last != day_.head) find("its entries do not match the digest of the day");
    return std::move(findings_);
  }

 private:
  template <class... T>
  void find(fmt::format_string<T...> text, T&&... values) {
    findings_.push_back(format("ledger of {}: {}", date_of(day_.day), format(text, std::forward<T>(values)...)));
  }

  store::LedgerStore& store_;
  const store::OwnerNo owner_;
  const LedgerDay& day_;
  std::vector<std::string> findings_;
};

}  // namespace

Result<std::vector<std::string>> Ledger::check(store::OwnerNo owner) {
  LADDER_TRY(const auto all, days(owner));
  std::vector<std::string> findings;
  crypto::Digest last{};
  for (const LedgerDay& day : all) {
    if (day.before != last) {
      findings.push_back(format("ledger of {}: it does not follow the day before it", date_of(day.day)));
    }
    last = day.head;
    if (day.expired) continue;
    LADDER_TRY(auto of_day, DayCheck(store_.ledger(), owner, day).run());
    findings.insert(findings.end(), of_day.begin(), of_day.end());
  }
  std::int64_t unreadable = 0;
  for (std::string from;;) {
    LADDER_TRY(const auto rows, store_.ledger().scan(owner, kSeenKind, from, "", kRowsAtOnce, KeyOrder::kAscending));
    for (const LedgerItem& row : rows) unreadable += read_seen(row.body) ? 0 : 1;
    if (std::ssize(rows) < kRowsAtOnce) break;
    from = next_key(rows.back().at.key);
  }
  if (unreadable > 0) findings.push_back(format("ledger: the merged ranges of {} records cannot be read", unreadable));
  return findings;
}

Status Ledger::expire(store::OwnerNo owner) {
  LADDER_TRY(const LedgerSettings wanted, settings(owner));
  const std::int64_t first_kept = floor_div(clock_.now(), kDay) - wanted.detail_days;
  const std::string to = day_key(first_kept);
  for (;;) {
    LADDER_TRY(const auto old, store_.ledger().scan(owner, kPageKind, "", to, kRowsAtOnce, KeyOrder::kAscending));
    if (old.empty()) break;
    LedgerChange removal;
    std::optional<std::int64_t> last;
    for (const LedgerItem& page : old) {
      removal.removes.push_back(page.at);
      const std::int64_t day = day_and_page(page.at.key).first;
      if (last == day) continue;
      last = day;
      const LedgerKey key{owner, std::string(kDayKind), day_key(day)};
      LADDER_TRY(const auto days, store_.ledger().find({&key, 1}));
      auto known = days.empty() ? std::nullopt : read_day(key.key, days.front().body);
      if (!known || known->expired) continue;
      known->expired = true;
      removal.puts.push_back({key, pack_day(*known), days.front().version});
    }
    LADDER_TRY(const bool done, store_.ledger().apply(removal));
    if (!done) break;  // another process is expiring too
  }
  const std::string today = day_key(floor_div(clock_.now(), kDay));
  LADDER_TRY(const auto ended, store_.ledger().scan(owner, kReservedKind, "", today, kRowsAtOnce, KeyOrder::kAscending));
  LedgerChange old_reservations;
  for (const LedgerItem& item : ended) old_reservations.removes.push_back(item.at);
  if (!ended.empty()) LADDER_CHECK(store_.ledger().apply(old_reservations));
  if (wanted.seen_days == 0) return {};
  LADDER_CHECK(count_sums(owner));
  const Instant oldest = clock_.now() - wanted.seen_days * kDay;
  for (std::string from, next;; from = next) {
    const auto remove_some = [&]() -> Result<LedgerChange> {
      LADDER_TRY(const auto items, store_.ledger().scan(owner, kSeenKind, from, "", kRowsAtOnce, KeyOrder::kAscending));
      LedgerChange removal;
      SumChanges sums(store_.ledger(), owner);
      for (const LedgerItem& item : items) {
        const auto seen = read_seen(item.body);
        if (!seen || seen->last_at >= oldest) continue;
        removal.removes.push_back(item.at);
        sums.remove(*seen);
      }
      next = std::ssize(items) < kRowsAtOnce ? "" : next_key(items.back().at.key);
      LADDER_CHECK(sums.put_into(removal));
      return removal;
    };
    LADDER_CHECK(change(remove_some));
    if (next.empty()) return {};
  }
}

Status Ledger::forget(store::OwnerNo owner, const model::RecordRef& erased, std::string_view moved_into) {
  const LedgerKey mark{owner, std::string(kErasureKind), ""};
  LADDER_CHECK(change([&]() -> Result<LedgerChange> {
    LADDER_TRY(const auto marks, store_.ledger().find({&mark, 1}));
    return LedgerChange{{{mark, packed_number(clock_.now() + kErasureTail), marks.empty() ? 0 : marks.front().version}}, {}};
  }));
  LADDER_CHECK(sweep());
  LADDER_CHECK(count_sums(owner));
  const std::string prefix = seen_prefix(erased);
  const std::string to = prefix_end(prefix);
  std::optional<Instant> first;
  for (std::string from = prefix;;) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kSeenKind, from, to, kRowsAtOnce, KeyOrder::kAscending));
    for (const LedgerItem& item : items) {
      const auto seen = read_seen(item.body);
      if (seen) first = std::min(first.value_or(seen->first_at), seen->first_at);
    }
    if (std::ssize(items) < kRowsAtOnce) break;
    from = next_key(items.back().at.key);
  }
  if (!first) return {};
  const auto is_erased = [&erased](const model::RecordRef& record) {
    return record.connection_id == erased.connection_id && (erased.stream.empty() || record.stream == erased.stream) &&
           (erased.record_id.empty() || record.record_id == erased.record_id) && !record.record_id.empty();
  };
  for (std::string from = page_key(floor_div(*first, kDay), 0);;) {
    std::string next;
    LADDER_CHECK(change([&]() -> Result<LedgerChange> {
      LADDER_TRY(const auto items, store_.ledger().scan(owner, kPageKind, from, "", kPagesAtOnce, KeyOrder::kAscending));
      LedgerChange rewritten;
      for (const LedgerItem& item : items) {
        auto page = EntryPage::read(item.body);
        if (!page) return damaged_ledger("a page cannot be read");
        if (page->erase(is_erased)) rewritten.puts.push_back({item.at, page->pack(), item.version});
      }
      next = std::ssize(items) < kPagesAtOnce ? "" : next_key(items.back().at.key);
      return rewritten;
    }));
    if (next.empty()) break;
    from = std::move(next);
  }
  // Removed last, because these rows mark the work to do: after a crash, forget() runs again.
  for (bool more = true; more;) {
    LADDER_CHECK(change([&]() -> Result<LedgerChange> {
      LADDER_TRY(LedgerChange removal, without_seen(owner, prefix, moved_into));
      more = std::ssize(removal.removes) == kRowsAtOnce;
      return removal;
    }));
  }
  return {};
}

Result<LedgerChange> Ledger::without_seen(store::OwnerNo owner, const std::string& prefix, std::string_view moved_into) {
  LADDER_TRY(const auto items,
             store_.ledger().scan(owner, kSeenKind, prefix, prefix_end(prefix), kRowsAtOnce, KeyOrder::kAscending));
  LedgerChange change;
  SumChanges sums(store_.ledger(), owner);
  std::vector<SeenRecord> removed;
  for (const LedgerItem& item : items) {
    change.removes.push_back(item.at);
    auto seen = read_seen(item.body);
    if (!seen) continue;
    sums.remove(*seen);
    removed.push_back(*std::move(seen));
  }
  if (!moved_into.empty()) LADDER_CHECK(move_seen(owner, moved_into, removed, sums, change));
  std::map<std::string, std::int64_t> counts;
  for (const SeenRecord& seen : removed) ++counts[seen.client_id];
  LADDER_CHECK(sums.put_into(change));
  for (const auto& [client, records] : counts) {
    const LedgerKey key{owner, std::string(kErasedKind), client};
    LADDER_TRY(const auto known, store_.ledger().find({&key, 1}));
    std::size_t at = 0;
    const auto before = known.empty() ? 0 : static_cast<std::int64_t>(get_varint(known.front().body, at).value_or(0));
    change.puts.push_back({key, packed_number(before + records), known.empty() ? 0 : known.front().version});
  }
  return change;
}

// A client has one row per record, so two rows never move to the same key.
Status Ledger::move_seen(store::OwnerNo owner, std::string_view into, std::vector<SeenRecord>& removed, SumChanges& sums,
                         LedgerChange& change) {
  LedgerEntry probe;
  for (SeenRecord& seen : removed) {
    seen.shown.record.connection_id = into;
    probe.shown.records.push_back({seen.shown.record});
  }
  const std::array<const LedgerEntry*, 1> probes = {&probe};
  LADDER_TRY(const auto missing, erased_among(owner, probes, probe.at));
  std::vector<SeenRecord> erased;
  for (SeenRecord& seen : removed) {
    if (std::ranges::find(missing, seen.shown.record) != missing.end()) {
      erased.push_back(std::move(seen));
      continue;
    }
    const LedgerKey key{owner, std::string(kSeenKind), seen_key(seen.shown.record, seen.client_id)};
    LADDER_TRY(const auto known, store_.ledger().find({&key, 1}));
    const auto before = known.empty() ? std::nullopt : read_seen(known.front().body);
    if (before) {
      seen.add(*before);
      sums.replace(*before, seen);
    } else {
      sums.add(seen);
    }
    change.puts.push_back({key, pack_seen(seen), known.empty() ? 0 : known.front().version});
  }
  removed = std::move(erased);
  return {};
}

}  // namespace ladder::server
