// The store: rows in, rows out, on SQLite or PostgreSQL. It knows rows, not grants; only server/ and the place that opens it may
// hold one. Every engine passes tests/store/. All operations are safe to call from any thread; a Reader, a Staging belong to one
// thread.
//
// Errors, besides those named: kStoreUnavailable (busy too long, disk full, read-only, lost connection, newer schema) whose
// message says which and the remedy; kDamagedData when a row that is read does not have its checksum (row_sums.h). A failed
// write has changed nothing.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/long_values/long_value.h"
#include "store/long_values/value_sink.h"
#include "store/row_sums.h"
#include "store/rows.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// How far a look at every row is.
struct CheckStep {
  std::string_view doing;  // a literal: "reading every record"
  std::int64_t done = 0;   // records
  std::int64_t all = 0;    // 0 in a step that does not count them
};
using TellStep = std::function<void(const CheckStep& step)>;

// One line of an ingest, taken apart and ready to write.
struct RecordWrite {
  bool is_delete = false;
  std::string key;
  std::string order_key;
  std::optional<Instant> consent_time;  // the record's time for grants; absent when it has none
  std::string emitted_at;
  Digest digest{};
  std::string body;
  ValueId first_value = 0;  // ids of its long values: [first_value, first_value + value_count)
  std::int64_t value_count = 0;
  bool staged = false;    // the values are already in the store, by a Staging
  BufferedValues values;  // otherwise they are here
  // By Store::prepare, before a turn to write is waited for; write() takes them, and makes those that are missing.
  CutWords words;
  std::optional<std::string> small_body;  // compressed(body)
};

enum class Outcome : std::uint8_t {
  kAdded,
  kChanged,
  kUnchanged,  // same digest: nothing was written
  kDeleted,
  kAbsent,       // a delete of what is not there
  kAppendOnly,   // refused: the key exists with other data in an append_only stream
  kStagingLost,  // refused: its staged values were swept as abandoned, or other fields are searched since; stage them again
};

// The destination of a batch.
struct WriteTarget {
  StreamNo stream = 0;
  bool append_only = false;
  std::map<std::string, FieldNo, std::less<>> fields;  // declared names; others count as kUndeclaredField
  // Deletions leave no trace: no tombstones, and blobs that no other record of the owner names go with their records.
  bool for_good = false;
  // Much is coming and nobody waits for a single record: a write may last long, ends early where others wait, and lets others go
  // first.
  bool in_bulk = false;
};

// A short series of reads. SQLite: one read transaction from the first read on. PostgreSQL: each call sees the newest committed
// state; long values never change under their id, so a window is never torn, only gone (then chunks() returns fewer).
class Reader {
 public:
  virtual ~Reader() = default;

  // From here on records() and the pages hand damaged records out as such (RecordRow::damaged) instead of failing: for whoever
  // goes on with the others.
  void show_damaged() { shows_damaged_ = true; }

