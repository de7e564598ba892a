// The lines of an export by `ladder export`: of any length, with what stands before the data in each.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"
#include "import/tree/bytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports {

// Lines one after the other. Long ones are not held: their beginning is, and they are measured.
class LongLines {
 public:
  static constexpr std::size_t kHeldBytes = 4 * 1024 * 1024;

  explicit LongLines(Bytes& bytes) : bytes_(bytes) {}
  // On to an offset of the file. It is read up to there all the same, for its digest.
  Status skip_to(std::int64_t from);

  Result<bool> next();  // false at the end

  bool held() const { return held_; }
  std::string_view text() const { return line_; }       // the line when it is held, else its beginning
  std::int64_t offset() const { return line_offset_; }  // of its first byte
  std::int64_t length() const { return length_; }       // without its end
  std::int64_t end_offset() const { return offset_; }   // of the byte behind it
  std::string digest();                                 // of everything read, in hex; once

 private:
  Status fill();
  void drop();  // what is in the buffer
  bool take(std::size_t newline);
  Result<bool> measure();  // on to the end of a line that is not held

  Bytes& bytes_;
  std::int64_t offset_ = 0, line_offset_ = 0, length_ = 0;
  std::string buffer_, line_;
  std::size_t piece_bytes_ = 0;  // of the last piece
  std::size_t at_ = 0;           // in the buffer: what is before is done
  std::size_t searched_ = 0;     // bytes of the buffer that were there before the last piece
  bool held_ = true, finished_ = false;
  crypto::Sha256 hash_;
};

// {"key":…,"emitted_at":"…","data": as the export writes it; its members always stand in this order.
struct LineHead {
  std::string_view key;  // JSON: a string, or an array of them
  std::string emitted_at;
  std::size_t data = 0;  // where it begins
};
std::optional<LineHead> read_line_head(std::string_view line);

}  // namespace ladder::imports
