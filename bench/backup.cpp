// Measures how long `ladder backup` takes compared with a plain copy of the same store, and how long requests wait
// meanwhile. A store of 1 GB is backed up to a new folder and copied to a new folder, in turn, both with everything
// synced at the end; the disk is idle before each run. Then wrk requests windows and searches from `ladder serve`, with
// and without backups running.
//
//   bench_backup [sqlite|postgres] [--quick]
#include "child.h"
#include "report.h"
#include "scene.h"
#include "search_store.h"
#include "wrk.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kStoreBytes = 1'000'000'000, kStoreBytesQuick = 100'000'000;
constexpr std::int64_t kPiece = 4'000;    // records per ingest call
constexpr std::int64_t kTextsEach = 3;    // texts of 300 chars in a usual record
constexpr std::int64_t kLongEvery = 40;   // one record in this many has a long value
constexpr std::int64_t kTextsLong = 300;  // 90,000 chars
constexpr int kTurns = 5;
constexpr double kMaxShareOfCopy = 2, kMaxShareOfLatency = 2;
constexpr int kServedSeconds = 10, kConnections = 2;
constexpr int kWindowsForASearch = 4;

std::string text_of(std::int64_t n) {
  std::string text;
  const std::int64_t parts = n % kLongEvery == 0 ? kTextsLong : kTextsEach;
  for (std::int64_t part = 0; part < parts; ++part) text += zipf_text(n * kTextsEach + part);
  return text;
}

std::string key_of(std::int64_t n) { return format("note-{:08}", n); }

std::int64_t bytes_of(const fs::path& path) {
  if (fs::is_regular_file(path)) return static_cast<std::int64_t>(fs::file_size(path));
  std::int64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += static_cast<std::int64_t>(entry.file_size());
  }
  return bytes;
}

void bring_to_disk(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 || ::fsync(file) != 0) give_up("cannot bring a copy to the disk: " + path.string());
  ::close(file);
}

// Copies the files of a store one by one and syncs each.
void copy_to_disk(const fs::path& from, const fs::path& to) {
  if (fs::is_directory(from)) {
    fs::create_directory(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from))
      copy_to_disk(entry.path(), to / entry.path().filename());
  } else {
    fs::copy_file(from, to);
  }
  bring_to_disk(to);
}

class BackupBench {
 public:
  BackupBench(const std::string& engine, std::int64_t bytes, Report& report) : report_(report), place_(engine) {
    Scene scene(place_, Scene::Set::kUpSearched);
    while (bytes_of(place_.files()) < bytes) {
      std::string lines;
      for (const std::int64_t end = records_ + kPiece; records_ < end; ++records_)
        lines += note_line(key_of(records_), text_of(records_));
      scene.ingest(lines);
      progress(format("{}: {} MB of a store", place_.name_in_table(), bytes_of(place_.files()) / 1'000'000));
    }
    token_ = scene.client_token();
    bytes_ = bytes_of(place_.files());
    key_ = folder_ / "key";
    ladder({"backup", "key", key_});
  }

  void beside_copies() {
    Samples copies, dumps, plain, encrypted, unchanged;
    const std::string copy = folder_ / "copy", dump = folder_ / "dump", target = folder_ / "plain",
                      sealed = folder_ / "encrypted";
    for (int turn = 0; turn < kTurns; ++turn) {
      progress(format("{}: turn {} of {}", place_.name_in_table(), turn + 1, kTurns));
      after_a_pause([&] { copies.time([&] { copy_to_disk(place_.files(), copy); }); });
      remove(copy);
      if (place_.engine() == "postgres") after_a_pause([&] { dumps.time([&] { dump_to_disk(dump); }); });
      remove(dump);
      after_a_pause([&] { plain.time([&] { back_up({target}); }); });
      after_a_pause([&] { unchanged.time([&] { back_up({target}); }); });
      remove(target);
      after_a_pause([&] { encrypted.time([&] { back_up({sealed, "--key", key_}); }); });
      remove(sealed);
    }
    const std::string what = format("{}, {} MB, beside a copy of its files", place_.name_in_table(), bytes_ / 1'000'000);
    report_.at_most(what, text(plain), text(copies), plain.p50() / copies.p50(), kMaxShareOfCopy);
    report_.at_most("  encrypted", text(encrypted), text(copies), encrypted.p50() / copies.p50(), kMaxShareOfCopy);
    if (dumps.count() > 0) report_.note("  beside pg_dump", text(plain), text(dumps), plain.p50() / dumps.p50());
    report_.note("  once more, with nothing changed", text(unchanged), text(copies), unchanged.p50() / copies.p50());
  }

