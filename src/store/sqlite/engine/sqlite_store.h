// The class that open_sqlite creates. Its functions are grouped by subject in the folders records/ and upkeep/; those of
// store/catalog are written once for both engines.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "store/catalog/catalog_store.h"
#include "store/compression/compression.h"
#include "store/sqlite/engine/numbers.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/reserve.h"
#include "store/sqlite/engine/sqlite_database.h"
#include "store/sqlite/engine/stream_words_cache.h"
#include "store/sqlite/engine/writer.h"
#include "store/store.h"
#include "store/store_functions.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ladder::store::sqlite {

enum class LooseState : std::int64_t { kStaged = 0, kDead = 1 };

class SqliteStore final : public CatalogStore {
 public:
  SqliteStore(const std::string& path, std::vector<SealKeyRow> seal_keys)
      : CatalogStore(database_), path_(path), seal_keys_(std::move(seal_keys)), reserve_(path), writer_(path), readers_(path) {}

  std::string_view engine() const override { return "sqlite"; }
  const std::vector<SealKeyRow>& seal_keys() const override { return seal_keys_; }

  LADDER_ENGINE_FUNCTIONS(LADDER_OVERRIDE)
  Result<std::unique_ptr<Reader>> read(OwnerNo owner) override;
  Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) override;

  std::string journal_folder() const override { return path_ + ".ledger"; }

  Status prepare(const WriteTarget& target, RecordWrite& record) override;
  StoreFigures figures() const override;

  ReaderPool& readers() { return readers_; }

 private:
  Result<bool> purge_words(Deadline deadline);                    // true: no words are left to remove
  Result<bool> merge_words(Deadline deadline, std::size_t from);  // true: no merge is due
  Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) override;

  const std::string path_;
  const std::vector<SealKeyRow> seal_keys_;
  const Reserve reserve_;
  Writer writer_;  // destroyed after the readers: the last connection to close checkpoints the WAL
  ReaderPool readers_;
  SqliteDatabase database_{writer_, readers_, reserve_};
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

Result<AccessStatusRow> read_access_status(Connection& connection, const Guard& guard);

// The SQLite engine of the store: one file with its write-ahead log and its lock files. SqliteStore is its class.

// kExisting: opens without writing. kCreate: creates the file (0600) and missing folders (0700), and migrates if needed.
Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, OpenMode mode);

// For tests: control what idle readers keep. Both require a store that open_sqlite created.
void close_idle_readers(Store& store);       // the next read opens a new connection
void drop_idle_reader_caches(Store& store);  // the next read starts with an empty page cache but with prepared statements

}  // namespace ladder::store::sqlite
