// Checks the invariants between rows in one snapshot of the store, on its own connection. Each violation is reported as
// a sentence.
#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "store/index/field_versions.h"
#include "store/long_values/long_value.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/upkeep/damage_check.h"
#include "store/postgres/upkeep/index_check.h"
#include "store/postgres/upkeep/word_check.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kMaxFaults = 100;
constexpr std::int64_t kRowsAtOnce = 1000;

// Reads everything, so it allows all plans and disables the server's timeouts.
constexpr Statement kBeginView{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Statement kFreePlanner{R"(
  SELECT set_config(name, 'on', true)
  FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'enable_material']) AS name
  UNION ALL
  SELECT set_config(name, '0', true) FROM unnest(ARRAY['statement_timeout', 'idle_in_transaction_session_timeout']) AS name)"};

// Queries that must have no rows; the first column of a row identifies what is wrong.
struct Rule {
  Statement query;
  const char* fault;
};
constexpr std::array kRules = {
    Rule{{"SELECT s.stream_no FROM streams s LEFT JOIN"
          " (SELECT stream_no, count(*) AS n FROM records WHERE owner_no = :owner GROUP BY stream_no) r"
          " ON r.stream_no = s.stream_no WHERE s.owner_no = :owner AND s.record_count <> coalesce(r.n, 0)"},
         "a stream's counter is not the number of its records"},
    Rule{{"SELECT DISTINCT stream_no FROM (SELECT stream_no FROM records WHERE owner_no = :owner"
          " UNION ALL SELECT stream_no FROM tombstones WHERE owner_no = :owner"
          " UNION ALL SELECT stream_no FROM changes WHERE owner_no = :owner) r"
          " WHERE NOT EXISTS (SELECT FROM streams s WHERE s.owner_no = :owner AND s.stream_no = r.stream_no)"},
         "rows belong to a stream that does not exist"},
    Rule{{"SELECT s.stream_no FROM streams s"
          " JOIN (SELECT stream_no, max(version) AS newest FROM changes WHERE owner_no = :owner GROUP BY stream_no) c"
          " ON c.stream_no = s.stream_no WHERE s.owner_no = :owner AND c.newest > s.max_version"},
         "a stream's newest version is older than one of its changes"},
    Rule{{"SELECT stream_no FROM streams s WHERE owner_no = :owner AND NOT EXISTS"
          " (SELECT FROM connections c WHERE c.owner_no = s.owner_no AND c.connection_no = s.connection_no)"},
         "a stream's connection does not exist"},
    Rule{{"SELECT connection_no FROM connections c WHERE owner_no = :owner AND NOT EXISTS"
          " (SELECT FROM sources s WHERE s.owner_no = c.owner_no AND s.source_no = c.source_no)"},
         "a connection's source is missing or another owner's"},
    Rule{{"SELECT first_no FROM (SELECT first_no, size, lead(first_no) OVER (ORDER BY first_no) AS following FROM number_blocks"
          " WHERE owner_no = :owner) b WHERE first_no + size >"
          " coalesce(following, (SELECT next FROM counters WHERE owner_no = :owner AND name = 'record_no'))"},
         "a block of record numbers reaches into the next"},
    Rule{{"SELECT stream_no FROM streams s WHERE owner_no = :owner AND block_end > 0 AND NOT EXISTS (SELECT FROM number_blocks b"
          " WHERE b.owner_no = s.owner_no AND b.stream_no = s.stream_no AND b.first_no + b.size = s.block_end AND "
          "s.next_record_no BETWEEN b.first_no AND "
          "s.block_end)"},
         "a stream allocates record numbers outside its block"},
    Rule{{"SELECT record_no FROM (SELECT record_no, stream_no FROM records WHERE owner_no = :owner"
          " UNION ALL SELECT record_no, stream_no FROM tombstones WHERE owner_no = :owner) r"
          " WHERE r.stream_no IS DISTINCT FROM (SELECT CASE WHEN r.record_no < b.first_no + b.size THEN b.stream_no END FROM "
          "number_blocks b"
          "   WHERE b.owner_no = :owner AND b.first_no <= r.record_no ORDER BY b.first_no DESC LIMIT 1)"},
         "a record's number lies outside its stream's blocks"},
    Rule{{"SELECT r.record_no FROM records r JOIN streams s ON s.owner_no = r.owner_no AND s.stream_no = r.stream_no"
          " WHERE r.owner_no = :owner AND r.record_no >= s.next_record_no AND r.record_no < s.block_end"},
         "a record has a number that its stream would allocate again"},
    Rule{{"SELECT t.record_no FROM tombstones t WHERE t.owner_no = :owner AND (EXISTS"
          " (SELECT FROM records r WHERE r.owner_no = t.owner_no AND r.stream_no = t.stream_no AND r.key = t.key)"
          " OR EXISTS (SELECT FROM records r WHERE r.owner_no = t.owner_no AND r.record_no = t.record_no))"},
         "a record both exists and is deleted"},
    Rule{{"SELECT t.record_no FROM tombstones t WHERE t.owner_no = :owner AND NOT EXISTS (SELECT FROM changes c"
          " WHERE c.owner_no = t.owner_no AND c.stream_no = t.stream_no AND c.field_no = 0"
          " AND c.version = t.version AND c.record_no = t.record_no)"},
         "the change log has no entry for the deletion of record"},
    Rule{{"SELECT token_no FROM token_grants b WHERE owner_no = :owner AND NOT EXISTS (SELECT FROM tokens t JOIN grants g"
          " ON g.owner_no = t.owner_no AND g.grant_no = b.grant_no WHERE t.owner_no = b.owner_no AND t.token_no = b.token_no)"},
         "a token is bound to a grant that is missing or another owner's"},
    Rule{{"SELECT b.value_id FROM blobs b LEFT JOIN (SELECT value_id, count(*) AS n, max(chunk_no) AS last, "
          "sum(coalesce(raw_size, length(stored))) AS bytes"
          " FROM chunks WHERE owner_no = :owner GROUP BY value_id) c ON c.value_id = b.value_id WHERE b.owner_no = :owner"
          " AND (coalesce(c.bytes, 0) <> b.size_bytes OR coalesce(c.n, 0) <> coalesce(c.last + 1, 0))"},
         "a blob's chunks are not its bytes: value"},
    Rule{{"SELECT stream_no FROM (SELECT s.stream_no, f.field_no, f.index_kind AS kind FROM streams s"
          "   JOIN connections c ON c.owner_no = s.owner_no AND c.connection_no = s.connection_no"
          "   JOIN fields f ON f.owner_no = s.owner_no AND f.source_no = c.source_no AND f.stream = s.name AND f.index_kind <> 0"
          "   WHERE s.owner_no = :owner) asked FULL JOIN (SELECT * FROM indexes WHERE owner_no = :owner) i USING (stream_no, "
          "field_no, kind) WHERE i.index_no IS NULL OR asked.kind IS NULL"},
         "the indexes of a stream are not those that its source declares"},
    Rule{{"SELECT index_no FROM indexes WHERE owner_no = :owner AND index_no IN (SELECT index_no FROM dead_indexes)"},
         "an index both exists and is dropped"},
    Rule{{"SELECT record_no FROM tombstones WHERE owner_no = :owner AND created >= version"},
         "a record was deleted before it was created"},
};

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
constexpr Statement kCountChanges{
    "SELECT (SELECT count(*) FROM changes WHERE owner_no = :owner), (SELECT count(*) FROM tombstones WHERE owner_no = :owner)"};
