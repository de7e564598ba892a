// Reads the lines of a file, with their offsets. Only one line is in memory.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports {

class Lines {
 public:
  // `first_byte` is the offset of `bytes` in the file.
  explicit Lines(Bytes& bytes, std::int64_t first_byte = 0) : pieces_(bytes, kPieceBytes), offset_(first_byte) {}
  void end_with_lf_only() { end_is_known_ = true; }  // call before the first next(): CR never ends a line

  // Returns false at the end. A line ends with LF or CRLF; a lone CR is kept. If a file starts with CRs and no LF, as old
  // Macintosh programs wrote it, CR ends a line. A line longer than limits::kMaxLineBytes is split.
  Result<bool> next();
  // Returns the following complete lines in the buffer, up to the first that starts with one of these letters. next() does not
  // return them again. Valid until next().
  std::string_view take_lines_not_beginning_with(std::string_view letters);
  std::string_view text() const { return line_; }       // without the line end; valid until next()
  std::string_view raw() const { return raw_; }         // with the line end
  std::int64_t offset() const { return line_offset_; }  // of its first byte
  std::int64_t end_offset() const { return offset_; }   // of the byte after it

 private:
  static constexpr std::size_t kPieceBytes = 64 * 1024;

  Pieces pieces_;
  std::int64_t offset_ = 0, line_offset_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::string_view line_, raw_;
  bool finished_ = false;
  char end_ = '\n';
  bool end_is_known_ = false;
  void find_end();
};

}  // namespace ladder::imports
