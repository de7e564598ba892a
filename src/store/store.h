// The store: reads and writes rows in SQLite or PostgreSQL. It handles rows, not grants; only server/ and the code that
// opens it may hold one. Every engine passes tests/store/. All operations are thread-safe; a Reader or Staging belongs
// to one thread.
//
// Errors, in addition to those named below: kStoreUnavailable (busy too long, disk full, read-only, lost connection,
// newer schema), whose message names the cause and the remedy; kDamagedData when a row has a wrong checksum
// (row_sums.h). A failed write has changed nothing.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/checksums/row_sums.h"
#include "store/long_values/long_value.h"
#include "store/long_values/value_sink.h"
#include "store/rows/rows.h"
#include "store/rows/word_search.h"
#include "store/search/searched_text.h"

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

// Progress of a check of all rows.
struct CheckStep {
  std::string_view doing;  // a literal such as "reading every record"
  std::int64_t done = 0;   // records
  std::int64_t all = 0;    // 0 if the step does not count them
};
using CheckCallback = std::function<void(const CheckStep& step)>;

// One line of an ingest, parsed and ready to write.
struct RecordWrite {
  bool is_delete = false;
  std::string key;
  std::string order_key;
  std::optional<Instant> consent_time;  // the record's time for grants, if it has one
  std::string emitted_at;
  Digest digest{};
  std::string body;
  ValueId first_value = 0;  // ids of its long values: [first_value, first_value + value_count)
  std::int64_t value_count = 0;
  bool staged = false;    // the values are already in the store, written by a Staging
  BufferedValues values;  // used if not staged
  // Computed by Store::prepare before waiting for the write lock. write() uses them and computes missing ones.
  CutWords words;
  std::optional<std::string> compressed_body;  // compressed(body)
};

enum class Outcome : std::uint8_t {
  kAdded,
  kChanged,
  kUnchanged,  // same digest: nothing was written
  kDeleted,
  kAbsent,       // delete of a record that does not exist
  kAppendOnly,   // rejected: the key exists with other data in an append_only stream
  kStagingLost,  // rejected: its staged values were swept, or the searched fields changed since; stage them again
};

// The target of a batch.
struct WriteTarget {
  OwnerNo owner = 0;
  StreamNo stream = 0;
  bool append_only = false;
  std::map<std::string, FieldNo, std::less<>> fields;  // declared names; others use kUndeclaredField
  bool permanent = false;                              // deletions leave no tombstones
  // Deletions delete the blob of the record too, unless another record of the owner refers to it.
  bool drops_blobs = false;
  // Bulk import: a write may take long, ends early when other writers wait, and yields to them.
  bool in_bulk = false;
};

// A short series of reads of one owner's rows: no number of another owner finds anything. SQLite: one read transaction, started
// by the first read. PostgreSQL: each call sees the newest committed state. Long values never change under the same id, so a
// window is never inconsistent, only missing (then chunks() returns fewer).
inline constexpr ValueId kFirstValue = 0;  // for Reader::expect_window when the value's id is unknown; no value has this id

class Reader {
 public:
  virtual ~Reader() = default;

  // From now on records() and the pages return damaged records, marked by RecordRow::damaged, instead of failing.
  void show_damaged() { shows_damaged_ = true; }

