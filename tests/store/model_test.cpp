// Long random sequences of writes, deletes, stagings, sweeps and reopenings, compared with a std::map: outcomes,
// records, order, counters and the change log must agree at every step, and every invariant must hold.
#include "store_suite.h"

#include "base/limits.h"
#include "store/testing/random_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace ladder::store {
namespace {

using enum Outcome;

constexpr std::array<const char*, 3> kFields = {"at", "title", "body"};

// A note whose parts are small numbers, so that random notes are often equal.
struct Note {
  std::array<int, 3> parts{};

  std::string data() const {
    // A body of 3 is long and stays one value; one of 4 is an object with a directory.
    std::string body = std::to_string(parts[2]);
    if (parts[2] == 3) body = "\"" + long_text("é中", 4'000) + "\"";
    if (parts[2] == 4) body = "{\"k\":\"" + long_text("k", 4'000) + "\",\"pad\":[" + long_text("1,", 16'000) + "1]}";
    return "{\"at\":" + (parts[0] == 0 ? "null" : std::to_string(parts[0])) + ",\"title\":" + std::to_string(parts[1]) +
           ",\"body\":" + body + "}";
  }
};

struct Known {
  std::optional<Note> live;
  std::int64_t whole_step = 0;                // step of the last creation or deletion
  std::array<std::int64_t, 3> field_steps{};  // step of the last change of each field since then
};

class Model {
 public:
  Outcome put(const std::string& key, const Note& note) {
    ++step_;
    Known& known = keys_[key];
    if (!known.live) {
      known = {note, step_, {}};
      return kAdded;
    }
    if (known.live->parts == note.parts) return kUnchanged;
    for (std::size_t i = 0; i < 3; ++i) {
      if (known.live->parts[i] != note.parts[i]) known.field_steps[i] = step_;
    }
    known.live = note;
    return kChanged;
  }

  Outcome remove(const std::string& key) {
    ++step_;
    const auto known = keys_.find(key);
    if (known == keys_.end() || !known->second.live) return kAbsent;
    known->second = {std::nullopt, step_, {}};
    return kDeleted;
  }

  std::int64_t step() const { return step_; }
  const std::map<std::string, Known>& keys() const { return keys_; }

  std::vector<std::string> ordered(bool descending) const {
    std::vector<std::pair<int, std::string>> present;
    std::vector<std::string> missing;
    for (const auto& [key, known] : keys_) {
      if (!known.live) continue;
      if (known.live->parts[0] == 0) missing.push_back(key);
      else present.emplace_back(known.live->parts[0], key);
    }
    std::ranges::sort(present);
    if (descending) {
      std::ranges::reverse(present);
      std::ranges::reverse(missing);
    }
    std::vector<std::string> keys;
    for (const auto& [at, key] : present) keys.push_back(key);
    keys.insert(keys.end(), missing.begin(), missing.end());
    return keys;
  }

  std::vector<std::string> changes(const std::vector<std::size_t>& fields, std::int64_t since_step) const {
    std::vector<std::pair<std::int64_t, std::string>> found;
    for (const auto& [key, known] : keys_) {
      std::int64_t newest = known.whole_step;
      for (const std::size_t field : fields) newest = std::max(newest, known.field_steps[field]);
      if (newest > since_step) found.emplace_back(newest, (known.live ? "" : "-") + key);
    }
    std::ranges::sort(found);
    std::vector<std::string> keys;
    for (const auto& [step, key] : found) keys.push_back(key);
    return keys;
  }

 private:
  std::int64_t step_ = 0;
  std::map<std::string, Known> keys_;
};

class ModelSuite : public test_support::StoreFixture {
 protected:
  void run(std::uint64_t seed, int rounds) {
    testing::RandomJson random(seed);
    Model model;
    auto world = std::make_unique<World>(store(), "local", "conn_a");
    // Pairs of a store version and the model's step at that time.
    std::vector<std::pair<std::int64_t, std::int64_t>> marks = {{0, 0}};
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      write_batch(*world, model, random);
      if (random.one_in(3)) marks.emplace_back(world->counters().max_version, model.step());
      if (random.one_in(4)) must(store().sweep(Clock::system().now(), Deadline::after(std::chrono::seconds(5))));
      if (random.one_in(10)) {
        world.reset();
        reopen();
        world = std::make_unique<World>(store(), "local", "conn_a");
      }
      compare(*world, model, marks, random);
      if (HasFailure()) return;
    }
    expect_nothing_left(*world, model);
  }

