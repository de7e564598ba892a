#include "mcp/line_reader.h"

#include "mcp/nonblocking_pipe.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace ladder::mcp {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

void LineReader::fill() {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
    if (buffer_.empty() && buffer_.capacity() > 4 * kPieceBytes) buffer_.shrink_to_fit();  // a long line is not kept for ever
  }
  piece_.resize(kPieceBytes);
  ssize_t got = ::read(descriptor_, piece_.data(), piece_.size());
  while (got < 0 && wait_after(errno, descriptor_, POLLIN)) got = ::read(descriptor_, piece_.data(), piece_.size());
  if (got > 0) buffer_.append(piece_, 0, static_cast<std::size_t>(got));
  else ended_ = true;
}

LineReader::Got LineReader::next(std::string& line) {
  line.clear();
  bool too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    const bool found = end != std::string::npos;
    const std::size_t length = (found ? end : buffer_.size()) - start_;
    if (length > max_bytes_) too_long = true;
    if (found || (ended_ && length > 0)) {
      line.assign(buffer_, start_, too_long ? 0 : length);
      start_ = scanned_ = found ? end + 1 : buffer_.size();
      if (line.ends_with('\r')) line.pop_back();
      return too_long ? Got::kTooLong : Got::kLine;
    }
    if (ended_) return too_long ? Got::kTooLong : Got::kEnd;
    scanned_ = buffer_.size();
    if (too_long) start_ = scanned_;  // its bytes are not kept
    fill();
  }
}

}  // namespace ladder::mcp
