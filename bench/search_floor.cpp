#include "search_floor.h"

#include "bare.h"
#include "search_store.h"

#include "base/text/format.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ladder::bench {
namespace {

// Joins the words with a separator.
std::string joined(const std::string& words, std::string_view between) {
  std::string text;
  for (const char c : words) c == ' ' ? text += between : text += c;
  return text;
}

class SqliteSearch final : public SearchFloor {
 public:
  SqliteSearch(const std::string& path, std::int64_t records, bool filled) : db_(path, BareSqlite::Access::kWrite) {
    if (!filled) fill(records);
    best_ = db_.prepare("SELECT rowid FROM found WHERE found MATCH ?1 ORDER BY bm25(found) LIMIT 10");
    excerpt_ = db_.prepare("SELECT snippet(found, 0, '', '', '…', 48) FROM found WHERE found MATCH ?1 AND rowid = ?2");
  }

  std::size_t ten_best(const std::string& words, Match match) override {
    const std::string query = match == Match::kPhrase ? '"' + words + '"' : match == Match::kAny ? joined(words, " OR ") : words;
    bind(best_, query);
    std::vector<std::int64_t> rows;
    while (sqlite3_step(best_) == SQLITE_ROW) rows.push_back(sqlite3_column_int64(best_, 0));
    sqlite3_reset(best_);
    std::size_t bytes = 0;
    for (const std::int64_t row : rows) {
      bind(excerpt_, query);
      sqlite3_bind_int64(excerpt_, 2, row);
      if (sqlite3_step(excerpt_) == SQLITE_ROW) bytes += bytes_at(excerpt_, 0).size();
      sqlite3_reset(excerpt_);
    }
    return bytes;
  }

 private:
  static constexpr std::int64_t kAtOnce = 10'000;

  void fill(std::int64_t records) {
    db_.execute(
        "CREATE TABLE plain(id INTEGER PRIMARY KEY, text TEXT);"
        "CREATE VIRTUAL TABLE found USING fts5(text, content='plain', content_rowid='id')");
    sqlite3_stmt* const insert = db_.prepare("INSERT INTO plain VALUES (?1, ?2)");
    sqlite3_stmt* const index = db_.prepare("INSERT INTO found(rowid, text) VALUES (?1, ?2)");
    for (std::int64_t n = 0; n < records; ++n) {
      if (n % kAtOnce == 0) db_.execute(n == 0 ? "BEGIN" : "COMMIT; BEGIN");
      const std::string text = zipf_text(n);
      for (sqlite3_stmt* const statement : {insert, index}) {
        sqlite3_bind_int64(statement, 1, n + 1);
        sqlite3_bind_text(statement, 2, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
        db_.run(statement);
      }
    }
    db_.execute("COMMIT");
  }

  static void bind(sqlite3_stmt* statement, const std::string& query) {
    sqlite3_bind_text(statement, 1, query.data(), static_cast<int>(query.size()), SQLITE_STATIC);
  }

  BareSqlite db_;
  sqlite3_stmt* best_ = nullptr;
  sqlite3_stmt* excerpt_ = nullptr;
};

class PostgresSearch final : public SearchFloor {
 public:
  PostgresSearch(const std::string& address, std::int64_t records, bool filled) : db_(address) {
    // Ladder's sessions forbid some plans; here the planner is free to choose.
    for (const char* plan : {"enable_seqscan", "enable_bitmapscan", "enable_sort"}) {
      db_.value(format("SELECT set_config('{}', 'on', false)", plan));
    }
    if (!filled) fill(records);
    for (const auto& [name, query] :
         {std::pair("words", "plainto_tsquery('simple', $1::text)"), std::pair("phrase", "phraseto_tsquery('simple', $1::text)"),
          std::pair("any", "to_tsquery('simple', $1::text)")}) {
      db_.prepare(name,
                  format("SELECT ts_headline('simple', best.text, q, 'MaxWords=48, MinWords=12') FROM {} AS q, LATERAL "
                         "(SELECT text FROM public.plain WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT 10) AS best",
                         query)
                      .c_str());
    }
  }

  std::size_t ten_best(const std::string& words, Match match) override {
    const std::string query = match == Match::kAny ? joined(words, " | ") : words;
    const char* const name = match == Match::kPhrase ? "phrase" : match == Match::kAny ? "any" : "words";
    const BareRows rows = db_.run(name, store::postgres::Parameters(std::string_view(query)));
    std::size_t bytes = 0;
    for (int row = 0; row < PQntuples(rows.get()); ++row) bytes += bytes_at(rows, row, 0).size();
    return bytes;
  }

 private:
  static constexpr std::int64_t kAtOnce = 5'000;

  void fill(std::int64_t records) {
    db_.execute("CREATE TABLE public.plain (id bigint PRIMARY KEY, text text, words tsvector)");
    for (std::int64_t from = 0; from < records; from += kAtOnce) insert(from, std::min(from + kAtOnce, records));
    db_.execute("CREATE INDEX plain_words ON public.plain USING gin (words)");
    db_.execute("VACUUM ANALYZE public.plain");
  }

  void insert(std::int64_t from, std::int64_t to) {
    std::string texts = "{";
    for (std::int64_t n = from; n < to; ++n) {
      texts += (n == from ? "\"" : ",\"") + zipf_text(n) + "\"";
    }
    db_.execute(
        format("INSERT INTO public.plain SELECT n, t, to_tsvector('simple', t) FROM unnest('{}}}'::text[]) WITH ORDINALITY "
               "AS w(t, i), LATERAL (SELECT {} + i AS n) AS m",
               texts, from));
  }

  BarePostgres db_;
};

}  // namespace

std::unique_ptr<SearchFloor> search_floor(const ScratchLocation& place, std::int64_t records) {
  std::unique_ptr<SearchFloor> floor;
  if (place.engine() == "sqlite") floor = std::make_unique<SqliteSearch>(place.location(), records, place.is_filled());
  else floor = std::make_unique<PostgresSearch>(place.location(), records, place.is_filled());
  place.note_filled();
  return floor;
}

}  // namespace ladder::bench