  // Returns the access status and the record with `key` in each of the streams, in one round trip.
  virtual Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) = 0;
  // Returns the access status of the token with each grant, in the order of the grants, in one round trip.
  virtual Result<std::vector<AccessStatusRow>> access_statuses(OwnerNo owner, TokenNo token, std::span<const GrantNo> grants) {
    std::vector<AccessStatusRow> statuses;
    for (const GrantNo grant : grants) {
      LADDER_TRY(const GuardedRecords found, records({owner, token, grant}, {}, ""));
      statuses.push_back(found.access_status);
    }
    return statuses;
  }
  // Chunks first…last of a value's text; fewer if the value was deleted.
  virtual Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) = 0;
  // The same without copying: passes each chunk to `use` and returns their number.
  using UseChunk = std::function<void(std::string_view chunk)>;
  virtual Result<std::int64_t> each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) {
    LADDER_TRY(const auto found, chunks(text_id, first, last));
    for (const std::string& chunk : found) use(chunk);
    return std::ssize(found);
  }
  // Hint, before records(): only number, stream, key and body of the record are needed, and these chunks will probably
  // be read next, so an engine may fetch them in the same round trip. kFirstValue: of the record's first value.
  virtual void expect_window(ValueId /*text_id*/, std::int64_t /*first*/, std::int64_t /*last*/) {}
  // The page with the largest first key <= key.
  virtual Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) = 0;

  // Returns whether every chunk and directory page of the record's values exists and has the right checksum.
  virtual Result<bool> values_intact(const RecordRow& /*record*/) { return true; }

  virtual Result<StreamCounters> counters(StreamNo stream) = 0;
  // Records after an order key (exclusive; empty: from the start), ascending or descending, missing cursor values last
  // in both.
  virtual Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) = 0;
  // The same by record key, for callers that may not see the cursor values.
  virtual Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                                     std::int64_t limit) = 0;
  // Changes with since < version <= upto for any of the fields (kWholeRecord is implied): one row per record with its
  // newest version among them, ascending by version. Records whose newest version is beyond `upto` are omitted.
  virtual Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since,
                                                 std::int64_t upto, std::int64_t limit) = 0;

  // --- by value: the field index (field_index.h), only for indexes marked ready in the catalog ---
  // The next entries of the range, ascending or descending, with their records.
  virtual Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                                     std::int64_t limit) = 0;
  // The number of entries in the range; counting stops at `limit`.
  virtual Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) = 0;
  // The same for the order keys of a stream.
  virtual Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) = 0;
  // The greatest order key of the range, without its record.
  virtual Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) = 0;
  // Days first…last that have records, ascending, from a kTime or kDays index.
  virtual Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) = 0;
  // Records whose blob_ref names the blob, with number > after, ascending.
  virtual Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) = 0;

  // --- by words (word_search.h), only for columns marked ready in the catalog. kDeadline, kCancelled. ---
  virtual Result<WordPage> search(const WordSearch& search) = 0;

 protected:
  // Fails for the first damaged record, unless show_damaged() was called.
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
  std::string named =
      {};  // the fields that the owner named (grant/named_fields.h), stored next to the body, whose format is fixed
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
  bool complete = false;  // nothing is left to sweep and, on SQLite, the WAL has been checkpointed and truncated
};

// Metrics for operators, from memory and the file system only: reading them costs no query.
struct StoreFigures {
  std::int64_t schema_version = 0;
  std::optional<std::int64_t> file_bytes = {}, wal_bytes = {};  // of files on this machine
  std::int64_t connections_in_use = 0, connections_idle = 0;    // on SQLite, read connections
  std::int64_t connections_max = 0;                             // to a database server
  std::int64_t waiting = 0;                                     // for a connection, on SQLite for the write lock; in this process
  // Since the start: waits for a connection, their total time, and those that ended without one.
  std::int64_t waits = 0, wait_us = 0, failed_waits = 0;
  // Figures of a database server that measure() read last. Lags are those of the slowest standby.
  std::optional<std::int64_t> server_bytes = {}, standbys = {}, lag_bytes = {}, lag_us = {};
};

