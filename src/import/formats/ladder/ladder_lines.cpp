#include "import/formats/ladder/ladder_lines.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxEscape = 6;  // a byte of a key as \u0000
constexpr std::size_t kMaxKeyBytes = 2 * kMaxEscape * ladder::limits::kMaxRecordKeyBytes;

// Returns the position after the string that starts at `at`; npos if it does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == '"') return at + 1;
  }
  return std::string_view::npos;
}

// Returns the position after a string or an array of strings.
std::size_t end_of_key(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != '[')
    return at < text.size() && text[at] == '"' ? end_of_string(text, at) : std::string_view::npos;
  for (++at; at < text.size() && text[at] != ']';) {
    at = text[at] == '"' ? end_of_string(text, at) : at + 1;
    if (at == std::string_view::npos) return at;
  }
  return at < text.size() ? at + 1 : std::string_view::npos;
}

}  // namespace

Status LongLines::skip_to(std::int64_t from) {
  while (offset_ < from && !finished_) {
    LADDER_CHECK(fill());
    const auto part = std::min<std::int64_t>(from - offset_, std::ssize(buffer_));
    offset_ += part;
    at_ = static_cast<std::size_t>(part);
    if (offset_ < from) drop();
  }
  return {};
}

Result<bool> LongLines::next() {
  line_offset_ = offset_;
  std::size_t newline = buffer_.find('\n', at_);
  while (newline == std::string::npos && !finished_ && buffer_.size() - at_ < kHeldBytes) {
    LADDER_CHECK(fill());
    newline = buffer_.find('\n', at_ + searched_);
  }
  if (newline != std::string::npos || finished_) return take(newline);
  line_ = buffer_.substr(at_);
  held_ = false;
  length_ = 0;
  return measure();
}

// Appends another block to the buffer.
Status LongLines::fill() {
  buffer_.erase(0, std::exchange(at_, 0));
  searched_ = buffer_.size();
  LADDER_TRY(const std::size_t count, pieces_.append_to(buffer_));
  hash_.update(std::string_view(buffer_).substr(searched_));
  finished_ = count == 0;
  return {};
}

void LongLines::drop() {
  buffer_.clear();
  at_ = 0;
}

bool LongLines::take(std::size_t newline) {
  const std::size_t end = std::min(newline, buffer_.size());
  if (newline == std::string::npos && end == at_) return false;
  held_ = true;
  line_.assign(buffer_, at_, end - at_);
  length_ = std::ssize(line_);
  const std::size_t behind = newline == std::string::npos ? end : end + 1;
  offset_ += static_cast<std::int64_t>(behind - at_);
  at_ = behind;
  return true;
}

Result<bool> LongLines::measure() {
  for (;;) {
    const std::size_t newline = buffer_.find('\n', at_);
    const std::size_t end = std::min(newline, buffer_.size());
    length_ += static_cast<std::int64_t>(end - at_);
    offset_ += static_cast<std::int64_t>(end - at_);
    if (newline != std::string::npos) {
      ++offset_;
      at_ = end + 1;
      return true;
    }
    drop();
    if (finished_) return true;
    LADDER_CHECK(fill());
  }
}

std::string LongLines::digest() { return to_hex(crypto::view(hash_.finish())); }

std::optional<LineHeader> parse_line_header(std::string_view line) {
  constexpr std::string_view kKey = "{\"key\":", kEmitted = ",\"emitted_at\":\"", kData = ",\"data\":";
  if (!line.starts_with(kKey)) return std::nullopt;
  const std::size_t key_end = end_of_key(line, kKey.size());
  if (key_end == std::string_view::npos || !line.substr(key_end).starts_with(kEmitted)) return std::nullopt;
  const std::size_t time = key_end + kEmitted.size() - 1;
  const std::size_t time_end = end_of_string(line, time);
  if (time_end == std::string_view::npos || !line.substr(time_end).starts_with(kData)) return std::nullopt;
  LineHeader head;
  head.key = line.substr(kKey.size(), key_end - kKey.size());
  const std::string_view quoted = line.substr(time, time_end - time);
  if (head.key.size() > kMaxKeyBytes || quoted.size() > ladder::limits::kMaxTimeTextBytes) return std::nullopt;
  if (!json::check(head.key, 1) || !json::check(quoted, 1)) return std::nullopt;
  head.emitted_at = json::decode_string(quoted.substr(1, quoted.size() - 2));
  head.data = time_end + kData.size();
  return head;
}

}  // namespace ladder::imports
