// Random writes, deletes, declarations, reindexings and sweeps, compared with a map: pages in both directions, counts
// and days must agree after each step, and every invariant must hold.
#include "field_index_suite.h"

#include "store/testing/random_json.h"

#include <array>
#include <thread>

namespace ladder::store {
namespace {

struct Number {
  const char* json;
  int rank;
};
constexpr std::array<Number, 8> kNumbers = {
    {{"-5", 0}, {"0", 1}, {"-0.0", 1}, {"1e1", 2}, {"10", 2}, {"10.5", 3}, {"9007199254740992", 4}, {"9007199254740993", 5}}};

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all = {
      "", "a", "ab", std::string("a\0b", 3), "true", long_text("x", 64), long_text("x", 65), long_text("é", 9'000)};
  return all;
}

// A generated note; any part may be missing.
struct Note {
  int at = 0;                   // 0: none
  std::optional<Instant> when;  // and visible
  std::optional<std::size_t> size, tag;

  std::string data() const {
    std::string out = at == 0 ? R"({"at":null)" : format(R"({{"at":{})", at);
    if (when) out += format(R"(,"when":"{}","seen":"{}")", format_time(*when), format_time(*when));
    if (size) out += format(R"(,"size":{})", kNumbers[*size].json);
    if (tag) out += R"(,"tag":")" + (texts()[*tag].find('\0') == std::string::npos ? texts()[*tag] : "a\\u0000b") + "\"";
    return out + "}";
  }
};

struct IndexPosition {
  std::int64_t value = 0;  // the field's value, or its rank
  bool at_missing = false;
  int at = 0;
  std::string key;

  friend auto operator<=>(const IndexPosition&, const IndexPosition&) = default;
};

class FieldIndexModelSuite : public FieldIndexSuite {
 protected:
  using Random = testing::RandomJson;

  static Note random_note(Random& random) {
    Note note;
    note.at = static_cast<int>(random.below(4));
    if (!random.one_in(4)) note.when = (random.below(7) - 3) * kDay + random.below(3) * 3600 * kSecond;
    if (!random.one_in(4)) note.size = static_cast<std::size_t>(random.below(std::ssize(kNumbers)));
    if (!random.one_in(4)) note.tag = static_cast<std::size_t>(random.below(std::ssize(texts())));
    return note;
  }

  void write_batch(Random& random, std::int64_t keys, std::int64_t most = 8) {
    std::vector<RecordWrite> batch;
    for (std::int64_t left = 1 + random.below(most); left > 0; --left) {
      const std::string key = format("k{}", random.below(keys));
      if (random.one_in(4)) {
        batch.push_back(World::deletion(key));
        notes_.erase(key);
        continue;
      }
      const Note note = random_note(random);
      const bool staged = note.tag == std::size_t{7} && random.one_in(2);
      batch.push_back(staged ? world().staged_record(key, note.data()) : world().record(key, note.data()));
      notes_[key] = note;
    }
    world().write(world().notes(), std::move(batch));
  }

  // Returns the sort keys of the records that have a value, in order.
  template <class Value>
  std::vector<IndexPosition> positions(Value value) const {
    std::vector<IndexPosition> found;
    for (const auto& [key, note] : notes_) {
      const std::optional<std::int64_t> of = value(note);
      if (of) found.push_back({*of, note.at == 0, note.at, key});
    }
    std::ranges::sort(found);
    return found;
  }

  void compare(Random& random) {
    for (const auto& [field, index] : indexes()) {
      if (!index.ready) continue;
      SCOPED_TRACE(field);
      if (field == "when" && index.kind == IndexKind::kTime) compare_times(index.no, random);
      if (field == "size" && index.kind == IndexKind::kNumber) compare_numbers(index.no, random);
      if (field == "tag" && index.kind == IndexKind::kText) compare_texts(index.no, random);
      const bool is_time = field == "when" || field == "seen";
      if (is_time && (index.kind == IndexKind::kTime || index.kind == IndexKind::kDays)) compare_days(index.no, random);
    }
    expect_sound(store());
  }

 private:
  // Compares a range of the store with the model in both directions, by pages, and counted.
  void compare_range(IndexNo index, const IndexRange& range, const std::vector<IndexPosition>& expected, Random& random) {
    Keys keys;
    for (const IndexPosition& position : expected) keys.push_back(position.key);
    ASSERT_EQ(page_keys(index, range, false, 1 + random.below(6)), keys);
    std::ranges::reverse(keys);
    ASSERT_EQ(page_keys(index, range, true, 1 + random.below(6)), keys);
    const std::int64_t limit = random.below(20);
    ASSERT_EQ(must(must(store().read())->index_count(index, range, limit)), std::min(limit, std::ssize(keys)));
  }

  static std::vector<IndexPosition> between(std::vector<IndexPosition> all, std::int64_t from, std::int64_t to) {
    std::erase_if(all, [&](const IndexPosition& position) { return position.value < from || position.value >= to; });
    return all;
  }

