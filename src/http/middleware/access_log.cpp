#include "http/middleware/access_log.h"

#include "base/text/format.h"
#include "json/writer.h"

#include <poll.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace ladder::http {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};

}  // namespace

std::string_view known_method(std::string_view method) {
  return std::ranges::find(kMethods, method) != kMethods.end() ? method : "-";
}

// POLLERR and POLLHUP count as writable: the write then fails immediately.
bool DescriptorSink::has_room(std::chrono::milliseconds patience) const {
  pollfd room{descriptor_, POLLOUT, 0};
  return ::poll(&room, 1, static_cast<int>(patience.count())) != 0;
}

// Writes pieces that fit into a writable pipe, so that no write blocks.
bool DescriptorSink::write_all(std::string_view text) {
  while (!text.empty()) {
    if (!has_room(dropped_ > 0 ? std::chrono::milliseconds(0) : kPatience)) return false;
    const auto written = ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return true;  // a full disk or a closed pipe must not stop the service
    inside_line_ = text[static_cast<std::size_t>(written) - 1] != '\n';
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void DescriptorSink::write(std::string_view lines) {
  const MutexLock lock(mutex_);
  const std::int64_t count = std::ranges::count(lines, '\n');
  if (dropped_ > 0) {
    const std::string note =
        format("{}ladder: {} log lines were dropped, because the output was blocked\n", inside_line_ ? "\n" : "", dropped_);
    if (!has_room(std::chrono::milliseconds(0)) || !write_all(note)) {
      dropped_ += count;
      return;
    }
    dropped_ = 0;
  }
  if (!write_all(lines)) dropped_ += count;
}

std::string access_line(const AccessEntry& entry, Instant now) {
  json::Writer out;
  out.begin_object().member("time", format_time(now)).member("request_id", entry.request_id);
  out.member("method", known_method(entry.method)).member("route", entry.route.empty() ? std::string_view("-") : entry.route);
  out.member("status", entry.status).key("bytes");
  if (entry.bytes) out.number(*entry.bytes);
  else out.null();
  // Rounds to microseconds, to avoid a long fraction.
  out.member("duration_ms", static_cast<double>(entry.duration.count()) / 1000.0).member("remote", entry.remote);
  out.optional_member("owner", entry.owner).optional_member("client", entry.client);
  if (!entry.grants.empty()) {
    out.member("grants", entry.grants);
  }
  if (!entry.call.empty()) {
    out.member("call", entry.call).optional_member("tool", entry.tool);
    if (!entry.call_id.empty()) out.key("call_id").raw(entry.call_id);
    out.member("outcome", entry.outcome);
  }
  out.optional_member("trace_id", entry.trace_id);
  out.end_object();
  return out.take() + "\n";
}

std::string access_text(const AccessEntry& entry, Instant now) {
  std::string line =
      format("{} {} {:.1f} ms {} {}", format_time(now), entry.status, static_cast<double>(entry.duration.count()) / 1000.0,
             known_method(entry.method), entry.route.empty() ? std::string_view("-") : entry.route);
  if (!entry.call.empty()) line += format(" {}{}{} {}", entry.call, entry.tool.empty() ? "" : " ", entry.tool, entry.outcome);
  // The owner chooses these names. JSON quoting keeps them from ending the line or imitating another word.
  const auto add = [&line](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    line += format(" {}=", name);
    json::append_string(line, value);
  };
  add("owner", entry.owner);
  add("client", entry.client);
  add("trace", entry.trace_id);
  return line + format(" {} {}\n", entry.remote, entry.request_id);
}

BufferedLog::BufferedLog(LogSink& to) : to_(to), thread_([this] { run(); }) {}

BufferedLog::~BufferedLog() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  pass_on({});
}

void BufferedLog::write(std::string_view line) {
  const Time now = std::chrono::steady_clock::now();
  bool wake = false;
  {
    const MutexLock lock(mutex_);
    if (lines_.size() + line.size() > kMaxBytes) pass_on(now);
    lines_ += line;
    if (now - last_ >= kMaxWait) pass_on(now);
    wake = idle_ && !lines_.empty();
    if (wake) idle_ = false;
  }
  if (wake) wake_.notify_one();
}

void BufferedLog::pass_on(Time now) {
  last_ = now;
  if (lines_.empty()) return;
  to_.write(lines_);
  lines_.clear();
}

void BufferedLog::run() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (lines_.empty()) {
      idle_ = true;
      wake_.wait(lock);
      continue;
    }
    idle_ = false;
    const Time due = last_ + kMaxWait;
    const Time now = std::chrono::steady_clock::now();
    if (now >= due) pass_on(now);
    else wake_.wait_until(lock, due, [&]() LADDER_REQUIRES(mutex_) { return stopping_; });
  }
}

}  // namespace ladder::http