  // The access status and the record under `key` in each of the streams, in one round trip.
  virtual Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) = 0;
  // Chunks first…last of a value's text; fewer when the value is gone.
  virtual Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) = 0;
  // The same, handed to `use` one by one where they lie, for whoever would only copy them on. Returns how many there were.
  using UseChunk = std::function<void(std::string_view chunk)>;
  virtual Result<std::int64_t> each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) {
    LADDER_TRY(const auto found, chunks(text_id, first, last));
    for (const std::string& chunk : found) use(chunk);
    return std::ssize(found);
  }
  // Said before records(): a window of this text will be made, so number, stream, key and body are all that is needed of the
  // record, and these chunks will most likely be asked for right after it: they may travel along.
  virtual void expect_window(ValueId /*text_id*/, std::int64_t /*first*/, std::int64_t /*last*/) {}
  // The page with the largest first key ≤ key.
  virtual Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) = 0;

  // Says whether every chunk and directory page of the record's values is there and has its checksum.
  virtual Result<bool> values_intact(const RecordRow& /*record*/) { return true; }

  virtual Result<StreamCounters> counters(StreamNo stream) = 0;
  // Records after an order key (exclusive; empty: from the start), ascending or descending, missing cursor values last in both.
  virtual Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) = 0;
  // The same by record key, for readers who may not know the cursor values.
  virtual Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                                     std::int64_t limit) = 0;
  // Changes with since < version <= upto for any of the fields (kWholeRecord is implied), one row per record with its newest
  // version among them, ascending by version. A record whose newest version is beyond `upto` is not there.
  virtual Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since,
                                                 std::int64_t upto, std::int64_t limit) = 0;

  // --- by value: the field index (field_index.h). Only of indexes that the catalog calls ready. ---
  // The next entries of the range, ascending or descending, with their records.
  virtual Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                                     std::int64_t limit) = 0;
  // How many entries the range has; counting stops at `limit`.
  virtual Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) = 0;
  // The same for the ordering keys of a stream.
  virtual Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) = 0;
  // The greatest ordering key of the range, without its record.
  virtual Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) = 0;
  // Days first…last that have records, ascending; of a kTime or kDays index.
  virtual Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) = 0;
  // Records, of any owner, whose blob_ref names the blob, by ascending number > after.
  virtual Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) = 0;

  // --- by words (word_search.h). Only of columns that the catalog calls ready. kDeadline, kCancelled. ---
  virtual Result<WordPage> search(const WordSearch& search) = 0;

 protected:
  // Fails for the first damaged record, unless they are to be shown.
  Status pass(const RecordRow& record) const {
    return record.damaged && !shows_damaged_ ? Status(std::unexpected(damaged_record(record.no, record.key))) : Status();
  }
  template <class Row>
  Result<std::vector<Row>> pass(std::vector<Row> rows) const {
    for (const Row& row : rows) {
      if constexpr (requires { row.record; }) {
        LADDER_CHECK(pass(row.record));
      } else {
        LADDER_CHECK(pass(row));
      }
    }
    return rows;
  }

 private:
  bool shows_damaged_ = false;
};

struct NewGrant {
  std::string grant_id, client_id, body;
  Instant issued_at = 0;
  std::optional<Instant> expires_at;
  bool single_use = false;
  std::string named = {};  // the fields that the owner named (grant/named_fields.h), kept beside the body, which is closed
};

struct NewToken {
  Digest hash{};  // SHA-256 of the token text
  TokenKind kind = TokenKind::kClient;
  std::string client_id;
  Instant created_at = 0;
  std::optional<Instant> expires_at;
};

inline constexpr std::chrono::seconds kRevocationTimeout{30};

struct SealKeyRow {
  std::uint8_t id = 0;
  std::string secret;
};

inline constexpr std::size_t kMaxBlobBatchBytes = 4 * 1024 * 1024;  // some milliseconds of a write transaction

struct SweepReport {
  std::int64_t values_removed = 0;
  bool complete = false;  // nothing is left to sweep and, on SQLite, the WAL has been checkpointed and cut
};

// Figures for whoever keeps a store running, from memory and the file system alone: asking for them costs no query.
struct StoreFigures {
  std::int64_t schema_version = 0;
  std::optional<std::int64_t> file_bytes = {}, wal_bytes = {};  // of files on this machine
  std::int64_t connections_in_use = 0, connections_idle = 0;    // on SQLite those that read
  std::int64_t waiting = 0;  // for a connection, on SQLite for the turn to write; of this process alone
};