 private:
  static void write_batch(World& world, Model& model, testing::RandomJson& random) {
    std::vector<RecordWrite> batch;
    std::vector<Outcome> expected;
    for (std::int64_t left = 1 + random.below(8); left > 0; --left) {
      const std::string key = "k" + std::to_string(random.below(12));
      if (random.one_in(5)) {
        batch.push_back(World::deletion(key));
        expected.push_back(model.remove(key));
        continue;
      }
      const Note note = {
          {static_cast<int>(random.below(4)), static_cast<int>(random.below(3)), static_cast<int>(random.below(5))}};
      const bool is_long = note.parts[2] >= 3;
      batch.push_back(is_long && random.one_in(2) ? world.staged_record(key, note.data()) : world.record(key, note.data()));
      expected.push_back(model.put(key, note));
    }
    // Uses the sweeps' clock; they would remove a deletion from the distant past.
    ASSERT_EQ(world.write(world.notes(), std::move(batch), Clock::system().now()), expected);
  }

  void compare(World& world, const Model& model, const std::vector<std::pair<std::int64_t, std::int64_t>>& marks,
               testing::RandomJson& random) {
    std::int64_t live = 0;
    for (const auto& [key, known] : model.keys()) {
      const auto row = world.find(key);
      ASSERT_EQ(row.has_value(), known.live.has_value()) << key;
      if (!row) continue;
      ++live;
      ASSERT_EQ(world.whole(*row), known.live->data()) << key;
      ASSERT_EQ(row->digest, crypto::sha256(known.live->data()));
    }
    ASSERT_EQ(world.counters().records, live);
    ASSERT_EQ(world.keys("notes", false, 1 + random.below(5)), model.ordered(false));
    ASSERT_EQ(world.keys("notes", true, 1 + random.below(5)), model.ordered(true));
    const auto& [version, step] = marks[static_cast<std::size_t>(random.below(std::ssize(marks)))];
    std::vector<std::string> names;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      if (!random.one_in(2)) continue;
      names.emplace_back(kFields[i]);
      places.push_back(i);
    }
    ASSERT_EQ(world.changes(names, version), model.changes(places, step));
    for (const std::string& broken : must(world.store().check_invariants())) ADD_FAILURE() << broken;
  }

  // Deletes everything in the end; no text remains.
  void expect_nothing_left(World& world, const Model& model) {
    for (const auto& [key, known] : model.keys()) world.remove(key);
    for (bool complete = false; !complete;) {
      complete = must(store().sweep(Clock::system().now() + 2 * limits::kStagingLeaseS * kSecond,
                                    Deadline::after(std::chrono::seconds(30))))
                     .complete;
    }
    const ValueId end = must(store().reserve_values(world.owner(), 1));
    const auto reader = must(store().read(world.owner()));
    for (ValueId id = 1; id < std::min<ValueId>(end, 20'000); ++id) {
      ASSERT_TRUE(must(reader->chunks(id, 0, 10)).empty()) << id;
      ASSERT_FALSE(must(reader->directory_page(id, std::numeric_limits<std::int64_t>::max()))) << id;
    }
    for (const std::string& broken : must(store().check_invariants())) ADD_FAILURE() << broken;
  }
};
LADDER_FOR_EVERY_ENGINE(ModelSuite);

TEST_P(ModelSuite, AgreesWithAMap) { run(1, 80); }
TEST_P(ModelSuite, AgreesWithAMapForAnotherSeed) { run(20'260'401, 80); }

}  // namespace
}  // namespace ladder::store
