// Measures how many records per second ingest takes compared with a bare prepared loop that writes the same rows. The
// floor gets the rows that Ladder wrote, read back and ready to bind, in batches of the same sizes, with the same
// engine settings; afterwards both stores must have equal contents.
//
//   bench_ingest [sqlite|postgres]
#include "ingest_floor.h"
#include "report.h"
#include "scene.h"

#include "base/text/format.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace ladder::bench {
namespace {

constexpr std::int64_t kRecords = 100'000;
constexpr std::int64_t kBodyChars = 300;
constexpr int kRounds = 3;
constexpr double kLeastShare = 0.5;

std::string all_lines() {
  std::string lines;
  for (std::int64_t i = 0; i < kRecords; ++i) {
    lines += note_line(format("note-{:08}", i * 7919 % kRecords), prose(kBodyChars, static_cast<std::uint64_t>(i)));
  }
  return lines;
}

// Records how many lines each transaction of the ingest held.
class BatchSizes final : public server::IngestObserver {
 public:
  void durable_through(std::int64_t line, const server::IngestReport&) override {
    sizes_.push_back(line - last_);
    last_ = line;
  }
  const std::vector<std::int64_t>& get() const { return sizes_; }

 private:
  std::vector<std::int64_t> sizes_;
  std::int64_t last_ = 0;
};

double seconds(auto work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

std::unique_ptr<Floor> floor_of(const ScratchLocation& place) {
  return place.engine() == "sqlite" ? sqlite_floor(place) : postgres_floor(place);
}

double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

void measure(const std::string& engine, const std::string& lines, Report& report) {
  std::vector<double> ladder, bare;
  std::string name;
  std::size_t batches = 0;
  for (int round = 1; round <= kRounds; ++round) {
    const ScratchLocation place(engine), bare_place(engine);
    name = place.name_in_table();
    progress(format("{}: round {} of {}", name, round, kRounds));
    BatchSizes sizes;
    {
      Scene scene(place, Scene::Set::kUpSearched);
      ladder.push_back(seconds([&] { scene.ingest(lines, sizes); }));
    }
    batches = sizes.get().size();
    Scene(bare_place, Scene::Set::kUpSearched);
    const auto floor = floor_of(bare_place);
    floor->load(place, sizes.get());
    bare.push_back(seconds([&] { floor->write(); }));
    floor->compare(place);
  }
  const double ladder_rate = kRecords / median(ladder), bare_rate = kRecords / median(bare);
  report.at_least(format("{}, batches of {} on average", name, kRecords / static_cast<std::int64_t>(batches)),
                  format("{:.0f} records/s", ladder_rate), format("{:.0f} records/s", bare_rate), ladder_rate / bare_rate,
                  kLeastShare);
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {}, given);
  Report report(format("{} records of {} chars", kRecords, kBodyChars));
  const std::string lines = all_lines();
  for (const std::string& engine : engines) measure(engine, lines, report);
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
