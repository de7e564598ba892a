// Daily read budgets of grants. A budget is shared by all processes: the store holds the reserved amount, and a
// process reserves before it responds. It reserves more than one response needs, so that most responses need no
// write, and returns the rest when it was idle for a sweep or ends. A killed process loses its reservation for the
// rest of the day.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/random.h"
#include "server/ledger/ledger.h"
#include "server/ledger/ledger_pages.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr std::int64_t kRows = 1'024;  // budgets per read
constexpr std::int64_t kMaxBudget = 1'000'000'000'000;
constexpr std::size_t kSharedIdBytes = 8;

// A process reserves an eighth of the remaining budget, within these bounds. Below the lower bound it reserves
// exactly what a response needs, so that any process can use a small budget, or the end of one, to the last
// character.
constexpr std::int64_t kReservedPart = 8;
struct BlockBounds {
  std::int64_t least = 0, most = 0;
};
constexpr BlockBounds kCharBlock = {4'096, 131'072};
constexpr BlockBounds kByteBlock = {262'144, 16'777'216};

using store::KeyOrder;
using store::LedgerChange;
using store::LedgerItem;
using store::LedgerKey;

std::int64_t block_of(std::int64_t wanted, std::int64_t remaining, const BlockBounds& bounds) {
  const std::int64_t part = std::min(remaining / kReservedPart, bounds.most);
  return wanted == 0 || part < bounds.least ? wanted : std::max(wanted, part);
}

ReadAmount least(const ReadAmount& a, const ReadAmount& b) { return {std::min(a.chars, b.chars), std::min(a.bytes, b.bytes)}; }
ReadAmount at_least_zero(const ReadAmount& a) { return {std::max<std::int64_t>(a.chars, 0), std::max<std::int64_t>(a.bytes, 0)}; }

LedgerKey reserved_key(const std::pair<store::OwnerNo, std::string>& budget, std::int64_t day) {
  return {budget.first, std::string(kReservedKind), day_key(day) + budget.second};
}

void put_amount(std::string& out, const ReadAmount& amount) {
  put_varint(out, static_cast<std::uint64_t>(amount.chars));
  put_varint(out, static_cast<std::uint64_t>(amount.bytes));
}

Result<ReadAmount> read_reserved(const LedgerItem& item) {
  std::size_t at = 0;
  const auto chars = get_varint(item.body, at);
  const auto bytes = get_varint(item.body, at);
  if (!chars || !bytes) return damaged_ledger("a budget's reserved amount cannot be read");
  return ReadAmount{static_cast<std::int64_t>(*chars), static_cast<std::int64_t>(*bytes)};
}

LedgerItem reserved_item(const LedgerKey& key, const ReadAmount& reserved, std::int64_t version) {
  std::string body;
  put_amount(body, reserved);
  return {key, std::move(body), version};
}

std::optional<ReadBudget> read_budget(const LedgerItem& item) {
  std::size_t at = 0;
  const auto chars = get_varint(item.body, at);
  if (!chars) return std::nullopt;
  ReadBudget budget{static_cast<std::int64_t>(*chars), 0, item.at.key};
  budget.bytes = default_byte_budget(budget.chars);
  if (at == item.body.size()) return budget;  // the oldest format has one number
  const auto shared = get_sized(item.body, at);
  const auto day = get_varint(item.body, at);
  const auto spent = get_varint(item.body, at);
  if (!shared || !day || !spent) return std::nullopt;
  budget.shared = *shared;
  budget.spent_day = static_cast<std::int64_t>(*day);
  budget.spent.chars = static_cast<std::int64_t>(*spent);
  if (at == item.body.size()) return budget;  // an older format has no bytes
  const auto bytes = get_varint(item.body, at);
  const auto spent_bytes = get_varint(item.body, at);
  if (!bytes || !spent_bytes) return std::nullopt;
  budget.bytes = static_cast<std::int64_t>(*bytes);
  budget.spent.bytes = static_cast<std::int64_t>(*spent_bytes);
  return budget;
}

std::string pack_budget(const ReadBudget& budget) {
  std::string body;
  put_varint(body, static_cast<std::uint64_t>(budget.chars));
  put_sized(body, budget.shared);
  put_varint(body, static_cast<std::uint64_t>(budget.spent_day));
  put_varint(body, static_cast<std::uint64_t>(budget.spent.chars));
  put_varint(body, static_cast<std::uint64_t>(budget.bytes));
  put_varint(body, static_cast<std::uint64_t>(budget.spent.bytes));
  return body;
}

std::unexpected<Error> over_budget(std::string_view grant_id, const ReadBudget& budget, const ReadAmount& left,
                                   const ReadAmount& asked, Instant now) {
  const Instant opens = (floor_div(now, kDay) + 1) * kDay;
  const bool chars = asked.chars > left.chars;
  Error error{
      Code::kRateLimited,
      format("grant {} may be shown {} {} a day, {} are left, and this response has {}; request less, or try again after {}",
             grant_id, chars ? budget.chars : budget.bytes, chars ? "characters" : "bytes of files that are not text",
             chars ? left.chars : left.bytes, chars ? asked.chars : asked.bytes, format_time(opens))};
  error.details().rule = Ledger::kBudgetRule;
  error.details().retry_after_seconds = (opens - now + kSecond - 1) / kSecond;
  return std::unexpected(std::move(error));
}

// Returns the entry's amount under all grants that share the budget.
ReadAmount amount_of(const LedgerEntry& entry, const std::map<std::string, ReadBudget, std::less<>>& budgets,
                     std::string_view shared) {
  ReadAmount sum;
  for (const GrantShare& share : entry.grants) {
    const auto its = budgets.find(share.grant_id);
    if (its != budgets.end() && its->second.shared == shared) sum = sum + ReadAmount{share.chars, share.bytes};
  }
  return sum;
}

// Returns one grant of the entry per budget that it counts against.
std::map<std::string_view, std::string_view> budgeted_grants(const LedgerEntry& entry,
                                                             const std::map<std::string, ReadBudget, std::less<>>& budgets) {
  std::map<std::string_view, std::string_view> grants;
  for (const GrantShare& share : entry.grants) {
    if (const auto its = budgets.find(share.grant_id); its != budgets.end()) grants.emplace(its->second.shared, share.grant_id);
  }
  return grants;
}

}  // namespace

