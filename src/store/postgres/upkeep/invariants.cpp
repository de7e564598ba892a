// Checks the invariants between rows in one snapshot of the store, on its own connection. Each violation is reported as
// a sentence.
#include "base/text/format.h"
#include "store/long_values/long_value.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/upkeep/damage_check.h"
#include "store/postgres/upkeep/index_check.h"
#include "store/postgres/upkeep/word_check.h"
#include "store/upkeep/record_invariants.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kMaxFaults = 100;
constexpr std::int64_t kRowsAtOnce = 1000;

// Reads everything, so it allows all plans and disables the server's timeouts.
constexpr Statement kFreePlanner{R"(
  SELECT set_config(name, 'on', true)
  FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material']) AS name
  UNION ALL
  SELECT set_config(name, '0', true) FROM unnest(ARRAY['statement_timeout', 'idle_in_transaction_session_timeout']) AS name)"};

constexpr Statement kWrongBlobs{
    "SELECT b.value_id FROM blobs b LEFT JOIN (SELECT value_id, count(*) AS n, max(chunk_no) AS last, "
    "sum(coalesce(raw_size, length(stored))) AS bytes"
    " FROM chunks WHERE owner_no = :owner GROUP BY value_id) c ON c.value_id = b.value_id WHERE b.owner_no = :owner"
    " AND (coalesce(c.bytes, 0) <> b.size_bytes OR coalesce(c.n, 0) <> coalesce(c.last + 1, 0))"};
constexpr Statement kRecordsAfter{
    "SELECT record_no, stream_no, version, digest, field_versions, first_value, value_count, stored_body, order_key, key, "
    "text_no,"
    " word_mask, raw_size FROM records"
    " WHERE owner_no = :owner AND record_no > $1::bigint ORDER BY record_no LIMIT $2::bigint"};
constexpr Statement kMissingChanges{R"(
  SELECT w.record_no, w.field_no, w.version
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS w(stream_no, field_no, version, record_no)
  WHERE NOT EXISTS (SELECT FROM changes c WHERE c.owner_no = :owner AND c.stream_no = w.stream_no AND c.field_no = w.field_no AND c.version = w.version
                    AND c.record_no = w.record_no))"};
constexpr Statement kChunksOfSets{R"(
  SELECT c.value_id, count(*), max(c.chunk_no), sum(coalesce(c.raw_size, length(c.stored)))::bigint
  FROM unnest($1::bigint[], $2::bigint[]) AS w(first_value, value_count)
  JOIN chunks c ON c.owner_no = :owner AND c.value_id >= w.first_value AND c.value_id < w.first_value + w.value_count GROUP BY c.value_id)"};
constexpr Statement kRecordCounts{
    "SELECT o.owner_no, (SELECT coalesce(sum(s.record_count), 0)::bigint FROM streams s WHERE s.owner_no = o.owner_no)"
    " FROM owners o ORDER BY o.owner_no"};
constexpr Statement kTablesByOwner{
    "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner_no'"
    " WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('owners', 'auth_items', "
    "'ledger_items')"};
struct ChunkTotals {
  std::int64_t chunks = 0, last = -1, bytes = 0;
};
using TotalsOfValues = std::unordered_map<ValueId, ChunkTotals>;

class Check {
 public:
  // Checks the owner that the connection works for. Reports progress as records after the `before` ones of other owners, of
  // `all`.
  Check(Connection& connection, const CheckCallback& tell, std::int64_t before, std::int64_t all)
      : connection_(connection),
        tell_(tell),
        before_(before),
        all_(all),
        session_(session_on(connection, kLongWorkTimeout)),
        invariants_(*session_, report_),
        index_check_(connection, report_),
        word_check_(connection, report_) {}

