// Finds damaged rows of a SQLite store (store/checksums/row_sums.h) and checks its invariants.
#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "store/checksums/row_sums.h"
#include "store/index/field_versions.h"
#include "store/long_values/long_value.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/chunk_rows.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/upkeep/index_invariants.h"

#include <algorithm>
#include <iterator>
#include <limits>

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

// The ids that one record, blob or loose set owns.
struct IdRange {
  ValueId first = 0;
  std::int64_t count = 0;
  std::string owner;
  ValueId end() const { return first + count; }
};

class Check {
 public:
  // Reports progress as records after the `before` ones of other owners, of `all`.
  Check(Connection& connection, const CheckCallback& tell, std::int64_t before, std::int64_t all)
      : connection_(connection),
        tell_(tell),
        before_(before),
        all_(all),
        index_(connection, [this](std::string sentence) { fault(std::move(sentence)); }),
        words_(connection, [this](std::string sentence) { fault(std::move(sentence)); }) {}

  Result<std::vector<std::string>> run();

 private:
  Status streams();
  Status blocks();
  Status records();
  Status record(const Statement& row);
  Status record_change(const std::string& name, StreamNo stream, FieldNo field, std::int64_t version, RecordNo record);
  Status reference(const std::string& name, const IdRange& owned, const LongRef& ref);
  Status whole_chunks(const std::string& name, ValueId value);
  struct Totals {
    std::int64_t chunks, bytes;
    std::int64_t numbered;  // one more than the highest chunk number
    std::int64_t largest;   // bytes
  };
  Result<Totals> totals(ValueId value);
  Status tombstones();
  Status change_totals();
  Status blobs();
  Status loose();
  Status ownership();
  Status nothing_between(ValueId from, ValueId to);

  // Reports a fault for every row of a query that should have no rows. Its first column identifies what is wrong.
  Status none(const char* sql, std::string_view fault);
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
  std::vector<IdRange> ranges_;
  std::int64_t expected_changes_ = 0;
  IndexCheck index_;
  WordCheck words_;
};

Result<std::vector<std::string>> Check::run() {
  LADDER_TRY(damage_,
             find_damage(connection_, [this](std::int64_t done) { tell("reading every record", before_ + done, all_); }));
  LADDER_CHECK(streams());
  LADDER_CHECK(blocks());
  LADDER_CHECK(index_.start());
  LADDER_CHECK(words_.start());
  LADDER_CHECK(records());
  tell("comparing the indexes");
  LADDER_CHECK(index_.finish());
  LADDER_CHECK(words_.finish());
  LADDER_CHECK(tombstones());
  LADDER_CHECK(change_totals());
  LADDER_CHECK(blobs());
  LADDER_CHECK(loose());
  LADDER_CHECK(ownership());
  std::vector<std::string> all = damage_.sentences();
  std::ranges::move(faults_, std::back_inserter(all));
  return all;
}

Status Check::none(const char* sql, std::string_view fault_text) {
  Statement rows = connection_.prepare(sql);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    fault(format("{}: {}", fault_text, rows.bytes_at(0)));
  }
}

Status Check::streams() {
  LADDER_CHECK(
      none("SELECT stream_no FROM streams s WHERE owner_no = :owner AND record_count <> (SELECT count(*) FROM records r "
           "WHERE r.owner_no = s.owner_no AND r.stream_no = s.stream_no)",
           "a stream's counter is not the number of its records"));
  LADDER_CHECK(
      none("SELECT DISTINCT stream_no FROM records WHERE owner_no = :owner AND stream_no NOT IN "
           "(SELECT stream_no FROM streams WHERE owner_no = :owner)",
           "records belong to a stream that does not exist"));
  LADDER_CHECK(
      none("SELECT stream_no FROM streams s WHERE owner_no = :owner AND max_version < ifnull((SELECT max(version) FROM changes c "
           "WHERE c.owner_no = s.owner_no AND c.stream_no = s.stream_no), 0)",
           "a stream's newest version is older than one of its changes"));
  LADDER_CHECK(
      none("SELECT stream_no FROM streams WHERE owner_no = :owner AND connection_no NOT IN "
           "(SELECT connection_no FROM connections WHERE owner_no = :owner)",
           "a stream's connection does not exist"));
  return none(
      "SELECT connection_no FROM connections WHERE owner_no = :owner AND source_no NOT IN "
      "(SELECT source_no FROM sources WHERE owner_no = :owner)",
      "a connection's source is missing or another owner's");
}

