// Finds damaged rows of a SQLite store (store/checksums/row_sums.h) and checks its invariants.
#include "base/limits.h"
#include "base/text/format.h"
#include "store/checksums/row_sums.h"
#include "store/long_values/long_value.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/upkeep/index_invariants.h"
#include "store/upkeep/record_invariants.h"

#include <algorithm>
#include <iterator>
#include <memory>

namespace ladder::store::sqlite {

namespace {

constexpr std::int64_t kReportInterval = 256;  // records between progress reports

// Reads every record, long value and blob of the connection's owner in its open transaction. Reports the number of records read.
Result<DamageReport> find_damage(Connection& connection, const std::function<void(std::int64_t done)>& tell);

// Calls `use` for every row of a statement.
template <class Use>
Status each_row(Statement& rows, Use use) {
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    LADDER_CHECK(use());
  }
}

template <class Use>
Status each_chunk(Connection& connection, ValueId first, ValueId end, Use use) {
  ChunkRows rows(connection, first, end);
  for (;;) {
    LADDER_TRY(const bool row, rows.next());
    if (!row) return {};
    use(rows.value(), rows.number(), rows.bytes(), rows.sum());
  }
}

Status check_values(Connection& connection, const RecordRow& record, DamageReport& report) {
  if (record.value_count == 0) return {};
  const ValueId end = record.first_value + record.value_count;
  ValueDamage values(record.body);
  LADDER_CHECK(each_chunk(connection, record.first_value, end,
                          [&](ValueId value, std::int64_t chunk_no, std::string_view bytes, RowSum sum) {
                            values.chunk(value, chunk_no, bytes, sum);
                          }));
  Statement pages = connection.use(Sql::kDirectoryPages);
  pages.integer(1, record.first_value).integer(2, end - 1);
  LADDER_CHECK(each_row(pages, [&]() -> Status {
    values.page(pages.integer_at(0), pages.integer_at(2), pages.bytes_at(1), pages.maybe_integer_at(3));
    return {};
  }));
  for (const std::string& field : values.damaged_fields()) report.add_field(record.stream, record.key, field);
  return {};
}

Status check_records(Connection& connection, DamageReport& report, const std::function<void(std::int64_t done)>& tell) {
  std::int64_t done = 0;
  Statement rows =
      connection.prepare("SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key, stream_no FROM records WHERE owner_no = :owner");
  return each_row(rows, [&]() -> Status {
    if (done++ % kReportInterval == 0) tell(done);
    const RecordRow record = record_of(rows, rows.integer_at(kRecordColumns + 1), rows.bytes_at(kRecordColumns));
    if (!record.damaged) return check_values(connection, record, report);
    report.add_record(record.stream, record.no, record.key);
    return {};
  });
}

Status check_blobs(Connection& connection, DamageReport& report) {
  Statement rows =
      connection.prepare("SELECT owner_no, digest, size_bytes, mime_type, value_id, sum FROM blobs WHERE owner_no = :owner");
  return each_row(rows, [&]() -> Status {
    BlobRow blob{.size_bytes = rows.integer_at(2), .mime_type = rows.string_at(3), .value = rows.integer_at(4)};
    const std::string_view digest = rows.bytes_at(1);
    if (digest.size() == blob.digest.size()) std::ranges::copy(digest, blob.digest.begin());
    BlobDamage bytes(blob);
    LADDER_CHECK(each_chunk(
        connection, blob.value, blob.value + 1,
        [&](ValueId, std::int64_t chunk_no, std::string_view chunk, RowSum sum) { bytes.chunk(chunk_no, chunk, sum); }));
    if (bytes.is_damaged() || !holds(rows.maybe_integer_at(5), blob_sum(rows.integer_at(0), blob))) report.add_blob(blob.digest);
    return {};
  });
}

Result<DamageReport> find_damage(Connection& connection, const std::function<void(std::int64_t done)>& tell) {
  DamageReport report;
  {
    Statement rows = connection.prepare(
        "SELECT s.stream_no, c.connection_id, s.name FROM streams s "
        "JOIN connections c ON c.owner_no = s.owner_no AND c.connection_no = s.connection_no WHERE s.owner_no = :owner");
    LADDER_CHECK(each_row(rows, [&]() -> Status {
      report.add_stream(rows.integer_at(0), rows.bytes_at(1), rows.bytes_at(2));
      return {};
    }));
  }
  LADDER_CHECK(check_records(connection, report, tell));
  LADDER_CHECK(check_blobs(connection, report));
  return report;
}

// Checks the invariants between the rows of one owner, one after another, in one snapshot of the store. Each violation is
// reported as a sentence.

constexpr std::size_t kMaxFaults = 100;

class Check {
 public:
  // Reports progress as records after the `before` ones of other owners, of `all`.
  Check(Connection& connection, const CheckCallback& tell, std::int64_t before, std::int64_t all)
      : connection_(connection),
        tell_(tell),
        before_(before),
        all_(all),
        session_(session_on(connection)),
        invariants_(*session_, report_),
        index_(connection, report_),
        words_(connection, report_) {}

