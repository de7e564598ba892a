// Reads over one pooled connection. The first read starts a read transaction, so that all reads see the same snapshot.
#pragma once

#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/record_rows.h"
#include "store/store.h"

namespace ladder::store::sqlite {

// Returns whether all chunks and directory pages of the record's long values exist and match their checksums.
Result<bool> values_intact(Connection& connection, ValueId first, std::int64_t count, std::string_view body);

class SqliteReader final : public Reader {
 public:
  explicit SqliteReader(ReaderPool::Lease connection) : connection_(std::move(connection)) {}
  ~SqliteReader() override { ReadTransaction::end(*connection_); }

  Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) override;
  Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) override;
  Result<std::int64_t> each_chunk(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use) override;
  Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) override;
  Result<bool> values_intact(const RecordRow& record) override;
  Result<StreamCounters> counters(StreamNo stream) override;
  Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) override;
  Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                             std::int64_t limit) override;
  Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto,
                                         std::int64_t limit) override;
  Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                             std::int64_t limit) override;
  Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) override;
  Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) override;
  Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) override;
  Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) override;
  Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) override;
  Result<WordPage> search(const WordSearch& search) override;

 private:
  struct Change {
    std::int64_t version;
    RecordNo record;
  };

  Status begin();
  Result<Connection::LastRead*> validate_last_read(const Guard& guard);
  bool use_recent(ValueId text_id, std::int64_t first, std::int64_t last, const UseChunk& use);
  Result<std::optional<RecordRow>> record(Connection::LastRead& last, StreamNo stream, std::string_view key);
  Status descend(std::vector<RecordRow>& rows, StreamNo stream, std::string_view below, std::string_view from,
                 std::int64_t limit);
  Result<std::int64_t> count(Sql statement, std::int64_t of, const IndexRange& range, std::string_view above_all,
                             std::int64_t limit);
  // The entries in (since, upto] of all the fields, ascending. They are complete up to the returned version.
  Result<std::int64_t> merge_changes(std::vector<Change>& merged, StreamNo stream, std::span<const FieldNo> fields,
                                     std::int64_t since, std::int64_t upto, std::int64_t limit);
  // Returns nullopt when the newest version of the record among the fields is a different one.
  Result<std::optional<ChangeRow>> newest_change(const Change& change, std::span<const FieldNo> fields);

  ReaderPool::Lease connection_;
  bool begun_ = false;
  std::optional<std::int64_t> data_version_;  // of this transaction, once it was read
};

}  // namespace ladder::store::sqlite
