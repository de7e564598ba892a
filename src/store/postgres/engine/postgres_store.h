// The store on PostgreSQL 15 (libpq, pooled, prepared, pipelined). Each file of store/postgres implements one part of
// PostgresStore:
//
//   engine/    the connections to the server, the tables and the class itself
//   search/    writing and searching the word index
//   records/   reads by key and value; write_plan (what a batch changes), write_rows (its rows), writer (its transaction),
//   staging upkeep/    reindexing, sweeping, erasing, and the checks of `ladder doctor`
//
// Owners, sources, grants and tokens are written once for both engines, in store/catalog.
//
// Every write is a transaction that reads (and locks) in its first round trip and writes in its second. So a connection
// that died while idle is detected before anything is written, and the work is repeated on a new one.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "store/catalog/catalog_store.h"
#include "store/postgres/engine/access_status.h"
#include "store/postgres/engine/block_cache.h"
#include "store/postgres/engine/numbers.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/engine/postgres_database.h"
#include "store/postgres/engine/stream_cache.h"
#include "store/store.h"
#include "store/store_functions.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace ladder::store::postgres {

// See store/store.h. The address is postgres://… or postgresql://…; its password never appears in an error.
Result<std::unique_ptr<Store>> open_postgres(const std::string& address, OpenMode mode, const OpenOptions& options = {});

class PostgresStore final : public CatalogStore {
 public:
  PostgresStore(Address address, std::vector<SealKeyRow> seal_keys, const OpenOptions& options)
      : CatalogStore(database_),
        pool_(std::move(address), {.connections = options.connections.value_or(kMaxConnections)}),
        seal_keys_(std::move(seal_keys)) {}

  std::string_view engine() const override { return "postgres"; }
  bool is_remote() const override { return true; }
  const std::vector<SealKeyRow>& seal_keys() const override { return seal_keys_; }

  LADDER_ENGINE_FUNCTIONS(LADDER_OVERRIDE)

  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;
  StoreFigures figures() const override;
  Status measure() override;

 private:
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;
  void vacuum_blocks();

  Pool pool_;
  PostgresDatabase database_{pool_};
  const std::vector<SealKeyRow> seal_keys_;
  AccessStatusCache access_status_cache_;
  StreamCache stream_cache_;
  BlockCache block_cache_;
  std::atomic<std::int64_t> dropped_blocks_ = 0;  // of the word index, by writes since the last vacuum
  std::atomic<std::int64_t> vacuums_ = 0;         // of the word index, by writes
  mutable Mutex measured_mutex_;
  StoreFigures measured_ LADDER_GUARDED_BY(measured_mutex_);  // the part that measure() reads from the server
  Mutex values_mutex_;
  // The value ids of each owner that are reserved in the store but not allocated yet.
  std::map<OwnerNo, UnusedNumbers> unused_values_ LADDER_GUARDED_BY(values_mutex_);
};

}  // namespace ladder::store::postgres