  Result<std::vector<std::string>> run();

 private:
  Status records();
  Status record(const Statement& row);
  Status expect_change(RecordNo record, StreamNo stream, FieldNo field, std::int64_t version);
  Status expect_value(RecordNo record, const LongRef& ref, std::int64_t chunks);
  Status whole_chunks(const std::string& name, ValueId value);
  struct Totals {
    std::int64_t chunks, bytes;
    std::int64_t numbered;  // one more than the highest chunk number
    std::int64_t largest;   // bytes
  };
  Result<Totals> totals(ValueId value);
  Status blobs();

  void fault(std::string sentence) {
    if (faults_.size() < kMaxFaults) faults_.push_back(std::move(sentence));
  }

  void tell(std::string_view doing, std::int64_t done = 0, std::int64_t all = 0) const {
    if (tell_) tell_({doing, done, all});
  }

  Connection& connection_;
  const CheckCallback& tell_;
  const std::int64_t before_, all_;
  DamageReport damage_;
  std::vector<std::string> faults_;
  const ReportFault report_ = [this](std::string sentence) { fault(std::move(sentence)); };
  const std::unique_ptr<sql::Session> session_;
  RecordInvariants invariants_;
  IndexCheck index_;
  WordCheck words_;
};

Result<std::vector<std::string>> Check::run() {
  LADDER_TRY(damage_,
             find_damage(connection_, [this](std::int64_t done) { tell("reading every record", before_ + done, all_); }));
  tell("comparing the tables");
  LADDER_CHECK(check_rules(*session_, report_));
  LADDER_CHECK(index_.start());
  LADDER_CHECK(words_.start());
  LADDER_CHECK(records());
  tell("comparing the indexes");
  LADDER_CHECK(index_.finish());
  LADDER_CHECK(words_.finish());
  LADDER_CHECK(blobs());
  LADDER_CHECK(invariants_.finish());
  std::vector<std::string> all = damage_.sentences();
  std::ranges::move(faults_, std::back_inserter(all));
  return all;
}

Status Check::records() {
  Statement rows = connection_.prepare(
      "SELECT record_no, stream_no, version, digest, field_versions, first_value, value_count, stored_body, order_key, key, "
      "word_mask, text_no, raw_size FROM records WHERE owner_no = :owner");
  for (std::int64_t done = 0;; ++done) {
    if (done % kReportInterval == 0) tell("looking up what every record has in the indexes", before_ + done, all_);
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    if (!damage_.has(rows.integer_at(0))) LADDER_CHECK(record(rows));
  }
}

Status Check::record(const Statement& row) {
  std::string body;
  if (!read_body(row, 7, 12, body)) return {};  // damaged since its checksum was verified
  const RecordNo no = row.integer_at(0);
  const StreamNo stream = row.integer_at(1);
  const CheckedRecord record{.no = no,
                             .version = row.integer_at(2),
                             .digest = row.bytes_at(3),
                             .field_versions = row.bytes_at(4),
                             .order_key = row.bytes_at(8),
                             .key = row.bytes_at(9),
                             .body = body,
                             .first_value = row.integer_at(5),
                             .value_count = row.integer_at(6)};
  LADDER_CHECK(invariants_.check(
      record, [&](FieldNo field, std::int64_t version) { return expect_change(no, stream, field, version); },
      [&](const LongRef& ref, std::int64_t chunks) { return expect_value(no, ref, chunks); }));
  for (ValueId value = record.first_value; value < record.first_value + record.value_count; ++value) {
    LADDER_CHECK(whole_chunks(format("record {}", no), value));
  }
  LADDER_CHECK(index_.record(no, stream, record.key, record.order_key, body));
  return words_.record({no, body, record.first_value, record.value_count}, stream,
                       {static_cast<text::WordColumns>(row.integer_at(10)), row.integer_at(11)});
}

Status Check::expect_change(RecordNo record, StreamNo stream, FieldNo field, std::int64_t version) {
  Statement entry = connection_.use(Sql::kChangeEntry);
  LADDER_TRY(const bool found, entry.integer(1, stream).integer(2, field).integer(3, version).step());
  if (!found || entry.integer_at(0) != record) {
    fault(format("the change log has no entry for field {} of record {} at version {}", field, record, version));
  }
  return {};
}

Status Check::expect_value(RecordNo record, const LongRef& ref, std::int64_t chunks) {
  LADDER_TRY(const Totals stored, totals(ref.id));
  if (stored.chunks != chunks || stored.bytes != ref.size_bytes) {
    fault(format("value {} of record {} has {} chunks of {} bytes in all, not {} of {}", ref.id, record, stored.chunks,
                 stored.bytes, chunks, ref.size_bytes));
  }
  return {};
}

// Checks that the chunks are numbered from 0 without a gap.
Status Check::whole_chunks(const std::string& name, ValueId value) {
  LADDER_TRY(const Totals stored, totals(value));
  if (stored.chunks != stored.numbered) fault(format("chunks are missing in the middle of value {} of {}", value, name));
  if (stored.largest > static_cast<std::int64_t>(limits::kChunkBytes)) {
    fault(format("a chunk of value {} of {} is larger than a chunk may be", value, name));
  }
  return {};
}

Result<Check::Totals> Check::totals(ValueId value) {
  Statement row = connection_.use(Sql::kChunkTotals);
  LADDER_CHECK(row.integer(1, value).step());
  return Totals{row.integer_at(0), row.integer_at(1), row.integer_at(2), row.integer_at(3)};
}

Status Check::blobs() {
  Statement rows = connection_.prepare("SELECT value_id, size_bytes FROM blobs WHERE owner_no = :owner");
  return each_row(rows, [&]() -> Status {
    const ValueId value = rows.integer_at(0);
    LADDER_TRY(const Totals stored, totals(value));
    if (stored.bytes != rows.integer_at(1)) {
      fault(format("the blob in value {} has {} bytes, not {}", value, stored.bytes, rows.integer_at(1)));
    }
    return whole_chunks("a blob", value);
  });
}

// Checks the file's own structure, and that every index has exactly the entries of its table, in order.
Status check_file(Connection& connection, std::vector<std::string>& faults) {
  Statement rows = connection.prepare("PRAGMA integrity_check(20)");
  return each_row(rows, [&]() -> Status {
    std::string said(rows.bytes_at(0));  // may have several lines
    std::ranges::replace(said, '\n', ' ');
    if (said != "ok") faults.push_back(format("the file is damaged: {}", said));
    return {};
  });
}

// No table has rows of an owner that does not exist.
Status check_owners(Connection& connection, std::vector<std::string>& faults) {
  Statement tables = connection.prepare(
      "SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
      "WHERE t.type = 'table' AND c.name = 'owner_no' AND t.name NOT IN ('owners', 'auth_items', 'ledger_items')");
  return each_row(tables, [&]() -> Status {
    const std::string sql =
        format("SELECT owner_no FROM {} WHERE owner_no NOT IN (SELECT owner_no FROM owners) LIMIT 1", tables.bytes_at(0));
    Statement row = connection.prepare(sql.c_str());
    LADDER_TRY(const bool found, row.step());
    if (found) faults.push_back(format("{} has rows of the owner {}, who does not exist", tables.bytes_at(0), row.integer_at(0)));
    return {};
  });
}

struct OwnerRecords {
  OwnerNo owner = 0;
  std::int64_t records = 0;
};

Result<std::vector<OwnerRecords>> count_records(Connection& connection) {
  std::vector<OwnerRecords> owners;
  Statement rows = connection.prepare(
      "SELECT o.owner_no, (SELECT ifnull(sum(s.record_count), 0) FROM streams s WHERE s.owner_no = o.owner_no) FROM owners o");
  LADDER_CHECK(each_row(rows, [&]() -> Status {
    owners.push_back({rows.integer_at(0), rows.integer_at(1)});
    return {};
  }));
  return owners;
}

}  // namespace

Result<std::vector<std::string>> SqliteStore::check_every_row(const CheckCallback& tell) {
  LADDER_TRY(const ReaderPool::Lease reader, readers_.take());
  ReadTransaction transaction(*reader);
  LADDER_CHECK(transaction.begin());
  if (tell) tell({"checking the structure of the file"});
  std::vector<std::string> faults;
  LADDER_CHECK(check_file(*reader, faults));
  LADDER_CHECK(check_owners(*reader, faults));
  LADDER_TRY(const std::vector<OwnerRecords> owners, count_records(*reader));
  std::int64_t all = 0, before = 0;
  for (const OwnerRecords& owner : owners) all += owner.records;
  for (const OwnerRecords& owner : owners) {
    reader->set_owner(owner.owner);
    LADDER_TRY(std::vector<std::string> of_owner, Check(*reader, tell, before, all).run());
    std::ranges::move(of_owner, std::back_inserter(faults));
    before += owner.records;
  }
  return faults;
}

}  // namespace ladder::store::sqlite
