// How many requests a second does `ladder serve` answer, beside a bare Beast echo that sends as many bytes? How even are the
// times, and does its memory stay what it is? wrk asks both in turn, over 32 connections; all of them share the cores.
//
//   bench_http [--requests N] [--seconds N]     window reads in all (a million), and how long each turn lasts (3)
#include "child.h"
#include "report.h"
#include "scene.h"

#include "base/format.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <thread>
#include <vector>

namespace ladder::bench {
namespace {

constexpr int kConnections = 32, kTurns = 5;
constexpr std::int64_t kRecords = 200;
constexpr std::int64_t kLongChars = 100'000, kWindowChars = 4096, kShortChars = 300;
constexpr double kLeastShare = 0.35, kMostUnevenness = 1.5;
constexpr std::int64_t kMostMemory = 40 << 20, kMostGrowth = 4 << 20;
constexpr std::int64_t kWarmUp = 20'000;  // requests until every cache is filled

// wrk reads paths from a file and tells in one line what it saw.
constexpr const char* kScript = R"(
local requests, next_one = {}, 0
function init(arguments)
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end
function request()
  next_one = next_one % #requests + 1
  return requests[next_one]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("\nsummary %d %d %d %d %d %d\n", summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
)";

struct Options {
  std::int64_t requests = 1'000'000, seconds = 3;
};

struct Load {
  std::int64_t requests = 0, bytes = 0, errors = 0;
  double seconds = 0, p50 = 0, p99 = 0;  // latencies in microseconds
  double rate() const { return static_cast<double>(requests) / seconds; }
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

double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

// The turns of one server.
struct Turns {
  std::vector<double> rates, p50s, p99s;
  void add(const Load& load) {
    rates.push_back(load.rate());
    p50s.push_back(load.p50);
    p99s.push_back(load.p99);
  }
  double rate() const { return median(rates); }
  double unevenness() const { return median(p99s) / median(p50s); }
  std::string rate_text() const { return format("{:.0f} /s", rate()); }
  std::string latency_text() const { return format("{:.2f} / {:.2f} ms", median(p50s) / 1000, median(p99s) / 1000); }
};

class HttpBench {
 public:
  HttpBench(const Options& options, Report& report) : options_(options), report_(report), place_("sqlite") {
    progress("SQLite: writing");
    token_ = fill();
    std::ofstream(folder_ / "script.lua") << kScript;
    log_ = (folder_ / "access.log").string();
    ladder_ = std::make_unique<Child>(std::vector<std::string>{LADDER_PROGRAM, "serve", "--json", "--listen", "127.0.0.1:0",
                                                               "--db", place_.location(), "--owner", "local"},
                                      log_);
    const std::string said = ladder_->read_line();
    const std::size_t port = said.find("\"port\":");
    if (port == said.npos) give_up("ladder serve said " + said);
    ladder_port_ = std::atoi(said.c_str() + port + 7);
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
    report_.below("anonymous memory at its most", megabytes(most), most < kMostMemory, "< 40 MB");
    report_.below(format("memory grown over {} window reads", asked), megabytes(after - before), after - before < kMostGrowth,
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
    Child wrk({"wrk", "-t1", format("-c{}", kConnections), format("-d{}s", seconds), "-s", (folder_ / "script.lua").string(),
               "-H", "Authorization: Bearer " + token_, format("http://127.0.0.1:{}", port), "--", paths});
    const std::string said = wrk.read_all();
    if (wrk.wait() != 0) give_up("wrk failed: " + said);
    const std::size_t line = said.find("\nsummary ");
    if (line == said.npos) give_up("wrk said " + said);
    Load load;
    std::istringstream words(said.substr(line + 9));
    double microseconds = 0;
    words >> load.requests >> microseconds >> load.bytes >> load.p50 >> load.p99 >> load.errors;
    load.seconds = microseconds / 1e6;
    if (!words || load.errors != 0 || load.requests == 0) give_up("not every request was answered well: " + said);
    return load;
  }

  Load ladder(const std::string& paths, std::int64_t seconds) {
    const Load load = wrk(ladder_port_, paths, seconds);
    std::error_code ignored;
    std::filesystem::resize_file(log_, 0, ignored);  // a line a request: a million of them need not be kept
    return load;
  }

  // Returns how many requests Ladder answered.
  std::int64_t compare(const std::string& what, const std::string& paths) {
    const Load first = ladder(paths, 1);
    // The echo's answer is as long as Ladder's, header and all.
    constexpr std::int64_t kEchoHeader = 41;
    const std::int64_t bytes = first.bytes / first.requests;
    Child echo(
        {ECHO_PROGRAM, "bare", "0", std::to_string(std::thread::hardware_concurrency()), std::to_string(bytes - kEchoHeader)});
    const int echo_port = std::atoi(echo.read_line().c_str());
    Turns ladder_turns, echo_turns;
    std::int64_t asked = first.requests;
    for (int turn = 1; turn <= kTurns; ++turn) {
      progress(format("{}: turn {} of {}", what, turn, kTurns));
      echo_turns.add(wrk(echo_port, paths, options_.seconds));
      const Load load = ladder(paths, options_.seconds);
      ladder_turns.add(load);
      asked += load.requests;
    }
    report_.at_least(format("{} of {} bytes", what, bytes), ladder_turns.rate_text(), echo_turns.rate_text(),
                     ladder_turns.rate() / echo_turns.rate(), kLeastShare);
    report_.at_most(what + ", p99 over p50", ladder_turns.latency_text(), echo_turns.latency_text(),
                    ladder_turns.unevenness() / echo_turns.unevenness(), kMostUnevenness);
    return asked;
  }

  std::int64_t memory() const { return anonymous_memory(ladder_->id()); }
  static std::string megabytes(std::int64_t bytes) { return format("{:.2f} MB", static_cast<double>(bytes) / (1 << 20)); }

  const Options options_;
  Report& report_;
  Place place_;
  test_support::ScratchFolder folder_;
  std::string token_, log_;
  std::unique_ptr<Child> ladder_;
  int ladder_port_ = 0;
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
