#include "import/formats/browser/browser_records.h"

#include "import/formats/record_members.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::imports::browser {
namespace {

constexpr std::size_t kMaxUrlBytes = 4096;  // longer addresses carry data
constexpr Instant kLatest = 253'402'300'799 * kSecond;

std::optional<Instant> in_range(Instant time) { return time <= 0 || time > kLatest ? std::nullopt : std::optional(time); }

std::string host_of(std::string_view url) {
  const std::size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  std::string_view host = url.substr(begin + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  if (!host.starts_with('[')) host = host.substr(0, host.find(':'));
  std::string name = lower_ascii(host);
  return name.starts_with("www.") ? name.substr(4) : name;
}

}  // namespace

bool is_web(std::string_view url) {
  return starts_with_ignoring_case(url, "http://") || starts_with_ignoring_case(url, "https://") ||
         starts_with_ignoring_case(url, "ftp://") || starts_with_ignoring_case(url, "file://");
}

std::optional<Instant> chrome_time(std::int64_t value) {
  constexpr Instant kEpoch1601 = 11'644'473'600 * kSecond;
  return value <= kEpoch1601 ? std::nullopt : in_range(value - kEpoch1601);
}

std::optional<Instant> firefox_time(std::int64_t value) {
  constexpr std::int64_t kMicrosecondsFrom = 100'000'000'000'000;
  return value <= 0 ? std::nullopt : in_range(value < kMicrosecondsFrom ? value * 1000 : value);
}

Status send(Sink& sink, const Visit& visit, std::string_view browser, const wire::FileLocation& place) {
  if (!is_web(visit.url)) return sink.skipped("visits", "a page of the browser itself");
  if (!visit.time) return sink.skipped("visits", "a visit without a time");
  const std::string_view url = beginning(visit.url, kMaxUrlBytes);
  json::Writer out;
  out.begin_object().member("id", digest_id({visit.url, format_time(*visit.time)}));
  out.member("visited_at", format_time(*visit.time)).optional_member("host", host_of(url)).optional_member("title", visit.title);
  out.member("url", url).optional_member("transition", visit.transition);
  if (visit.duration_seconds > 0) out.member("duration_seconds", visit.duration_seconds);
  out.member("browser", browser).end_object();
  return sink.record({"visits", out.take(), place, visit.time});
}

Status send(Sink& sink, const Bookmark& bookmark, std::string_view browser, const wire::FileLocation& place) {
  json::Writer out;
  const std::string_view url = beginning(bookmark.url, kMaxUrlBytes);
  out.begin_object().member("id", bookmark.id.empty() ? digest_id({bookmark.url, bookmark.folder}) : digest_id({bookmark.id}));
  out.member("title", bookmark.title.empty() ? url : std::string_view(bookmark.title)).member("url", url);
  out.optional_member("folder", bookmark.folder);
  optional_time_member(out, "added_at", bookmark.added);
  out.member("browser", browser).end_object();
  return sink.record({"bookmarks", out.take(), place, bookmark.added});
}

}  // namespace ladder::imports::browser
