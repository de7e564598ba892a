// The lines of a file, with the offset of each. Holds one line at a time.
#pragma once

#include "base/error/error.h"
#include "import/tree/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports {

class Lines {
 public:
  // `first_byte` is the offset in the file at which `bytes` begins.
  explicit Lines(Bytes& bytes, std::int64_t first_byte = 0) : bytes_(bytes), offset_(first_byte) {}
  void end_with_lf_only() { end_is_known_ = true; }  // before the first line: a CR never ends one

  // False at the end. A line ends with LF or CRLF, and a lone CR is kept; in a file that begins with CRs and no LF, as old
  // Macintosh programs wrote it, CR ends a line. A line over limits::kMaxLineBytes is cut there and goes on as the next one.
  Result<bool> next();
  // Takes the whole lines behind this one that have been read already, up to the first that begins with one of these letters.
  // They are not given out by next() any more. Valid until next().
  std::string_view take_lines_not_beginning_with(std::string_view letters);
  std::string_view text() const { return line_; }       // without its end; valid until next()
  std::string_view raw() const { return raw_; }         // with it
  std::int64_t offset() const { return line_offset_; }  // of its first byte
  std::int64_t end_offset() const { return offset_; }   // of the byte behind it

 private:
  Bytes& bytes_;
  std::int64_t offset_ = 0, line_offset_ = 0;
  std::string buffer_;
  std::size_t piece_bytes_ = 0;  // of the last piece
  std::size_t begin_ = 0;
  std::string_view line_, raw_;
  bool finished_ = false;
  char end_ = '\n';
  bool end_is_known_ = false;
  void find_end();
};

}  // namespace ladder::imports
