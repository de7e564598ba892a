// Sweeping moves journals into the store. A batch of entries, the position in its journal and all derived data change
// in one transaction, so that each entry is added exactly once, even after a crash.
#include "base/text/bytes.h"
#include "crypto/random.h"
#include "server/ledger/ledger.h"
#include "server/ledger/ledger_pages.h"
#include "server/ledger/ledger_sums.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <thread>

namespace ladder::server {
namespace {

constexpr std::size_t kPartBytes = 128 * 1024;     // read from a journal at a time
constexpr std::int64_t kBatchBytes = 1024 * 1024;  // maximum per transaction
constexpr std::size_t kBatchRecords = 4'096;       // seen records per transaction
constexpr std::int64_t kEnteredRows = 256;         // swept per transaction
constexpr std::size_t kEnteredKeyBytes = 8;        // random ones, after the time
constexpr std::size_t kPageBytes = 32 * 1024;      // a page of this size is full
constexpr int kTries = 60;                         // while other processes sweep for the same owner
constexpr int kMaxPauseMs = 20;                    // random pause between tries, to avoid repeated collisions

using store::KeyOrder;
using store::LedgerChange;
using store::LedgerItem;
using store::LedgerKey;

std::int64_t day_of(Instant at) { return floor_div(at, kDay); }

std::string packed_number(std::int64_t value) {
  std::string out;
  put_varint(out, static_cast<std::uint64_t>(value));
  return out;
}

std::int64_t read_number(std::string_view body) {
  std::size_t at = 0;
  return static_cast<std::int64_t>(get_varint(body, at).value_or(0));
}

Result<bool> is_there(store::Reader& reader, const OwnerCatalog& catalog, const model::RecordRef& record) {
  const ConnectionEntry* const connection = catalog.connection(record.connection_id);
  if (!connection) return false;
  const auto stream = connection->streams.find(record.stream);
  if (stream == connection->streams.end()) return false;
  LADDER_TRY(const auto found, reader.records({}, {&stream->second, 1}, record.record_id));
  return !found.records.empty();
}

// Collects the additions of a batch for one owner.
class OwnerBatch {
 public:
  OwnerBatch(store::LedgerStore& store, store::OwnerNo owner, Instant now, LedgerChange& change)
      : store_(store), owner_(owner), now_(now), change_(change) {}

  // Opens the last day and its last page if it has room. A clock set back does not reopen an earlier day.
  Status open_day() {
    LADDER_TRY(const auto last, store_.scan(owner_, kDayKind, "", "", 1, KeyOrder::kDescending));
    day_.day = day_of(now_);
    if (last.empty()) return {};
    const auto known = read_day(last.front().at.key, last.front().body);
    if (!known) return damaged_ledger("the last day cannot be read");
    if (known->day < day_.day) {
      day_.before = day_.head = known->head;
      page_.before = day_.head;
      return {};
    }
    day_ = *known;
    day_version_ = last.front().version;
    page_.before = day_.head;
    if (day_.pages == 0) return {};
    const LedgerKey key{owner_, std::string(kPageKind), page_key(day_.day, day_.pages - 1)};
    LADDER_TRY(const auto pages, store_.find({&key, 1}));
    if (pages.empty() || pages.front().body.size() >= kPageBytes) return {};
    auto page = EntryPage::read(pages.front().body);
    if (!page) return damaged_ledger("the last page cannot be read");
    page_ = *std::move(page);
    page_version_ = pages.front().version;
    page_bytes_ = pages.front().body.size();
    --day_.pages;
    return {};
  }

  void add(std::span<const LedgerEntry* const> entries, const std::vector<model::RecordRef>& gone) {
    const auto is_gone = [&gone](const model::RecordRef& record) { return std::ranges::find(gone, record) != gone.end(); };
    for (const LedgerEntry* entry : entries) {
      append(*entry, is_gone);
      count_use(*entry);
      for (const ShownRecord& record : entry->shown.records) {
        if (record.record.record_id.empty()) continue;  // the stream itself has no chars
        if (is_gone(record.record)) ++erased_[entry->client_id];
        else see(*entry, record);
      }
    }
  }

  std::size_t seen() const { return seen_.size(); }

