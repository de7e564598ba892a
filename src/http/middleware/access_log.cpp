#include "http/middleware/access_log.h"

#include "base/format.h"
#include "json/writer.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>

namespace ladder::http {
namespace {

constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};

// A method is the caller's text; an invented one could carry anything into the log.
std::string_view known_method(std::string_view method) {
  return std::ranges::find(kMethods, method) != kMethods.end() ? method : "-";
}

}  // namespace

void DescriptorSink::write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  while (!line.empty()) {
    const auto written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk must not stop the service
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string access_line(const AccessEntry& entry, Instant now) {
  json::Writer out;
  out.begin_object().member("time", format_time(now)).member("request_id", entry.request_id);
  out.member("method", known_method(entry.method)).member("route", entry.route.empty() ? std::string_view("-") : entry.route);
  out.member("status", entry.status).key("bytes");
  if (entry.bytes) out.number(*entry.bytes);
  else out.null();
  // Rounded to the microsecond, so that no tail of binary digits is printed.
  out.member("duration_ms", static_cast<double>(entry.duration.count()) / 1000.0).member("remote", entry.remote);
  out.optional_member("owner", entry.owner).optional_member("client", entry.client);
  if (!entry.grants.empty()) {
    out.key("grants").begin_array();
    for (const std::string& grant : entry.grants) out.string(grant);
    out.end_array();
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
  // Names are of the owner's choosing: as JSON strings they cannot end the line or pass for another word.
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

}  // namespace ladder::http
