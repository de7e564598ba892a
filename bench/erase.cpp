// Measures how long a writer waits while half of the store is erased. One thread ingests small batches into one
// connection; meanwhile the other connection, half of a few hundred MB, is erased as `ladder erase` does it: records,
// words, the sweep, and returning free pages to the file system. The erasure runs once in a thread of this process and
// once as `ladder erase`. The baselines are the same writer alone, and the disk alone before and during the erasure.
//
// Also measures erasing one record. Records of 300 chars are deleted one by one, each followed by the sweep that
// removes its bytes: the time of the deletion, and on SQLite the bytes that the process wrote for both.
//
//   bench_erase [sqlite|postgres] [thread|process|one] [--quick] [--waits]
#include "child.h"
#include "disk_floor.h"
#include "report.h"
#include "scene.h"
#include "search_store.h"

#include "base/text/format.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace ladder::bench {
namespace {

constexpr std::int64_t kRecords = 120'000, kRecordsQuick = 12'000;
constexpr std::int64_t kPiece = 4'000;      // the connections alternate in pieces of this many records, so that they share pages
constexpr std::int64_t kTextsEach = 3;      // texts of 300 chars in a usual record
constexpr std::int64_t kLongEvery = 200;    // one record in this many has a long value
constexpr std::int64_t kTextsLong = 1'000;  // 300,000 chars
constexpr std::int64_t kBatch = 10;         // records per write of the busy writer
constexpr std::chrono::milliseconds kBetweenBatches{3};
constexpr std::chrono::milliseconds kBetweenFloors{20};  // between two floor writes: low enough not to add load
constexpr std::chrono::seconds kAlone{3};
constexpr double kMaxWaitMs = 100;
constexpr std::chrono::milliseconds kToldWait{60};  // --waits lists waits longer than this

constexpr std::string_view kErased = "home", kKept = "work";

std::string text_of(std::int64_t n) {
  std::string text;
  const std::int64_t parts = n % kLongEvery == 0 ? kTextsLong : kTextsEach;
  for (std::int64_t part = 0; part < parts; ++part) text += zipf_text(n * kTextsEach + part);
  return text;
}

// Returns how many bytes of text it wrote.
std::int64_t fill(Scene& scene, std::int64_t records) {
  std::int64_t bytes = 0;
  must(scene.server().sources().add_connection(scene.owner(), "notes", "", std::string(kErased)));
  for (std::int64_t from = 0; from < records; from += kPiece) {
    std::string lines;
    for (std::int64_t n = from; n < from + kPiece; ++n) lines += note_line(format("note-{:08}", n), text_of(n));
    bytes += std::ssize(lines);
    scene.ingest({std::string(from / kPiece % 2 == 0 ? kErased : kKept), "notes"}, lines);
  }
  must(scene.server().maintenance().sweep(scene.owner(), Deadline::after(std::chrono::minutes(5))));
  return bytes;
}

// Ingests batches until it is told to stop.
class BusyWriter {
 public:
  BusyWriter(Scene& scene, std::string_view prefix, bool prints_waits)
      : prints_waits_(prints_waits), thread_([this, &scene, prefix = std::string(prefix)] { run(scene, prefix); }) {}
  ~BusyWriter() { stop(); }
  BusyWriter(const BusyWriter&) = delete;
  BusyWriter& operator=(const BusyWriter&) = delete;

  const Samples& stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return waits_;
  }

 private:
  void run(Scene& scene, const std::string& prefix) {
    for (std::int64_t batch = 0; !stop_; ++batch) {
      std::string lines;
      for (std::int64_t n = batch * kBatch; n < (batch + 1) * kBatch; ++n) {
        lines += note_line(format("{}-{:08}", prefix, n), zipf_text(n));
      }
      const auto began = std::chrono::steady_clock::now();
      waits_.time([&] { scene.ingest(lines); });
      tell(began, std::chrono::steady_clock::now());
      std::this_thread::sleep_for(kBetweenBatches);
    }
  }

  // Prints times of the monotonic clock in seconds, as system call tracers do.
  void tell(std::chrono::steady_clock::time_point began, std::chrono::steady_clock::time_point ended) const {
    if (!prints_waits_ || ended - began < kToldWait) return;
    const auto seconds = [](auto time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); };
    progress(format("waited from {:.6f} to {:.6f}", seconds(began), seconds(ended)));
  }

  const bool prints_waits_;
  Samples waits_;  // written by the thread only, until it has ended
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::string waits_text(const Samples& waits) {
  return format("{:.1f} / {:.1f} / {:.1f} ms", waits.p50() / 1000, waits.p99() / 1000, waits.max() / 1000);
}

enum class By : std::uint8_t { kThread, kProcess };

