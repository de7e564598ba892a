#include "import/io/lines.h"

#include "import/io/limits.h"

namespace ladder::imports {

// Decides by the start of the file, even if it arrives in small pieces. A CR at the very end may be half of a CRLF.
void Lines::find_end() {
  const std::string_view begun = std::string_view(buffer_).substr(begin_);
  const bool has_lf = begun.find('\n') != std::string_view::npos;
  end_is_known_ = has_lf || finished_ || begun.size() >= Pieces::kFirstPieceBytes;
  if (!has_lf && end_is_known_ && begun.substr(0, begun.size() - (finished_ ? 0 : 1)).find('\r') != std::string_view::npos)
    end_ = '\r';
}

Result<bool> Lines::next() {
  std::size_t scanned = begin_;
  std::size_t end = std::string::npos;  // after the line
  for (;;) {
    const std::size_t newline = buffer_.find(end_, scanned);
    if (newline != std::string::npos) end = newline + 1;
    else if (finished_ || buffer_.size() - begin_ >= limits::kMaxLineBytes) end = buffer_.size();
    if (end != std::string::npos) break;
    if (begin_ > 0) {
      buffer_.erase(0, begin_);
      begin_ = 0;
    }
    scanned = buffer_.size();
    LADDER_TRY(const std::size_t count, pieces_.append_to(buffer_));
    finished_ = count == 0;
    if (!end_is_known_) {
      find_end();
      scanned = begin_;
    }
  }
  if (end == begin_) return false;
  raw_ = std::string_view(buffer_).substr(begin_, end - begin_);
  line_ = raw_;
  if (line_.ends_with(end_)) {
    line_.remove_suffix(1);
    if (end_ == '\n' && line_.ends_with('\r')) line_.remove_suffix(1);
  }
  line_offset_ = offset_;
  offset_ += static_cast<std::int64_t>(end - begin_);
  begin_ = end;
  return true;
}

std::string_view Lines::take_lines_not_beginning_with(std::string_view letters) {
  const std::size_t first = begin_;
  while (begin_ < buffer_.size() && letters.find(buffer_[begin_]) == std::string_view::npos) {
    const std::size_t newline = buffer_.find(end_, begin_);
    if (newline == std::string::npos) break;
    begin_ = newline + 1;
  }
  offset_ += static_cast<std::int64_t>(begin_ - first);
  return std::string_view(buffer_).substr(first, begin_ - first);
}

}  // namespace ladder::imports
