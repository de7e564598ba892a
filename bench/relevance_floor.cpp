#include "relevance_floor.h"

#include "base/text/format.h"

namespace ladder::bench {
namespace {

void bind_text(sqlite3_stmt* statement, int place, const std::string& text) {
  sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

RelevanceFloor::RelevanceFloor(const std::string& tokenizer, const std::vector<JudgedDocument>& documents)
    : db_(":memory:", BareSqlite::Access::kWrite) {
  db_.execute(format("CREATE VIRTUAL TABLE found USING fts5(id UNINDEXED, title, text, tokenize='{}')", tokenizer));
  sqlite3_stmt* const insert = db_.prepare("INSERT INTO found VALUES (?1, ?2, ?3)");
  for (const JudgedDocument& document : documents) {
    bind_text(insert, 1, document.id);
    bind_text(insert, 2, document.title);
    bind_text(insert, 3, document.text);
    db_.run(insert);
  }
  best_ = db_.prepare("SELECT id FROM found WHERE found MATCH ?1 ORDER BY bm25(found) LIMIT 10");
  count_ = db_.prepare("SELECT count(*) FROM found WHERE found MATCH ?1");
}

std::vector<std::string> RelevanceFloor::ask(const std::vector<std::string>& words) {
  std::string query;
  for (const std::string& word : words) query += format("{}\"{}\"", query.empty() ? "" : " OR ", word);
  std::vector<std::string> ids;
  if (query.empty()) return ids;
  bind_text(best_, 1, query);
  int state = sqlite3_step(best_);
  for (; state == SQLITE_ROW; state = sqlite3_step(best_)) ids.emplace_back(bytes_at(best_, 0));
  if (state != SQLITE_DONE) give_up(format("FTS5 cannot search {}: {}", query, sqlite3_errmsg(db_.handle())));
  sqlite3_reset(best_);
  return ids;
}

std::int64_t RelevanceFloor::documents_with(const std::string& word) {
  bind_text(count_, 1, format("\"{}\"", word));
  const std::int64_t count = sqlite3_step(count_) == SQLITE_ROW ? sqlite3_column_int64(count_, 0) : 0;
  sqlite3_reset(count_);
  return count;
}

}  // namespace ladder::bench