std::int64_t replaced_byte_budget(const std::map<std::string, ReadBudget>& budgets, std::span<const std::string> old_ids,
                                  std::int64_t chars) {
  std::optional<std::int64_t> bytes;
  for (const std::string& id : old_ids) {
    const auto had = budgets.find(id);
    if (had == budgets.end()) continue;
    const ReadBudget& old = had->second;
    const std::int64_t its = old.chars == chars ? old.bytes : std::min(old.bytes, default_byte_budget(chars));
    bytes = std::min(bytes.value_or(its), its);
  }
  return bytes.value_or(default_byte_budget(chars));
}

Result<ReadAmount> Ledger::initial_reservation(const BudgetKey& budget, std::int64_t day) {
  // Counts entries of this process that were written before the grant had a budget. A failure to sweep another
  // journal must not block this grant.
  (void)sweep();
  LADDER_TRY(const auto all, budgets(budget.first));
  LADDER_TRY(const auto today, uses(budget.first, day, day));
  ReadAmount sum;
  for (const auto& [grant, its] : all) {
    if (its.shared != budget.second) continue;
    if (its.spent_day == day) sum = sum + its.spent;
    for (const LedgerUse& use : today) {
      if (use.grant_id == grant) sum = sum + ReadAmount{use.chars, use.bytes};
    }
  }
  return sum;
}

ReadAmount Ledger::keep(const BudgetKey& key, std::int64_t day, const ReadBudget& budget, const ReadAmount& amount) {
  Reservation& held = reserved_[key];
  // A sweep may have returned the reservation in the meantime.
  if (held.day < day) held = {day, budget.limit(), {}, true};
  if (held.day == day) held.left = held.left + amount;
  return held.left;
}

