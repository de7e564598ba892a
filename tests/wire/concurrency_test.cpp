// A walk over all pages while a writer adds, changes and deletes: untouched records appear exactly once, in both
// orders.
#include "rest_fixture.h"

#include <atomic>
#include <map>
#include <thread>

namespace ladder::wire {
namespace {

class Concurrency : public Rest {
 protected:
  static std::string note(const std::string& id, int day, std::string_view body) {
    return test_support::record_line(
        id, text_member("body", body) + format(R"(,"updated_at":"2026-{:02}-{:02}T00:00:00Z")", 1 + day / 28, 1 + day % 28));
  }
};

TEST_P(Concurrency, UntouchedRecordsAppearExactlyOnce) {
  constexpr int kStill = 200, kBusy = 60;
  std::string lines;
  for (int i = 0; i < kStill; ++i) lines += note(format("still{:03}", i), i % 300, "x");
  for (int i = 0; i < kBusy; ++i) lines += note(format("busy{:03}", i), (i * 7) % 300, "x");
  ASSERT_EQ(ingest(lines).rejected, 0);
  const std::string token = token_for({"work", "notes", {}, {}, {}, {}});

  std::atomic<bool> done = false;
  std::atomic<int> rounds = 0;
  std::thread writer([&] {
    for (int round = 0; !done; ++round) {
      std::string batch;
      for (int i = 0; i < 6; ++i) {
        const int at = (round * 6 + i) % kBusy;
        const std::string id = format("busy{:03}", at);
        if ((round + i) % 4 == 0) batch += format("{{\"key\":\"{}\",\"op\":\"delete\"}}\n", id);
        else batch += note(id, (round * 13 + at) % 300, format("round {}", round));
        batch += note(format("new{:05}", round * 6 + i), (round * 31 + i) % 300, "x");
      }
      EXPECT_EQ(ingest(batch).rejected, 0);
      ++rounds;
    }
  });
  for (const char* order : {"asc", "desc"}) {
    std::map<std::string, int> seen;
    for (const std::string& id : walk(format("/v1/streams/notes/records?limit=7&order={}", order), token)) ++seen[id];
    for (int i = 0; i < kStill; ++i) EXPECT_EQ(seen[format("still{:03}", i)], 1) << order << ' ' << i;
  }
  done = true;
  writer.join();
  EXPECT_GT(rounds, 0) << "somebody wrote meanwhile";
}

LADDER_FOR_EVERY_ENGINE(Concurrency);

}  // namespace
}  // namespace ladder::wire
