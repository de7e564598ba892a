// Recording: every response to a client passes through here before it is sent.
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

// Returns the steady clock with a resolution of a few milliseconds, at a fifth of the cost.
std::chrono::steady_clock::time_point coarse_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::steady_clock::time_point(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

// Returns the caller's grant that covers the record's stream and connection.
const std::string& grant_of(const Access& access, const model::RecordRef& record) {
  for (const auto& held : access.grants()) {
    const grant::StreamGrant* const stream = held->grant.stream(record.stream);
    if (stream && stream->allows_instance(record.connection_id)) return held->grant.grant_id;
  }
  static const std::string none;
  return access.grants().empty() ? none : access.grants().front()->grant.grant_id;
}

std::vector<GrantShare> shares_of(const Access& access, const Disclosure& shown) {
  if (shown.counted && !shown.records.empty()) {
    return {{grant_of(access, shown.records.front().record), shown.counted->chars, shown.counted->bytes}};
  }
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

}  // namespace

Ledger::Ledger(store::Store& store, const Clock& clock, CatalogCache& catalogs, LedgerOptions options)
    : store_(store), clock_(clock), catalogs_(catalogs) {
  if (options.folder.empty()) options.folder = store.journal_folder();
  if (!options.folder.empty() && !options.in_store)
    journal_ = std::make_unique<Journal>(std::move(options.folder), options.durable);
}

Ledger::~Ledger() {
  if (journal_ ? journal_->is_open() : entered_.load()) (void)sweep();
  return_reservations(Returned::kAll);
}

std::shared_ptr<const Ledger::OwnerPolicy> Ledger::cached_policy(const Access& access, std::int64_t day) {
  const SteadyClock::time_point now = coarse_now();
  const MutexLock lock(mutex_);
  const auto known = policies_.find(access.owner());
  if (known == policies_.end() || known->second->day != day || now >= known->second->until) return nullptr;
  // A budget is set before its grant is issued, so cached data older than a grant may lack its budget.
  const Instant read_at = known->second->read_at;
  for (const auto& held : access.grants()) {
    if (held->grant.issued_at >= read_at) return nullptr;
  }
  return known->second;
}

Result<std::shared_ptr<const Ledger::OwnerPolicy>> Ledger::policy_of(const Access& access, std::int64_t day) {
  if (auto known = cached_policy(access, day)) return known;
  const store::OwnerNo owner = access.owner();
  auto policy = std::make_shared<OwnerPolicy>();
  policy->read_at = clock_.now();
  policy->until = coarse_now() + kFactsLast;
  policy->day = day;
  LADDER_TRY(const LedgerSettings wanted, settings(owner));
  policy->keeps_queries = wanted.keeps_queries;
  LADDER_TRY(const auto limits, budgets(owner));
  policy->budgets.insert(limits.begin(), limits.end());
  const MutexLock lock(mutex_);
  policies_[owner] = policy;
  return policy;
}

Status Ledger::count_outcome(Status written) {
  if (written) recorded_.fetch_add(1, std::memory_order_relaxed);
  else (written.error().code == Code::kRateLimited ? over_budget_ : unwritten_).fetch_add(1, std::memory_order_relaxed);
  return written;
}

Status Ledger::record(const Access& access, Disclosure shown) {
  if (!applies_to(access) || shown.kind.empty()) return {};
  return count_outcome(write(access, std::move(shown)));
}

Status Ledger::record(const Access& access, const ShownWindow& shown) {
  if (!applies_to(access)) return {};
  return count_outcome(write(access, shown));
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
  LADDER_TRY(const auto policy, policy_of(access, day_of(entry.at)));
  entry.client_id = access.client_id();
  entry.grants = shares_of(access, shown);
  entry.request_id = access.call().request_id;
  entry.transport = access.call().transport;
  entry.name = access.call().name;
  if (!policy->keeps_queries) shown.query.clear();
  entry.shown = std::move(shown);
  LADDER_CHECK(charge(access.owner(), *policy, entry, entry.shown.ahead));
  Status written = journal_ ? journal_->append(pack_entry(made.owner, entry)) : enter(made);
  if (!written) refund(access.owner(), *policy, entry);
  return written;
}

// The fast path: copies and counts nothing unless the grant has a budget.
Status Ledger::write(const Access& access, const ShownWindow& shown) {
  const Instant now = clock_.now();
  LADDER_TRY(const auto policy, policy_of(access, day_of(now)));
  const std::string& grant = grant_of(access, shown.window.record);
  if (!journal_ || policy->budgets.contains(grant)) return write(access, shown.full_disclosure());
  const CallInfo& call = access.call();
  const WindowEntry entry{access.owner(),
                          now,
                          access.client_id(),
                          grant,
                          call.request_id,
                          call.transport,
                          call.name,
                          policy->keeps_queries ? shown.query() : std::string_view(),
                          shown};
  thread_local std::string packed;  // keeps its capacity
  pack_entry(entry, packed);
  return journal_->append(packed);
}

}  // namespace ladder::server
