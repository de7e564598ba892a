// The disclosure ledger: who was shown what, to the char (design D27). Every answer for a client goes through record() before it
// is given; its entry is in this process's journal (journal.h) when record() returns, and sweep() brings journals into the store:
//
//   page     entries in the order they were swept, in pages; each page's digest covers the one before it, day after day
//   day      of each day the number of entries and the digest of its last page; stays when the pages have expired
//   seen     of each record and client the ranges ever shown, merged: one look tells what a client has seen of it
//   sum      of each client, connection and stream how many records and chars are in its merged ranges
//   use      of each day, client and grant how much was shown
//   reserved the part of each budget of a day that processes have reserved (ledger_budgets.cpp)
//   erased   of each client how many records it had seen and that were erased since
//   settings, budget    what the owner wants
//   swept    how far a journal has been brought in, so that no entry comes twice
//
// Answers for the owner are no disclosures and are not recorded. Safe from any thread.
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
  std::string folder = {};  // of the journals; empty: the store's own, and without one entries go straight into the store
  bool durable = false;     // every answer waits until its entry is on disk
};

inline constexpr std::int64_t kLedgerDetailDays = 90;

// The owner's settings of the ledger.
struct LedgerSettings {
  std::int64_t detail_days = kLedgerDetailDays;  // how long single entries are kept
  std::int64_t seen_days = 0;                    // how long merged ranges are kept after the last look; 0: until the record goes
  bool keeps_queries = false;

  friend bool operator==(const LedgerSettings&, const LedgerSettings&) = default;
};

struct LedgerQuery {
  std::string client_id = {};  // empty: every client
  std::optional<Instant> since = {}, until = {};
  model::RecordRef record = {};  // parts that are empty are not asked about
  std::int64_t limit = 100;
  std::string cursor = {};  // of the page before
};

struct LedgerPage {
  std::vector<LedgerEntry> entries;  // newest first
  std::string next_cursor;           // empty: there are no more
};

// The ranges that a client was ever shown of a record.
struct SeenRecord {
  std::string client_id;
  Instant first_at = 0, last_at = 0;
  std::int64_t answers = 0;
  ShownRecord shown;
};

// The merged ranges of a client in a stream, added up. Kept with every sweep, so that a page asks for a few rows and not for one
// of each record; counted anew from the ranges once a day.
struct SeenSum {
  std::string client_id, connection_id, stream;
  std::int64_t records = 0, chars = 0;
  Instant last_at = 0;

  friend bool operator==(const SeenSum&, const SeenSum&) = default;
};

// How much a client was shown on a day (UTC) under a grant.
struct LedgerUse {
  std::int64_t day = 0;  // since 1970-01-01
  std::string client_id, grant_id;
  std::int64_t answers = 0, chars = 0, bytes = 0;
};

// The bytes of a budget that names only characters. An image weighs a hundred times as much as the text that describes it.
inline constexpr std::int64_t kBudgetBytesPerChar = 100;
constexpr std::int64_t default_byte_budget(std::int64_t chars) { return chars * kBudgetBytesPerChar; }

// How much a client may be shown a day under a grant. Grants of one consent share theirs.
struct ReadBudget {
  std::int64_t chars = 0, bytes = 0;
  std::string shared = {};  // the same for grants that share it; another one once other grants share it
  // The amount that the replaced grants had shown already on that day.
  std::int64_t spent_day = 0;
  ReadAmount spent = {};

  ReadAmount limit() const { return {chars, bytes}; }
};

// The bytes of the budget that replaces those of these grants: as many as before while its characters stay the same, else the
// default, and never more than before.
std::int64_t replaced_byte_budget(const std::map<std::string, ReadBudget>& budgets, std::span<const std::string> old_ids,
                                  std::int64_t chars);

// The chain of a day: its head covers every entry of it, and of the days before.
struct LedgerDay {
  std::int64_t day = 0;
  std::int64_t entries = 0, pages = 0;
  crypto::Digest before{}, head{};
  bool expired = false;  // its entries are gone, its head stays
};

struct ErasedCount {
  std::string client_id;
  std::int64_t records = 0;
};

// Totals since this process began, and how much waits for a sweep.
struct LedgerFigures {
  std::int64_t recorded = 0;       // entries
  std::int64_t unwritten = 0;      // answers that were not given, since their entry could not be written
  std::int64_t over_budget = 0;    // answers that were not given, since a grant's budget of the day was used up
  std::int64_t failed_sweeps = 0;  // of a journal; the next sweep takes what is left
  std::int64_t journal_bytes = 0;  // in the folder of the journals, whoever wrote them
};

class LedgerBatch;

class Ledger {
 public:
  Ledger(store::Store& store, const Clock& clock, CatalogCache& catalogs, LedgerOptions options);
  ~Ledger();  // sweeps its entries and returns what it has reserved; if a sweep fails, the next process does it

  bool concerns(const Access& access) const { return !access.is_owner() && access.token() != 0; }
  // Before the answer is given: kStoreUnavailable when it cannot be written, kRateLimited with the rule kBudgetRule and the time
  // to wait when it would be more than a grant's budget of the day.
  static constexpr std::string_view kBudgetRule = "grant.read_budget";
  Status record(const Access& access, Disclosure shown);
  Status record(const Access& access, const ShownWindow& shown);

  // Brings this process's journal and those of dead processes into the store, and returns the reserved parts of budgets that no
  // answer has used since the last sweep.
  Status sweep();
  LedgerFigures figures() const;
  // Removes what is kept no longer. Few rows a day: called now and then.
  Status expire(store::OwnerNo owner);

