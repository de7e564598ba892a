// Measures MCP over standard input and output, over HTTP, at startup and in memory, each against the minimum that any
// server needs or against the official SDK's server (docs/inside/bench.md).
//
//   bench_mcp [stdio] [start] [http] [--seconds N] [--without-sdk]
// Runs all three parts if none is named. --seconds: seconds per turn over HTTP (3). --without-sdk: compares Ladder only
// with the bare echo and with REST.
#include "mcp_parts.h"

#include "base/text/format.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {
namespace {

struct Options {
  std::vector<std::string> parts;
  std::int64_t seconds = 3;
  Sdk sdk = Sdk::kBeside;

  bool wants(std::string_view part) const { return parts.empty() || std::ranges::find(parts, part) != parts.end(); }
};

Options options(std::span<char*> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i], next = i + 1 < words.size() ? words[i + 1] : "";
    if (word == "stdio" || word == "start" || word == "http") {
      options.parts.emplace_back(word);
    } else if (word == "--seconds" &&
               std::from_chars(next.data(), next.data() + next.size(), options.seconds).ec == std::errc() &&
               options.seconds > 0) {
      ++i;
    } else if (word == "--without-sdk") {
      options.sdk = Sdk::kLeftOut;
    } else {
      give_up("usage: bench_mcp [stdio] [start] [http] [--seconds N] [--without-sdk]");
    }
  }
  return options;
}

int run(int argc, char** argv) {
  const Options wanted = options(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  Report report("MCP, SQLite");
  progress("SQLite: writing");
  McpScene scene;
  // HTTP runs first: the other two parts pin the process to one core.
  if (wanted.wants("http")) measure_http(scene, report, wanted.seconds, wanted.sdk);
  if (wanted.wants("stdio")) measure_stdio(scene, report);
  if (wanted.wants("start")) measure_start(scene, report);
  report.print();
  return report.exit_code();
}

}  // namespace

std::string megabytes(std::int64_t bytes) { return format("{:.2f} MB", static_cast<double>(bytes) / (1 << 20)); }

}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