class AuthStore;
class LedgerStore;

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string_view engine() const = 0;                   // "sqlite" or "postgres"
  virtual bool is_remote() const { return false; }               // a round trip costs more than a query: batch reads
  virtual const std::vector<SealKeyRow>& seal_keys() const = 0;  // created with the store; the last one is current

  // --- catalog ---
  virtual Result<OwnerRow> add_owner(std::string_view name, Instant now) = 0;  // returns an existing owner
  virtual Result<std::optional<OwnerRow>> find_owner(std::string_view name) = 0;
  virtual Result<std::optional<OwnerRow>> owner(OwnerNo owner) = 0;
  virtual Result<std::vector<OwnerRow>> owners() = 0;
  // Suspends the owner's access from the next read and write on, or ends it (nullopt). A second suspension keeps the first
  // time. kNotFound.
  virtual Status set_owner_suspended(OwnerNo owner, std::optional<Instant> at) = 0;
  virtual Status set_owner_limits(OwnerNo owner, const OwnerLimits& limits) = 0;  // kNotFound
  virtual Result<std::int64_t> owner_records(OwnerNo owner) = 0;
  virtual Result<OwnerUsage> owner_usage(OwnerNo owner) = 0;  // counts the bytes of every row: seconds for a million records
  // Deletes rows of the owner from every table in short transactions until the deadline, and last the owner itself, whose number
  // is not used again. Returns false when rows are left. The owner must be suspended, because a writer could add rows meanwhile;
  // kConflict otherwise. SQLite overwrites the bytes; the next sweep truncates the log.
  virtual Result<bool> delete_owner(OwnerNo owner, Deadline deadline) = 0;
  virtual Result<std::vector<TableRows>> owner_rows(OwnerNo owner) = 0;  // every table that has a column for owners
  virtual Result<Catalog> catalog(OwnerNo owner) = 0;
  // Adds a source or replaces its declaration, and adds new streams and fields, also to its connections. Fields to be
  // indexed get an index in every connection. It is not ready if records exist already; reindex() builds it. Indexes
  // that are no longer declared, or have another kind, are dropped. kConflict when the key belongs to another
  // source_id, or the same version was stored with a different text.
  struct IndexedField {
    std::string name;
    IndexKind kind = IndexKind::kText;
  };
  struct StreamFields {
    std::string stream;
    std::vector<std::string> fields;
    std::vector<IndexedField> indexed = {};
    std::vector<std::string> searched = {};  // fields with a word index; at most kMaxWordColumns
  };
  virtual Result<SourceRow> put_source(OwnerNo owner, const SourceRow& source, std::span<const StreamFields> streams) = 0;
  // kConflict when the owner has a connection of that id.
  virtual Result<ConnectionRow> add_connection(OwnerNo owner, const ConnectionRow& connection,
                                               std::span<const std::string> streams) = 0;

  // --- access ---
  // Adds all grants and the token bound to them, in one transaction.
  virtual Status add_grants(OwnerNo owner, std::span<const NewGrant> grants, const NewToken& token) = 0;
  virtual Status add_token(OwnerNo owner, const NewToken& token) = 0;
  virtual Result<std::optional<TokenRow>> find_token(const Digest& hash) = 0;
  virtual Result<std::vector<GrantRow>> grants(OwnerNo owner) = 0;
  virtual Result<std::optional<GrantRow>> find_grant(OwnerNo owner, std::string_view grant_id) = 0;
  // Revokes a grant; a second call keeps the first time. kNotFound. Has priority over other writers and waits for the
  // write lock no longer than `wait_limit`. On SQLite, disk space is reserved for it.
  virtual Result<GrantRow> revoke_grant(OwnerNo owner, std::string_view grant_id, Instant now,
                                        Deadline wait_limit = Deadline::after(kRevocationTimeout)) = 0;
  virtual Result<AccessStatusRow> access_status(const Guard& guard) = 0;  // the newest committed state
  // Every valid token of the owner with the ids of its grants, in order of creation, for moving them to another store.
  virtual Result<std::vector<BoundTokenRow>> bound_tokens(OwnerNo owner) = 0;
  // The owner's own tokens, without grants, in order of creation.
  virtual Result<std::vector<TokenRow>> owner_tokens(OwnerNo owner) = 0;
  // Revokes an owner's token; a second call keeps the first time. kNotFound.
  virtual Result<TokenRow> revoke_owner_token(OwnerNo owner, TokenNo token, Instant now) = 0;
  // Written only if the recorded use is kGrantUseStep older. Stored apart from grants and tokens, so cached ones stay
  // valid.
  virtual Status record_grant_uses(std::span<const GrantUse> uses) = 0;
  // The text of a version of a source's declaration, including replaced versions.
  virtual Result<std::optional<std::string>> declaration(OwnerNo owner, std::string_view source_id, std::string_view version) = 0;

  // The rows of sign-in and authorization (auth_store.h); lives as long as the store.
  virtual AuthStore& auth() = 0;
  // The rows of the disclosure ledger (ledger_store.h); lives as long as the store.
  virtual LedgerStore& ledger() = 0;
  // A folder next to the store for the ledger's journals, one per process; empty if the store is not on this machine.
  virtual std::string journal_folder() const { return {}; }

  // --- reads ---
  virtual Result<std::unique_ptr<Reader>> read(OwnerNo owner) = 0;

  // --- writes ---
  virtual Result<ValueId> reserve_values(OwnerNo owner, std::int64_t count) = 0;  // contiguous ids, never reused
  // kStoreUnavailable if it can't begin. From now on the set is recorded as staged. The words of its texts become
  // searchable once a record of `stream` takes it over; 0: never.
  virtual Result<std::unique_ptr<Staging>> stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) = 0;
  // Does the part of writing a record that needs no transaction, on any thread. write() does it for records that were
  // not prepared, or were prepared for fields that are no longer searched.
  virtual Status prepare(const WriteTarget& /*target*/, RecordWrite& /*record*/) { return {}; }
  // One transaction, durable when it returns; one outcome per record, in order. Records of one call may share a key. A
  // bulk write may stop after any record and return fewer outcomes; the rest is for another call.
  virtual Result<std::vector<Outcome>> write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) = 0;
  // Adds records to the indexes and word columns that are not ready, and removes them from columns no longer searched,
  // in short transactions until the deadline. Returns true when nothing is left. Catalog versions grow as indexes
  // become ready. Continues where the last call stopped; any process may call it.
  virtual Result<bool> reindex(Deadline deadline) = 0;
  // Empties the word index, whatever its state; reindex() rebuilds it from the records. Until then searches find
  // nothing.
  virtual Status clear_word_index() = 0;
  // Counts the records that reindex() still has to index. Takes some milliseconds per 100,000.
  virtual Result<std::int64_t> records_without_words() = 0;
  // Content-addressed: an existing blob of the same owner and digest is kept. The chunks were staged under blob.value.
  virtual Status add_blob(OwnerNo owner, const BlobRow& blob) = 0;
  // The same for small blobs with their bytes, in one transaction: durable when it returns, or none is added. Together
  // at most kMaxBlobBatchBytes; each has its own unused value id.
  struct BlobBytes {
    BlobRow blob;
    std::string_view bytes;
  };
  virtual Status add_blobs(OwnerNo owner, std::span<const BlobBytes> blobs) = 0;
  // Deletes those of the blobs that no record of the owner refers to.
  virtual Status drop_unused_blobs(OwnerNo owner, std::span<const Digest> blobs, Instant now) = 0;
  virtual Result<std::optional<BlobRow>> find_blob(OwnerNo owner, const Digest& digest) = 0;

  // --- imports ---
  virtual Status put_import(OwnerNo owner, ConnectionNo connection,
                            const ImportRow& import) = 0;  // replaces the report of the same unit
  virtual Result<std::vector<ImportRow>> imports(OwnerNo owner, ConnectionNo connection) = 0;  // by unit
  virtual Status delete_imports(OwnerNo owner, ConnectionNo connection) = 0;

  // --- erasing a connection: set its status, erase its records permanently, drop it ---
  virtual Status set_connection_status(OwnerNo owner, ConnectionNo connection, std::string_view status) = 0;  // kNotFound
  virtual Status set_connection_name(OwnerNo owner, ConnectionNo connection, std::string_view name) = 0;      // kNotFound
  // Removes the remaining rows of a connection without records, in short transactions until the deadline: tombstones,
  // changes, indexes, word columns, import reports and streams; then the connection itself. Returns false when time ran
  // out, or it has records (again) or values that the next sweep removes. Not an error if it does not exist.
  virtual Result<bool> drop_connection(OwnerNo owner, ConnectionNo connection, Deadline deadline) = 0;
  // Returns free space in the engine's files to the file system, in short steps; returns the number of bytes freed.
  virtual Result<std::int64_t> compact() = 0;

  // A text that the program stores under a name, such as the time of the last backup. It belongs to no owner.
  virtual Status keep_note(std::string_view name, std::string_view text) = 0;  // replaces an existing one
  virtual Result<std::optional<std::string>> note(std::string_view name) = 0;

  // Versions of engine and schema for display: "SQLite 3.40.1, schema 3".
  virtual Result<std::string> describe() = 0;
  virtual StoreFigures figures() const = 0;
  // Reads the figures that take a query, for later calls of figures().
  virtual Status measure() { return {}; }

  // Removes, in short transactions until the deadline, unreferenced values (dead ones, and staged ones whose lease has
  // expired), entries of dropped indexes, and tombstones older than kTombstoneDays with their change entries; then
  // cleans up the engine's files.
  virtual Result<SweepReport> sweep(Instant now, Deadline deadline) = 0;
  // Merges the word index further than a sweep does, so that a search reads few segments. True: nothing is left to merge.
  virtual Result<bool> tidy_words(Deadline deadline) = 0;
  // Checks every invariant of the schema against the rows and returns a sentence for each violation. For tests and
  // doctor. Calls `tell` regularly on the same thread.
  Result<std::vector<std::string>> check_invariants(const CheckCallback& tell = {}) { return check_every_row(tell); }

 private:
  virtual Result<std::vector<std::string>> check_every_row(const CheckCallback& tell) = 0;
};

enum class OpenMode : std::uint8_t {
  kExisting,  // must exist and be current; no migration (design D18). kNotSetUp asks for `ladder init`
  kCreate,    // create or migrate
};

struct OpenOptions {
  std::optional<std::size_t> connections = {};  // to a database server, at most; at least kFewestConnections
};
// A writer may hold one connection while it stages a value over another.
inline constexpr std::size_t kFewestConnections = 2;

}  // namespace ladder::store