Status Ledger::spend(store::OwnerNo owner, const OwnerPolicy& policy, std::string_view grant_id, const ReadAmount& amount,
                     const ReadAmount& ahead) {
  const ReadBudget& budget = policy.budgets.find(grant_id)->second;
  const BudgetKey key{owner, budget.shared};
  ReadAmount taken, wanted;
  Reservation stale;
  {
    const MutexLock lock(mutex_);
    Reservation& held = reserved_[key];
    if (held.day != policy.day || held.limit != budget.limit()) {
      stale = std::exchange(held, Reservation{policy.day, budget.limit(), {}, false});
    }
    held.used = true;
    taken = least(held.left, amount);
    held.left = held.left - taken;
    wanted = (amount - taken) + at_least_zero(ahead - held.left);
  }
  if (stale.day == policy.day) release(key, stale.day, stale.left);
  if (wanted == ReadAmount{}) return {};
  const LedgerKey row = reserved_key(key, policy.day);
  ReadAmount block, remaining;
  bool refused = false;
  Status reserved = change([&]() -> Result<LedgerChange> {
    LADDER_TRY(const auto items, store_.ledger().find({&row, 1}));
    LADDER_TRY(const ReadAmount gone, items.empty() ? initial_reservation(key, policy.day) : read_reserved(items.front()));
    remaining = at_least_zero(budget.limit() - gone);
    refused = least(wanted, remaining) != wanted;
    if (refused) return LedgerChange{};
    block = {block_of(wanted.chars, remaining.chars, kCharBlock), block_of(wanted.bytes, remaining.bytes, kByteBlock)};
    return LedgerChange{{reserved_item(row, gone + block, items.empty() ? 0 : items.front().version)}, {}};
  });
  const bool done = reserved && !refused;
  const MutexLock lock(mutex_);
  const ReadAmount left = keep(key, policy.day, budget, done ? block - (amount - taken) : taken);
  if (!reserved || done) return reserved;
  return over_budget(grant_id, budget, remaining + left, amount + ahead, clock_.now());
}

Status Ledger::charge(store::OwnerNo owner, const OwnerPolicy& policy, const LedgerEntry& entry, const ReadAmount& ahead) {
  if (policy.budgets.empty()) return {};
  const auto grants = budgeted_grants(entry, policy.budgets);
  for (auto each = grants.begin(); each != grants.end(); ++each) {
    Status spent = spend(owner, policy, each->second, amount_of(entry, policy.budgets, each->first), ahead);
    if (spent) continue;
    const MutexLock lock(mutex_);
    for (auto before = grants.begin(); before != each; ++before) {
      keep({owner, std::string(before->first)}, policy.day, policy.budgets.find(before->second)->second,
           amount_of(entry, policy.budgets, before->first));
    }
    return spent;
  }
  return {};
}

void Ledger::refund(store::OwnerNo owner, const OwnerPolicy& policy, const LedgerEntry& entry) {
  const MutexLock lock(mutex_);
  for (const auto& [shared, grant] : budgeted_grants(entry, policy.budgets)) {
    keep({owner, std::string(shared)}, policy.day, policy.budgets.find(grant)->second, amount_of(entry, policy.budgets, shared));
  }
}

void Ledger::release(const BudgetKey& budget, std::int64_t day, const ReadAmount& left) {
  if (left == ReadAmount{}) return;
  const LedgerKey row = reserved_key(budget, day);
  // If this fails, the amount is lost for the day, as after a crash.
  (void)change([&]() -> Result<LedgerChange> {
    LADDER_TRY(const auto items, store_.ledger().find({&row, 1}));
    if (items.empty()) return LedgerChange{};
    LADDER_TRY(const ReadAmount reserved, read_reserved(items.front()));
    return LedgerChange{{reserved_item(row, at_least_zero(reserved - left), items.front().version)}, {}};
  });
}

void Ledger::return_reservations(Returned which) {
  std::map<BudgetKey, Reservation> returned;
  {
    const MutexLock lock(mutex_);
    for (auto each = reserved_.begin(); each != reserved_.end();) {
      const bool idle = which == Returned::kAll || !each->second.used;
      each->second.used = false;
      if (idle) returned.insert(reserved_.extract(each++));
      else ++each;
    }
  }
  for (const auto& [budget, held] : returned) release(budget, held.day, held.left);
}

