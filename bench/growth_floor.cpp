#include "growth_floor.h"

#include "bare.h"
#include "growth_store.h"

#include "base/text/format.h"

namespace ladder::bench {
namespace {

class SqliteMonths final : public MonthFloor {
 public:
  SqliteMonths(const std::string& path, std::int64_t events) : db_(path, BareSqlite::Access::kWrite) {
    db_.execute("CREATE TABLE plain (id TEXT, kind TEXT, size INTEGER, at TEXT); BEGIN");
    sqlite3_stmt* const insert = db_.prepare("INSERT INTO plain VALUES (?1, ?2, ?3, ?4)");
    for (std::int64_t n = 0; n < events; ++n) {
      const std::string key = event_key(n), kind = format("kind-{}", event_kind(n));
      const std::string at = format_time(event_time(n, events));
      sqlite3_bind_text(insert, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
      sqlite3_bind_text(insert, 2, kind.data(), static_cast<int>(kind.size()), SQLITE_STATIC);
      sqlite3_bind_int64(insert, 3, event_size(n));
      sqlite3_bind_text(insert, 4, at.data(), static_cast<int>(at.size()), SQLITE_STATIC);
      db_.run(insert);
    }
    db_.execute("COMMIT");
    months_ = db_.prepare("SELECT strftime('%Y-%m', at) AS month, count(*) FROM plain GROUP BY month ORDER BY month");
    of_one_kind_ = db_.prepare(
        "SELECT strftime('%Y-%m', at) AS month, count(*) FROM plain WHERE kind = 'kind-3' GROUP BY month ORDER BY month");
  }

  std::vector<std::int64_t> months() override { return counts(months_); }
  std::vector<std::int64_t> months_of_one_kind() override { return counts(of_one_kind_); }

 private:
  static std::vector<std::int64_t> counts(sqlite3_stmt* select) {
    std::vector<std::int64_t> list;
    while (sqlite3_step(select) == SQLITE_ROW) list.push_back(sqlite3_column_int64(select, 1));
    sqlite3_reset(select);
    return list;
  }

  BareSqlite db_;
  sqlite3_stmt* months_ = nullptr;
  sqlite3_stmt* of_one_kind_ = nullptr;
};

class PostgresMonths final : public MonthFloor {
 public:
  PostgresMonths(const std::string& address, std::int64_t events) : db_(address) {
    // Ladder's sessions forbid sequential scans; the floor needs them here.
    db_.value("SELECT set_config('enable_seqscan', 'on', false)");
    db_.execute("CREATE TABLE public.plain (id text, kind text, size integer, at timestamptz)");
    for (std::int64_t from = 0; from < events; from += kPiece) insert(from, std::min(from + kPiece, events), events);
    db_.execute("VACUUM ANALYZE public.plain");
    db_.prepare("months",
                "SELECT date_trunc('month', at, 'UTC') AS month, count(*) FROM public.plain GROUP BY month ORDER BY month");
    db_.prepare("of one kind",
                "SELECT date_trunc('month', at, 'UTC') AS month, count(*) FROM public.plain WHERE kind = 'kind-3' "
                "GROUP BY month ORDER BY month");
  }

  std::vector<std::int64_t> months() override { return counts("months"); }
  std::vector<std::int64_t> months_of_one_kind() override { return counts("of one kind"); }

 private:
  static constexpr std::int64_t kPiece = 10'000;

  void insert(std::int64_t from, std::int64_t to, std::int64_t events) {
    std::string keys, kinds, sizes, times;
    for (std::int64_t n = from; n < to; ++n) {
      const char* const comma = n == from ? "" : ",";
      keys += comma + event_key(n);
      kinds += format("{}kind-{}", comma, event_kind(n));
      sizes += format("{}{}", comma, event_size(n));
      times += comma + format_time(event_time(n, events));
    }
    db_.execute(
        format("INSERT INTO public.plain SELECT * FROM unnest('{{{}}}'::text[], '{{{}}}'::text[], '{{{}}}'::int[], "
               "'{{{}}}'::timestamptz[])",
               keys, kinds, sizes, times));
  }
  std::vector<std::int64_t> counts(const char* statement) {
    const BareRows rows = db_.run(statement, store::postgres::Parameters());
    std::vector<std::int64_t> list;
    for (int row = 0; row < PQntuples(rows.get()); ++row) list.push_back(int8_at(rows, row, 1));
    return list;
  }

  BarePostgres db_;
};

class SqliteRecord final : public RecordFloor {
 public:
  explicit SqliteRecord(const std::string& path) : db_(path, BareSqlite::Access::kRead) {
    stream_ =
        std::stoll(db_.value(format("SELECT CAST(stream_no AS TEXT) FROM records WHERE key = CAST('{}' AS BLOB)", event_key(0))));
  }
  bool read(const std::string& key) override {
    sqlite3_bind_int64(select_, 1, stream_);
    sqlite3_bind_blob(select_, 2, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    const bool found = sqlite3_step(select_) == SQLITE_ROW && !bytes_at(select_, 0).empty();
    sqlite3_reset(select_);
    return found;
  }

 private:
  BareSqlite db_;
  std::int64_t stream_ = 0;
  sqlite3_stmt* select_ = db_.prepare("SELECT stored_body FROM records WHERE owner_no = 1 AND stream_no = ?1 AND key = ?2");
};

class PostgresRecord final : public RecordFloor {
 public:
  explicit PostgresRecord(const std::string& address) : db_(address) {
    stream_ = std::stoll(db_.value(format("SELECT stream_no FROM records WHERE key = convert_to('{}', 'UTF8')", event_key(0))));
    db_.prepare("record", "SELECT stored_body FROM records WHERE owner_no = 1 AND stream_no = $1 AND key = $2");
  }
  bool read(const std::string& key) override {
    return PQntuples(db_.run("record", store::postgres::Parameters(stream_, std::string_view(key))).get()) == 1;
  }

 private:
  BarePostgres db_;
  std::int64_t stream_ = 0;
};

}  // namespace

std::unique_ptr<RecordFloor> record_floor(const ScratchLocation& place) {
  if (place.engine() == "sqlite") return std::make_unique<SqliteRecord>(place.location());
  return std::make_unique<PostgresRecord>(place.location());
}

std::unique_ptr<MonthFloor> month_floor(const ScratchLocation& place, std::int64_t events) {
  if (place.engine() == "sqlite") return std::make_unique<SqliteMonths>(place.location(), events);
  return std::make_unique<PostgresMonths>(place.location(), events);
}

}  // namespace ladder::bench