Status Check::blocks() {
  LADDER_CHECK(
      none("SELECT first FROM (SELECT first, size, lead(first) OVER (ORDER BY first) AS next FROM number_blocks "
           "WHERE owner_no = :owner) WHERE first + size > ifnull(next, "
           "(SELECT next FROM counters WHERE owner_no = :owner AND name = 'record'))",
           "a block of record numbers reaches into the next"));
  LADDER_CHECK(none(
      "SELECT stream_no FROM streams s WHERE owner_no = :owner AND block_end > 0 AND NOT EXISTS (SELECT 1 FROM number_blocks b "
      "WHERE b.owner_no = s.owner_no AND b.stream_no = s.stream_no AND b.kind = 0 AND b.first + b.size = s.block_end AND "
      "s.next_record_no BETWEEN "
      "b.first AND s.block_end)",
      "a stream allocates record numbers outside its block"));
  constexpr const char* kOutside =
      "SELECT record_no FROM (SELECT record_no, stream_no FROM records WHERE owner_no = :owner "
      "UNION ALL SELECT record_no, stream_no FROM tombstones WHERE owner_no = :owner) r "
      "WHERE NOT EXISTS (SELECT 1 FROM number_blocks b WHERE b.owner_no = :owner AND b.first = "
      "(SELECT max(first) FROM number_blocks WHERE owner_no = :owner AND first <= r.record_no) "
      "AND b.stream_no = r.stream_no AND b.kind = 0 AND r.record_no < b.first + b.size)";
  LADDER_CHECK(none(kOutside, "a record's number lies outside its stream's blocks"));
  return none(
      "SELECT r.record_no FROM records r JOIN streams s ON s.owner_no = r.owner_no AND s.stream_no = r.stream_no "
      "WHERE r.owner_no = :owner AND r.record_no >= s.next_record_no AND r.record_no < s.block_end",
      "a record has a number that its stream would allocate again");
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
  const RecordNo no = row.integer_at(0);
  const StreamNo stream = row.integer_at(1);
  const std::string name = format("record {}", no);
  if (row.bytes_at(3).size() != Digest{}.size()) fault(format("{} has a digest of the wrong length", name));
  if (!row.bytes_at(8).ends_with(row.bytes_at(9))) fault(format("the order key of {} does not end with its key", name));
  std::string body;
  if (!read_body(row, 7, 12, body)) return {};  // damaged since its checksum was verified
  if (body.size() > limits::kRecordRowBytes) fault(format("the row of {} is larger than a row may be", name));

  if (const std::optional<FieldVersions> versions = FieldVersions::decode(row.bytes_at(4)); !versions) {
    fault(format("the field versions of {} cannot be read", name));
  } else {
    std::int64_t newest = versions->created;
    LADDER_CHECK(record_change(name, stream, kWholeRecord, versions->created, no));
    for (const auto& [field, version] : versions->changed) {
      newest = std::max(newest, version);
      LADDER_CHECK(record_change(name, stream, field, version, no));
    }
    if (newest != row.integer_at(2)) fault(format("the version of {} is not that of its newest field", name));
  }

  const IdRange owned{row.integer_at(5), row.integer_at(6), name};
  if (owned.count > 0) ranges_.push_back(owned);
  LADDER_CHECK(index_.record(no, stream, row.bytes_at(9), row.bytes_at(8), body));
  LADDER_CHECK(words_.record({no, body, owned.first, owned.count}, stream,
                             {static_cast<text::WordColumns>(row.integer_at(10)), row.integer_at(11)}));
  std::int64_t references = 0;
  for (json::Members members(body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    ++references;
    if (const Result<LongRef> ref = parse_reference(members.value().text)) {
      LADDER_CHECK(reference(name, owned, *ref));
    } else {
      fault(format("a reference in {} cannot be read", name));
    }
  }
  if ((references == 0) != (owned.count == 0))
    fault(format("{} owns {} long values but refers to {}", name, owned.count, references));
  for (ValueId value = owned.first; value < owned.end(); ++value) LADDER_CHECK(whole_chunks(name, value));
  return {};
}

Status Check::record_change(const std::string& name, StreamNo stream, FieldNo field, std::int64_t version, RecordNo record) {
  ++expected_changes_;
  Statement entry = connection_.use(Sql::kChangeEntry);
  LADDER_TRY(const bool found, entry.integer(1, stream).integer(2, field).integer(3, version).step());
  if (!found || entry.integer_at(0) != record) {
    fault(format("the change log has no entry for field {} of {} at version {}", field, name, version));
  }
  return {};
}

Status Check::reference(const std::string& name, const IdRange& owned, const LongRef& ref) {
  if (ref.id < owned.first || ref.id >= owned.end() || ref.text_id < owned.first || ref.text_id >= owned.end()) {
    fault(format("{} refers to the value {}, which it does not own", name, ref.id));
    return {};
  }
  if (ref.chunk_chars <= 0 || ref.text_id != ref.id) {
    fault(format("the reference to value {} in {} is invalid", ref.id, name));
    return {};
  }
  const std::int64_t chunks = (ref.size_chars + ref.chunk_chars - 1) / ref.chunk_chars;
  LADDER_TRY(const Totals stored, totals(ref.id));
  if (stored.chunks != chunks || stored.bytes != ref.size_bytes) {
    fault(format("value {} of {} has {} chunks of {} bytes in all, not {} of {}", ref.id, name, stored.chunks, stored.bytes,
                 chunks, ref.size_bytes));
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

Status Check::tombstones() {
  LADDER_TRY(const std::int64_t count, connection_.read_integer("SELECT count(*) FROM tombstones WHERE owner_no = :owner"));
  expected_changes_ += count;
  LADDER_CHECK(
      none("SELECT record_no FROM tombstones t WHERE owner_no = :owner AND NOT EXISTS "
           "(SELECT 1 FROM changes c WHERE c.owner_no = t.owner_no AND c.stream_no = t.stream_no "
           "AND c.field_no = 0 AND c.version = t.version AND c.record_no = t.record_no)",
           "the change log has no entry for a deletion"));
  LADDER_CHECK(none("SELECT record_no FROM tombstones WHERE owner_no = :owner AND created >= version",
                    "a record was deleted before it was created"));
  return none(
      "SELECT t.record_no FROM tombstones t WHERE owner_no = :owner AND EXISTS "
      "(SELECT 1 FROM records r WHERE r.owner_no = t.owner_no AND r.stream_no = t.stream_no AND r.key = t.key)",
      "a record both exists and is deleted");
}

Status Check::change_totals() {
  LADDER_TRY(const std::int64_t stored, connection_.read_integer("SELECT count(*) FROM changes WHERE owner_no = :owner"));
  if (stored != expected_changes_)
    fault(format("the change log has {} entries, but the records require {}", stored, expected_changes_));
  return {};
}

Status Check::blobs() {
  Statement rows = connection_.prepare("SELECT value_id, size_bytes FROM blobs WHERE owner_no = :owner");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    const IdRange owned{rows.integer_at(0), 1, format("the blob in value {}", rows.integer_at(0))};
    ranges_.push_back(owned);
    LADDER_TRY(const Totals stored, totals(owned.first));
    if (stored.bytes != rows.integer_at(1))
      fault(format("{} has {} bytes, not {}", owned.owner, stored.bytes, rows.integer_at(1)));
    LADDER_CHECK(whole_chunks("a blob", owned.first));
  }
}

Status Check::loose() {
  Statement rows = connection_.prepare("SELECT first_value, value_count FROM loose_values WHERE owner_no = :owner");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    ranges_.push_back({rows.integer_at(0), rows.integer_at(1), format("the loose set {}", rows.integer_at(0))});
  }
}

// Checks that no id has two owners, and that every chunk and directory page has one.
Status Check::ownership() {
  std::ranges::sort(ranges_, {}, &IdRange::first);
  ValueId covered = 0;
  for (const IdRange& range : ranges_) {
    if (range.first < covered) {
      fault(format("value {} belongs to {} and to another", range.first, range.owner));
    } else {
      LADDER_CHECK(nothing_between(covered, range.first));
    }
    covered = std::max(covered, range.end());
  }
  LADDER_TRY(const std::int64_t next,
             connection_.read_integer("SELECT next FROM counters WHERE owner_no = :owner AND name = 'value'"));
  if (covered > std::max<ValueId>(next, 1)) fault(format("value {} is in use but would be allocated again", covered - 1));
  return nothing_between(covered, std::numeric_limits<ValueId>::max());
}

Status Check::nothing_between(ValueId from, ValueId to) {
  if (from >= to) return {};
  Statement chunk =
      connection_.prepare("SELECT value_id FROM chunks WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2 LIMIT 1");
  LADDER_TRY(const bool chunk_found, chunk.integer(1, from).integer(2, to - 1).step());
  if (chunk_found) fault(format("value {} has chunks but no owner", chunk.integer_at(0)));
  Statement page =
      connection_.prepare("SELECT value_id FROM directory WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2 LIMIT 1");
  LADDER_TRY(const bool page_found, page.integer(1, from).integer(2, to - 1).step());
  if (page_found) fault(format("value {} has a directory but no owner", page.integer_at(0)));
  return {};
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