Result<std::map<std::string, ReadBudget>> Ledger::budgets(store::OwnerNo owner) {
  std::map<std::string, ReadBudget> budgets;
  for (std::string from;;) {
    LADDER_TRY(const auto items, store_.ledger().scan(owner, kBudgetKind, from, "", kRows, KeyOrder::kAscending));
    for (const LedgerItem& item : items) {
      auto budget = read_budget(item);
      if (!budget) return damaged_ledger("a budget cannot be read");
      budgets.emplace(item.at.key, *std::move(budget));
    }
    if (std::ssize(items) < kRows) return budgets;
    from = next_key(items.back().at.key);
  }
}

Result<ReadAmount> Ledger::spent_today(store::OwnerNo owner, const std::string& grant_id) {
  const std::int64_t day = floor_div(clock_.now(), kDay);
  LADDER_TRY(const auto all, budgets(owner));
  const auto budget = all.find(grant_id);
  if (budget == all.end()) {
    LADDER_TRY(const auto today, uses(owner, day, day));
    ReadAmount sum;
    for (const LedgerUse& use : today) {
      if (use.grant_id == grant_id) sum = sum + ReadAmount{use.chars, use.bytes};
    }
    return sum;
  }
  return_reservations(Returned::kAll);
  const BudgetKey key{owner, budget->second.shared};
  const LedgerKey row = reserved_key(key, day);
  LADDER_TRY(const auto items, store_.ledger().find({&row, 1}));
  return items.empty() ? initial_reservation(key, day) : read_reserved(items.front());
}

Status Ledger::set_budget(store::OwnerNo owner, std::span<const std::string> grant_ids, std::optional<std::int64_t> chars_a_day,
                          std::optional<std::int64_t> bytes_a_day, const ReadAmount& spent_today) {
  if (chars_a_day && (*chars_a_day < 1 || *chars_a_day > kMaxBudget)) {
    return fail(Code::kInvalidRequest, format("a budget is 1 to {} characters a day", kMaxBudget), "budget");
  }
  if (bytes_a_day && (!chars_a_day || *bytes_a_day < 0 || *bytes_a_day > kMaxBudget * kBudgetBytesPerChar)) {
    return fail(Code::kInvalidRequest,
                format("a budget of bytes is 0 to {} a day, and goes with one of characters", kMaxBudget * kBudgetBytesPerChar),
                "budget");
  }
  std::vector<LedgerKey> keys;
  for (const std::string& id : grant_ids) keys.push_back({owner, std::string(kBudgetKind), id});
  Status set = change([&]() -> Result<LedgerChange> {
    if (!chars_a_day) return LedgerChange{{}, keys};
    LADDER_TRY(const auto items, store_.ledger().find(keys));
    LADDER_TRY(const auto before, budgets(owner));
    const auto first = before.find(keys.front().key);
    // If the same grants keep sharing the budget, its reservations are kept.
    const auto sharing = [&](const std::string& shared) {
      return std::ranges::count_if(before, [&](const auto& each) { return each.second.shared == shared; });
    };
    const auto shares = [&](const LedgerItem& item) { return before.at(item.at.key).shared == first->second.shared; };
    const bool same = first != before.end() && items.size() == keys.size() && std::ranges::all_of(items, shares) &&
                      sharing(first->second.shared) == std::ssize(keys);
    ReadBudget budget{*chars_a_day, default_byte_budget(*chars_a_day)};
    if (bytes_a_day) budget.bytes = *bytes_a_day;
    else if (same && first->second.chars == budget.chars) budget.bytes = first->second.bytes;
    budget.shared = same ? first->second.shared : keys.front().key + "." + crypto::random_hex(kSharedIdBytes);
    budget.spent_day = floor_div(clock_.now(), kDay);
    LedgerChange made;
    for (const LedgerKey& key : keys) {
      const auto known = std::ranges::find(items, key, &LedgerItem::at);
      const auto had = before.find(key.key);
      budget.spent = key == keys.front() ? spent_today : ReadAmount{};
      if (had != before.end() && had->second.spent_day == budget.spent_day) budget.spent = budget.spent + had->second.spent;
      made.puts.push_back({key, pack_budget(budget), known == items.end() ? 0 : known->version});
    }
    return made;
  });
  const MutexLock lock(mutex_);
  policies_.erase(owner);
  return set;
}

}  // namespace ladder::server
