// A PostgreSQL store in its own database with one owner, source, connection and two streams, and short ways to fill it:
// for the tests of this engine only.
#pragma once

#include "base/text/format.h"
#include "base/time/time.h"
#include "store/index/field_versions.h"
#include "store/long_values/split.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/store.h"
#include "support/must.h"
#include "support/postgres_cluster.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::postgres {

using test_support::must;

inline constexpr Instant kNow = 1'770'000'000 * kSecond;
inline constexpr OwnerNo kOwner = 1;                                               // of the scene
inline constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();  // upper bound of changes(): everything

// Splits `data` as ingest does, with its long values in memory.
inline RecordWrite record_write(Store& store, std::string_view key, std::string_view data) {
  const json::Value value = json::value_of(data);
  const SplitPlan plan = must(plan_split(value));
  RecordWrite record;
  record.key = key;
  record.order_key = std::string("\x30") + std::string(key);
  record.emitted_at = "2026-02-02T00:00:00Z";
  record.digest = crypto::sha256(data);
  record.value_count = plan.value_count;
  if (plan.value_count > 0) record.first_value = must(store.reserve_values(kOwner, plan.value_count));
  record.body = must(split_long_values(value, plan, record.first_value, record.values));
  return record;
}

// The same with the long values staged in the store first.
inline RecordWrite staged_write(Store& store, std::string_view key, std::string_view data) {
  RecordWrite record = record_write(store, key, data);
  const std::unique_ptr<Staging> staging = must(store.stage(kOwner, record.first_value, record.value_count, 0));
  for (const ChunkRow& chunk : record.values.chunks) must(staging->put_chunk(chunk.value, chunk.chunk_no, chunk.bytes));
  for (const DirectoryRow& page : record.values.directory) must(staging->put_directory_page(page.value, page.first, page.page));
  must(staging->finish());
  record.values = {};
  record.staged = true;
  return record;
}

// Returns a statement of the store for the scene's owner.
inline std::string of_owner(std::string sql) {
  constexpr std::string_view kParameter = ":owner";
  for (std::size_t at = sql.find(kParameter); at != std::string::npos; at = sql.find(kParameter, at)) {
    sql.replace(at, kParameter.size(), std::to_string(kOwner));
  }
  return sql;
}

inline RecordWrite deletion(std::string_view key) {
  RecordWrite record;
  record.is_delete = true;
  record.key = key;
  return record;
}

class Scene {
 public:
  explicit Scene(test_support::PostgresCluster& cluster = test_support::PostgresCluster::shared())
      : database_(cluster.fresh_database()), store_(must(open_postgres(database_->address(), OpenMode::kCreate))) {
    owner_ = must(store_->add_owner("local", kNow));
    source_.key = "notes";
    source_.source_id = "https://sources.example/notes";
    source_.version = "1";
    source_.declaration = "{}";
    source_.added_at = kNow;
    index({});
    add_connection("work");
  }

  // Declares the source again with these indexed fields of notes.
  void index(std::vector<Store::IndexedField> indexed) {
    const std::vector<Store::StreamFields> streams = {{"notes", {"title", "body", "at", "score"}, std::move(indexed)},
                                                      {"diary", {"body"}}};
    source_ = must(store_->put_source(owner_.no, source_, streams));
  }
  std::vector<IndexRow> indexes() { return must(store_->catalog(owner_.no)).indexes; }
  void add_connection(std::string_view id) {
    ConnectionRow connection;
    connection.source = source_.no;
    connection.connection_id = id;
    connection.status = "active";
    connection.created_at = kNow;
    must(store_->add_connection(owner_.no, connection, std::vector<std::string>{"notes", "diary"}));
  }

  const test_support::Database& database() const { return *database_; }
  Store& store() { return *store_; }
  void close() { store_.reset(); }
  const OwnerRow& owner() const { return owner_; }

  WriteTarget target(std::string_view stream = "notes") {
    const Catalog catalog = must(store_->catalog(owner_.no));
    WriteTarget target;
    target.owner = owner_.no;
    for (const StreamRow& row : catalog.streams) {
      if (row.name == stream) target.stream = row.no;
    }
    for (const FieldRow& row : catalog.fields) {
      if (row.stream == stream) target.fields[row.name] = row.no;
    }
    return target;
  }

  std::vector<Outcome> write(std::vector<RecordWrite> batch, std::string_view stream = "notes") {
    return must(store_->write(target(stream), batch, kNow));
  }
  Outcome put(std::string_view key, std::string_view data) {
    std::vector<RecordWrite> batch;
    batch.push_back(record_write(*store_, key, data));
    return write(std::move(batch)).at(0);
  }
  Outcome erase(std::string_view key) { return write({deletion(key)}).at(0); }
  std::optional<RecordRow> find(std::string_view key, std::string_view stream = "notes") {
    const std::vector<StreamNo> streams = {target(stream).stream};
    std::vector<RecordRow> found = must(must(store_->read(owner_.no))->records({.owner = owner_.no}, streams, key)).records;
    return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
  }

  void expect_sound() {
    for (const std::string& fault : must(store_->check_invariants())) ADD_FAILURE() << fault;
  }

 private:
  std::unique_ptr<test_support::Database> database_;
  std::unique_ptr<Store> store_;
  OwnerRow owner_;
  SourceRow source_;
};

}  // namespace ladder::store::postgres
