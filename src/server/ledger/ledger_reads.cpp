// The owner's reads of the ledger, and its settings.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "server/ledger/ledger.h"
#include "server/ledger/ledger_pages.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::int64_t kFirst = 4, kAtOnce = 64;  // pages in the first read, which is often sufficient, and in later reads
constexpr std::int64_t kRows = 1'024;             // small items per read
constexpr std::int64_t kMaxDays = 36'500;

using store::KeyOrder;
using store::LedgerChange;
using store::LedgerItem;
using store::LedgerKey;

bool names(const model::RecordRef& asked, const model::RecordRef& record) {
  const auto fits = [](const std::string& part, const std::string& of) { return part.empty() || part == of; };
  return fits(asked.connection_id, record.connection_id) && fits(asked.stream, record.stream) &&
         fits(asked.record_id, record.record_id);
}

bool is_any(const model::RecordRef& asked) {
  return asked.connection_id.empty() && asked.stream.empty() && asked.record_id.empty();
}

// Filters by the head and by the raw bytes of the records, so that most entries are skipped without parsing.
bool may_be_asked_for(const LedgerQuery& query, const LedgerEntry& head, const EntryView& view) {
  const std::string& name = query.record.record_id.empty() ? query.record.connection_id : query.record.record_id;
  if (!name.empty() && !view.names(name)) return false;
  if (!query.client_id.empty() && head.client_id != query.client_id) return false;
  return !(query.since && head.at < *query.since) && !(query.until && head.at >= *query.until);
}

// Removes records that don't match the query; returns false if none match.
bool narrow(const LedgerQuery& query, LedgerEntry& entry) {
  if (is_any(query.record)) return true;
  std::erase_if(entry.shown.records, [&](const ShownRecord& shown) { return !names(query.record, shown.record); });
  return !entry.shown.records.empty();
}

// A position between two entries: the page, and how many of its entries remain.
struct EntryPosition {
  std::string page;
  std::size_t left = 0;
};

std::string cursor_at(const EntryPosition& position) { return format("{}.{}", to_hex(position.page), position.left); }

std::optional<EntryPosition> parse_position(std::string_view cursor) {
  const std::size_t dot = cursor.find('.');
  const auto page = from_hex(cursor.substr(0, dot));
  if (dot == std::string_view::npos || !page || page->size() != page_key(0, 0).size()) return std::nullopt;
  const auto left = parse_number<decltype(EntryPosition::left)>(cursor.substr(dot + 1));
  return left ? std::optional(EntryPosition{*page, *left}) : std::nullopt;
}

// Entries are stored in sweep order, which differs from response order by at most a second.
LedgerPage newest_first(LedgerPage found) {
  std::ranges::stable_sort(found.entries, std::ranges::greater{}, &LedgerEntry::at);
  return found;
}

}  // namespace

Result<LedgerPage> Ledger::entries(store::OwnerNo owner, const LedgerQuery& query) {
  LedgerPage found;
  // An entry is swept on its own day or later.
  const std::string from = query.since ? page_key(floor_div(*query.since, kDay), 0) : "";
  std::string to;
  std::optional<EntryPosition> position;
  if (!query.cursor.empty()) {
    position = parse_position(query.cursor);
    if (!position)
      return fail(Code::kInvalidCursor, "the cursor is not one that the ledger made; start again without it", "cursor");
    to = next_key(position->page);
  }
  for (std::int64_t pages = kFirst;; pages = kAtOnce) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kPageKind, from, to, pages, KeyOrder::kDescending));
    for (const LedgerItem& item : items) {
      const auto page = entries_in(item.body);
      if (!page) return damaged_ledger("a page cannot be read");
      std::size_t left = page->size();
      if (position && position->page == item.at.key) left = std::min(left, position->left);
      for (; left > 0; --left) {
        if (std::ssize(found.entries) == query.limit) {
          found.next_cursor = cursor_at({item.at.key, left});
          return newest_first(std::move(found));
        }
        const EntryView& view = (*page)[left - 1];
        LedgerEntry head;
        if (!read_head(view.head, head)) return damaged_ledger("an entry cannot be read");
        if (!may_be_asked_for(query, head, view)) continue;
        auto entry = view.read();
        if (!entry) return damaged_ledger("an entry cannot be read");
        if (!narrow(query, *entry)) continue;
        entry->cursor = cursor_at({item.at.key, left});
        found.entries.push_back(*std::move(entry));
      }
    }
    if (std::ssize(items) < pages) return newest_first(std::move(found));
    to = items.back().at.key;
  }
}

