// Erasure runs in this order: close the connection, delete its records in short transactions, clean the files, return
// the space, and delete the connection. Each step can be interrupted; the same call resumes.
#include "server/owner/erasures.h"

#include "base/text/format.h"
#include "grant/grant.h"
#include "model/quote.h"
#include "server/access/read_scope.h"
#include "server/catalog/catalog.h"
#include "server/owner/owner_items.h"
#include "server/shared/erased_keys.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ladder::server {
namespace {

constexpr std::int64_t kErasedAtOnce = 64;  // well within the time limit of a write transaction
constexpr std::int64_t kErasedInBulk = 96;  // in a transaction that ends early if others wait; words are removed at its end
constexpr auto kStepTime = std::chrono::milliseconds(500);
constexpr auto kSweepTime = std::chrono::minutes(10);
constexpr auto kRecordSweepTime = std::chrono::seconds(2);   // later sweeps remove the rest
constexpr auto kStreamSweepTime = std::chrono::seconds(10);  // later sweeps remove the rest
constexpr auto kPause = std::chrono::milliseconds(100);
constexpr int kDropTries = 600;  // one minute, after which staged values of a killed import count as abandoned

std::unexpected<Error> stopped() {
  return fail(Code::kCancelled,
              "stopped before the end; run the same command again to continue. Until then the connection can't be read");
}

class ConnectionErasure {
 public:
  ConnectionErasure(store::Store& store, const Clock& clock, store::OwnerNo owner, store::ConnectionNo connection,
                    ErasureObserver& observer)
      : store_(store), clock_(clock), owner_(owner), connection_(connection), observer_(observer) {}

  Result<Erasure> run(std::span<const store::StreamNo> streams) {
    for (int tries = 0;; ++tries) {
      for (const store::StreamNo stream : streams) LADDER_CHECK(erase_records(stream));
      LADDER_CHECK(sweep());
      LADDER_CHECK(store_.delete_imports(owner_, connection_));
      if (tries == 0) compact();
      LADDER_TRY(const bool dropped, store_.drop_connection(owner_, connection_, Deadline::after(kStepTime)));
      if (dropped) break;
      if (observer_.wants_stop()) return stopped();
      if (tries == kDropTries) {
        return fail(Code::kStoreUnavailable,
                    "another program keeps writing to the connection; stop it, then run the same command again");
      }
      std::this_thread::sleep_for(kPause);
    }
    LADDER_CHECK(sweep());
    return std::move(erasure_);
  }

 private:
  // Repeats until no records remain, because a concurrent writer may add some before the current position.
  Status erase_records(store::StreamNo stream) {
    const store::WriteTarget target{
        .owner = owner_, .stream = stream, .fields = {}, .permanent = true, .drops_blobs = true, .in_bulk = true};
    for (;;) {
      if (observer_.wants_stop()) return stopped();
      std::vector<store::RecordWrite> batch;
      {
        LADDER_TRY(const auto reader, store_.read(owner_));  // closed before the write begins
        reader->show_damaged();
        LADDER_TRY(const auto page, reader->page_by_key(stream, "", false, kErasedInBulk));
        for (const store::RecordRow& row : page) {
          store::RecordWrite& erasure = batch.emplace_back();
          erasure.is_delete = true;
          erasure.key = row.key;
        }
      }
      if (batch.empty()) return {};
      LADDER_TRY(const auto outcomes, store_.write(target, batch, clock_.now()));
      erasure_.records += std::ranges::count(outcomes, store::Outcome::kDeleted);
      observer_.erased(erasure_.records);
    }
  }

  void compact() {
    observer_.compacting();
    auto freed = store_.compact();
    if (freed) erasure_.bytes_freed = std::max<std::int64_t>(*freed, 0);
    else erasure_.space_kept = freed.error().message;
  }

  Status sweep() {
    const Deadline deadline = Deadline::after(kSweepTime);
    do {
      if (observer_.wants_stop()) return stopped();
      LADDER_TRY(const auto report, store_.sweep(clock_.now(), Deadline::after(kStepTime)));
      erasure_.swept = report.complete;
    } while (!erasure_.swept && !deadline.passed());
    return {};
  }

  store::Store& store_;
  const Clock& clock_;
  store::OwnerNo owner_;
  store::ConnectionNo connection_;
  ErasureObserver& observer_;
  Erasure erasure_;
};

bool names_another(const grant::Grant& grant, std::string_view connection_id, const OwnerCatalog& catalog) {
  for (const grant::StreamGrant& stream : grant.streams) {
    for (const std::string& id : stream.instance_ids) {
      const ConnectionEntry* other = id == connection_id ? nullptr : catalog.connection(id);
      if (other && other->row.status != kErasing) return true;
    }
  }
  return false;
}

}  // namespace