constexpr Statement kChunksOfSets{R"(
  SELECT c.value_id, count(*), max(c.chunk_no), sum(coalesce(c.raw_size, length(c.stored)))::bigint
  FROM unnest($1::bigint[], $2::bigint[]) AS w(first_value, value_count)
  JOIN chunks c ON c.owner_no = :owner AND c.value_id >= w.first_value AND c.value_id < w.first_value + w.value_count GROUP BY c.value_id)"};
constexpr Statement kOtherSets{R"(
  SELECT first_value, value_count, CASE state WHEN 0 THEN 'staged set ' ELSE 'dead set ' END || first_value FROM loose_values
  WHERE owner_no = :owner UNION ALL SELECT value_id, 1, 'blob of owner ' || owner_no FROM blobs WHERE owner_no = :owner)"};
constexpr Statement kRecordCounts{
    "SELECT o.owner_no, (SELECT coalesce(sum(s.record_count), 0)::bigint FROM streams s WHERE s.owner_no = o.owner_no)"
    " FROM owners o ORDER BY o.owner_no"};
constexpr Statement kTablesByOwner{
    "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'owner_no'"
    " WHERE c.relnamespace = 'ladder'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('owners', 'auth_items', "
    "'ledger_items')"};
constexpr Statement kNextValue{"SELECT next FROM counters WHERE owner_no = :owner AND name = 'value_id'"};
// Finds distinct ids by skipping from one to the next, because a long value has many rows.
constexpr Statement kChunkIdsAfter{R"(
  WITH RECURSIVE ids(id) AS (
    (SELECT value_id FROM chunks WHERE owner_no = :owner AND value_id > $1::bigint ORDER BY value_id LIMIT 1)
    UNION ALL
    SELECT (SELECT value_id FROM chunks WHERE owner_no = :owner AND value_id > ids.id ORDER BY value_id LIMIT 1) FROM ids WHERE ids.id IS NOT NULL)
  SELECT id FROM ids WHERE id IS NOT NULL LIMIT $2::bigint)"};
