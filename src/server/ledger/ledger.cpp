// Recording: what stands between an answer and its client.
#include "server/ledger/ledger.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "server/ledger/ledger_pages.h"

#include <algorithm>
#include <ctime>

namespace ladder::server {
namespace {

constexpr auto kFactsLast = std::chrono::seconds(1);

std::int64_t day_of(Instant at) { return floor_div(at, kDay); }

// The steady clock to a few milliseconds, for a fifth of its price.
std::chrono::steady_clock::time_point coarse_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

// The grant that shows the record: one of the caller's that names its stream in its connection.
const std::string& grant_of(const Access& access, const model::RecordRef& record) {
  for (const auto& held : access.grants()) {
    const grant::StreamGrant* const stream = held->grant.stream(record.stream);
    if (stream && stream->allows_instance(record.connection_id)) return held->grant.grant_id;
  }
  static const std::string none;
  return access.grants().empty() ? none : access.grants().front()->grant.grant_id;
}

std::vector<GrantShare> shares_of(const Access& access, const Disclosure& shown) {
  std::vector<GrantShare> shares;
  const auto share_of = [&shares](const std::string& grant) -> GrantShare& {
    const auto found = std::ranges::find(shares, grant, &GrantShare::grant_id);
    return found != shares.end() ? *found : shares.emplace_back(GrantShare{grant, 0, 0});
  };
  for (const ShownRecord& record : shown.records) {
    GrantShare& share = share_of(grant_of(access, record.record));
    share.chars += record.total(Unit::kChars);
    share.bytes += record.total(Unit::kBytes);
  }
  if (shown.records.empty()) {
    for (const auto& held : access.grants()) share_of(held->grant.grant_id);
  }
  return shares;
}

std::unexpected<Error> over_budget(const GrantShare& share, std::int64_t budget, std::int64_t used, Instant now) {
  const Instant opens = (day_of(now) + 1) * kDay;
  Error error{
      Code::kRateLimited,
      format("grant {} may be shown {} chars a day, {} are left, and this answer has {}; ask for less, or again from {} on",
             share.grant_id, budget, std::max<std::int64_t>(0, budget - used), share.chars, format_time(opens))};
  error.details().rule = Ledger::kBudgetRule;
  error.details().retry_after_seconds = (opens - now + kSecond - 1) / kSecond;
  return std::unexpected(std::move(error));
}

}  // namespace

Ledger::Ledger(store::Store& store, const Clock& clock, CatalogCache& catalogs, LedgerOptions options)
    : store_(store), clock_(clock), catalogs_(catalogs) {
  if (options.folder.empty()) options.folder = store.journal_folder();
  if (!options.folder.empty()) journal_ = std::make_unique<Journal>(std::move(options.folder), options.durable);
}

Ledger::~Ledger() {
  if (journal_ && journal_->is_open()) (void)sweep();
}

std::shared_ptr<const Ledger::Facts> Ledger::fresh_facts(const Access& access, std::int64_t day) {
  const Clockwork::time_point now = coarse_now();
  const MutexLock lock(mutex_);
  const auto known = facts_.find(access.owner());
  if (known == facts_.end() || known->second->day != day || now >= known->second->until) return nullptr;
  // A budget is set before its grant is issued: facts that are older than a grant may lack its budget.
  const Instant read_at = known->second->read_at;
  for (const auto& held : access.grants()) {
    if (held->grant.issued_at >= read_at) return nullptr;
  }
  return known->second;
}

Result<std::shared_ptr<const Ledger::Facts>> Ledger::facts_of(const Access& access, std::int64_t day) {
  if (auto known = fresh_facts(access, day)) return known;
  const store::OwnerNo owner = access.owner();
  auto facts = std::make_shared<Facts>();
  facts->read_at = clock_.now();
  {
    const MutexLock lock(mutex_);
    for (const auto& [key, written] : written_) {
      if (key.first == owner && written.day == day) facts->swept[key.second] = written.swept;
    }
  }
  facts->until = coarse_now() + kFactsLast;
  facts->day = day;
  LADDER_TRY(const LedgerSettings wanted, settings(owner));
  facts->keeps_queries = wanted.keeps_queries;
  LADDER_TRY(const auto limits, budgets(owner));
  facts->budgets.insert(limits.begin(), limits.end());
  if (!facts->budgets.empty()) {
    LADDER_TRY(const auto today, uses(owner, day, day));
    for (const LedgerUse& use : today) facts->used[use.grant_id] += use.chars;
  }
  const MutexLock lock(mutex_);
  facts_[owner] = facts;
  return facts;
}

// Of the day, over all grants that share the budget.
std::int64_t Ledger::used_of(store::OwnerNo owner, const Facts& facts, const ReadBudget& budget) {
  const auto known = [](const auto& amounts, const std::string& grant) {
    const auto found = amounts.find(grant);
    return found == amounts.end() ? std::int64_t{0} : found->second;
  };
  std::int64_t used = 0;
  for (const auto& [grant, other] : facts.budgets) {
    if (other.shared != budget.shared) continue;
    if (other.spent_day == facts.day) used += other.spent_chars;
    Written& written = written_[{owner, grant}];
    if (written.day != facts.day) written = {facts.day, 0, 0};
    used += known(facts.used, grant) + written.recorded - known(facts.swept, grant);
  }
  return used;
}

Status Ledger::charge(store::OwnerNo owner, const Facts& facts, const LedgerEntry& entry) {
  const MutexLock lock(mutex_);
  for (const GrantShare& share : entry.grants) {
    const auto budget = facts.budgets.find(share.grant_id);
    if (budget == facts.budgets.end()) continue;
    GrantShare whole{share.grant_id, 0, 0};
    for (const GrantShare& other : entry.grants) {
      const auto its = facts.budgets.find(other.grant_id);
      if (its != facts.budgets.end() && its->second.shared == budget->second.shared) whole.chars += other.chars;
    }
    const std::int64_t used = used_of(owner, facts, budget->second);
    if (used + whole.chars > budget->second.chars) return over_budget(whole, budget->second.chars, used, entry.at);
  }
  for (const GrantShare& share : entry.grants) {
    if (facts.budgets.contains(share.grant_id)) written_[{owner, share.grant_id}].recorded += share.chars;
  }
  return {};
}

void Ledger::take_back(store::OwnerNo owner, const LedgerEntry& entry) {
  const MutexLock lock(mutex_);
  for (const GrantShare& share : entry.grants) {
    const auto written = written_.find({owner, share.grant_id});
    if (written != written_.end() && written->second.day == day_of(entry.at)) written->second.recorded -= share.chars;
  }
}

void Ledger::count(std::span<const OwnedEntry> entries, SweptChars& swept) {
  for (const OwnedEntry& each : entries) {
    for (const GrantShare& share : each.entry.grants) swept[{each.owner, day_of(each.entry.at), share.grant_id}] += share.chars;
  }
}

void Ledger::note_swept(const SweptChars& swept) {
  const MutexLock lock(mutex_);
  for (const auto& [of, chars] : swept) {
    const auto& [owner, day, grant] = of;
    const auto written = written_.find({owner, grant});
    if (written != written_.end() && written->second.day == day) written->second.swept += chars;
  }
}

Status Ledger::noted(Status written) {
  if (written) recorded_.fetch_add(1, std::memory_order_relaxed);
  else (written.error().code == Code::kRateLimited ? over_budget_ : unwritten_).fetch_add(1, std::memory_order_relaxed);
  return written;
}

Status Ledger::record(const Access& access, Disclosure shown) {
  if (!concerns(access) || shown.kind.empty()) return {};
  return noted(write(access, std::move(shown)));
}

Status Ledger::record(const Access& access, const ShownWindow& shown) {
  if (!concerns(access)) return {};
  return noted(write(access, shown));
}

LedgerFigures Ledger::figures() const {
  LedgerFigures figures;
  figures.recorded = recorded_.load(std::memory_order_relaxed);
  figures.unwritten = unwritten_.load(std::memory_order_relaxed);
  figures.over_budget = over_budget_.load(std::memory_order_relaxed);
  figures.failed_sweeps = failed_sweeps_.load(std::memory_order_relaxed);
  if (journal_) figures.journal_bytes = journal_->bytes_in_folder();
  return figures;
}

Status Ledger::write(const Access& access, Disclosure shown) {
  OwnedEntry made{access.owner(), {}};
  LedgerEntry& entry = made.entry;
  entry.at = clock_.now();
  LADDER_TRY(const auto facts, facts_of(access, day_of(entry.at)));
  entry.client_id = access.client_id();
  entry.grants = shares_of(access, shown);
  entry.request_id = access.call().request_id;
  entry.door = access.call().door;
  entry.name = access.call().name;
  if (!facts->keeps_queries) shown.query.clear();
  entry.shown = std::move(shown);
  const bool counts = !facts->budgets.empty();
  if (counts) LADDER_CHECK(charge(access.owner(), *facts, entry));
  Status written;
  if (journal_) {
    written = journal_->append(pack_entry(made.owner, entry));
  } else {
    written = enter(made);
    if (written && counts) {
      SweptChars swept;
      count({&made, 1}, swept);
      note_swept(swept);
    }
  }
  if (!written && counts) take_back(access.owner(), entry);
  return written;
}

// Nothing is copied and nothing is counted unless the grant has a budget: this is the shortest way that a read has.
Status Ledger::write(const Access& access, const ShownWindow& shown) {
  const Instant now = clock_.now();
  LADDER_TRY(const auto facts, facts_of(access, day_of(now)));
  const std::string& grant = grant_of(access, shown.window.record);
  if (!journal_ || facts->budgets.contains(grant)) return write(access, shown.whole());
  const CallFacts& call = access.call();
  const WindowEntry entry{access.owner(),
                          now,
                          access.client_id(),
                          grant,
                          call.request_id,
                          call.door,
                          call.name,
                          facts->keeps_queries ? shown.query() : std::string_view(),
                          shown};
  thread_local std::string packed;  // its room stays
  pack_entry(entry, packed);
  return journal_->append(packed);
}

}  // namespace ladder::server
