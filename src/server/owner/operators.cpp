#include "server/owner/operators.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "model/quote.h"
#include "store/auth_store.h"

#include <algorithm>
#include <chrono>

namespace ladder::server {
namespace {

constexpr auto kDeleteTime = std::chrono::milliseconds(500);  // between two reports of progress
constexpr auto kSweepStep = std::chrono::milliseconds(500);
constexpr auto kSweepTime = std::chrono::minutes(10);

Status check_name(std::string_view name) {
  const bool fits =
      !name.empty() && name.size() <= limits::kMaxNameBytes && utf8::is_valid(name) && name.find('\0') == std::string_view::npos;
  if (fits) return {};
  return fail(Code::kInvalidRequest, format("the name of an owner is 1 to {} bytes of UTF-8", limits::kMaxNameBytes), "owner");
}

}  // namespace

Result<store::OwnerRow> Operators::row_of(std::string_view name) {
  LADDER_TRY(auto row, shared_.store.find_owner(name));
  if (row) return *std::move(row);
  return fail(Code::kNotFound, format("the store has no owner {}", model::in_quotes(name)), "owner");
}

Result<OwnerSummary> Operators::summary(const store::OwnerRow& row) {
  LADDER_TRY(const std::int64_t records, shared_.store.owner_records(row.no));
  return OwnerSummary{row.name, row.created_at, row.suspended_at, row.limits, records};
}

Result<std::vector<OwnerSummary>> Operators::list() {
  LADDER_TRY(const auto rows, shared_.store.owners());
  std::vector<OwnerSummary> all;
  for (const store::OwnerRow& row : rows) {
    LADDER_TRY(OwnerSummary one, summary(row));
    all.push_back(std::move(one));
  }
  return all;
}

Result<OwnerSummary> Operators::find(std::string_view name) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  return summary(row);
}

Result<OwnerSummary> Operators::add(std::string_view name) {
  LADDER_CHECK(check_name(name));
  LADDER_TRY(const auto known, shared_.store.find_owner(name));
  if (known) return fail(Code::kConflict, format("the store has an owner {} already", model::in_quotes(name)), "owner");
  LADDER_TRY(const store::OwnerRow row, shared_.store.add_owner(name, shared_.clock.now()));
  return summary(row);
}

Status Operators::suspend(std::string_view name) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  LADDER_CHECK(shared_.store.set_owner_suspended(row.no, shared_.clock.now()));
  shared_.accesses.forget_all();
  return {};
}

Status Operators::resume(std::string_view name) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  return shared_.store.set_owner_suspended(row.no, std::nullopt);
}

Status Operators::set_limits(std::string_view name, const store::OwnerLimits& limits) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  return shared_.store.set_owner_limits(row.no, limits);
}

Result<store::OwnerUsage> Operators::usage(std::string_view name) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  return shared_.store.owner_usage(row.no);
}

Result<OwnerDeletion> Operators::erase(std::string_view name, ErasureObserver& observer) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  LADDER_CHECK(suspend(name));
  // Earlier responses are in a journal. From now on a sweep drops entries of the owner, because the owner is missing.
  LADDER_CHECK(shared_.ledger.sweep());
  OwnerDeletion deletion;
  LADDER_TRY(deletion.records, shared_.store.owner_records(row.no));
  const auto stopped = [&] {
    return fail(Code::kCancelled, "stopped before the end; run the same command again to continue. The owner stays suspended");
  };
  for (;;) {
    if (observer.wants_stop()) return stopped();
    LADDER_TRY(const bool done, shared_.store.delete_owner(row.no, Deadline::after(kDeleteTime)));
    if (done) break;
  }
  observer.erased(deletion.records);
  const auto sweep = [&]() -> Status {
    const Deadline deadline = Deadline::after(kSweepTime);
    do {
      LADDER_TRY(const auto report, shared_.store.sweep(shared_.clock.now(), Deadline::after(kSweepStep)));
      deletion.swept = report.complete;
    } while (!deletion.swept && !deadline.passed() && !observer.wants_stop());
    return {};
  };
  LADDER_CHECK(sweep());
  observer.compacting();
  auto freed = shared_.store.compact();
  if (freed) deletion.bytes_freed = std::max<std::int64_t>(*freed, 0);
  else deletion.space_kept = freed.error().message;
  // A process that was sweeping its journal may have added a row.
  LADDER_CHECK(shared_.store.delete_owner(row.no, Deadline::after(kSweepTime)));
  LADDER_CHECK(sweep());
  LADDER_TRY(const auto left, shared_.store.owner_rows(row.no));
  for (const store::TableRows& table : left) {
    if (table.rows == 0) continue;
    return fail(Code::kInternal,
                format("the table {} has {} rows of the deleted owner: run the same command again", table.table, table.rows));
  }
  deletion.tables = std::ssize(left);
  return deletion;
}

Result<Operators::StreamStates> Operators::stream_states(const Access& owner) {
  LADDER_CHECK(shared_.accesses.require_owner(owner));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(owner.owner()));
  LADDER_TRY(const auto reader, shared_.store.read(owner.owner()));
  StreamStates states;
  for (const auto& connection : catalog->connections()) {
    if (connection->row.status == kErasing) continue;
    for (const auto& [name, no] : connection->streams) {
      LADDER_TRY(const store::StreamCounters counters, reader->counters(no));
      states[{connection->row.connection_id, name}] = {counters.records, counters.max_version};
    }
  }
  return states;
}

Result<OwnerAccess> Operators::access_of(std::string_view name) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  LADDER_TRY(const auto grants, shared_.store.grants(row.no));
  OwnerAccess access;
  for (const store::GrantRow& grant : grants) {
    if (grant.revoked_at) continue;
    access.grants.push_back(
        {grant.grant_id, grant.client_id, grant.body, grant.issued_at, grant.expires_at, grant.single_use, grant.named});
  }
  LADDER_TRY(access.tokens, shared_.store.bound_tokens(row.no));
  return access;
}

Status Operators::add_access(std::string_view name, const OwnerAccess& access) {
  LADDER_TRY(const store::OwnerRow row, row_of(name));
  store::AuthChange change;
  change.owner = row.no;
  change.grants = access.grants;
  for (const store::BoundTokenRow& token : access.tokens) {
    if (token.kind == store::TokenKind::kOwner) continue;
    change.tokens.push_back({token.hash, token.client_id, token.created_at, token.expires_at, token.grant_ids});
  }
  LADDER_CHECK(shared_.store.auth().apply(change));
  for (const store::BoundTokenRow& token : access.tokens) {
    if (token.kind != store::TokenKind::kOwner) continue;
    LADDER_CHECK(shared_.store.add_token(row.no, {token.hash, token.kind, token.client_id, token.created_at, token.expires_at}));
  }
  shared_.accesses.forget_all();
  return {};
}

}  // namespace ladder::server
