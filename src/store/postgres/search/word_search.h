// The statements of a search, where tests can look at their plans. Each has one good plan and is written so that the planner has
// no other: through the GIN index where `@@` is the only condition that an index knows, by time where ts_match_vq() stands
// instead, which none does.
#pragma once

#include "store/postgres/catalog/known_streams.h"
#include "store/postgres/engine/pool.h"
#include "store/postgres/records/record_rows.h"
#include "store/word_search.h"

#include <cstdint>

namespace ladder::store::postgres {

// The words of the query in a row, with their places: the lexemes $6 alone or, where that is NULL, all. No label B is ever kept.
#define LADDER_PG_LEXEMES(tsv, lexemes) "coalesce(ts_filter(setweight(" tsv ", 'B', " lexemes "::text[]), '{b}'), " tsv ")"
#define LADDER_PG_ASKED(tsv) LADDER_PG_LEXEMES(tsv, "$6")

// A candidate: the stream's place among those asked for, from 1, its number, place, key and words.
// Rows of the streams $2 (ascending) at places within [$3, $4] of each; width_bucket() is a binary search.
#define LADDER_PG_BY_WORD                                                                                               \
  " FROM (SELECT *, width_bucket(stream_no, $2::bigint[]) AS bucket FROM words WHERE tsv @@ $1::tsquery OFFSET 0) AS w" \
  " WHERE ($2::bigint[])[w.bucket] = w.stream_no"                                                                       \
  "   AND w.place >= ($3::bigint[])[w.bucket] AND w.place <= ($4::bigint[])[w.bucket]"

// In no order, $5 at most.
inline constexpr const char* kFindWordsSql =
    "SELECT w.bucket::bigint, w.record_no, w.place, w.key, " LADDER_PG_ASKED("w.tsv") LADDER_PG_BY_WORD " LIMIT $5::bigint";

// How many there are, up to $5.
inline constexpr const char* kCountWordsSql = "SELECT count(*) FROM (SELECT 1" LADDER_PG_BY_WORD " LIMIT $5::bigint) AS n";

// The same for few streams at all places, which takes a fourth less: with the stream's number instead of its place among them, up
// to $3. $4 has the lexemes. No index knows the sum.
#define LADDER_PG_BY_WORD_AT_ALL_TIMES \
  " FROM words w WHERE w.tsv @@ $1::tsquery AND w.stream_no + 0 = ANY ($2::bigint[]) LIMIT $3::bigint"
inline constexpr const char* kFindWordsAtAllTimesSql =
    "SELECT w.stream_no, w.record_no, w.place, w.key, " LADDER_PG_LEXEMES("w.tsv", "$4") LADDER_PG_BY_WORD_AT_ALL_TIMES;
inline constexpr const char* kCountWordsAtAllTimesSql = "SELECT count(*) FROM (SELECT 1" LADDER_PG_BY_WORD_AT_ALL_TIMES ") AS n";

// The next $5 by time, key and scope from ($8, $9) on; where $7 is 0, time does not count. $10 has the scopes of the streams.
inline constexpr const char* kFindWordsInOrderSql =
    "SELECT f.at, f.record_no, f.place, f.key, f.asked FROM (SELECT w.bucket::bigint AS at, w.record_no, w.place, w.key,"
    "   CASE WHEN ($7::bigint[])[w.bucket] = 0 THEN 9223372036854775807 ELSE w.place END AS ordered, " LADDER_PG_ASKED(
        "w.tsv") " AS asked" LADDER_PG_BY_WORD
                 ") AS f WHERE (f.ordered, f.key) >= ($8::bigint, $9::bytea)"
                 " ORDER BY f.ordered, f.key, ($10::bigint[])[f.at] LIMIT $5::bigint";

// The next $7 of each of the streams $2 by time and key, from ($3, $4) on and at places up to $5.
inline constexpr const char* kWalkWordsSql =
    "SELECT s.at, w.* FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])"
    "         WITH ORDINALITY AS s(stream_no, low, low_key, high, at),"
    "       LATERAL (SELECT record_no, place, key, " LADDER_PG_ASKED("tsv")
    " AS asked FROM words"
    "         WHERE stream_no = s.stream_no AND (place, key) >= (s.low, s.low_key) AND place <= s.high"
    "           AND ts_match_vq(tsv, $1::tsquery)"
    "         ORDER BY place, key LIMIT $7::bigint) AS w";

// The next $7 of each by key, from $4 on, at places within [$3, $5].
inline constexpr const char* kWalkWordsByKeySql =
    "SELECT s.at, w.* FROM unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[])"
    "         WITH ORDINALITY AS s(stream_no, low, low_key, high, at),"
    "       LATERAL (SELECT w.record_no, w.place, w.key, " LADDER_PG_ASKED("w.tsv")
    " AS asked"
    "         FROM records r, LATERAL (SELECT * FROM words WHERE record_no = r.record_no OFFSET 0) AS w"
    "         WHERE r.stream_no = s.stream_no AND r.key >= s.low_key AND w.place >= s.low AND w.place <= s.high"
    "           AND ts_match_vq(w.tsv, $1::tsquery)"
    "         ORDER BY r.key LIMIT $7::bigint) AS w";

// How many of the newest $3 rows of each of the streams $2 there are, and how many match.
inline constexpr const char* kProbeWordsSql = R"(
  SELECT count(*) AS rows, count(*) FILTER (WHERE ts_match_vq(w.tsv, $1::tsquery)) AS hits
  FROM unnest($2::bigint[]) AS s(stream_no),
       LATERAL (SELECT tsv FROM words WHERE stream_no = s.stream_no ORDER BY place, key LIMIT $3::bigint) AS w)";