  Result<std::vector<std::string>> run() {
    LADDER_TRY(damage_,
               find_damage(connection_, [this](std::int64_t done) { tell("reading every record", before_ + done, all_); }));
    tell("comparing the tables");
    LADDER_CHECK(check_rules(*session_, report_));
    LADDER_CHECK(blobs());
    LADDER_CHECK(word_check_.rules());
    LADDER_CHECK(index_check_.load());
    LADDER_CHECK(word_check_.load());
    LADDER_CHECK(records());
    tell("comparing the indexes");
    LADDER_CHECK(index_check_.finish());
    LADDER_CHECK(word_check_.finish());
    LADDER_CHECK(invariants_.finish());
    std::vector<std::string> all = damage_.sentences();
    std::ranges::move(faults_, std::back_inserter(all));
    return all;
  }

 private:
  void fault(std::string sentence) {
    if (faults_.size() < kMaxFaults) faults_.push_back(std::move(sentence));
  }

  void tell(std::string_view doing, std::int64_t done = 0, std::int64_t all = 0) const {
    if (tell_) tell_({doing, done, all});
  }

  Status records() {
    std::int64_t done = 0;
    for (RecordNo after = 0;;) {
      tell("looking up what every record has in the indexes", before_ + done, all_);
      LADDER_TRY(const Rows rows, connection_.run_one(kRecordsAfter, after, kRowsAtOnce));
      if (rows.empty()) return {};
      LADDER_TRY(const TotalsOfValues totals, chunk_totals(rows));
      Int8Array streams, fields, versions, numbers;
      std::string body;
      for (int row = 0; row < rows.size(); ++row) {
        if (damage_.has(rows.int8(row, 0)) || !read_body(rows, row, 7, 12, body)) continue;
        const auto expect_change = [&](FieldNo field, std::int64_t version) -> Status {
          streams.add(rows.int8(row, 1));
          fields.add(field);
          versions.add(version);
          numbers.add(rows.int8(row, 0));
          return {};
        };
        LADDER_CHECK(check_record(rows, row, body, expect_change, totals));
        index_check_.expect(rows.int8(row, 0), rows.int8(row, 1), rows.bytes(row, 9), rows.bytes(row, 8), body);
        LADDER_CHECK(word_check_.expect({rows.int8(row, 0), body, rows.int8(row, 5), rows.int8(row, 6)}, rows.int8(row, 1),
                                        {static_cast<text::WordColumns>(rows.int8(row, 11)), rows.int8(row, 10)}));
      }
      LADDER_CHECK(index_check_.look_up());
      LADDER_CHECK(word_check_.look_up());
      LADDER_TRY(const Rows missing, connection_.run_one(kMissingChanges, streams, fields, versions, numbers));
      for (int row = 0; row < missing.size(); ++row) {
        fault(format("the change log has no entry for field {} of record {} at version {}", missing.int8(row, 1),
                     missing.int8(row, 0), missing.int8(row, 2)));
      }
      after = rows.int8(rows.size() - 1, 0);
      done += rows.size();
    }
  }

  Status check_record(const Rows& rows, int row, std::string_view body, const RecordInvariants::ExpectChange& expect_change,
                      const TotalsOfValues& totals) {
    const CheckedRecord record{.no = rows.int8(row, 0),
                               .version = rows.int8(row, 2),
                               .digest = rows.bytes(row, 3),
                               .field_versions = rows.bytes(row, 4),
                               .order_key = rows.bytes(row, 8),
                               .key = rows.bytes(row, 9),
                               .body = body,
                               .first_value = rows.int8(row, 5),
                               .value_count = rows.int8(row, 6)};
    LADDER_CHECK(invariants_.check(record, expect_change, [&](const LongRef& ref, std::int64_t chunks) {
      check_value(record.no, ref, chunks, totals);
      return Status();
    }));
    for (ValueId value = record.first_value; value < record.first_value + record.value_count; ++value) {
      const auto at = totals.find(value);
      if (at != totals.end() && at->second.last + 1 != at->second.chunks) {
        fault(format("the chunks of value {} of record {} are not numbered from 0 without a gap", value, record.no));
      }
    }
    return {};
  }

