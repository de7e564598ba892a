// The store suite starts from an owner with one source (a stream of notes that change, one of events that are only
// appended), one connection of it, and short ways to write records and to read them back as JSON.
#pragma once

#include "model/declaration/declaration.h"
#include "store/store.h"
#include "support/must.h"
#include "support/store_fixture.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr Instant kNow = 1'775'000'000 * kSecond;  // an instant in 2026; the store has no clock of its own for these rows

inline constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();  // changes() up to here: all there are

using test_support::must;

// An owner's streams, and writing into them. Works on any Store; several worlds may share one.
class World {
 public:
  World(Store& store, std::string_view owner_name, std::string_view connection_id);

  Store& store() { return store_; }
  OwnerNo owner() const { return owner_; }
  WriteTarget notes() const { return target("notes", false); }
  WriteTarget events() const { return target("events", true); }
  FieldNo field(std::string_view name) const { return fields_.at(std::string(name)); }
  StreamNo stream(std::string_view name) const { return streams_.at(std::string(name)); }

  // An upsert of `data`, its long values buffered in it; the order key is made from data's member "at".
  RecordWrite record(std::string_view key, const std::string& data);
  // The same with its long values staged in the store.
  RecordWrite staged_record(std::string_view key, const std::string& data);
  static RecordWrite deletion(std::string_view key);

  std::vector<Outcome> write(const WriteTarget& target, std::vector<RecordWrite> records, Instant now = kNow);
  Outcome put(std::string_view key, const std::string& data) { return write(notes(), one(record(key, data))).at(0); }
  Outcome remove(std::string_view key, Instant now = kNow) { return write(notes(), one(deletion(key)), now).at(0); }

  std::optional<RecordRow> find(StreamNo stream, std::string_view key);
  std::optional<RecordRow> find(std::string_view key) { return find(stream("notes"), key); }
  StreamCounters counters(std::string_view stream_name = "notes");
  std::vector<std::string> keys(std::string_view stream_name, bool descending, std::int64_t page_size);
  // Keys in the change log of notes, in order; a deleted one with a "-" before it.
  std::vector<std::string> changes(const std::vector<std::string>& field_names, std::int64_t since, std::int64_t limit = 1'000);

  // A row's data put together again: long strings are re-escaped canonically, everything else as it came.
  std::string whole(const RecordRow& row);
  std::string text(const LongRef& ref);  // all of it
  std::int64_t stored_chunks(ValueId value);

  static std::vector<RecordWrite> one(RecordWrite record);

 private:
  WriteTarget target(const std::string& stream_name, bool append_only) const;
  RecordWrite start(std::string_view key, const std::string& data) const;

  Store& store_;
  OwnerNo owner_ = 0;
  model::Stream declared_;
  std::map<std::string, StreamNo> streams_;
  std::map<std::string, FieldNo> fields_;  // of notes
};

// The declaration of the world's source, as the catalog rows that come of it.
SourceRow world_source(std::string_view key = "journal");
std::vector<Store::StreamFields> world_streams();

class StoreSuite : public test_support::StoreFixture {
 protected:
  StoreSuite() : world_(store(), "local", "conn_a") {}
  void TearDown() override { expect_sound(store()); }

  World& world() { return world_; }
  static void expect_sound(Store& store);  // no invariant of the schema is broken
  // Sweeps until nothing is left, as of `now`.
  static std::int64_t sweep_all(Store& store, Instant now);

 private:
  World world_;
};

std::string long_text(std::string_view unit, std::int64_t chars);  // the unit over and over, cut at so many chars

}  // namespace ladder::store