// Which of the queries $1 any row matches, by their places from 1.
inline constexpr const char* kPresentFormsSql =
    "SELECT f.place FROM unnest($1::tsquery[]) WITH ORDINALITY AS f(form, place)"
    " WHERE EXISTS (SELECT FROM words WHERE tsv @@ f.form OFFSET 0) OR EXISTS (SELECT FROM passages WHERE tsv @@ f.form OFFSET "
    "0)";

// --- records of several rows ---

// Passages of the streams $2 (ascending) that match; of the texts $3 (ascending) only, unless that is NULL.
inline constexpr const char* kFindPassagesSql = R"(
  SELECT p.text_no, p.passage_no, p.column_no
  FROM (SELECT text_no, passage_no, column_no, stream_no FROM passages WHERE tsv @@ $1::tsquery OFFSET 0) AS p
  WHERE ($2::bigint[])[width_bucket(p.stream_no, $2::bigint[])] = p.stream_no
    AND ($3::bigint[] IS NULL OR ($3::bigint[])[width_bucket(p.text_no, $3::bigint[])] = p.text_no))";
// Selects the records that the texts $1 belong to.
inline constexpr const char* kRecordsOfTextsSql = R"(
  SELECT w.text_no, r.record_no, r.stream_no, r.consent_time, r.key
  FROM unnest($1::bigint[]) AS w(text_no),
       LATERAL (SELECT record_no FROM texts WHERE text_no = w.text_no OFFSET 0) AS t,
       LATERAL (SELECT record_no, stream_no, consent_time, key FROM records WHERE record_no = t.record_no OFFSET 0) AS r)";
// Occurrences of the lexemes $4 in the matching passages of the streams $2 (ascending); of the texts $3 (ascending) only.
inline constexpr const char* kReadPassagesSql =
    "SELECT p.text_no, p.passage_no, p.column_no, " LADDER_PG_LEXEMES("p.tsv", "$4")
    " FROM (SELECT text_no, passage_no, column_no, stream_no, tsv FROM passages WHERE tsv @@ $1::tsquery OFFSET 0) AS p"
    " WHERE ($2::bigint[])[width_bucket(p.stream_no, $2::bigint[])] = p.stream_no"
    "   AND ($3::bigint[])[width_bucket(p.text_no, $3::bigint[])] = p.text_no";
inline constexpr const char* kPassagePlacesSql = R"(
  SELECT p.column_no, p.start_char, p.end_char
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(text_no, passage_no, place),
       LATERAL (SELECT column_no, start_char, end_char FROM passages
                WHERE text_no = w.text_no AND passage_no = w.passage_no OFFSET 0) AS p ORDER BY w.place)";

inline constexpr const char* kRecordsByNumberSql =
    "SELECT " LADDER_PG_RECORD_COLUMNS ", r.key FROM records r WHERE r.record_no = ANY ($1::bigint[])";

// The body of each, with what tells whether it is intact.
inline constexpr const char* kBodiesByNumberSql =
    "SELECT r.record_no, r.stored_body, r.sum, r.raw_size FROM records r WHERE r.record_no = ANY ($1::bigint[])";

// Searching the word index of this engine (store/word_search.h).
//
// Candidates are ranked by a score that needs no statistics (word_search.h). Past `ranked` of them only the newest are, and
// the others follow by time; which they are is the same whichever way they were found. Three ways there are, chosen by what a
// look at the newest rows promises: through the GIN index, for most words; by time, for words in most records; and through the
// GIN index in the order of time, for what lies between.

// More than 20,000 candidates would take longer than half of what PostgreSQL takes to rank a word in most of 100,000 records.
inline constexpr std::int64_t kRankedCandidates = 20'000;

Result<WordPage> search_words(Pool& pool, KnownStreams& known, const WordSearch& search, std::int64_t ranked);

}  // namespace ladder::store::postgres