constexpr Statement kPageIdsAfter{R"(
  WITH RECURSIVE ids(id) AS (
    (SELECT value_id FROM directory WHERE owner_no = :owner AND value_id > $1::bigint ORDER BY value_id LIMIT 1)
    UNION ALL
    SELECT (SELECT value_id FROM directory WHERE owner_no = :owner AND value_id > ids.id ORDER BY value_id LIMIT 1) FROM ids WHERE ids.id IS NOT NULL)
  SELECT id FROM ids WHERE id IS NOT NULL LIMIT $2::bigint)"};

// The ids that one record, blob or loose set owns.
struct IdRange {
  ValueId first = 0;
  std::int64_t count = 0;
  std::string owner;
  ValueId end() const { return first + count; }
};

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
        index_check_(connection, [this](std::string sentence) { fault(std::move(sentence)); }),
        word_check_(connection, [this](std::string sentence) { fault(std::move(sentence)); }) {}

  Result<std::vector<std::string>> run() {
    LADDER_TRY(damage_,
               find_damage(connection_, [this](std::int64_t done) { tell("reading every record", before_ + done, all_); }));
    tell("comparing the tables");
    for (const Rule& rule : kRules) {
      connection_.add(rule.query);
      LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
      for (int row = 0; row < answers[0].size(); ++row) fault(format("{}: {}", rule.fault, answers[0].int8(row, 0)));
    }
    LADDER_CHECK(word_check_.rules());
    LADDER_CHECK(index_check_.load());
    LADDER_CHECK(word_check_.load());
    LADDER_CHECK(records());
    tell("comparing the indexes");
    LADDER_CHECK(index_check_.finish());
    LADDER_CHECK(word_check_.finish());
    LADDER_CHECK(change_totals());
    LADDER_CHECK(ownership());
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
        check_row(rows, row, body);
        check_values(rows, row, body, totals);
        expect_changes(rows, row, streams, fields, versions, numbers);
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

  void check_row(const Rows& rows, int row, std::string_view body) {
    const RecordNo no = rows.int8(row, 0);
    if (rows.bytes(row, 3).size() != Digest{}.size()) fault(format("record {} has a digest of the wrong length", no));
    if (!rows.bytes(row, 8).ends_with(rows.bytes(row, 9)))
      fault(format("the order key of record {} does not end with its key", no));
    if (body.size() > limits::kRecordRowBytes) fault(format("the row of record {} is larger than a row may be", no));
  }

  void expect_changes(const Rows& rows, int row, Int8Array& streams, Int8Array& fields, Int8Array& versions, Int8Array& numbers) {
    const RecordNo no = rows.int8(row, 0);
    const std::optional<FieldVersions> decoded = FieldVersions::decode(rows.bytes(row, 4));
    if (!decoded) return fault(format("the field versions of record {} cannot be read", no));
    std::int64_t newest = decoded->created;
    const auto expect = [&](FieldNo field, std::int64_t version) {
      ++expected_changes_;
      newest = std::max(newest, version);
      streams.add(rows.int8(row, 1));
      fields.add(field);
      versions.add(version);
      numbers.add(no);
    };
    expect(kWholeRecord, decoded->created);
    for (const auto& [field, version] : decoded->changed) expect(field, version);
    if (newest != rows.int8(row, 2)) fault(format("the version of record {} is not that of its newest field", no));
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

  void check_values(const Rows& rows, int row, std::string_view body, const TotalsOfValues& totals) {
    const RecordNo no = rows.int8(row, 0);
    IdRange owned{rows.int8(row, 5), rows.int8(row, 6), format("record {}", no)};
    std::int64_t references = 0;
    for (json::Members members(body); members.next();) {
      if (members.value().kind != json::Kind::kReference) continue;
      ++references;
      const Result<LongRef> ref = parse_reference(members.value().text);
      if (!ref) {
        fault(format("a reference in record {} cannot be read", no));
      } else {
        check_reference(no, owned, *ref, totals);
      }
    }
    if ((references == 0) != (owned.count == 0)) {
      fault(format("record {} owns {} long values but refers to {}", no, owned.count, references));
    }
    for (ValueId value = owned.first; value < owned.end(); ++value) {
      const auto at = totals.find(value);
      if (at != totals.end() && at->second.last + 1 != at->second.chunks) {
        fault(format("the chunks of value {} of record {} are not numbered from 0 without a gap", value, no));
      }
    }
    if (owned.count > 0) ranges_.push_back(std::move(owned));
  }

  void check_reference(RecordNo no, const IdRange& owned, const LongRef& ref, const TotalsOfValues& totals) {
    if (ref.id < owned.first || ref.id >= owned.end() || ref.text_id != ref.id || ref.chunk_chars <= 0) {
      return fault(format("record {} refers to the value {}, which it does not own or which is invalid", no, ref.id));
    }
    const std::int64_t chunks = (ref.size_chars + ref.chunk_chars - 1) / ref.chunk_chars;
    const auto at = totals.find(ref.id);
    const ChunkTotals found = at == totals.end() ? ChunkTotals{} : at->second;
    if (found.chunks != chunks || found.bytes != ref.size_bytes) {
      fault(format("value {} of record {} has {} chunks of {} bytes in all, not {} of {}", ref.id, no, found.chunks, found.bytes,
                   chunks, ref.size_bytes));
    }
  }

  // Every expected entry was found, so equal totals prove that there are no others.
  Status change_totals() {
    connection_.add(kCountChanges);
    LADDER_TRY(const auto answers, connection_.run(kLongWorkTimeout));
    const std::int64_t expected = expected_changes_ + answers[0].int8(0, 1);
    if (answers[0].int8(0, 0) != expected) {
      fault(format("the change log has {} entries, but the records and deletions require {}", answers[0].int8(0, 0), expected));
    }
    return {};
  }

  Status ownership() {
    LADDER_TRY(const Rows others, connection_.run_one(kOtherSets));
    for (int row = 0; row < others.size(); ++row)
      ranges_.push_back({others.int8(row, 0), others.int8(row, 1), others.text(row, 2)});
    std::ranges::sort(ranges_, {}, &IdRange::first);
    for (std::size_t i = 1; i < ranges_.size(); ++i) {
      if (ranges_[i - 1].end() > ranges_[i].first) {
        fault(format("{} and {} share the value {}", ranges_[i - 1].owner, ranges_[i].owner, ranges_[i].first));
      }
    }
    LADDER_TRY(const Rows next, connection_.run_one(kNextValue));
    if (!ranges_.empty() && (next.empty() || ranges_.back().end() > next.int8(0, 0))) {
      fault(format("the values of {} would be allocated again", ranges_.back().owner));
    }
    LADDER_CHECK(no_orphans(kChunkIdsAfter, "chunks"));
    return no_orphans(kPageIdsAfter, "directory pages");
  }

  Status no_orphans(const Statement& ids_after, std::string_view what) {
    for (ValueId after = 0;;) {
      LADDER_TRY(const Rows ids, connection_.run_one(ids_after, after, kRowsAtOnce));
      if (ids.empty()) return {};
      for (int row = 0; row < ids.size(); ++row) {
        after = ids.int8(row, 0);
        const auto next = std::ranges::upper_bound(ranges_, after, {}, &IdRange::first);
        if (next == ranges_.begin() || std::prev(next)->end() <= after)
          fault(format("no record or blob owns the {} of value {}", what, after));
      }
    }
  }

  Connection& connection_;
  const CheckCallback& tell_;
  const std::int64_t before_, all_;
  IndexCheck index_check_;
  WordCheck word_check_;
  DamageReport damage_;
  std::vector<std::string> faults_;
  std::vector<IdRange> ranges_;
  std::int64_t expected_changes_ = 0;
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
  connection->add(kBeginView);
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
