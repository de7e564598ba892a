#include "import/formats/mail/mail_splitter.h"

#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::mail {
namespace {

constexpr std::string_view kFrom = "From ";
constexpr std::size_t kMaxHeaderNameBytes = 100;
constexpr std::size_t kMaxSeparatorBytes = 2000;
constexpr std::size_t kKeptBytes = 2 * limits::kMiB;  // a larger buffer is freed between two messages

bool is_one_of(std::string_view word, std::string_view three_letters_each) {
  for (std::size_t at = 0; at + 3 <= three_letters_each.size(); at += 3) {
    if (word == three_letters_each.substr(at, 3)) return true;
  }
  return false;
}

// "10:00" or "10:00:00"
bool is_clock(std::string_view word) {
  if (word.size() != 5 && word.size() != 8) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i % 3 == 2 ? word[i] != ':' : !is_digit(word[i])) return false;
  }
  return true;
}

bool is_year(std::string_view word) { return word.size() == 4 && std::ranges::all_of(word, is_digit); }

// Removes and returns the next word.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

// `raw` includes the line end.
bool is_empty_line(std::string_view raw) { return raw == "\n" || raw == "\r\n" || raw.empty() || raw == "\r"; }

bool is_quoted(std::string_view line) {
  if (!line.starts_with('>')) return false;
  const std::size_t quotes = line.find_first_not_of('>');
  return quotes != 0 && quotes != std::string_view::npos && line.substr(quotes).starts_with(kFrom);
}

}  // namespace

bool is_dated_separator(std::string_view line) {
  if (!line.starts_with(kFrom) || line.size() > kMaxSeparatorBytes) return false;
  std::string_view rest = line.substr(kFrom.size());
  bool has_day = false, has_month = false, has_clock = false, has_year = false;
  while (!rest.empty()) {
    const std::string_view word = take_word(rest);
    has_day = has_day || is_one_of(word, "MonTueWedThuFriSatSun");
    if (!has_day) continue;
    has_month = has_month || is_one_of(word, "JanFebMarAprMayJunJulAugSepOctNovDec");
    has_clock = has_clock || is_clock(word);
    has_year = has_year || is_year(word);
  }
  return has_month && has_clock && has_year;
}

bool is_bare_separator(std::string_view line) {
  if (!line.starts_with(kFrom) || line.size() > kMaxSeparatorBytes) return false;
  std::string_view rest = line.substr(kFrom.size());
  return take_word(rest) == "-" &&
         std::ranges::none_of(rest, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool looks_like_header(std::string_view line) {
  const std::size_t colon = line.substr(0, kMaxHeaderNameBytes).find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  return std::ranges::all_of(line.substr(0, colon), [](char c) { return c > 32 && c < 127; });
}

Splitter::Splitter(Bytes& bytes, std::string_view head, std::int64_t first_byte, std::size_t max_message_bytes)
    : lines_(bytes, first_byte), max_message_bytes_(max_message_bytes) {
  lines_.end_with_lf_only();
  const std::string_view start = first_line(without_mark(head));
  dated_file_ = !start.starts_with(kFrom) || is_dated_separator(start);
}

// Decides about the line in held_; lines_ is at the line after it.
bool Splitter::separates(bool has_next) const {
  const std::string_view line = first_line(held_);
  const bool header_follows = has_next && looks_like_header(lines_.text());
  if (is_dated_separator(line)) return held_after_blank_ || header_follows;
  if (is_bare_separator(line)) return held_after_blank_ && header_follows;
  return !dated_file_ && held_after_blank_ && header_follows;
}

void Splitter::append(std::string_view raw) {
  const std::size_t room = message_.cut() ? 0 : max_message_bytes_ - message_.text.size();
  const std::string_view fitting = raw.substr(0, room);
  message_.size += static_cast<std::int64_t>(raw.size());
  message_.kept += static_cast<std::int64_t>(fitting.size());
  message_.text += is_quoted(fitting) ? fitting.substr(1) : fitting;
}

// Most lines neither start a message nor are quoted: they are copied in bulk.
void Splitter::append_ordinary_lines() {
  const std::string_view lines = lines_.take_lines_not_beginning_with("F>");
  if (lines.empty()) return;
  append(lines);
  after_blank_ = is_empty_line(lines) || lines.ends_with("\n\n") || lines.ends_with("\n\r\n");
}

// The empty line before the next "From " belongs to neither message.
void Splitter::finish() {
  std::string& text = message_.text;
  if (message_.cut()) return;
  if (text.ends_with("\r\n\r\n")) text.resize(text.size() - 2);
  else if (text.ends_with("\n\n")) text.pop_back();
}

Result<bool> Splitter::next() {
  std::string room = message_.text.capacity() <= kKeptBytes ? std::move(message_.text) : std::string();
  room.clear();
  message_ = MessageBytes();
  message_.text = std::move(room);
  message_.before_first = next_offset_ < 0;
  message_.offset = std::max<std::int64_t>(next_offset_, 0);
  bool started = next_offset_ >= 0;
  for (;;) {
    bool has_line = line_is_waiting_;
    if (!has_line) {
      LADDER_TRY(has_line, lines_.next());
    }
    line_is_waiting_ = false;
    if (!has_line) break;
    std::string_view raw = lines_.raw();
    const bool is_first = lines_.offset() == 0;
    if (is_first) raw = without_mark(raw);
    // The file ends inside a line that starts a message: ignore that line.
    const bool is_torn = !raw.ends_with('\n') && after_blank_ && started && (raw.starts_with(kFrom) || kFrom.starts_with(raw));
    if (is_torn) {
      next_offset_ = end_ = lines_.offset();
      finish();
      return true;
    }
    if (!raw.starts_with(kFrom)) {
      const bool is_empty = is_empty_line(raw);
      started = started || !message_.before_first || !is_empty;
      append(raw);
      after_blank_ = is_empty;
      if (started) append_ordinary_lines();
      continue;
    }
    const std::int64_t offset = lines_.offset();
    held_ = raw;
    held_after_blank_ = after_blank_;
    LADDER_TRY(line_is_waiting_, lines_.next());
    if (is_first || separates(line_is_waiting_)) {
      after_blank_ = false;
      next_offset_ = offset;
      end_ = offset;
      if (!started) {  // no text before the first message
        message_ = MessageBytes();
        message_.offset = offset;
        started = true;
        continue;
      }
      finish();
      return true;
    }
    append(held_);
    started = true;
    after_blank_ = false;
  }
  end_ = lines_.end_offset();
  next_offset_ = -1;
  if (!started) return false;
  finish();
  return true;
}

}  // namespace ladder::imports::mail
