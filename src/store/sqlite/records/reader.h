// Reads over one pooled connection. The first read starts a read transaction, so that all reads see the same snapshot.
#pragma once

#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/record_rows.h"
#include "store/store.h"
#include "store/store_functions.h"

namespace ladder::store::sqlite {

// Returns whether all chunks and directory pages of the record's long values exist and match their checksums.
Result<bool> values_intact(Connection& connection, ValueId first, std::int64_t count, std::string_view body);

class SqliteReader final : public Reader {
 public:
  explicit SqliteReader(ReaderPool::Lease connection) : connection_(std::move(connection)) {}
  ~SqliteReader() override { ReadTransaction::end(*connection_); }

  LADDER_READER_FUNCTIONS(LADDER_OVERRIDE)
  Result<bool> values_intact(const RecordRow& record) override;

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