  // Returns the time of the owner's last erasure with a safety margin; 0: never. The mark is written back unchanged,
  // so the batch conflicts if something is erased meanwhile: forget() updates the mark before it looks for ranges,
  // and would otherwise miss ranges that this batch adds.
  Result<Instant> erased_until() {
    if (erasure_) return read_number(erasure_->body);
    const LedgerKey key{owner_, std::string(kErasureKind), ""};
    LADDER_TRY(const auto marks, store_.find({&key, 1}));
    erasure_ = marks.empty() ? LedgerItem{key, packed_number(0), 0} : marks.front();
    return read_number(erasure_->body);
  }

  Status finish() {
    if (erasure_) change_.puts.push_back(*erasure_);
    close_page();
    put(day_version_, kDayKind, day_key(day_.day), pack_day(day_));
    LADDER_CHECK(merge_seen());
    LADDER_CHECK(merge_uses());
    return merge_erased();
  }

 private:
  void put(std::int64_t version, std::string_view kind, std::string key, std::string body) {
    change_.puts.push_back({{owner_, std::string(kind), std::move(key)}, std::move(body), version});
  }

  template <class IsGone>
  void append(const LedgerEntry& entry, const IsGone& is_gone) {
    PagedEntry paged = PagedEntry::of(entry, salts_);
    page_bytes_ += paged.head.size();
    for (std::size_t i = 0; i < paged.records.size(); ++i) {
      if (is_gone(entry.shown.records[i].record)) paged.records[i].salted.clear();
      page_bytes_ += paged.records[i].salted.size();
    }
    page_.entries.push_back(std::move(paged));
    ++day_.entries;
    if (page_bytes_ >= kPageBytes) close_page();
  }

  void close_page() {
    if (page_.entries.empty()) return;
    day_.head = page_.digest();
    put(page_version_, kPageKind, page_key(day_.day, day_.pages), page_.pack());
    ++day_.pages;
    page_ = {day_.head, {}};
    page_version_ = 0;
    page_bytes_ = 0;
  }

  void count_use(const LedgerEntry& entry) {
    for (const GrantShare& share : entry.grants) {
      LedgerUse use{day_of(entry.at), entry.client_id, share.grant_id, 0, 0, 0};
      LedgerUse& sum = uses_.try_emplace(use_key(use), use).first->second;
      if (&share == &entry.grants.front()) ++sum.answers;
      sum.chars += share.chars;
      sum.bytes += share.bytes;
    }
  }

  void see(const LedgerEntry& entry, const ShownRecord& record) {
    const auto [found, is_new] = seen_.try_emplace(seen_key(record.record, entry.client_id));
    SeenRecord& seen = found->second;
    if (is_new) seen = {entry.client_id, entry.at, entry.at, 0, {record.record, {}}};
    seen.first_at = std::min(seen.first_at, entry.at);
    seen.last_at = std::max(seen.last_at, entry.at);
    ++seen.answers;
    seen.shown.add(record.fields);
  }

  template <class Sums>
  Result<std::vector<LedgerItem>> known(std::string_view kind, const Sums& sums) {
    std::vector<LedgerKey> keys;
    keys.reserve(sums.size());
    for (const auto& [key, sum] : sums) keys.push_back({owner_, std::string(kind), key});
    return store_.find(keys);
  }

  Status merge_seen() {
    LADDER_TRY(const auto items, known(kSeenKind, seen_));
    std::map<std::string, std::int64_t> versions;
    SumChanges sums(store_, owner_);
    for (const LedgerItem& item : items) {
      const auto before = read_seen(item.body);
      if (!before) return damaged_ledger("a client's merged ranges of a record cannot be read");
      SeenRecord& seen = seen_[item.at.key];
      seen.add(*before);
      sums.replace(*before, seen);
      versions[item.at.key] = item.version;
    }
    for (const auto& [key, seen] : seen_) {
      if (!versions.contains(key)) sums.add(seen);
      put(versions[key], kSeenKind, key, pack_seen(seen));
    }
    return sums.put_into(change_);
  }

  Status merge_uses() {
    LADDER_TRY(const auto items, known(kUseKind, uses_));
    std::map<std::string, std::int64_t> versions;
    for (const LedgerItem& item : items) {
      const auto before = read_use(item.at.key, item.body);
      if (!before) return damaged_ledger("a client's daily use cannot be read");
      LedgerUse& use = uses_[item.at.key];
      use.answers += before->answers;
      use.chars += before->chars;
      use.bytes += before->bytes;
      versions[item.at.key] = item.version;
    }
    for (const auto& [key, use] : uses_) put(versions[key], kUseKind, key, pack_use(use));
    return {};
  }

