#include "app/import/import_feed.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ladder::app {
namespace {

constexpr std::size_t kBufferBytes = 1024 * 1024;
constexpr std::size_t kPlaceBytes =
    32 * 1024 * 1024;  // the file names of pending lines; beyond this a rejection reports only the byte offset

}  // namespace

std::size_t ObjectBound::take(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (in_string_) {
      if (std::exchange(escaped_, false)) continue;
      // Most bytes are inside strings, so this skips to the next quote at once.
      const std::size_t quote = std::min(bytes.find('"', at), bytes.size());
      const std::size_t escape = std::min(bytes.substr(0, quote).find('\\', at), quote);
      at = escape;
      if (at == bytes.size()) break;
      escaped_ = bytes[at] == '\\';
      in_string_ = escaped_;
      continue;
    }
    const char c = bytes[at];
    if (depth_ == 0) {
      if (c == ' ' || c == '\t' || c == '\r') continue;
      if (begun_ || c != '{') return at;
      begun_ = true;
    }
    if (c == '{' || c == '[') ++depth_;
    else if (c == '}' || c == ']') --depth_;
    else in_string_ = c == '"';
  }
  return bytes.size();
}

ImportFeed::ImportFeed(server::Ingest& ingest, const server::Access& owner, server::IngestTarget target, const Stop& stop)
    : ingest_(ingest), owner_(owner), target_(std::move(target)), stop_(stop), thread_([this] { run(); }) {}

void ImportFeed::run() {
  server::LineSource lines(*this, limits::kMaxLineBytes);
  const Result<server::IngestReport> done = ingest_.put_records(owner_, target_, lines, *this);
  const MutexLock lock(mutex_);
  ended_ = true;
  if (!done) outcome_ = std::unexpected(done.error());
  room_.notify_all();
}

Status ImportFeed::begin_line(const imports::wire::RecordHeader& head) {
  // The child is not trusted to keep the key on one line.
  const bool fit = head.key.empty() || (head.key.find('\n') == std::string::npos && json::check(head.key, 1));
  if (!fit) return fail(Code::kRsProtocol, "the extractor sent an invalid key");
  {
    const MutexLock lock(mutex_);
    const bool named = place_bytes_ + head.place.file.size() <= kPlaceBytes;
    places_.push_back({named ? head.place.file : std::string(), head.place.byte});
    place_bytes_ += places_.back().file.size();
  }
  data_ = {};
  std::string line = "{";
  if (!head.key.empty()) line += format("\"key\":{},", head.key);
  if (!head.emitted_at.empty()) {
    line += "\"emitted_at\":";
    json::append_string(line, head.emitted_at);
    line += ",";
  }
  return put(line + "\"data\":");
}

Status ImportFeed::end_line() {
  LADDER_CHECK(put("}\n"));
  ++lines_;
  return {};
}

Status ImportFeed::append(std::string_view bytes) {
  const std::size_t fit = data_.take(bytes);
  LADDER_CHECK(put(bytes.substr(0, fit)));
  return fit < bytes.size() ? put("\x01") : Status{};  // this byte is invalid in JSON
}

Status ImportFeed::put(std::string_view bytes) {
  MutexLock lock(mutex_);
  while (!bytes.empty()) {
    room_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return ended_ || buffer_.size() < kBufferBytes; });
    if (ended_) return outcome_ ? Status(fail(Code::kCancelled, "stopped")) : outcome_;
    const std::size_t count = std::min(bytes.size(), kBufferBytes - buffer_.size());
    const bool was_empty = buffer_.empty();
    buffer_ += bytes.substr(0, count);
    bytes.remove_prefix(count);
    if (was_empty) more_.notify_one();
  }
  return {};
}

// The reading thread checks and splits the lines. The writing thread, which it started earlier, is the bottleneck, so the
// reading thread lowers its priority.
void ImportFeed::lower_priority() {
  constexpr int kNice = 10;
  if (!std::exchange(priority_lowered_, true)) static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice));
}

Result<std::size_t> ImportFeed::read(char* buffer, std::size_t capacity) {
  lower_priority();
  MutexLock lock(mutex_);
  more_.wait(lock, [this]() LADDER_REQUIRES(mutex_) { return no_more_ || !buffer_.empty(); });
  const std::size_t count = std::min(capacity, buffer_.size() - taken_);
  std::memcpy(buffer, buffer_.data() + taken_, count);
  taken_ += count;
  // Moves the remaining bytes to the front only when half of the buffer is used.
  if (2 * taken_ >= buffer_.size()) {
    buffer_.erase(0, std::exchange(taken_, 0));
    room_.notify_one();
  }
  return count;
}

Status ImportFeed::finish() {
  if (thread_.joinable()) {
    {
      const MutexLock lock(mutex_);
      no_more_ = true;
    }
    more_.notify_one();
    thread_.join();
  }
  const MutexLock lock(mutex_);
  return outcome_;
}

void ImportFeed::durable_through(std::int64_t line, const server::IngestReport& so_far) {
  const MutexLock lock(mutex_);
  progress_.durable = line;
  server::IngestReport& report = progress_.report;
  report.attempted = so_far.attempted;
  report.accepted = so_far.accepted;
  report.rejected = so_far.rejected;
  report.added = so_far.added;
  report.changed = so_far.changed;
  report.unchanged = so_far.unchanged;
  report.erased = so_far.erased;
  for (; seen_rejections_ < so_far.rejections.size(); ++seen_rejections_) {
    const server::Rejection& rejection = so_far.rejections[seen_rejections_];
    const auto at = static_cast<std::size_t>(rejection.line - first_place_);
    imports::wire::Loss loss{at < places_.size() ? places_[at] : imports::wire::FileLocation{},
                             format("{}: {}", rejection.code, rejection.message)};
    rejection_bytes_ += loss.place.file.size() + loss.reason.size();
    if (rejection_bytes_ > UnitAccount::kListedLossBytes) loss = {};
    rejections_.push_back({rejection.line, std::move(loss)});
  }
  for (; first_place_ <= line && !places_.empty(); ++first_place_) {
    place_bytes_ -= places_.front().file.size();
    places_.pop_front();
  }
}

ImportFeed::Progress ImportFeed::progress() {
  const MutexLock lock(mutex_);
  return progress_;
}

ImportFeed::Rejections ImportFeed::rejections_through(std::int64_t line) {
  const MutexLock lock(mutex_);
  Rejections through;
  for (const auto& [at, loss] : rejections_) {
    if (at > line) return through;
    ++through.count;
    if (!loss.reason.empty() && through.listed.size() < UnitAccount::kListedLosses) through.listed.push_back(loss);
  }
  through.count = progress_.report.rejected;  // includes the rejections that are not listed
  return through;
}

}  // namespace ladder::app
