// The buffer grows by realloc, which remaps large blocks instead of copying them, so a line of a gigabyte needs only its
// own size.
#include "server/ingest/line_source.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ladder::server {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;        // initial size of the buffer
constexpr std::size_t kKeptBytes = 16 * 1024 * 1024;  // a larger buffer is shrunk after its line
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

char* resized(char* buffer, std::size_t capacity) {
  void* grown = std::realloc(buffer, capacity);
  if (!grown) throw std::bad_alloc();
  return static_cast<char*>(grown);
}

std::string_view without_carriage_return(std::string_view text) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// Digest of a line that arrives in pieces. A trailing carriage return is hashed only if more bytes follow.
class LineHash {
 public:
  void update(std::string_view piece) {
    if (piece.empty()) return;
    if (holds_return_) hash_.update("\r");
    holds_return_ = piece.ends_with('\r');
    hash_.update(without_carriage_return(piece));
  }
  crypto::Digest finish() { return hash_.finish(); }

 private:
  crypto::Sha256 hash_;
  bool holds_return_ = false;
};

}  // namespace

LineSource::LineSource(ByteSource& bytes, std::size_t max_line_bytes)
    : bytes_(bytes), max_line_bytes_(max_line_bytes), buffer_(resized(nullptr, kReadBytes)), capacity_(kReadBytes) {}

LineSource::~LineSource() { std::free(buffer_); }

bool LineSource::ready() {
  const void* found = scanned_ < end_ ? std::memchr(buffer_ + scanned_, '\n', end_ - scanned_) : nullptr;
  scanned_ = found ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_) : end_;
  return found || finished_;
}

Result<bool> LineSource::next(Line& line) {
  line = {};
  for (;;) {
    if (ready()) {
      if (scanned_ < end_) return emit_line(line, scanned_ - begin_);
      if (begin_ == end_) return false;
      line.unterminated = true;
      return emit_line(line, end_ - begin_);
    }
    // A byte order mark and a carriage return do not count.
    if (end_ - begin_ > max_line_bytes_ + kByteOrderMark.size() + 1) return skip_line(line);
    make_room();
    LADDER_TRY(const std::size_t count, read_more());
    end_ += count;
  }
}

// Returns the line of `length` bytes at begin_ and advances past its ending.
bool LineSource::emit_line(Line& line, std::size_t length) {
  line.number = ++number_;
  std::string_view text = without_carriage_return({buffer_ + begin_, length});
  if (number_ == 1) text = without_byte_order_mark(text);
  begin_ = std::min(begin_ + length + 1, end_);
  scanned_ = begin_;
  line.too_long = text.size() > max_line_bytes_;
  if (line.too_long) {
    line.digest = crypto::sha256(text);
  } else {
    line.text = text;
  }
  return true;
}

// Skips an overlong line without buffering it.
Result<bool> LineSource::skip_line(Line& line) {
  const std::string_view start(buffer_ + begin_, end_ - begin_);
  LineHash hash;
  hash.update(number_ == 0 ? without_byte_order_mark(start) : start);
  bool found = false;
  while (!found && !finished_) {
    begin_ = end_ = scanned_ = 0;
    LADDER_TRY(const std::size_t count, read_more());
    end_ = count;
    found = ready() && scanned_ < end_;
    hash.update({buffer_, scanned_});
    begin_ = scanned_;
  }
  begin_ = scanned_ = std::min(begin_ + (found ? 1 : 0), end_);
  line.number = ++number_;
  line.too_long = true;
  line.digest = hash.finish();
  line.unterminated = !found;
  return true;
}

// Moves the incomplete line to the front of the buffer and makes room after it.
void LineSource::make_room() {
  const std::size_t open = end_ - begin_;
  if (begin_ > 0) std::memmove(buffer_, buffer_ + begin_, open);
  begin_ = 0;
  end_ = scanned_ = open;
  if (capacity_ > kKeptBytes && open <= kReadBytes / 2) {
    buffer_ = resized(buffer_, kReadBytes);
    capacity_ = kReadBytes;
  } else if (end_ == capacity_) {
    buffer_ = resized(buffer_, 2 * capacity_);
    capacity_ *= 2;
  }
}

Result<std::size_t> LineSource::read_more() {
  LADDER_TRY(const std::size_t count, bytes_.read(buffer_ + end_, capacity_ - end_));
  finished_ = count == 0;
  total_ += static_cast<std::int64_t>(count);
  return count;
}

}  // namespace ladder::server
