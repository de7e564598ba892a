// The store on PostgreSQL 15 (libpq, pooled, prepared, pipelined). Each file of store/postgres implements one part of
// PostgresStore:
//
//   engine/    the connections to the server and the tables
//   catalog/   owners, sources, grants and tokens: short reads and small writes
//   records/   reads by key and value; write_plan (what a batch changes), write_rows (its rows), writer (its transaction),
//   staging search/    writing and searching the word index upkeep/    reindexing, sweeping, erasing, and the checks of `ladder
//   doctor`
//
// Every write is a transaction that reads (and locks) in its first round trip and writes in its second. So a connection
// that died while idle is detected before anything is written, and the work is repeated on a new one.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "store/postgres/catalog/access.h"
#include "store/postgres/catalog/items.h"
#include "store/postgres/catalog/stream_cache.h"
#include "store/postgres/engine/numbers.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/search/block_cache.h"
#include "store/store.h"

#include <map>
#include <memory>
#include <string>

namespace ladder::store::postgres {

// See store/store.h. The address is postgres://… or postgresql://…; its password never appears in an error.
Result<std::unique_ptr<Store>> open_postgres(const std::string& address, OpenMode mode);

class PostgresStore final : public Store {
 public:
  PostgresStore(Address address, std::vector<SealKeyRow> seal_keys)
      : pool_(std::move(address)), seal_keys_(std::move(seal_keys)) {}

  std::string_view engine() const override { return "postgres"; }
  bool is_remote() const override { return true; }
  const std::vector<SealKeyRow>& seal_keys() const override { return seal_keys_; }

  Result<OwnerRow> add_owner(std::string_view name, Instant now) override;
  Result<std::optional<OwnerRow>> find_owner(std::string_view name) override;
  Result<std::vector<OwnerRow>> owners() override;
  Result<Catalog> catalog(OwnerNo owner) override;
  Result<SourceRow> put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) override;
  Result<ConnectionRow> add_connection(OwnerNo owner, const ConnectionRow& connection,
                                       std::span<const std::string> streams) override;

  Status add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) override;
  Status add_token(OwnerNo owner, const NewToken& token) override;
  Result<std::optional<TokenRow>> find_token(const Digest& hash) override;
  Result<std::vector<GrantRow>> grants(OwnerNo owner) override;
  Result<std::optional<GrantRow>> find_grant(OwnerNo owner, std::string_view grant_id) override;
  Result<GrantRow> revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit) override;
  Result<AccessStatusRow> access_status(const Guard& guard) override;
  Result<std::vector<TokenRow>> owner_tokens(OwnerNo owner) override;
  Result<TokenRow> revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) override;
  Status record_grant_uses(std::span<const GrantUse> uses) override;
  Result<std::optional<std::string>> declaration(OwnerNo owner, std::string_view source_id, std::string_view version) override;

  AuthStore& auth() override { return auth_; }
  LedgerStore& ledger() override { return ledger_; }

  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;

  Result<ValueId> reserve_values(OwnerNo owner, std::int64_t count) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;
  Result<std::vector<Outcome>> write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) override;
  Result<bool> reindex(Deadline deadline) override;
  Status clear_word_index() override;
  Status add_blob(OwnerNo owner, const BlobRow& blob) override;
  Status add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) override;
  Result<std::optional<BlobRow>> find_blob(OwnerNo owner, const Digest& digest) override;
  Status put_import(OwnerNo owner, ConnectionNo connection, const ImportRow& import) override;
  Result<std::vector<ImportRow>> imports(OwnerNo owner, ConnectionNo connection) override;
  Status delete_imports(OwnerNo owner, ConnectionNo connection) override;
  Status set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) override;
  Result<bool> drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) override;
  Result<std::int64_t> compact() override;
  Status keep_note(std::string_view name, std::string_view text) override;
  Result<std::optional<std::string>> note(std::string_view name) override;
  Result<std::string> describe() override;
  StoreFigures figures() const override;

  Result<SweepReport> sweep(Instant now, Deadline deadline) override;

 private:
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;
  Pool pool_;
  PostgresAuthStore auth_{pool_};
  PostgresLedgerStore ledger_{pool_};
  const std::vector<SealKeyRow> seal_keys_;
  AccessStatusCache access_status_cache_;
  StreamCache stream_cache_;
  BlockCache block_cache_;
  Mutex values_mutex_;
  // The value ids of each owner that are reserved in the store but not allocated yet.
  std::map<OwnerNo, UnusedNumbers> unused_values_ LADDER_GUARDED_BY(values_mutex_);
};

}  // namespace ladder::store::postgres