Result<std::vector<SeenRecord>> Ledger::seen(store::OwnerNo owner, const LedgerQuery& query) {
  std::vector<SeenRecord> found;
  const std::string prefix = seen_prefix(query.record);
  const std::string to = prefix_end(prefix);
  for (std::string from = prefix;;) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kSeenKind, from, to, kRows, KeyOrder::kAscending));
    for (const LedgerItem& item : items) {
      auto seen = read_seen(item.body);
      if (!seen) return damaged_ledger("a client's merged ranges of a record cannot be read");
      if (!query.client_id.empty() && seen->client_id != query.client_id) continue;
      if (query.since && seen->last_at < *query.since) continue;
      if (names(query.record, seen->shown.record)) found.push_back(*std::move(seen));
    }
    if (std::ssize(items) < kRows) return found;
    from = next_key(items.back().at.key);
  }
}

Result<std::vector<LedgerUse>> Ledger::uses(store::OwnerNo owner, std::int64_t first_day, std::int64_t last_day) {
  std::vector<LedgerUse> found;
  const std::string to = day_key(last_day + 1);
  for (std::string from = day_key(first_day);;) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kUseKind, from, to, kRows, KeyOrder::kAscending));
    for (const LedgerItem& item : items) {
      auto use = read_use(item.at.key, item.body);
      if (!use) return damaged_ledger("a client's daily use cannot be read");
      found.push_back(*std::move(use));
    }
    if (std::ssize(items) < kRows) return found;
    from = next_key(items.back().at.key);
  }
}

Result<std::vector<LedgerDay>> Ledger::days(store::OwnerNo owner) {
  std::vector<LedgerDay> found;
  for (std::string from;;) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kDayKind, from, "", kRows, KeyOrder::kAscending));
    for (const LedgerItem& item : items) {
      auto day = read_day(item.at.key, item.body);
      if (!day) return damaged_ledger("a day cannot be read");
      found.push_back(*std::move(day));
    }
    if (std::ssize(items) < kRows) return found;
    from = next_key(items.back().at.key);
  }
}

Result<std::vector<ErasedCount>> Ledger::erased(store::OwnerNo owner) {
  LADDER_TRY(const auto items, store_.ledger().scan(owner, kErasedKind, "", "", kRows, KeyOrder::kAscending));
  std::vector<ErasedCount> counts;
  for (const LedgerItem& item : items) {
    std::size_t at = 0;
    counts.push_back({item.at.key, static_cast<std::int64_t>(get_varint(item.body, at).value_or(0))});
  }
  return counts;
}

Result<LedgerSettings> Ledger::settings(store::OwnerNo owner) {
  const LedgerKey key{owner, std::string(kSettingsKind), ""};
  LADDER_TRY(const auto items, store_.ledger().find({&key, 1}));
  LedgerSettings settings;
  if (items.empty()) return settings;
  std::size_t at = 0;
  const auto detail_days = get_varint(items.front().body, at);
  const auto seen_days = get_varint(items.front().body, at);
  const auto keeps_queries = get_varint(items.front().body, at);
  if (!detail_days || !seen_days || !keeps_queries) return damaged_ledger("its settings cannot be read");
  settings.detail_days = static_cast<std::int64_t>(*detail_days);
  settings.seen_days = static_cast<std::int64_t>(*seen_days);
  settings.keeps_queries = *keeps_queries != 0;
  return settings;
}

Status Ledger::set_settings(store::OwnerNo owner, const LedgerSettings& settings) {
  if (settings.detail_days < 1 || settings.detail_days > kMaxDays) {
    return fail(Code::kInvalidRequest, format("single entries are kept for 1 to {} days", kMaxDays), "detail_days");
  }
  if (settings.seen_days != 0 && (settings.seen_days < settings.detail_days || settings.seen_days > kMaxDays)) {
    return fail(Code::kInvalidRequest,
                "merged ranges are kept at least as long as single entries, or with 0 as long as the record", "seen_days");
  }
  const LedgerKey key{owner, std::string(kSettingsKind), ""};
  Status set = change([&]() -> Result<LedgerChange> {
    LADDER_TRY(const auto items, store_.ledger().find({&key, 1}));
    std::string body;
    put_varint(body, static_cast<std::uint64_t>(settings.detail_days));
    put_varint(body, static_cast<std::uint64_t>(settings.seen_days));
    put_varint(body, settings.keeps_queries ? 1 : 0);
    return LedgerChange{{{key, std::move(body), items.empty() ? 0 : items.front().version}}, {}};
  });
  const MutexLock lock(mutex_);
  policies_.erase(owner);
  return set;
}

}  // namespace ladder::server