class AuthStore;
class LedgerStore;

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string_view engine() const = 0;                   // "sqlite" or "postgres"
  virtual bool is_remote() const { return false; }               // a round trip costs more than a query: ask for things together
  virtual const std::vector<SealKeyRow>& seal_keys() const = 0;  // made when the store was created; the last is current

  // --- catalog ---
  virtual Result<OwnerRow> add_owner(std::string_view name, Instant now) = 0;  // the existing one if there is one
  virtual Result<std::optional<OwnerRow>> find_owner(std::string_view name) = 0;
  virtual Result<std::vector<OwnerRow>> owners() = 0;
  virtual Result<Catalog> catalog(OwnerNo owner) = 0;
  // Adds a source or replaces its declaration, and adds streams and fields that are new, for its connections too. Fields that are
  // to be indexed get an index in every connection, not ready where there are records already (reindex() makes it so); indexes no
  // longer asked for, or of another kind, are dropped. kConflict when the key belongs to another source_id, or the same version
  // comes with another text.
  struct IndexedField {
    std::string name;
    IndexKind kind = IndexKind::kText;
  };
  struct StreamFields {
    std::string stream;
    std::vector<std::string> fields;
    std::vector<IndexedField> indexed = {};
    std::vector<std::string> searched = {};  // whose words are found; at most kMaxWordColumns
  };
  virtual Result<SourceRow> put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) = 0;
  // kConflict when the owner has a connection of that id.
  virtual Result<ConnectionRow> add_connection(OwnerNo owner, const ConnectionRow& connection,
                                               std::span<const std::string> streams) = 0;

  // --- access ---
  // All grants and the token bound to them, in one transaction.
  virtual Status add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) = 0;
  virtual Status add_token(OwnerNo owner, const NewToken& token) = 0;
  virtual Result<std::optional<TokenRow>> find_token(const Digest& hash) = 0;
  virtual Result<std::vector<GrantRow>> grants(OwnerNo owner) = 0;
  virtual Result<std::optional<GrantRow>> find_grant(OwnerNo owner, std::string_view grant_id) = 0;
  // Revokes once; the first time stands. kNotFound. Goes before other writers and waits for its turn no longer than `wait_limit`;
  // on SQLite a full disk has room kept for it.
  virtual Result<GrantRow> revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now,
                                        Deadline wait_limit = Deadline::after(kRevocationTimeout)) = 0;
  virtual Result<AccessStatusRow> access_status(const Guard& guard) = 0;  // the newest committed state
  // The owner's own tokens, without grants, in the order they were made.
  virtual Result<std::vector<TokenRow>> owner_tokens(OwnerNo owner) = 0;
  // Revokes an owner's token once; the first time stands. kNotFound.
  virtual Result<TokenRow> revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) = 0;
  // Written only where the use that is known is kGrantUseStep older. Kept apart from grants and tokens: what is known of those
  // stays valid.
  virtual Status note_uses(std::span<const GrantUse> uses) = 0;
  // The text that a version of a source's declaration had, also one that was replaced.
  virtual Result<std::optional<std::string>> declaration(OwnerNo owner, std::string_view source_id, std::string_view version) = 0;

  // The items of sign-in and authorization (auth_store.h); lives as long as the store.
  virtual AuthStore& auth() = 0;
  // The rows of the disclosure ledger (ledger_store.h); lives as long as the store.
  virtual LedgerStore& ledger() = 0;
  // A folder beside the store for the ledger's journals, one a process; empty where the store is not on this machine.
  virtual std::string journal_folder() const { return {}; }

  // --- reads ---
  virtual Result<std::unique_ptr<Reader>> read() = 0;

  // --- writes ---
  virtual Result<ValueId> reserve_values(std::int64_t count) = 0;  // contiguous ids, never handed out again
  // kStoreUnavailable if it can't begin. The set is known as staged from here on. The words of its texts will be found once a
  // record of `stream` takes it over; 0: they never are.
  virtual Result<std::unique_ptr<Staging>> stage(ValueId first, std::int64_t count, StreamNo stream) = 0;
  // Does in advance, on any thread, what writing the record needs no transaction for. write() does what was not done, or was
  // done for fields that are not searched any more.
  virtual Status prepare(const WriteTarget& /*target*/, RecordWrite& /*record*/) { return {}; }
  // One transaction, durable when it returns; one outcome per record, in order. Records of one call may share a key. In bulk it
  // may stop behind any record, so that there are fewer outcomes: the rest is for another call.
  virtual Result<std::vector<Outcome>> write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) = 0;
  // Brings, in short transactions until the deadline, records into the indexes and word columns that are not ready, and out of
  // columns that are searched no longer. True when nothing is left; the owners' catalog versions grow as they become ready. Goes
  // on where it stopped; any process may do it.
  virtual Result<bool> reindex(Deadline deadline) = 0;
  // Empties the word index, whatever state it is in; reindex() fills it again from the records. Nothing is found meanwhile.
  virtual Status empty_words() = 0;
  // Content-addressed: an existing blob of the same owner and digest stays. The chunks were staged under blob.value.
  virtual Status add_blob(OwnerNo owner, const BlobRow& blob) = 0;
  // The same for small ones, with their bytes, in one transaction: durable when it returns, or none of them is new. Together at
  // most kMaxBlobBatchBytes; each has a value id of its own, which nothing else uses.
  struct BlobBytes {
    BlobRow blob;
    std::string_view bytes;
  };
  virtual Status add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) = 0;
  virtual Result<std::optional<BlobRow>> find_blob(OwnerNo owner, const Digest& digest) = 0;

  // --- imports ---
  virtual Status keep_import(ConnectionNo connection, const ImportRow& import) = 0;  // replaces the one of that unit
  virtual Result<std::vector<ImportRow>> imports(ConnectionNo connection) = 0;       // by unit
  virtual Status forget_imports(ConnectionNo connection) = 0;

  // --- erasing a connection: its status is set first, then its records are erased for good, then it is dropped ---
  virtual Status set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) = 0;  // kNotFound
  // Removes, in short transactions until the deadline, what a connection without records still has: tombstones, changes, indexes,
  // word columns, accounts of imports, streams; and then itself. False: the time was over, or there are records (again), or
  // values that the next sweep takes; fine when it is gone already.
  virtual Result<bool> drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) = 0;
  // Gives the space that erasing left in the engine's files back to the file system, in short steps; how many bytes of
  // the disk.
  virtual Result<std::int64_t> compact() = 0;

  // A text under a name that the store keeps for the program, such as when it was backed up last. It is nobody's data.
  virtual Status keep_note(std::string_view name, std::string_view text) = 0;  // replaces the one of that name
  virtual Result<std::optional<std::string>> note(std::string_view name) = 0;

  // The engine's version and the schema's, for people: "SQLite 3.40.1, schema 3".
  virtual Result<std::string> describe() = 0;
  virtual StoreFigures figures() const = 0;

  // Removes, in short transactions until the deadline, values nobody points at (dead ones, and staged ones whose lease is over),
  // entries of dropped indexes, and tombstones older than kTombstoneDays with their change entries; and then what deleting left
  // in the engine's files.
  virtual Result<SweepReport> sweep(Instant now, Deadline deadline) = 0;
  // Every invariant of the schema, checked against the rows: a sentence for each that is broken. For tests and doctor. `tell` is
  // called now and then on the same thread.
  Result<std::vector<std::string>> check_invariants(const TellStep& tell = {}) { return check_every_row(tell); }

 private:
  virtual Result<std::vector<std::string>> check_every_row(const TellStep& tell) = 0;
};

// The one place that chooses an engine: a path is SQLite, a postgres:// or postgresql:// address is PostgreSQL.
enum class OpenMode : std::uint8_t {
  kExisting,  // must be there and current; no migration (design D18). kNotSetUp tells to run `ladder init`
  kCreate,    // create or migrate
};

bool is_postgres_address(std::string_view location);
// kNotSetUp: no store there, or one that needs `ladder init` to migrate, or one made by a newer Ladder.
Result<std::unique_ptr<Store>> open_store(const std::string& location, OpenMode mode);

}  // namespace ladder::store
