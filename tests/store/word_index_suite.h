// The word index tests start from the store suite's notes with some searchable fields, a search that returns keys, and
// a plain scan for comparison.
#pragma once

#include "base/text/format.h"
#include "json/writer.h"
#include "store/rows/word_search.h"
#include "store_suite.h"
#include "support/plain_scan.h"
#include "text/passages.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store {

using Names = std::vector<std::string>;

class WordIndexSuite : public StoreSuite {
 protected:
  WordIndexSuite() { declare({"title", "body"}); }

  // Declares a new version of the source with these searchable fields of notes.
  void declare(const Names& searched) {
    SourceRow source = world_source();
    source.version = format("searched {}", ++version_);
    must(store().put_source(world().owner(), source, streams(searched)));
  }
  static std::vector<Store::StreamFields> streams(const Names& searched) {
    std::vector<Store::StreamFields> streams = world_streams();
    streams[0].fields.emplace_back("extra");
    streams[0].searched = searched;
    return streams;
  }

  void finish_reindex() {
    for (int i = 0; i < 1'000; ++i) {
      if (must(store().reindex(Deadline::after(std::chrono::seconds(10))))) return;
    }
    ADD_FAILURE() << "reindexing does not come to an end";
  }

  // Returns the ready columns of these fields of the stream; all if none is named.
  text::WordColumns columns(const Names& fields = {}, std::string_view stream = "notes") {
    const Catalog catalog = must(store().catalog(world().owner()));
    text::WordColumns mask = 0;
    for (const WordColumnRow& row : catalog.word_columns) {
      if (row.stream != world().stream(stream) || !row.ready) continue;
      const auto field = std::ranges::find(catalog.fields, row.field, &FieldRow::no);
      if (fields.empty() || std::ranges::find(fields, field->name) != fields.end()) mask |= text::WordColumns{1} << row.column;
    }
    return mask;
  }
  int column(const std::string& field) { return std::countr_zero(columns({field})); }

  WordScope scope(text::WordColumns mask) {
    WordScope scope;
    scope.stream = world().stream("notes");
    scope.columns = mask;
    scope.timed = true;
    return scope;
  }

  // Every word must occur.
  WordPage page(Store& store, WordSearch& search, std::string_view text) {
    const text::WordQuery query = must(text::parse_word_query(text, {.all = true, .forms = false, .fields = {}}));
    search.query = &query;
    search.deadline = Deadline::after(std::chrono::seconds(30));
    return must(must(store.read(world().owner()))->search(search));
  }

  // Returns every hit, page by page, and checks the invariants of every walk.
  std::vector<WordHit> hits(std::string_view text, const std::vector<WordScope>& scopes, std::int64_t page_size = 7) {
    std::vector<WordHit> all;
    if (scopes.front().columns == 0) return all;
    WordSearch search;
    search.scopes = scopes;
    search.limit = page_size;
    for (;;) {
      WordPage found = page(store(), search, text);
      EXPECT_LE(std::ssize(found.hits), page_size);
      for (WordHit& hit : found.hits) {
        if (!all.empty()) {
          EXPECT_TRUE(comes_before(all.back().sort_key, hit.sort_key)) << text;
        }
        all.push_back(std::move(hit));
      }
      if (!found.more) {
        EXPECT_TRUE(found.exact);
        EXPECT_EQ(found.matches, std::ssize(all)) << text;
        return all;
      }
      EXPECT_EQ(std::ssize(found.hits), page_size);
      if (found.hits.empty()) return all;
      search.after = all.back().sort_key;
      search.weights = found.weights;
    }
  }
  Names keys(std::string_view text, const Names& fields = {}) {
    Names keys;
    for (const WordHit& hit : hits(text, {scope(columns(fields))})) keys.push_back(hit.record.key);
    std::ranges::sort(keys);
    return keys;
  }

  static bool comes_before(const text::HitSortKey& a, const text::HitSortKey& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.time != b.time) return a.time.has_value() && (!b.time || *a.time > *b.time);
    return std::pair(a.key, a.scope) < std::pair(b.key, b.scope);
  }

  static std::string data(std::string_view title, std::string_view body) {
    std::string out = R"({"title":)";
    json::append_string(out, title);
    out += R"(,"body":)";
    json::append_string(out, body);
    return out + "}";
  }
  // With a time, or without one.
  RecordWrite at(std::string_view key, const std::string& data, std::optional<Instant> time) {
    RecordWrite write = world().record(key, data);
    write.consent_time = time;
    return write;
  }
  Outcome put_staged(std::string_view key, const std::string& data) {
    return world().write(world().notes(), World::one(world().staged_record(key, data))).at(0);
  }

 private:
  int version_ = 0;
};

}  // namespace ladder::store
