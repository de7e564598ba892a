// The store suite's starting point: an owner with one source (a mutable stream of notes, an append-only one of events),
// one connection, and short ways to write records and to read them back as JSON.
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

inline constexpr Instant kNow = 1'775'000'000 * kSecond;  // an instant in 2026; the store has no clock for these rows

inline constexpr std::int64_t kNewest = std::numeric_limits<std::int64_t>::max();  // upper bound of changes(): everything

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

  // Returns an upsert of `data` with its long values buffered; the sort key is data's member "at".
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
  // Returns the keys in the change log of notes, in order; a deleted one has a "-" prefix.
  std::vector<std::string> changes(const std::vector<std::string>& field_names, std::int64_t since, std::int64_t limit = 1'000);

  // Reassembles a row's data: long strings are escaped canonically, everything else is unchanged.
  std::string whole(const RecordRow& row);
  std::string text(const LongRef& ref);  // the complete text
  std::int64_t stored_chunks(ValueId value);

  static std::vector<RecordWrite> one(RecordWrite record);

 private:
  WriteTarget target(const std::string& stream_name, bool append_only) const;
  RecordWrite start(std::string_view key, const std::string& data) const;

  Store& store_;
  OwnerNo owner_ = 0;
  model::Stream declared_;
  std::map<std::string, StreamNo> streams_;
  std::map<std::string, FieldNo> fields_;  // fields of notes
};

// Returns the declaration of the world's source as catalog rows.
SourceRow world_source(std::string_view key = "journal");
std::vector<Store::StreamFields> world_streams();

class StoreSuite : public test_support::StoreFixture {
 protected:
  StoreSuite() : world_(store(), "local", "conn_a") {}
  void TearDown() override { expect_sound(store()); }

  World& world() { return world_; }
  static void expect_sound(Store& store);  // every invariant of the schema holds
  // Sweeps as of `now` until nothing is left.
  static std::int64_t sweep_all(Store& store, Instant now);

 private:
  World world_;
};

std::string long_text(std::string_view unit, std::int64_t chars);  // repeats the unit, cut at this many chars

}  // namespace ladder::store
