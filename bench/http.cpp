// Measures how many requests per second `ladder serve` answers compared with a bare Beast echo of the same number of
// bytes, how much latencies vary, and whether memory stays constant. wrk loads both in turn over 32 connections; all
// processes share the cores.
//
//   bench_http [--requests N] [--seconds N]     total window reads (a million), and seconds per turn (3)
#include "report.h"
#include "scene.h"
#include "wrk.h"

#include "base/text/format.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

namespace ladder::bench {
namespace {

constexpr int kConnections = 32, kTurns = 5;
constexpr std::int64_t kRecords = 200;
constexpr std::int64_t kLongChars = 100'000, kWindowChars = 4096, kShortChars = 300;
constexpr double kLeastShare = 0.35, kMaxUnevenness = 1.5;
constexpr std::int64_t kMaxMemory = 40 << 20, kMaxGrowth = 4 << 20;
constexpr std::int64_t kWarmUp = 20'000;  // requests that fill every cache

// wrk reads the paths from a file.
constexpr const char* kPaths = R"(
requests = {}
function init(arguments)
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end
)";

struct Options {
  std::int64_t requests = 1'000'000, seconds = 3;
};

std::string note_key(std::int64_t n) { return format("note-{:05}", n); }
std::string long_key(std::int64_t n) { return format("long-{:05}", n); }

std::vector<std::string> record_paths() {
  std::vector<std::string> paths;
  for (std::int64_t n = 0; n < kRecords; ++n) paths.push_back("/v1/streams/notes/records/" + note_key(n));
  return paths;
}

std::vector<std::string> window_paths() {
  std::vector<std::string> paths;
  for (std::int64_t n = 0; n < 10 * kRecords; ++n) {
    paths.push_back(format("/v1/streams/notes/records/{}/field-window?field=body&offset_chars={}", long_key(n % kRecords),
                           n * 7'919 % (kLongChars - kWindowChars)));
  }
  return paths;
}

class HttpBench {
 public:
  HttpBench(const Options& options, Report& report) : options_(options), report_(report), place_("sqlite") {
    progress("SQLite: writing");
    token_ = fill();
    std::ofstream(folder_ / "script.lua") << kPaths << kWrkTurns;
    ladder_ = std::make_unique<ServedStore>(std::vector<std::string>{"--db", place_.location(), "--owner", "local"},
                                            (folder_ / "access.log").string());
  }

  void run() {
    const std::string windows = paths_file("windows", window_paths()), records = paths_file("records", record_paths());
    std::int64_t read = 0;
    while (read < kWarmUp) read += ladder(windows, 1).requests;
    const std::int64_t before = memory();
    std::int64_t most = before, asked = compare("window read", windows);
    while (asked < options_.requests) {
      progress(format("window reads: {} of {}", asked, options_.requests));
      asked += ladder(windows, 5 * options_.seconds).requests;
      most = std::max(most, memory());
    }
    const std::int64_t after = memory();
    most = std::max(most, after);
    report_.below("anonymous memory at its most", megabytes(most), most < kMaxMemory, "< 40 MB");
    report_.below(format("memory grown over {} window reads", asked), megabytes(after - before), after - before < kMaxGrowth,
                  "< 4 MB");
    compare("record get", records);
  }

 private:
  std::string fill() {
    Scene scene(place_, Scene::Set::kUp);
    std::string lines;
    for (std::int64_t n = 0; n < kRecords; ++n) {
      lines += note_line(note_key(n), prose(kShortChars, static_cast<std::uint64_t>(n)));
      lines += note_line(long_key(n), prose(kLongChars, static_cast<std::uint64_t>(n)));
    }
    scene.ingest(lines);
    return scene.client_token();
  }

  std::string paths_file(const char* name, const std::vector<std::string>& paths) {
    const std::string file = (folder_ / name).string();
    std::ofstream out(file);
    for (const std::string& path : paths) out << path << '\n';
    return file;
  }

  Load wrk(int port, const std::string& paths, std::int64_t seconds) {
    return run_wrk({"-t1", format("-c{}", kConnections), format("-d{}s", seconds), "-s", (folder_ / "script.lua").string(), "-H",
                    "Authorization: Bearer " + token_, format("http://127.0.0.1:{}", port), "--", paths});
  }

  Load ladder(const std::string& paths, std::int64_t seconds) {
    const Load load = wrk(ladder_->port, paths, seconds);
    ladder_->empty_log();  // drops the log lines of this turn
    return load;
  }

  // Returns how many requests Ladder answered.
  std::int64_t compare(const std::string& what, const std::string& paths) {
    const Load first = ladder(paths, 1);
    const std::int64_t bytes = first.answer_bytes();
    const BareEcho echo(bytes);
    Turns ladder_turns, echo_turns;
    std::int64_t asked = first.requests;
    for (int turn = 1; turn <= kTurns; ++turn) {
      progress(format("{}: turn {} of {}", what, turn, kTurns));
      echo_turns.add(wrk(echo.port, paths, options_.seconds));
      const Load load = ladder(paths, options_.seconds);
      ladder_turns.add(load);
      asked += load.requests;
    }
    report_.at_least(format("{} of {} bytes", what, bytes), ladder_turns.rate_text(), echo_turns.rate_text(),
                     ladder_turns.rate() / echo_turns.rate(), kLeastShare);
    report_.at_most(what + ", p99 over p50", ladder_turns.latency_text(), echo_turns.latency_text(),
                    ladder_turns.unevenness() / echo_turns.unevenness(), kMaxUnevenness);
    return asked;
  }

  std::int64_t memory() const { return anonymous_memory(ladder_->process.id()); }
  static std::string megabytes(std::int64_t bytes) { return format("{:.2f} MB", static_cast<double>(bytes) / (1 << 20)); }

  const Options options_;
  Report& report_;
  ScratchLocation place_;
  test_support::ScratchFolder folder_;
  std::string token_;
  std::unique_ptr<ServedStore> ladder_;
};

Options options(std::span<char*> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string_view name = words[i], value = i + 1 < words.size() ? words[i + 1] : "";
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool ok = error == std::errc() && end == value.data() + value.size() && number > 0;
    if (name == "--requests" && ok) {
      options.requests = number;
    } else if (name == "--seconds" && ok) {
      options.seconds = number;
    } else {
      give_up("usage: bench_http [--requests N] [--seconds N]");
    }
  }
  return options;
}

int run(int argc, char** argv) {
  Report report(format("wrk, {} connections, SQLite", kConnections));
  HttpBench(options(std::span(argv, static_cast<std::size_t>(argc)).subspan(1)), report).run();
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
