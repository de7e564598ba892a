// A benchmark report is one table: each figure of Ladder, the floor measured in the same run, their ratio, the required
// bar, and whether it is met.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ladder::bench {

// Durations of one kind of call, in microseconds.
class Samples {
 public:
  // Times the call and returns its result.
  template <class Work>
  auto time(Work work) {
    const auto began = std::chrono::steady_clock::now();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      add(std::chrono::steady_clock::now() - began);
    } else {
      auto result = work();
      add(std::chrono::steady_clock::now() - began);
      return result;
    }
  }
  double p50() const { return percentile(0.50); }
  double p99() const { return percentile(0.99); }
  double max() const { return percentile(1); }
  std::size_t count() const { return sorted_.size(); }
  std::string text() const;  // "p50 / p99" with a unit

 private:
  void add(std::chrono::steady_clock::duration taken) {
    sorted_.push_back(std::chrono::duration<double, std::micro>(taken).count());
    is_sorted_ = false;
  }
  double percentile(double share) const;

  mutable std::vector<double> sorted_;  // sorted when a percentile is requested
  mutable bool is_sorted_ = false;
};

class Report {
 public:
  explicit Report(std::string title) : title_(std::move(title)) {}

  // The ratio must be at most, or at least, the bar.
  void at_most(std::string what, std::string ladder, std::string floor, double ratio, double bar);
  void at_least(std::string what, std::string ladder, std::string floor, double ratio, double bar);
  // Adds a figure with its own bar, without a floor or with one given only for information.
  void below(std::string what, std::string ladder, bool ok, std::string bar);
  void below(std::string what, std::string ladder, std::string floor, bool ok, std::string bar);

  // Adds a figure without a bar.
  void note(std::string what, std::string ladder, std::string floor, double ratio);

  void print() const;
  int exit_code() const { return missed_ ? 1 : 0; }

 private:
  struct Row {
    std::string what, ladder, floor, ratio, bar, verdict;
  };
  void add(Row row, bool ok);

  std::string title_;
  std::vector<Row> rows_;
  bool missed_ = false;
};

// Returns the bytes of memory that belong to a process alone and to no file; default: this process.
std::int64_t anonymous_memory();
std::int64_t anonymous_memory(int process);

// Prints progress to standard error; standard output has only the table.
void progress(const std::string& what);

}  // namespace ladder::bench