  // --- for the owner, whose access the caller has checked ---
  Result<LedgerPage> entries(store::OwnerNo owner, const LedgerQuery& query);
  // By record; of one client, or one record, where those are named.
  Result<std::vector<SeenRecord>> seen(store::OwnerNo owner, const LedgerQuery& query);
  Result<std::vector<SeenSum>> sums(store::OwnerNo owner);  // of clients that have seen something
  Result<std::vector<LedgerUse>> uses(store::OwnerNo owner, std::int64_t first_day, std::int64_t last_day);
  Result<std::vector<LedgerDay>> days(store::OwnerNo owner);
  Result<std::vector<ErasedCount>> erased(store::OwnerNo owner);
  // A sentence for everything that does not agree with the chain.
  Result<std::vector<std::string>> check(store::OwnerNo owner);
  Result<LedgerSettings> settings(store::OwnerNo owner);
  Status set_settings(store::OwnerNo owner, const LedgerSettings& settings);
  Result<std::map<std::string, ReadBudget>> budgets(store::OwnerNo owner);  // by grant
  // One budget for all of these grants together; without chars they have none. Without bytes it keeps those it has while the
  // chars stay the same, and gets the default otherwise.
  Status set_budget(store::OwnerNo owner, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day,
                    std::optional<std::int64_t> bytes_a_day = {}, const ReadAmount& spent_today = {});
  // The amount of the grant's budget that is gone today, other grants that share it included; without a budget, its use.
  Result<ReadAmount> spent_today(store::OwnerNo owner, const std::string& grant_id);

  // Erases the ranges of records that are gone: one, or with an empty record_id all of the stream, or with an empty stream too
  // all of the connection. What a journal still has of them goes when it is swept.
  Status forget(store::OwnerNo owner, const model::RecordRef& erased);

 private:
  using Clockwork = std::chrono::steady_clock;

  // Facts of an owner that record() needs, read again every second.
  struct Facts {
    Clockwork::time_point until{};
    Instant read_at = 0;
    std::int64_t day = 0;
    bool keeps_queries = false;
    std::map<std::string, ReadBudget, std::less<>> budgets;  // by grant
  };
  // The part of a budget that this process has reserved in the store and not shown yet.
  struct Reservation {
    std::int64_t day = 0;
    ReadAmount limit = {};  // the budget at that time
    ReadAmount left = {};
    bool used = false;  // since the last sweep
  };
  using BudgetKey = std::pair<store::OwnerNo, std::string>;  // owner, ReadBudget::shared

  Status write(const Access& access, Disclosure shown);
  Status write(const Access& access, const ShownWindow& shown);
  Status noted(Status written);  // counts it
  Result<std::shared_ptr<const Facts>> facts_of(const Access& access, std::int64_t day);
  std::shared_ptr<const Facts> fresh_facts(const Access& access, std::int64_t day);  // null: they are to be read
  // Counts the amounts of an entry against the budgets of its grants: kRateLimited when one of them has less. `ahead` is what the
  // caller is going to ask for next; it has to fit, too.
  Status charge(store::OwnerNo owner, const Facts& facts, const LedgerEntry& entry, const ReadAmount& ahead);
  void take_back(store::OwnerNo owner, const Facts& facts, const LedgerEntry& entry);  // its answer is not given
  Status spend(store::OwnerNo owner, const Facts& facts, std::string_view grant_id, const ReadAmount& amount,
               const ReadAmount& ahead);
  // Adds to the reservation of that day; returns what it has then.
  ReadAmount keep(const BudgetKey& key, std::int64_t day, const ReadBudget& budget, const ReadAmount& amount)
      LADDER_REQUIRES(mutex_);
  void give_back(const BudgetKey& budget, std::int64_t day, const ReadAmount& left);  // to the store
  enum class Returned : std::uint8_t { kIdle, kAll };
  void return_reservations(Returned which);
  Result<ReadAmount> reserved_at_first(const BudgetKey& budget, std::int64_t day);
  Status sweep_journal(ClosedJournal& journal);
  Status add(LedgerBatch& batch, std::span<const OwnedEntry> entries);
  Status enter(const OwnedEntry& entry);                                    // straight into the store
  Status change(const std::function<Result<store::LedgerChange>()>& make);  // again, while others come between
  // Counts the sums of an owner where nobody has, or where that was a day ago. Whoever writes merged ranges calls it first.
  Status count_sums(store::OwnerNo owner);
  Result<store::LedgerChange> counted_sums(store::OwnerNo owner);
  // Finds the records that were erased after their entry was made; none that was erased after `erased_until`.
  Result<std::vector<model::RecordRef>> erased_among(store::OwnerNo owner, std::span<const LedgerEntry* const> entries,
                                                     Instant erased_until);

  store::Store& store_;
  const Clock& clock_;
  CatalogCache& catalogs_;
  std::unique_ptr<Journal> journal_;  // null: there is no folder
  std::atomic<std::int64_t> recorded_ = 0, unwritten_ = 0, over_budget_ = 0, failed_sweeps_ = 0;

  Mutex sweep_mutex_;  // one thread sweeps
  Mutex mutex_;
  std::map<store::OwnerNo, std::shared_ptr<const Facts>> facts_ LADDER_GUARDED_BY(mutex_);
  std::map<BudgetKey, Reservation> reserved_ LADDER_GUARDED_BY(mutex_);
  std::map<store::OwnerNo, Instant> counted_at_ LADDER_GUARDED_BY(mutex_);  // when the sums were counted last, as far as is known
};

}  // namespace ladder::server
