// Splits an mbox into messages, one at a time and in one pass.
//
// A message starts with a line "From sender date". Some programs do not quote such lines in bodies, so a line counts only if it
// ends with a date and follows an empty line, or ends with a date and is followed by a header. In files whose first line has no
// date, and for "From -" in every file, it counts if it follows an empty line and is followed by a header. Quoted lines (">From
// ", ">>From ") lose one ">".
#pragma once

#include "base/error/error.h"
#include "import/formats/mail/mail_gmime.h"
#include "import/io/bytes.h"
#include "import/io/lines.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct MessageBytes {
  std::int64_t offset = 0;    // of its "From " line in the file
  std::int64_t size = 0;      // of the message without that line, in the file
  std::string text;           // headers and body, at most max_message_bytes
  bool before_first = false;  // the bytes before the first message of the file; not a message
  bool cut() const { return kept < size; }
  std::int64_t kept = 0;  // bytes of the message that are in `text`
};

class Splitter {
 public:
  // `head` is the start of the file. `first_byte` is the offset of `bytes`: 0 or a message's offset.
  Splitter(Bytes& bytes, std::string_view head, std::int64_t first_byte, std::size_t max_message_bytes = kMaxMessageBytes);

  Result<bool> next();  // false at the end
  const MessageBytes& message() const { return message_; }
  std::int64_t end_offset() const { return end_; }  // where the next message starts

 private:
  bool separates(bool has_next) const;
  void append(std::string_view raw);
  void append_ordinary_lines();
  void finish();

  Lines lines_;
  bool dated_file_ = true;
  std::size_t max_message_bytes_;
  MessageBytes message_;
  std::int64_t end_ = 0;
  std::int64_t next_offset_ = -1;  // of the "From " line that ended the last message
  bool line_is_waiting_ = false;   // the next line has already been read
  bool after_blank_ = true;
  std::string held_;  // a "From " line; the next line decides about it
  bool held_after_blank_ = false;
};

// "From ann@example.org Mon Jan 05 10:00:00 2024", with or without a zone and a "\r".
bool is_dated_separator(std::string_view line);
// "From - ": Mozilla programs write it instead of a sender, sometimes without a date. It does not occur in text.
bool is_bare_separator(std::string_view line);
bool looks_like_header(std::string_view line);  // "Name:" followed by anything

}  // namespace ladder::imports::mail
