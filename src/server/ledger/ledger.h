// The disclosure ledger records which client was shown which characters (design D27). Every response for a client
// passes through record() first; when record() returns, the entry is in this process's journal (journal.h). sweep()
// moves journals into the store:
//
//   page     entries in sweep order, in pages; each page's digest covers the previous one, across days
//   day      per day the number of entries and the digest of its last page; kept after its pages expire
//   seen     per record and client the merged ranges ever shown, so that one lookup finds what a client has seen
//   sum      per client, connection and stream the number of records and characters in the merged ranges
//   use      per day, client and grant the amount shown
//   reserved the part of each day's budget reserved by processes (ledger_budgets.cpp)
//   erased   per client the number of seen records that were erased since
//   settings, budget    chosen by the owner
//   swept    the swept position of each journal, so that no entry is added twice
//   entered  entries of processes without a journal, one row each, until the sweep of any process
//
// Responses to the owner are not disclosures and are not recorded. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "server/catalog/catalog.h"
#include "server/ledger/entry.h"
#include "server/ledger/journal.h"
#include "store/ledger_store.h"
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::server {

struct LedgerOptions {
  std::string folder = {};  // of the journals; empty: the store's folder; if it has none, as with in_store
  bool durable = false;     // responses wait until their entries are on disk
  bool in_store = false;    // responses wait until their entries are in the store, for a machine whose disk may disappear
};

inline constexpr std::int64_t kLedgerDetailDays = 90;

// The owner's ledger settings.
struct LedgerSettings {
  std::int64_t detail_days = kLedgerDetailDays;  // how long individual entries are kept
  std::int64_t seen_days = 0;  // how long merged ranges are kept after the last access; 0: as long as the record
  bool keeps_queries = false;

  friend bool operator==(const LedgerSettings&, const LedgerSettings&) = default;
};

struct LedgerQuery {
  std::string client_id = {};  // empty: every client
  std::optional<Instant> since = {}, until = {};
  model::RecordRef record = {};  // empty parts are not filtered by
  std::int64_t limit = 100;
  std::string cursor = {};  // from the previous page
};

struct LedgerPage {
  std::vector<LedgerEntry> entries;  // newest first
  std::string next_cursor;           // empty: no more entries
};

// All ranges of a record ever shown to a client.
struct SeenRecord {
  std::string client_id;
  Instant first_at = 0, last_at = 0;
  std::int64_t answers = 0;
  ShownRecord shown;

  void add(const SeenRecord& more);  // of the same client, for the same record
};

// Totals of a client's merged ranges in a stream. Updated by every sweep, so that a page reads a few rows instead of
// one per record, and recomputed from the ranges once a day.
struct SeenSum {
  std::string client_id, connection_id, stream;
  std::int64_t records = 0, chars = 0;
  Instant last_at = 0;

  friend bool operator==(const SeenSum&, const SeenSum&) = default;
};

// The amount shown to a client on one day (UTC) under a grant. A response under several grants counts as one answer of the
// first, so that the answers of a client add up.
struct LedgerUse {
  std::int64_t day = 0;  // since 1970-01-01
  std::string client_id, grant_id;
  std::int64_t answers = 0, chars = 0, bytes = 0;
};

// Derives a byte budget from a character budget. An image is about a hundred times larger than a text describing it.
inline constexpr std::int64_t kBudgetBytesPerChar = 100;
constexpr std::int64_t default_byte_budget(std::int64_t chars) { return chars * kBudgetBytesPerChar; }

// The amount a client may be shown per day under a grant. Grants from one consent share a budget.
struct ReadBudget {
  std::int64_t chars = 0, bytes = 0;
  std::string shared = {};  // an id that is equal for grants sharing this budget; changes when the set of grants changes
  // The amount already shown that day under the grants that were replaced.
  std::int64_t spent_day = 0;
  ReadAmount spent = {};

  ReadAmount limit() const { return {chars, bytes}; }
};

// Computes the bytes of a budget that replaces those of the old grants: unchanged if the characters stay the same,
// else the default, but never more than before.
std::int64_t replaced_byte_budget(const std::map<std::string, ReadBudget>& budgets, std::span<const std::string> old_ids,
                                  std::int64_t chars);

// The digest chain of one day. The head covers all its entries and all previous days.
struct LedgerDay {
  std::int64_t day = 0;
  std::int64_t entries = 0, pages = 0;
  crypto::Digest before{}, head{};
  bool expired = false;  // its entries are deleted; the head is kept
};

struct ErasedCount {
  std::string client_id;
  std::int64_t records = 0;
};

// Counters since process start, and the amount waiting for a sweep.
struct LedgerFigures {
  std::int64_t recorded = 0;       // entries
  std::int64_t unwritten = 0;      // responses not sent because their entry could not be written
  std::int64_t over_budget = 0;    // responses not sent because a grant's daily budget was used up
  std::int64_t failed_sweeps = 0;  // journals whose sweep failed; the next sweep retries
  std::int64_t journal_bytes = 0;  // in the journal folder, from all processes
};

class LedgerBatch;
class SumChanges;

class Ledger {
 public:
  Ledger(store::Store& store, const Clock& clock, CatalogCache& catalogs, LedgerOptions options);
  ~Ledger();  // sweeps its entries and returns its reservations; if that fails, the next process does it

  bool applies_to(const Access& access) const { return !access.is_owner() && access.token() != 0; }
  // Call before sending the response. Returns kStoreUnavailable if the entry can't be written, and kRateLimited with
  // the rule kBudgetRule and a retry time if the response exceeds a grant's daily budget.
  static constexpr std::string_view kBudgetRule = "grant.read_budget";
  Status record(const Access& access, Disclosure shown);
  Status record(const Access& access, const ShownWindow& shown);

  // Moves the journals of this process and of dead processes into the store, and returns budget reservations that
  // were not used since the last sweep.
  Status sweep();
  LedgerFigures figures() const;
  // Deletes expired data. There are few rows per day, so it can run rarely.
  Status expire(store::OwnerNo owner);

  // --- for the owner; the caller has checked access ---
  Result<LedgerPage> entries(store::OwnerNo owner, const LedgerQuery& query);
  // Returns merged ranges by record, filtered by client and record if given.
  Result<std::vector<SeenRecord>> seen(store::OwnerNo owner, const LedgerQuery& query);
  Result<std::vector<SeenSum>> sums(store::OwnerNo owner);  // of clients that have seen something
  Result<std::vector<LedgerUse>> uses(store::OwnerNo owner, std::int64_t first_day, std::int64_t last_day);
  Result<std::vector<LedgerDay>> days(store::OwnerNo owner);
  Result<std::vector<ErasedCount>> erased(store::OwnerNo owner);
  // Returns one sentence for every inconsistency with the digest chain.
  Result<std::vector<std::string>> check(store::OwnerNo owner);
  Result<LedgerSettings> settings(store::OwnerNo owner);
  Status set_settings(store::OwnerNo owner, const LedgerSettings& settings);
  Result<std::map<std::string, ReadBudget>> budgets(store::OwnerNo owner);  // by grant
  // Sets one budget shared by all of these grants; without chars the budget is removed. Without bytes, the byte limit
  // is kept if the chars are unchanged, and otherwise set to the default.
  Status set_budget(store::OwnerNo owner, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day,
                    std::optional<std::int64_t> bytes_a_day = {}, const ReadAmount& spent_today = {});
  // Returns the amount of the grant's budget used today, including by grants that share it; without a budget, the
  // grant's use.
  Result<ReadAmount> spent_today(store::OwnerNo owner, const std::string& grant_id);

  // Erases the ranges of deleted records: one record, the complete stream if record_id is empty, or the complete
  // connection if stream is empty too. Entries still in a journal lose them when swept.
  Status forget(store::OwnerNo owner, const model::RecordRef& erased) { return forget(owner, erased, {}); }
  // Moves the merged ranges of a connection that was merged into another one to the records of the same keys there. Single
  // entries lose their ranges as in forget(), because they name ids that no longer exist. Ranges of records that the other
  // connection does not have count as erased.
  Status move(store::OwnerNo owner, std::string_view from, std::string_view into) {
    return forget(owner, {std::string(from), "", ""}, into);
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  // Cached per-owner data for record(), refreshed every second.
  struct OwnerPolicy {
    SteadyClock::time_point until{};
    Instant read_at = 0;
    std::int64_t day = 0;
    bool keeps_queries = false;
    std::map<std::string, ReadBudget, std::less<>> budgets;  // by grant
  };
  // The part of a budget that this process has reserved in the store and not used yet.
  struct Reservation {
    std::int64_t day = 0;
    ReadAmount limit = {};  // the budget when it was reserved
    ReadAmount left = {};
    bool used = false;  // since the last sweep
  };
  using BudgetKey = std::pair<store::OwnerNo, std::string>;  // owner, ReadBudget::shared

  Status forget(store::OwnerNo owner, const model::RecordRef& erased, std::string_view moved_into);
  // Removes up to some rows of merged ranges with the key prefix, or moves them; returns an empty change if there are none.
  Result<store::LedgerChange> without_seen(store::OwnerNo owner, const std::string& prefix, std::string_view moved_into);
  // Adds the moved rows to `change`; leaves those in `removed` that the other connection does not have.
  Status move_seen(store::OwnerNo owner, std::string_view into, std::vector<SeenRecord>& removed, SumChanges& sums,
                   store::LedgerChange& change);
  Status write(const Access& access, Disclosure shown);
  Status write(const Access& access, const ShownWindow& shown);
  Status count_outcome(Status written);  // updates the counters
  Result<std::shared_ptr<const OwnerPolicy>> policy_of(const Access& access, std::int64_t day);
  std::shared_ptr<const OwnerPolicy> cached_policy(const Access& access, std::int64_t day);  // null: not cached or stale
  // Counts an entry against the budgets of its grants; kRateLimited if one is exceeded. `ahead`, the amount the
  // caller will request next, must fit too.
  Status charge(store::OwnerNo owner, const OwnerPolicy& policy, const LedgerEntry& entry, const ReadAmount& ahead);
  // Reverses charge() for an entry whose response is not sent.
  void refund(store::OwnerNo owner, const OwnerPolicy& policy, const LedgerEntry& entry);
  Status spend(store::OwnerNo owner, const OwnerPolicy& policy, std::string_view grant_id, const ReadAmount& amount,
               const ReadAmount& ahead);
  // Adds to the day's reservation and returns its remaining amount.
  ReadAmount keep(const BudgetKey& key, std::int64_t day, const ReadBudget& budget, const ReadAmount& amount)
      LADDER_REQUIRES(mutex_);
  void release(const BudgetKey& budget, std::int64_t day, const ReadAmount& left);  // to the store
  enum class Returned : std::uint8_t { kIdle, kAll };
  void return_reservations(Returned which);
  Result<ReadAmount> initial_reservation(const BudgetKey& budget, std::int64_t day);
  Status sweep_journal(ClosedJournal& journal);
  Status add(LedgerBatch& batch, std::span<const OwnedEntry> entries);
  Status sweep_entered();
  Status enter(const OwnedEntry& entry);                                    // into the store, as a row of its own
  Status change(const std::function<Result<store::LedgerChange>()>& make);  // retries on conflicts
  // Computes an owner's sums if they are missing or a day old. Call it before writing merged ranges.
  Status count_sums(store::OwnerNo owner);
  Result<store::LedgerChange> counted_sums(store::OwnerNo owner);
  // Returns the records in the entries that no longer exist. Skips entries newer than `erased_until`.
  Result<std::vector<model::RecordRef>> erased_among(store::OwnerNo owner, std::span<const LedgerEntry* const> entries,
                                                     Instant erased_until);

  store::Store& store_;
  const Clock& clock_;
  CatalogCache& catalogs_;
  std::unique_ptr<Journal> journal_;   // null: entries go to the store
  std::atomic<bool> entered_ = false;  // an entry of this process may not be swept yet
  std::atomic<std::int64_t> recorded_ = 0, unwritten_ = 0, over_budget_ = 0, failed_sweeps_ = 0;

  Mutex sweep_mutex_;  // allows one sweep at a time
  Mutex mutex_;
  std::map<store::OwnerNo, std::shared_ptr<const OwnerPolicy>> policies_ LADDER_GUARDED_BY(mutex_);
  std::map<BudgetKey, Reservation> reserved_ LADDER_GUARDED_BY(mutex_);
  std::map<store::OwnerNo, Instant> counted_at_ LADDER_GUARDED_BY(mutex_);  // last known time of the computation
};

}  // namespace ladder::server
