// The class that open_sqlite creates. Its functions are grouped by subject in the folders catalog/, records/, search/
// and upkeep/.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "store/compression/compression.h"
#include "store/sqlite/catalog/items.h"
#include "store/sqlite/engine/numbers.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/reserve.h"
#include "store/sqlite/engine/writer.h"
#include "store/sqlite/search/word_rows.h"
#include "store/store.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ladder::store::sqlite {

enum class LooseState : std::int64_t { kStaged = 0, kDead = 1 };

class SqliteStore final : public Store {
 public:
  SqliteStore(const std::string& path, std::vector<SealKeyRow> seal_keys)
      : path_(path), seal_keys_(std::move(seal_keys)), reserve_(path), writer_(path), readers_(path) {}

  std::string_view engine() const override { return "sqlite"; }
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
  std::string journal_folder() const override { return path_ + ".ledger"; }

  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;

  Result<ValueId> reserve_values(OwnerNo owner, std::int64_t count) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;
  Status prepare(const WriteTarget& target, RecordWrite& record) override;
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

  ReaderPool& readers() { return readers_; }

 private:
  Result<bool> purge_words(Deadline deadline);  // true: no words are left to remove
  Result<bool> merge_words(Deadline deadline);  // true: no merge is due
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;
  Result<GrantRow> write_revocation(OwnerNo owner, std::string_view grant_id, Instant now, Deadline wait_limit);

  const std::string path_;
  const std::vector<SealKeyRow> seal_keys_;
  const Reserve reserve_;
  Writer writer_;  // destroyed after the readers: the last connection to close checkpoints the WAL
  ReaderPool readers_;
  SqliteAuthStore auth_{writer_, readers_, reserve_};
  SqliteLedgerStore ledger_{writer_, readers_};
  StreamWordsCache stream_words_cache_;
  // False while an import repeats known records, whose words and compressed bodies are not needed.
  std::atomic<bool> mostly_new_ = true;

  Mutex ids_mutex_;  // guards the unused rest of each owner's last block of value ids
  struct UnusedIds {
    ValueId next = 0, end = 0;
  };
  std::map<OwnerNo, UnusedIds> unused_ids_ LADDER_GUARDED_BY(ids_mutex_);
};

// Writes the rows of long values, with checksums.
Status add_chunk(Connection& connection, ValueId value, std::int64_t chunk_no, std::string_view bytes,
                 ChunkCompressor& compressor);
Status add_directory_page(Connection& connection, const DirectoryRow& page);

// Helpers shared by access.cpp and auth_items.cpp.
Result<GrantNo> insert_grant(Connection& connection, OwnerNo owner, const NewGrant& grant);  // kConflict
Result<TokenNo> insert_token(Connection& connection, OwnerNo owner, const NewToken& token);  // kNotFound, kConflict

// Helpers shared by access.cpp and reader.cpp.
Result<AccessStatusRow> read_access_status(Connection& connection, const Guard& guard);

// The SQLite engine of the store: one file with its write-ahead log and its lock files. SqliteStore is its class.

// kExisting: opens without writing. kCreate: creates the file (0600) and missing folders (0700), and migrates if needed.
Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, OpenMode mode);

// For tests: control what idle readers keep. Both require a store that open_sqlite created.
void close_idle_readers(Store& store);       // the next read opens a new connection
void drop_idle_reader_caches(Store& store);  // the next read starts with an empty page cache but with prepared statements

}  // namespace ladder::store::sqlite
