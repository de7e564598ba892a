#include "report.h"

#include "base/text/format.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace ladder::bench {
namespace {

std::string duration_text(double p50, double p99) {
  if (p50 >= 10'000) return format("{:.1f} / {:.1f} ms", p50 / 1000, p99 / 1000);
  return format("{:.1f} / {:.1f} us", p50, p99);
}

}  // namespace

double Samples::percentile(double share) const {
  if (!is_sorted_) std::ranges::sort(sorted_);
  is_sorted_ = true;
  if (sorted_.empty()) return 0;
  return sorted_[std::min(sorted_.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted_.size())))];
}

std::string Samples::text() const { return duration_text(p50(), p99()); }

void Report::at_most(std::string what, std::string ladder, std::string floor, double ratio, double bar) {
  add({std::move(what), std::move(ladder), std::move(floor), format("{:.2f}", ratio), format("<= {}", bar), {}}, ratio <= bar);
}

void Report::at_least(std::string what, std::string ladder, std::string floor, double ratio, double bar) {
  add({std::move(what), std::move(ladder), std::move(floor), format("{:.2f}", ratio), format(">= {}", bar), {}}, ratio >= bar);
}

void Report::below(std::string what, std::string ladder, bool ok, std::string bar) {
  below(std::move(what), std::move(ladder), {}, ok, std::move(bar));
}

void Report::below(std::string what, std::string ladder, std::string floor, bool ok, std::string bar) {
  add({std::move(what), std::move(ladder), std::move(floor), {}, std::move(bar), {}}, ok);
}

void Report::note(std::string what, std::string ladder, std::string floor, double ratio) {
  rows_.push_back({std::move(what), std::move(ladder), std::move(floor), format("{:.2f}", ratio), "-", {}});
}

void Report::add(Row row, bool ok) {
  row.verdict = ok ? "ok" : "MISS";
  missed_ = missed_ || !ok;
  rows_.push_back(std::move(row));
}

void Report::print() const {
  std::vector<Row> rows = {{title_, "Ladder", "floor", "ratio", "bar", ""}};
  rows.insert(rows.end(), rows_.begin(), rows_.end());
  constexpr std::array kColumns = {&Row::what, &Row::ladder, &Row::floor, &Row::ratio, &Row::bar, &Row::verdict};
  std::array<std::size_t, kColumns.size()> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) widths[i] = std::max(widths[i], (row.*kColumns[i]).size());
  }
  for (const Row& row : rows) {
    std::string line = format("{:<{}}", row.what, widths[0]);
    for (std::size_t i = 1; i + 1 < kColumns.size(); ++i) line += format("  {:>{}}", row.*kColumns[i], widths[i]);
    if (!row.verdict.empty()) line += "  " + row.verdict;
    std::puts(line.c_str());
  }
  std::fflush(stdout);
}

std::int64_t anonymous_memory() { return anonymous_memory(::getpid()); }

std::int64_t anonymous_memory(int process) {
  std::ifstream status(format("/proc/{}/status", process));
  for (std::string line; std::getline(status, line);) {
    if (std::string_view(line).starts_with("RssAnon:")) return std::stoll(line.substr(8)) * 1024;
  }
  return 0;
}

void progress(const std::string& what) { std::fputs((what + "\n").c_str(), stderr); }

}  // namespace ladder::bench