void erase(Scene& scene, const ScratchLocation& place, By by) {
  if (by == By::kProcess) {
    Child ladder({LADDER_PROGRAM, "erase", std::string(kErased), "--yes", "--db", place.location()}, "/dev/null");
    const std::string said = ladder.read_all();
    if (ladder.wait() != 0) give_up("`ladder erase` failed: " + said);
    return;
  }
  server::ErasureObserver observer;
  const server::Erasure erasure = must(scene.server().erasures().erase_connection(scene.owner(), kErased, observer));
  if (!erasure.swept || !erasure.space_kept.empty()) give_up("the erasure was not finished: " + erasure.space_kept);
}

struct Size {
  std::int64_t records = kRecords;
  bool prints_waits = false;
};

void measure(const std::string& engine, const Size& size, By by, Report& report) {
  const ScratchLocation place(engine);
  Scene scene(place, Scene::Set::kUpSearched);
  progress(format("{}: writing {} records", place.name_in_table(), size.records));
  const std::int64_t megabytes = fill(scene, size.records) / 1'000'000;

  DiskFloor disk_alone(place.folder(), kBetweenBatches);
  std::this_thread::sleep_for(kAlone);
  const Samples& disk_before = disk_alone.stop();
  BusyWriter lone(scene, "alone", size.prints_waits);
  std::this_thread::sleep_for(kAlone);
  const Samples& alone = lone.stop();

  progress(format("{}: erasing half of {} MB", place.name_in_table(), megabytes));
  const auto began = std::chrono::steady_clock::now();
  DiskFloor disk_meanwhile(place.folder(), kBetweenFloors);
  BusyWriter writer(scene, "beside", size.prints_waits);
  erase(scene, place, by);
  const Samples& waits = writer.stop();
  const auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  report.below(format("{}, half of {} MB of text erased in {:.1f} s by another {}, {} waits", place.name_in_table(), megabytes,
                      seconds, by == By::kThread ? "thread" : "process", waits.count()),
               waits_text(waits), waits_text(disk_meanwhile.stop()), waits.max() / 1000 <= kMaxWaitMs,
               format("max {:.0f} ms", kMaxWaitMs));
  report.note("  the writer and the disk alone, before", waits_text(alone), waits_text(disk_before),
              alone.p50() / disk_before.p50());
}

constexpr std::int64_t kOneOf = 40'000, kOneOfQuick = 4'000;  // total records; some of them are erased one by one
constexpr std::int64_t kOnesErased = 40;
constexpr double kMaxErasedMb = 3, kMaxErasedMs = 20;

// Returns the bytes that this process has written so far.
std::int64_t bytes_written() {
  std::ifstream counters("/proc/self/io");
  for (std::string name; counters >> name;) {
    std::int64_t count = 0;
    counters >> count;
    if (name == "wchar:") return count;
  }
  give_up("the system does not tell how much was written");
}

void measure_one(const std::string& engine, std::int64_t records, Report& report) {
  const ScratchLocation place(engine);
  Scene scene(place, Scene::Set::kUpSearched);
  progress(format("{}: writing {} records, to erase some one by one", place.name_in_table(), records));
  const auto key = [](std::int64_t n) { return format("note-{:08}", n); };
  for (std::int64_t from = 0; from < records; from += kPiece) {
    std::string lines;
    for (std::int64_t n = from; n < from + kPiece; ++n) lines += note_line(key(n), zipf_text(n));
    scene.ingest(lines);
  }
  const auto sweep = [&] { must(scene.server().maintenance().sweep(scene.owner(), Deadline::after(std::chrono::minutes(5)))); };
  sweep();
  Samples deletions;
  const std::int64_t before = bytes_written();
  for (std::int64_t erased = 0; erased < kOnesErased; ++erased) {
    const std::string line = format("{{\"key\":\"{}\",\"op\":\"delete\"}}\n", key(erased * records / kOnesErased));
    deletions.time([&] { scene.ingest(line); });
    sweep();
  }
  const double megabytes = static_cast<double>(bytes_written() - before) / static_cast<double>(kOnesErased) / 1e6;
  const std::string what = format("{}, one record of {} erased", place.name_in_table(), records);
  report.below(what + ", p50", format("{:.1f} ms", deletions.p50() / 1000),
               engine != "sqlite" || deletions.p50() / 1000 <= kMaxErasedMs, format("{:.0f} ms", kMaxErasedMs));
  if (engine != "sqlite") return;
  report.below(what + ", written", format("{:.2f} MB", megabytes), megabytes <= kMaxErasedMb, format("{:.0f} MB", kMaxErasedMb));
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"thread", "process", "one", "--quick", "--waits"}, given);
  const auto named = [&](std::string_view word) { return std::ranges::find(given, word) != given.end(); };
  const Size size{named("--quick") ? kRecordsQuick : kRecords, named("--waits")};
  Report report(format("waits of a writer of {} records at a time: p50 / p99 / max; floor: the disk meanwhile", kBatch));
  for (const std::string& engine : engines) {
    const bool all = !named("thread") && !named("process") && !named("one");
    if (all || named("thread")) measure(engine, size, By::kThread, report);
    if (all || named("process")) measure(engine, size, By::kProcess, report);
    if (all || named("one")) measure_one(engine, named("--quick") ? kOneOfQuick : kOneOf, report);
  }
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
