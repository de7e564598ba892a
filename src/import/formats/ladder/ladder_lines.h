// The lines of a Ladder export, of any length, and the members that precede the data in each.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"
#include "import/io/bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

// Reads lines in order. Only the start of a long line is kept in memory; the rest is measured.
class LongLines {
 public:
  static constexpr std::size_t kHeldBytes = 4 * 1024 * 1024;

  explicit LongLines(Bytes& bytes) : pieces_(bytes, kPieceBytes) {}
  // Skips to an offset of the file. The skipped bytes are still read for the digest.
  Status skip_to(std::int64_t from);

  Result<bool> next();  // false at the end

  bool held() const { return held_; }
  std::string_view text() const { return line_; }       // the whole line if held(), otherwise its start
  std::int64_t offset() const { return line_offset_; }  // of its first byte
  std::int64_t length() const { return length_; }       // without the line end
  std::int64_t end_offset() const { return offset_; }   // of the byte after it
  std::string digest();                                 // of everything read, in hex; may be called once

 private:
  Status fill();
  void drop();  // clears the buffer
  bool take(std::size_t newline);
  Result<bool> measure();  // finds the end of a line that is not held

  static constexpr std::size_t kPieceBytes = 256 * 1024;

  Pieces pieces_;
  std::int64_t offset_ = 0, line_offset_ = 0, length_ = 0;
  std::string buffer_, line_;
  std::size_t at_ = 0;        // in the buffer: earlier bytes are consumed
  std::size_t searched_ = 0;  // buffered bytes that have been searched for a line end
  bool held_ = true, finished_ = false;
  crypto::Sha256 hash_;
};

// {"key":…,"emitted_at":"…","data": as exports write it; the members always have this order.
struct LineHeader {
  std::string_view key;  // JSON: a string or an array of strings
  std::string emitted_at;
  std::size_t data = 0;  // offset of the data
};
std::optional<LineHeader> parse_line_header(std::string_view line);

}  // namespace ladder::imports