Result<bool> Erasures::erase_record(const Access& access, const model::RecordRef& record) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  LADDER_TRY(const ReadScope reached, read_scope(access, *catalog, {record.connection_id, {}}, record.stream));
  LADDER_TRY(const ConnectionStream place, only_stream(reached));
  std::vector<store::RecordWrite> erasure(1);
  erasure.front().is_delete = true;
  erasure.front().key = record.record_id;
  erasure.front().emitted_at = format_time(shared_.clock.now());
  LADDER_CHECK(remember_erased(shared_.store, shared_.clock.now(), access.owner(), place.connection->row.connection_id,
                               place.declared->name, record.record_id));
  const store::WriteTarget target{.owner = access.owner(), .stream = place.no, .fields = {}, .drops_blobs = true};
  LADDER_CHECK(shared_.store.write(target, erasure, shared_.clock.now()));
  LADDER_CHECK(
      shared_.ledger.forget(access.owner(), {place.connection->row.connection_id, place.declared->name, record.record_id}));
  return clear_erasures(access);
}

Result<bool> Erasures::clear_erasures(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const store::SweepReport report, shared_.store.sweep(shared_.clock.now(), Deadline::after(kRecordSweepTime)));
  return report.complete;
}

Result<Erasure> Erasures::erase_connection(const Access& access, std::string_view connection_id, ErasureObserver& observer) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  const ConnectionEntry* entry = catalog->connection(connection_id);
  if (!entry) return unknown_connection(*catalog, connection_id);
  LADDER_CHECK(shared_.store.set_connection_status(access.owner(), entry->row.no, kErasing));
  LADDER_TRY(const auto held, grants_.list(access));
  std::vector<std::string> revoked, narrowed;
  for (const GrantSummary& grant : held) {
    if (grant.status != "active" || !grant.grant.names_instance(connection_id)) continue;
    if (names_another(grant.grant, connection_id, *catalog)) {
      narrowed.push_back(grant.grant.grant_id);
      continue;
    }
    LADDER_CHECK(grants_.revoke(access, grant.grant.grant_id));
    revoked.push_back(grant.grant.grant_id);
  }
  std::vector<store::StreamNo> streams;
  LADDER_TRY(const store::Catalog rows, shared_.store.catalog(access.owner()));
  for (const store::StreamRow& row : rows.streams) {
    if (row.connection == entry->row.no) streams.push_back(row.no);
  }
  // No client can read the connection any more, and this step can be repeated while it exists.
  LADDER_CHECK(shared_.ledger.forget(access.owner(), {std::string(connection_id), "", ""}));
  LADDER_TRY(auto erasure, ConnectionErasure(shared_.store, shared_.clock, access.owner(), entry->row.no, observer).run(streams));
  LADDER_CHECK(forget_erased(shared_.store, access.owner(), connection_id));
  LADDER_CHECK(OwnerItems(shared_).remove(access, ItemKind::kArrangement, connection_id));
  erasure.revoked_grants = std::move(revoked);
  erasure.narrowed_grants = std::move(narrowed);
  return erasure;
}

// Erases in short transactions so that other writers don't wait.
// Walks the keys once, so a busy writer can't prolong it. Records added before the current position were written
// after the erasure began and remain.
Result<std::int64_t> Erasures::erase_stream(const Access& access, std::string_view connection_id, std::string_view stream,
                                            std::stop_token stop) {
  const std::stop_token gone = std::move(stop);
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
  if (connection_id.empty()) {
    return fail(Code::kInvalidRequest, format("name the connection whose {} is to be erased", model::in_quotes(stream)),
                "connection_id");
  }
  LADDER_TRY(const ReadScope reached, read_scope(access, *catalog, {std::string(connection_id), {}}, stream));
  const ConnectionStream& place = reached.streams.front();
  std::int64_t erased = 0;
  for (std::string after;;) {
    if (gone.stop_requested()) {
      return fail(Code::kCancelled, format("stopped after {} records were erased; repeat the call to continue", erased));
    }
    std::vector<store::RecordWrite> batch;
    {
      LADDER_TRY(const auto reader, shared_.store.read(access.owner()));  // closed before the write begins
      reader->show_damaged();
      LADDER_TRY(const auto page, reader->page_by_key(place.no, after, false, kErasedAtOnce));
      for (const store::RecordRow& row : page) {
        store::RecordWrite& erasure = batch.emplace_back();
        erasure.is_delete = true;
        erasure.key = row.key;
        erasure.emitted_at = format_time(shared_.clock.now());
      }
    }
    if (batch.empty()) break;
    after = batch.back().key;
    LADDER_TRY(const auto outcomes, shared_.store.write({access.owner(), place.no, false, {}}, batch, shared_.clock.now()));
    erased += std::ranges::count(outcomes, store::Outcome::kDeleted);
  }
  LADDER_CHECK(shared_.ledger.forget(access.owner(), {std::string(connection_id), std::string(stream), ""}));
  LADDER_CHECK(shared_.store.sweep(shared_.clock.now(), Deadline::after(kStreamSweepTime)));
  return erased;
}

}  // namespace ladder::server
