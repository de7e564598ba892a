// A SQLite store with one owner, source, connection and stream, and short ways to fill it: for the tests of this engine
// only.
#pragma once

#include "base/text/format.h"
#include "base/time/time.h"
#include "store/index/field_versions.h"
#include "store/long_values/split.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/store.h"
#include "support/must.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

using test_support::must;

inline constexpr Instant kNow = 1'770'000'000 * kSecond;
inline constexpr OwnerNo kOwner = 1;  // of the scene

// Splits `data` as ingest does, with its long values in memory.
inline RecordWrite record_write(Store& store, std::string_view key, std::string_view data) {
  const json::Value value = json::value_of(data);
  const SplitPlan plan = must(plan_split(value));
  RecordWrite record;
  record.key = key;
  record.order_key = std::string("\xF0") + std::string(key);
  record.emitted_at = "2026-02-02T00:00:00Z";
  record.digest = crypto::sha256(data);
  record.value_count = plan.value_count;
  if (plan.value_count > 0) record.first_value = must(store.reserve_values(kOwner, plan.value_count));
  record.body = must(split_long_values(value, plan, record.first_value, record.values));
  return record;
}

inline RecordWrite deletion(std::string_view key) {
  RecordWrite record;
  record.is_delete = true;
  record.key = key;
  return record;
}

class Scene {
 public:
  Scene() : store_(must(open_sqlite(path(), OpenMode::kCreate))) {
    owner_ = must(store_->add_owner("local", kNow));
    declare({});
    ConnectionRow connection;
    connection.source = source_.no;
    connection.connection_id = "work";
    connection.status = "active";
    connection.created_at = kNow;
    const std::vector<std::string> names = {"notes", "diary"};
    must(store_->add_connection(owner_.no, connection, names));
  }

  // Declares a new version of the source with these indexed fields of notes.
  void declare(const std::vector<Store::IndexedField>& indexed) {
    SourceRow source;
    source.key = "notes";
    source.source_id = "https://sources.example/notes";
    source.version = std::to_string(++version_);
    source.declaration = "{}";
    source.added_at = kNow;
    const std::vector<Store::StreamFields> streams = {{"notes", {"title", "body"}, indexed}, {"diary", {"body"}}};
    source_ = must(store_->put_source(owner_.no, source, streams));
  }

  std::string path() const { return folder_ / "store.db"; }
  Store& store() { return *store_; }
  const OwnerRow& owner() const { return owner_; }
  void reopen() {
    store_.reset();
    store_ = must(open_sqlite(path(), OpenMode::kExisting));
  }
  void close() { store_.reset(); }

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

  Outcome put(std::string_view key, std::string_view data, std::string_view stream = "notes") {
    std::vector<RecordWrite> batch;
    batch.push_back(record_write(*store_, key, data));
    return must(store_->write(target(stream), batch, kNow)).at(0);
  }
  Outcome erase(std::string_view key, std::string_view stream = "notes") {
    std::vector<RecordWrite> batch = {deletion(key)};
    return must(store_->write(target(stream), batch, kNow)).at(0);
  }

  void expect_sound() {
    for (const std::string& fault : must(store_->check_invariants())) ADD_FAILURE() << fault;
  }

 private:
  test_support::ScratchFolder folder_;
  std::unique_ptr<Store> store_;
  OwnerRow owner_;
  int version_ = 0;
  SourceRow source_;
};

inline std::string file_bytes(const std::string& path) { return test_support::file_text(path); }

}  // namespace ladder::store::sqlite