  void compare_times(IndexNo index, Random& random) {
    const auto all = positions([](const Note& note) { return note.when; });
    compare_range(index, {}, all, random);
    const Instant from = (random.below(8) - 4) * kDay + random.below(2) * 3600 * kSecond;
    const Instant to = from + random.below(4) * kDay;
    compare_range(index, {index_value(from), index_value(to)}, between(all, from, to), random);
    compare_range(index, {index_value(from), {}}, between(all, from, std::numeric_limits<Instant>::max()), random);
  }

  void compare_numbers(IndexNo index, Random& random) {
    const auto all = positions([](const Note& note) -> std::optional<std::int64_t> {
      if (!note.size) return std::nullopt;
      return kNumbers[*note.size].rank;
    });
    compare_range(index, {}, all, random);
    const auto any = [&]() -> const Number& { return kNumbers[static_cast<std::size_t>(random.below(std::ssize(kNumbers)))]; };
    const Number& from = any();
    const Number& to = any();
    compare_range(index, {index_number(from.json), index_number(to.json)}, between(all, from.rank, to.rank), random);
    compare_range(index, entries_with(index_number(to.json)), between(all, to.rank, to.rank + 1), random);
  }

  void compare_texts(IndexNo index, Random& random) {
    const auto all = positions([](const Note& note) -> std::optional<std::int64_t> { return note.tag; });
    ASSERT_EQ(must(must(store().read())->index_count(index, {}, 1'000)), std::ssize(all));
    const std::int64_t tag = random.below(std::ssize(texts()));
    const IndexRange range = entries_with(index_text(texts()[static_cast<std::size_t>(tag)]));
    compare_range(index, range, between(all, tag, tag + 1), random);
  }

  void compare_days(IndexNo index, Random& random) {
    const std::int64_t first = random.below(8) - 4;
    const std::int64_t last = first + random.below(5);
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& [key, note] : notes_) {
      if (note.when && day_of(*note.when) >= first && day_of(*note.when) <= last) ++counts[day_of(*note.when)];
    }
    std::vector<DayCount> expected;
    for (const auto& [day, count] : counts) expected.push_back({day, count});
    ASSERT_EQ(must(must(store().read())->index_days(index, first, last)), expected);
  }

  std::map<std::string, Note> notes_;
};
LADDER_FOR_EVERY_ENGINE(FieldIndexModelSuite);

TEST_P(FieldIndexModelSuite, AgreesWithAMap) {
  Random random(20'260'815);
  declare(kAll);
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(format("round {}", round));
    write_batch(random, 14);
    if (random.one_in(5)) {
      Indexed some = kAll;
      std::erase_if(some, [&](const auto&) { return random.one_in(3); });
      if (random.one_in(3)) {
        for (auto& field : some) field.kind = static_cast<IndexKind>(1 + random.below(4));
      }
      declare(some);
    }
    if (random.one_in(2)) must(store().reindex(Deadline::after(std::chrono::milliseconds(random.below(3)))));
    if (random.one_in(4)) finish_reindex();
    if (random.one_in(6)) must(store().sweep(kNow, Deadline::after(std::chrono::seconds(5))));
    compare(random);
    if (HasFailure()) return;
  }
  declare(kAll);
  finish_reindex();
  compare(random);
}

TEST_P(FieldIndexModelSuite, AllowsWritesBetweenReindexingSteps) {
  Random random(7);
  for (int i = 0; i < 60; ++i) write_batch(random, 500, 30);
  declare(kAll);
  int interruptions = 0;
  for (bool done = false; !done;) {
    done = must(store().reindex(Deadline::after(std::chrono::milliseconds(interruptions / 50))));
    if (++interruptions % 10 == 0) expect_sound(store());
    if (!done) write_batch(random, 500, 4);
    if (interruptions == 5) declare({{"when", IndexKind::kTime}, {"tag", IndexKind::kText}, {"size", IndexKind::kText}});
    if (interruptions == 10) declare(kAll);
    if (HasFailure() || interruptions > 5'000) break;
  }
  EXPECT_GT(interruptions, 3) << "it was never interrupted";
  for (const auto& [field, index] : indexes()) EXPECT_TRUE(index.ready) << field;
  compare(random);
}

TEST_P(FieldIndexModelSuite, AllowsConcurrentWritersAndReindexers) {
  Random random(11);
  for (int i = 0; i < 40; ++i) write_batch(random, 400, 30);
  declare(kAll);
  const auto elsewhere = place().open(OpenMode::kExisting);
  std::thread other([&] {
    for (int i = 0; i < 200 && !must(elsewhere->reindex(Deadline::after(std::chrono::milliseconds(3)))); ++i) {
    }
  });
  std::thread third([&] {
    for (int i = 0; i < 200 && !must(store().reindex(Deadline::after(std::chrono::milliseconds(2)))); ++i) {
    }
  });
  for (int i = 0; i < 40; ++i) write_batch(random, 400, 6);
  other.join();
  third.join();
  finish_reindex();
  compare(random);
}

}  // namespace
}  // namespace ladder::store