  void beside_reads() {
    std::ofstream(folder_ / "script.lua") << script();
    const ServedStore served({"--db", place_.location(), "--owner", "local"}, folder_ / "access.log");
    run_wrk(served, 2);  // warms up the caches
    Turns alone, beside;
    int backups = 0;
    for (int turn = 0; turn < 2; ++turn) {
      after_a_pause([&] { alone.add(run_wrk(served, kServedSeconds)); });
      const std::string target = folder_ / format("beside-{}", turn);
      after_a_pause([&] {
        std::atomic<bool> stop = false;
        std::thread backing_up([&] {
          for (; !stop; ++backups) {
            back_up({target});
            remove(target);
          }
        });
        beside.add(run_wrk(served, kServedSeconds));
        stop = true;
        backing_up.join();
      });
    }
    report_.at_most(format("{}, windows and searches beside {} backups, p99", place_.name_in_table(), backups),
                    beside.latency_text(), alone.latency_text(), beside.p99() / alone.p99(), kMaxShareOfLatency);
  }

 private:
  // Writes of earlier runs must be on the disk first.
  template <class Work>
  static void after_a_pause(Work work) {
    ::sync();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    work();
  }

  static void remove(const std::string& path) { fs::remove_all(path); }

  void ladder(std::vector<std::string> words) const {
    words.insert(words.begin(), LADDER_PROGRAM);
    words.insert(words.end(), {"--db", place_.location()});
    Child program(words, "/dev/null");
    const std::string said = program.read_all();
    if (program.wait() != 0) give_up("`ladder backup` failed: " + said);
  }
  // Makes an uncompressed copy with the server's own backup of a database in use.
  void dump_to_disk(const std::string& file) const {
    Child program({"pg_dump", "--format=custom", "--compress=0", "--file=" + file, place_.location()});
    if (program.wait() != 0) give_up("pg_dump failed");
    bring_to_disk(file);
  }
  void back_up(std::vector<std::string> words) const {
    words.insert(words.begin(), "backup");
    ladder(words);
  }

  // Requests windows of records from all over the store, and searches for words of every frequency.
  std::string script() const {
    std::string lines = "requests = {}\nfunction init(arguments)\n";
    const auto add = [&](const std::string& path) {
      lines += format("  requests[#requests + 1] = wrk.format(\"GET\", \"{}\")\n", path);
    };
    for (std::int64_t n = 0; n < 200; ++n) {
      add(n % (kWindowsForASearch + 1) == 0
              ? format("/v1/search?q={}", zipf_word(kCommon + n * 37))
              : format("/v1/streams/notes/records/{}/field-window?field=body&offset_chars=0", key_of(n * 7'919 % records_)));
    }
    return lines + "end\n" + kWrkTurns;
  }

  Load run_wrk(const ServedStore& served, int seconds) const {
    return bench::run_wrk({"-t1", format("-c{}", kConnections), format("-d{}s", seconds), "-s", folder_ / "script.lua", "-H",
                           "Authorization: Bearer " + token_, format("http://127.0.0.1:{}", served.port)});
  }

  static std::string text(const Samples& samples) {
    return format("{:.2f} s (most {:.2f})", samples.p50() / 1e6, samples.max() / 1e6);
  }

  Report& report_;
  const ScratchLocation place_;
  const test_support::ScratchFolder folder_;  // on the same disk
  std::string token_, key_;
  std::int64_t records_ = 0, bytes_ = 0;
};

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--quick"}, given);
  const std::int64_t bytes = given.empty() ? kStoreBytes : kStoreBytesQuick;
  Report report(format("`ladder backup` into a new folder, median of {}; floor: a copy, on the disk at its end", kTurns));
  for (const std::string& engine : engines) {
    BackupBench bench(engine, bytes, report);
    bench.beside_copies();
    bench.beside_reads();
  }
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
