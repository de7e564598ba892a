#include "wrk.h"

#include "scene.h"

#include "base/text/format.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace ladder::bench {
namespace {

double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

std::vector<std::string> serve(std::vector<std::string> more) {
  std::vector<std::string> words = {LADDER_PROGRAM, "serve", "--json", "--listen", "127.0.0.1:0"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

int port_said(const std::string& said) {
  const std::size_t port = said.find("\"port\":");
  if (port == said.npos) give_up("ladder serve said " + said);
  return std::atoi(said.c_str() + port + 7);
}

double seconds_of(const timeval& time) { return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6; }

// Counts child processes that have ended and were waited for.
double processor_time_of_children() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

}  // namespace

double processor_time(int process) {
  std::ifstream file(format("/proc/{}/stat", process));
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  std::istringstream words(stat.substr(stat.rfind(')') + 1));  // after the name, which may contain any character
  constexpr int kBeforeTimes = 11;
  std::string skipped;
  for (int i = 0; i < kBeforeTimes; ++i) words >> skipped;
  double user = 0, system = 0;
  words >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Load run_wrk(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "wrk");
  const double before = processor_time_of_children();
  Child wrk(std::move(arguments));
  const std::string said = wrk.read_all();
  if (wrk.wait() != 0) give_up("wrk failed: " + said);
  const std::size_t line = said.find("\nsummary ");
  if (line == said.npos) give_up("wrk said " + said);
  Load load;
  std::istringstream words(said.substr(line + 9));
  double microseconds = 0;
  words >> load.requests >> microseconds >> load.bytes >> load.p50 >> load.p99 >> load.errors;
  load.seconds = microseconds / 1e6;
  load.processor = processor_time_of_children() - before;
  if (!words || load.errors != 0 || load.requests == 0) give_up("not every request was answered well: " + said);
  return load;
}

BareEcho::BareEcho(std::int64_t answer_bytes)
    : process({HTTP_ECHO_PROGRAM, "bare", "0", std::to_string(std::thread::hardware_concurrency()),
               std::to_string(answer_bytes - kEchoHeader)}),
      port(std::atoi(process.read_line().c_str())) {}

ServedStore::ServedStore(std::vector<std::string> more_arguments, std::string log_file)
    : log(std::move(log_file)), process(serve(std::move(more_arguments)), log), port(port_said(process.read_line())) {}

void ServedStore::empty_log() const {
  std::error_code ignored;
  std::filesystem::resize_file(log, 0, ignored);
}

void Turns::add(const Load& load, double processor) {
  costs_.push_back((load.processor + processor) / static_cast<double>(load.requests) * 1e6);
  rates_.push_back(load.rate());
  p50s_.push_back(load.p50);
  p99s_.push_back(load.p99);
  answer_bytes_ = load.answer_bytes();
}

double Turns::rate() const { return median(rates_); }
double Turns::p50() const { return median(p50s_); }
double Turns::p99() const { return median(p99s_); }
double Turns::unevenness() const { return median(p99s_) / median(p50s_); }
double Turns::cost() const { return median(costs_); }
std::string Turns::cost_text() const { return format("{:.1f} µs, {}", cost(), rate_text()); }
std::string Turns::rate_text() const { return format("{:.0f} /s", rate()); }
std::string Turns::latency_text() const { return format("{:.2f} / {:.2f} ms", p50() / 1000, p99() / 1000); }

}  // namespace ladder::bench