  Result<TotalsOfValues> chunk_totals(const Rows& rows) {
    Int8Array first, count;
    for (int row = 0; row < rows.size(); ++row) {
      if (rows.int8(row, 6) == 0) continue;
      first.add(rows.int8(row, 5));
      count.add(rows.int8(row, 6));
    }
    TotalsOfValues totals;
    if (first.empty()) return totals;
    connection_.add(kChunksOfSets, first, count);
    LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
    const Rows& found = answers[0];
    for (int row = 0; row < found.size(); ++row)
      totals[found.int8(row, 0)] = {found.int8(row, 1), found.int8(row, 2), found.int8(row, 3)};
    return totals;
  }

  void check_value(RecordNo no, const LongRef& ref, std::int64_t chunks, const TotalsOfValues& totals) {
    const auto at = totals.find(ref.id);
    const ChunkTotals found = at == totals.end() ? ChunkTotals{} : at->second;
    if (found.chunks != chunks || found.bytes != ref.size_bytes) {
      fault(format("value {} of record {} has {} chunks of {} bytes in all, not {} of {}", ref.id, no, found.chunks, found.bytes,
                   chunks, ref.size_bytes));
    }
  }

  Status blobs() {
    connection_.add(kWrongBlobs);
    LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
    for (int row = 0; row < answers[0].size(); ++row) {
      fault(format("a blob's chunks are not its bytes: value {}", answers[0].int8(row, 0)));
    }
    return {};
  }

  Connection& connection_;
  const CheckCallback& tell_;
  const std::int64_t before_, all_;
  DamageReport damage_;
  std::vector<std::string> faults_;
  const ReportFault report_ = [this](std::string sentence) { fault(std::move(sentence)); };
  const std::unique_ptr<sql::Session> session_;
  RecordInvariants invariants_;
  IndexCheck index_check_;
  WordCheck word_check_;
};

// No table has rows of an owner that does not exist.
Status check_owners(Connection& connection, std::vector<std::string>& faults) {
  LADDER_TRY(const Rows tables, connection.run_one(kTablesByOwner));
  std::deque<std::string> queries;
  std::deque<Statement> statements;  // the connection knows them by their addresses
  for (int row = 0; row < tables.size(); ++row) {
    const std::string table = tables.text(row, 0);
    queries.push_back(format(
        "SELECT t.owner_no FROM {} t WHERE NOT EXISTS (SELECT FROM owners o WHERE o.owner_no = t.owner_no) LIMIT 1", table));
    statements.push_back({queries.back().c_str()});
    connection.add(statements.back());
    LADDER_TRY(const auto found, connection.run(kLongWorkTimeout));
    if (!found[0].empty())
      faults.push_back(format("{} has rows of the owner {}, who does not exist", table, found[0].int8(0, 0)));
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> PostgresStore::check_every_row(const CheckCallback& tell) {
  LADDER_TRY(const auto connection, Connection::open(pool_.address()));
  connection->set_crossing(Crossing::kWholeStore);
  connection->begin_snapshot();
  connection->add(kFreePlanner);
  LADDER_TRY(const Rows owners, connection->run_last(kRecordCounts));
  std::vector<std::string> faults;
  LADDER_CHECK(check_owners(*connection, faults));
  std::int64_t all = 0, before = 0;
  for (int row = 0; row < owners.size(); ++row) all += owners.int8(row, 1);
  for (int row = 0; row < owners.size(); ++row) {
    connection->set_owner(owners.int8(row, 0));
    LADDER_TRY(std::vector<std::string> of_owner, Check(*connection, tell, before, all).run());
    std::ranges::move(of_owner, std::back_inserter(faults));
    before += owners.int8(row, 1);
  }
  return faults;
}

}  // namespace ladder::store::postgres
