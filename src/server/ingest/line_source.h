// Input bytes, and the lines in them.
#pragma once

#include "base/error/error.h"
#include "crypto/hash.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ladder::server {

// A stream of input bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the buffer with up to `capacity` bytes; returns 0 at the end. An I/O error stops the ingest after the bytes
  // before it.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

// Adapts a string to ByteSource. The string must outlive it.
class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t count = text_.copy(buffer, capacity);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

struct Line {
  std::string_view text;      // without the line ending; valid until the next call
  std::int64_t number = 0;    // starting at 1
  bool too_long = false;      // exceeds kMaxLineBytes; the text is empty and the line was skipped
  crypto::Digest digest{};    // of the complete line, if it is too long
  bool unterminated = false;  // the last line, without a line ending
};

// Splits bytes into lines, holding one line at a time in a buffer that grows by remapping instead of copying. A line
// ends with LF or CRLF; a leading byte order mark is skipped.
class LineSource {
 public:
  explicit LineSource(ByteSource& bytes, std::size_t max_line_bytes);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  Result<bool> next(Line& line);  // false at the end
  bool ready();                   // true if next() will not block on the input
  std::int64_t bytes_read() const { return total_; }

 private:
  Result<bool> skip_line(Line& line);
  bool emit_line(Line& line, std::size_t length);
  void make_room();
  Result<std::size_t> read_more();

  ByteSource& bytes_;
  std::size_t max_line_bytes_;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0, scanned_ = 0;
  std::int64_t total_ = 0, number_ = 0;
  bool finished_ = false;
};

}  // namespace ladder::server
