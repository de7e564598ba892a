// Lines from a file descriptor, each bounded: one that is too long is skipped to its end and told as such. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ladder::mcp {

class LineReader {
 public:
  LineReader(int descriptor, std::size_t max_bytes) : descriptor_(descriptor), max_bytes_(max_bytes) {}

  enum class Got : std::uint8_t { kLine, kTooLong, kEnd };
  // Replaces `line` by the next one, without its line end (LF or CRLF). What stands behind the last line end is a line, too.
  Got next(std::string& line);

 private:
  void fill();  // more bytes, or the end; waits where the descriptor does not; a read that fails is the end

  int descriptor_;
  std::size_t max_bytes_;
  std::string piece_;        // what one read takes
  std::string buffer_;       // what was read
  std::size_t start_ = 0;    // of what was not handed out yet
  std::size_t scanned_ = 0;  // up to where there is no line end
  bool ended_ = false;
};

}  // namespace ladder::mcp