  Status merge_erased() {
    LADDER_TRY(const auto items, known(kErasedKind, erased_));
    std::map<std::string, std::int64_t> versions;
    for (const LedgerItem& item : items) {
      erased_[item.at.key] += read_number(item.body);
      versions[item.at.key] = item.version;
    }
    for (const auto& [client, records] : erased_) put(versions[client], kErasedKind, client, packed_number(records));
    return {};
  }

  store::LedgerStore& store_;
  const store::OwnerNo owner_;
  const Instant now_;
  LedgerChange& change_;

  std::optional<LedgerItem> erasure_;  // as read when this batch began
  LedgerDay day_;
  std::int64_t day_version_ = 0;
  Salts salts_;
  EntryPage page_;
  std::int64_t page_version_ = 0;
  std::size_t page_bytes_ = 0;
  std::map<std::string, SeenRecord> seen_;
  std::map<std::string, LedgerUse> uses_;
  std::map<std::string, std::int64_t> erased_;  // records by client
};

}  // namespace

// One change for the entries of several owners.
class LedgerBatch {
 public:
  LedgerBatch(store::LedgerStore& store, Instant now) : store_(store), now_(now) {}

  Result<OwnerBatch*> of(store::OwnerNo owner) {
    const auto [found, is_new] = owners_.try_emplace(owner, store_, owner, now_, change_);
    if (is_new) LADDER_CHECK(found->second.open_day());
    return &found->second;
  }
  bool is_full() const {
    std::size_t seen = 0;
    for (const auto& [owner, batch] : owners_) seen += batch.seen();
    return seen >= kBatchRecords;
  }
  Result<LedgerChange> finish() {
    for (auto& [owner, batch] : owners_) LADDER_CHECK(batch.finish());
    return std::move(change_);
  }

