#include "store/upkeep/rules.h"

#include "base/text/format.h"

namespace ladder::store {
namespace {

// A query that must have no rows; the first column of a row identifies what is wrong.
struct Rule {
  sql::Statement query;
  const char* fault;
};

// The fields of a stream's source that are declared for the stream.
#define LADDER_FIELDS_OF_STREAMS                                                         \
  " JOIN connections c ON c.owner_no = s.owner_no AND c.connection_no = s.connection_no" \
  " JOIN fields f ON f.owner_no = s.owner_no AND f.source_no = c.source_no AND f.stream = s.name"
// The same for a row x, with nulls if there is no such field.
#define LADDER_FIELD_OF_ROW                                                                                  \
  " LEFT JOIN streams s ON s.owner_no = x.owner_no AND s.stream_no = x.stream_no"                            \
  " LEFT JOIN connections c ON c.owner_no = s.owner_no AND c.connection_no = s.connection_no"                \
  " LEFT JOIN fields f ON f.owner_no = x.owner_no AND f.field_no = x.field_no AND f.source_no = c.source_no" \
  " AND f.stream = s.name WHERE x.owner_no = :owner"
// The number is not in a block of its kind that belongs to the stream.
#define LADDER_OUTSIDE_BLOCKS(number, stream, kind)                                           \
  "NOT EXISTS (SELECT 1 FROM number_blocks b WHERE b.owner_no = :owner AND b.first_no ="      \
  " (SELECT max(first_no) FROM number_blocks WHERE owner_no = :owner AND first_no <= " number \
  ")"                                                                                         \
  " AND b.stream_no = " stream " AND b.kind = " kind " AND " number " < b.first_no + b.size)"
// The stream's unused numbers are not the end of a block of its own.
#define LADDER_UNUSED_OUTSIDE_BLOCK(next, end, kind)                                                                    \
  "SELECT stream_no FROM streams s WHERE owner_no = :owner AND " end                                                    \
  " > 0 AND NOT EXISTS (SELECT 1 FROM number_blocks b"                                                                  \
  " WHERE b.owner_no = s.owner_no AND b.stream_no = s.stream_no AND b.kind = " kind " AND b.first_no + b.size = s." end \
  " AND s." next " BETWEEN b.first_no AND s." end ")"

constexpr Rule kRules[] = {
    // --- streams and connections ---
    {{"SELECT s.stream_no FROM streams s LEFT JOIN"
      " (SELECT stream_no, count(*) AS n FROM records WHERE owner_no = :owner GROUP BY stream_no) r"
      " ON r.stream_no = s.stream_no WHERE s.owner_no = :owner AND s.record_count <> coalesce(r.n, 0)"},
     "a stream's counter is not the number of its records"},
    {{"SELECT DISTINCT stream_no FROM (SELECT stream_no FROM records WHERE owner_no = :owner"
      " UNION ALL SELECT stream_no FROM tombstones WHERE owner_no = :owner"
      " UNION ALL SELECT stream_no FROM changes WHERE owner_no = :owner) r"
      " WHERE NOT EXISTS (SELECT 1 FROM streams s WHERE s.owner_no = :owner AND s.stream_no = r.stream_no)"},
     "rows belong to a stream that does not exist"},
    {{"SELECT s.stream_no FROM streams s"
      " JOIN (SELECT stream_no, max(version) AS newest FROM changes WHERE owner_no = :owner GROUP BY stream_no) c"
      " ON c.stream_no = s.stream_no WHERE s.owner_no = :owner AND c.newest > s.max_version"},
     "a stream's newest version is older than one of its changes"},
    {{"SELECT stream_no FROM streams s WHERE owner_no = :owner AND NOT EXISTS"
      " (SELECT 1 FROM connections c WHERE c.owner_no = s.owner_no AND c.connection_no = s.connection_no)"},
     "a stream's connection does not exist"},
    {{"SELECT connection_no FROM connections c WHERE owner_no = :owner AND NOT EXISTS"
      " (SELECT 1 FROM sources s WHERE s.owner_no = c.owner_no AND s.source_no = c.source_no)"},
     "a connection's source is missing or another owner's"},
    {{"SELECT token_no FROM token_grants b WHERE owner_no = :owner AND NOT EXISTS (SELECT 1 FROM tokens t JOIN grants g"
      " ON g.owner_no = t.owner_no AND g.grant_no = b.grant_no WHERE t.owner_no = b.owner_no AND t.token_no = b.token_no)"},
     "a token is bound to a grant that is missing or another owner's"},

    // --- numbers ---
    {{"SELECT first_no FROM (SELECT first_no, size, lead(first_no) OVER (ORDER BY first_no) AS following FROM number_blocks"
      " WHERE owner_no = :owner) b WHERE first_no + size >"
      " coalesce(following, (SELECT next FROM counters WHERE owner_no = :owner AND name = 'record_no'))"},
     "a block of record numbers reaches into the next"},
    {{LADDER_UNUSED_OUTSIDE_BLOCK("next_record_no", "block_end", "0")}, "a stream allocates record numbers outside its block"},
    {{LADDER_UNUSED_OUTSIDE_BLOCK("next_text", "text_end", "1")}, "a stream allocates text numbers outside its block"},
    {{"SELECT record_no FROM (SELECT record_no, stream_no FROM records WHERE owner_no = :owner"
      " UNION ALL SELECT record_no, stream_no FROM tombstones WHERE owner_no = :owner) r"
      " WHERE " LADDER_OUTSIDE_BLOCKS("r.record_no", "r.stream_no", "0")},
     "a record's number lies outside its stream's blocks"},
    {{"SELECT t.text_no FROM texts t JOIN records r ON r.owner_no = t.owner_no AND r.record_no = t.record_no"
      " WHERE t.owner_no = :owner AND " LADDER_OUTSIDE_BLOCKS("t.text_no", "r.stream_no", "1")},
     "a text number lies outside the blocks of its record's stream"},
    {{"SELECT r.record_no FROM records r JOIN streams s ON s.owner_no = r.owner_no AND s.stream_no = r.stream_no"
      " WHERE r.owner_no = :owner AND r.record_no >= s.next_record_no AND r.record_no < s.block_end"},
     "a record has a number that its stream would allocate again"},
    {{"SELECT t.text_no FROM texts t JOIN streams s ON s.owner_no = t.owner_no"
      " AND t.text_no >= s.next_text AND t.text_no < s.text_end WHERE t.owner_no = :owner"},
     "a text has a number that its stream would allocate again"},

    // --- deletions ---
    {{"SELECT t.record_no FROM tombstones t WHERE t.owner_no = :owner AND (EXISTS"
      " (SELECT 1 FROM records r WHERE r.owner_no = t.owner_no AND r.stream_no = t.stream_no AND r.key = t.key)"
      " OR EXISTS (SELECT 1 FROM records r WHERE r.owner_no = t.owner_no AND r.record_no = t.record_no))"},
     "a record both exists and is deleted"},
    {{"SELECT t.record_no FROM tombstones t WHERE t.owner_no = :owner AND NOT EXISTS (SELECT 1 FROM changes c"
      " WHERE c.owner_no = t.owner_no AND c.stream_no = t.stream_no AND c.field_no = 0"
      " AND c.version = t.version AND c.record_no = t.record_no)"},
     "the change log has no entry for the deletion of record"},
    {{"SELECT record_no FROM tombstones WHERE owner_no = :owner AND created >= version"},
     "a record was deleted before it was created"},

    // --- indexes and word columns ---
    {{"SELECT x.index_no FROM indexes x" LADDER_FIELD_OF_ROW " AND (f.field_no IS NULL OR f.index_kind <> x.kind)"},
     "an index has a different kind than its field declares"},
    {{"SELECT s.stream_no FROM streams s" LADDER_FIELDS_OF_STREAMS
      " WHERE s.owner_no = :owner AND f.index_kind <> 0 AND NOT EXISTS"
      " (SELECT 1 FROM indexes i WHERE i.owner_no = s.owner_no AND i.stream_no = s.stream_no AND i.field_no = f.field_no)"},
     "a stream lacks an index that one of its fields declares"},
    {{"SELECT index_no FROM indexes WHERE owner_no = :owner AND index_no IN (SELECT index_no FROM dead_indexes)"},
     "an index both exists and is dropped"},
    {{"SELECT s.stream_no FROM streams s" LADDER_FIELDS_OF_STREAMS
      " WHERE s.owner_no = :owner AND CASE WHEN f.searched THEN 1 ELSE 0 END <> (SELECT count(*) FROM word_columns w"
      " WHERE w.owner_no = s.owner_no AND w.stream_no = s.stream_no AND w.field_no = f.field_no AND w.state <> 2)"},
     "the word columns of a stream are not those that its fields declare"},
    {{"SELECT x.stream_no FROM word_columns x" LADDER_FIELD_OF_ROW
      " AND (f.field_no IS NULL OR x.column_no NOT BETWEEN 0 AND 31 OR s.word_generation = 0)"},
     "a word column belongs to no field of its stream"},
    {{"SELECT w.stream_no FROM word_columns w JOIN streams s ON s.owner_no = w.owner_no AND s.stream_no = w.stream_no"
      " WHERE w.owner_no = :owner AND w.state <> 0 AND s.words_upto IS NULL"},
     "a word column is being built, but no reindexing is scheduled in stream"},
    {{"SELECT s.stream_no FROM streams s JOIN streams o ON o.word_generation = s.word_generation"
      " AND (o.owner_no <> s.owner_no OR o.stream_no <> s.stream_no) WHERE s.owner_no = :owner AND s.word_generation <> 0"},
     "a generation of word columns is not one stream's alone"},

    // --- texts ---
    {{"SELECT text_no FROM texts WHERE owner_no = :owner AND (record_no <> 0) = (loose <> 0)"},
     "a text does not belong to exactly one owner"},
    {{"SELECT text_no FROM texts t WHERE owner_no = :owner AND record_no <> 0 AND NOT EXISTS"
      " (SELECT 1 FROM records r WHERE r.owner_no = t.owner_no AND r.record_no = t.record_no AND r.text_no <> 0)"},
     "a text belongs to a record that does not have it"},
    {{"SELECT text_no FROM texts t WHERE owner_no = :owner AND loose <> 0"
      " AND NOT EXISTS (SELECT 1 FROM loose_values l WHERE l.owner_no = t.owner_no AND l.first_value = t.loose)"},
     "a text belongs to a set of values that is missing"},
    {{"SELECT record_no FROM records r WHERE owner_no = :owner AND text_no <> 0 AND NOT EXISTS"
      " (SELECT 1 FROM texts t WHERE t.owner_no = r.owner_no AND t.text_no = r.text_no AND t.record_no = r.record_no)"},
     "a record points at a text that is not its own"},
    {{"SELECT record_no FROM texts WHERE owner_no = :owner AND record_no <> 0 GROUP BY record_no"
      " HAVING (count(*) > 1) <> (sum(shared) > 0) OR sum(shared) NOT IN (0, count(*))"},
     "a record has several text numbers, or only one, and its texts do not match that"},
    {{"SELECT DISTINCT b.segment_no FROM word_blocks b LEFT JOIN word_segments s ON s.owner_no = b.owner_no"
      " AND s.segment_no = b.segment_no WHERE b.owner_no = :owner AND s.segment_no IS NULL"},
     "blocks of the word index belong to no segment"},
};

}  // namespace

Status check_rules(sql::Session& session, const ReportFault& report) {
  for (const Rule& rule : kRules) {
    LADDER_TRY(const sql::Rows rows, session.run_last(rule.query));
    for (int row = 0; row < rows.size(); ++row) report(format("{}: {}", rule.fault, rows[row].integer(0)));
  }
  return {};
}

}  // namespace ladder::store