 private:
  store::LedgerStore& store_;
  const Instant now_;
  LedgerChange change_;
  std::map<store::OwnerNo, OwnerBatch> owners_;
};

Status Ledger::change(const std::function<Result<LedgerChange>()>& make) {
  for (int i = 0; i < kTries; ++i) {
    LADDER_TRY(const LedgerChange wanted, make());
    if (wanted.puts.empty() && wanted.removes.empty()) return {};
    LADDER_TRY(const bool done, store_.ledger().apply(wanted));
    if (done) return {};
    thread_local std::minstd_rand chance(std::random_device{}());
    std::this_thread::sleep_for(std::chrono::milliseconds(chance() % static_cast<unsigned>(std::min(i + 1, kMaxPauseMs))));
  }
  return fail(Code::kStoreUnavailable, "other programs keep writing the ledger; try again");
}

Status Ledger::add(LedgerBatch& batch, std::span<const OwnedEntry> entries) {
  std::map<store::OwnerNo, std::vector<const LedgerEntry*>> by_owner;
  for (const OwnedEntry& each : entries) by_owner[each.owner].push_back(&each.entry);
  for (const auto& [owner, of_owner] : by_owner) {
    LADDER_TRY(const auto row, store_.owner(owner));
    if (!row) continue;  // deleted, with everything that was shown
    LADDER_CHECK(count_sums(owner));
    LADDER_TRY(OwnerBatch* const its, batch.of(owner));
    LADDER_TRY(const Instant erased_until, its->erased_until());
    LADDER_TRY(const auto gone, erased_among(owner, of_owner, erased_until));
    its->add(of_owner, gone);
  }
  return {};
}

// A row of its own, so that concurrent responses do not wait for each other.
Status Ledger::enter(const OwnedEntry& entry) {
  std::string key;
  put_u64_be(key, static_cast<std::uint64_t>(entry.entry.at));
  key += crypto::random_bytes(kEnteredKeyBytes);
  LADDER_TRY(
      const bool added,
      store_.ledger().apply({{{{0, std::string(kEnteredKind), std::move(key)}, pack_entry(entry.owner, entry.entry)}}, {}}));
  if (!added) return fail(Code::kStoreUnavailable, "the read can't be recorded in the ledger, so it is refused; try again");
  entered_ = true;
  return {};
}

Result<std::vector<model::RecordRef>> Ledger::erased_among(store::OwnerNo owner, std::span<const LedgerEntry* const> entries,
                                                           Instant erased_until) {
  std::vector<model::RecordRef> gone;
  std::set<std::string> looked;
  std::shared_ptr<const OwnerCatalog> catalog;
  std::unique_ptr<store::Reader> reader;
  for (const LedgerEntry* entry : entries) {
    if (entry->at > erased_until) continue;
    for (const ShownRecord& shown : entry->shown.records) {
      const model::RecordRef& record = shown.record;
      if (record.record_id.empty() || !looked.insert(seen_key(record)).second) continue;
      if (!catalog) {
        LADDER_TRY(catalog, catalogs_.newest(owner));
        LADDER_TRY(reader, store_.read(owner));
        reader->show_damaged();
      }
      LADDER_TRY(const bool there, is_there(*reader, *catalog, record));
      if (!there) gone.push_back(record);
    }
  }
  return gone;
}

// Entries are read in parts and freed when counted, so that an hour of them need not fit into memory.
Status Ledger::sweep_journal(ClosedJournal& journal) {
  const LedgerKey mark{0, std::string(kSweptKind), journal.name()};
  std::int64_t at = 0;
  bool marked = false;
  for (bool more = true; more;) {
    const auto next_batch = [&]() -> Result<LedgerChange> {
      LADDER_TRY(const auto marks, store_.ledger().find({&mark, 1}));
      marked = !marks.empty();
      const std::int64_t from = at = marked ? read_number(marks.front().body) : 0;
      LedgerBatch batch(store_.ledger(), clock_.now());
      for (more = true; more && at - from < kBatchBytes && !batch.is_full();) {
        LADDER_TRY(const auto part, journal.read(at, kPartBytes));
        std::vector<OwnedEntry> entries;
        entries.reserve(part.frames.size());
        for (const std::string& frame : part.frames) {
          auto entry = read_entry(frame);
          if (!entry) return damaged_ledger("a journal contains a malformed entry");
          entries.push_back(*std::move(entry));
        }
        LADDER_CHECK(add(batch, entries));
        at = part.next;
        more = !part.at_end;
      }
      if (at == from) return LedgerChange{};
      LADDER_TRY(LedgerChange wanted, batch.finish());
      wanted.puts.push_back({mark, packed_number(at), marked ? marks.front().version : 0});
      marked = true;
      return wanted;
    };
    LADDER_CHECK(change(next_batch));
  }
  journal.finish(at);
  if (marked) LADDER_CHECK(store_.ledger().apply({{}, {mark}}));
  return {};
}

// Each sweep changes a mark that it read before the rows, so of two processes that sweep the same rows one has to try again.
Status Ledger::sweep_entered() {
  const LedgerKey mark{0, std::string(kSweptKind), std::string(kEnteredKind)};
  entered_ = false;
  for (bool more = true; more;) {
    LADDER_CHECK(change([&]() -> Result<LedgerChange> {
      LADDER_TRY(const auto marks, store_.ledger().find({&mark, 1}));
      LADDER_TRY(const auto items, store_.ledger().scan(0, kEnteredKind, "", "", kEnteredRows, KeyOrder::kAscending));
      more = std::ssize(items) == kEnteredRows;
      if (items.empty()) return LedgerChange{};
      std::vector<OwnedEntry> entries;
      for (const LedgerItem& item : items) {
        auto entry = read_entry(item.body);
        if (!entry) return damaged_ledger("an entry that waits for its sweep is malformed");
        entries.push_back(*std::move(entry));
      }
      LedgerBatch batch(store_.ledger(), clock_.now());
      LADDER_CHECK(add(batch, entries));
      LADDER_TRY(LedgerChange wanted, batch.finish());
      for (const LedgerItem& item : items) wanted.removes.push_back(item.at);
      wanted.puts.push_back({mark, {}, marks.empty() ? 0 : marks.front().version});
      return wanted;
    }));
  }
  return {};
}

Status Ledger::sweep() {
  return_reservations(Returned::kIdle);
  const MutexLock lock(sweep_mutex_);
  Status all = !journal_ || store_.is_remote() ? sweep_entered() : Status();
  if (!all) failed_sweeps_.fetch_add(1, std::memory_order_relaxed);
  if (!journal_) return all;
  const auto sweep_one = [&](ClosedJournal& journal) {
    Status swept = sweep_journal(journal);
    if (swept) return;
    failed_sweeps_.fetch_add(1, std::memory_order_relaxed);
    if (all) all = std::move(swept);
  };
  if (const auto closed = journal_->rotate()) sweep_one(*closed);
  for (const auto& orphan : journal_->orphans()) sweep_one(*orphan);
  return all;
}

}  // namespace ladder::server
