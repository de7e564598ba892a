#include "json/writer.h"

#include "json/scan/byte_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace ladder::json {
namespace {

constexpr std::size_t kLongBytes = 1024 * 1024;
constexpr std::size_t kFirstBytes = 240;  // initial text capacity: enough for a handle or a call
constexpr std::size_t kMaxEscapeBytes = 6;
constexpr std::size_t kPieceBytes = 1024;    // escaped at a time, with room for the worst case
constexpr std::size_t kSlack = 16;           // for quotes, and for copying complete words
constexpr std::size_t kMaxNumberBytes = 32;  // 20 for a 64-bit integer, 24 for a double
constexpr std::size_t kShortBytes = 256;     // most names and values; scanned before copying

bool is_plain(std::string_view text) {
  const char* const from = text.data();
  const char* const end = from + text.size();
  return bytes::find_escapable(from, end) == end;
}

// Appends all three in one step: most of a response is short quoted text.
inline void append_parts(std::string& out, std::string_view before, std::string_view text, std::string_view behind) {
  const std::size_t begin = out.size(), end = begin + before.size() + text.size() + behind.size();
  out.resize_and_overwrite(end, [&](char* to, std::size_t) {  // libstdc++ 12 passes the capacity, not the requested size
    to += begin;
    to = std::copy_n(before.data(), before.size(), to);
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    std::copy_n(behind.data(), behind.size(), to + text.size());
    return end;
  });
}

// Returns the next byte to write.
char* put_escape(char* to, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto put_short = [&](char letter) {
    *to++ = '\\';
    *to++ = letter;
    return to;
  };
  switch (c) {
    case '"':
    case '\\':
      return put_short(c);
    case '\b':
      return put_short('b');
    case '\f':
      return put_short('f');
    case '\n':
      return put_short('n');
    case '\r':
      return put_short('r');
    case '\t':
      return put_short('t');
    default:
      break;
  }
  to = std::copy_n("\\u00", 4, to);
  *to++ = kHex[static_cast<unsigned char>(c) >> 4];
  *to++ = kHex[static_cast<unsigned char>(c) & 0xF];
  return to;
}

// Copies a block and returns the number of bytes before the first one that must be escaped.
std::ptrdiff_t copy_block(char* to, const char* from) {
  const Block block = load_block(from);
  std::memcpy(to, &block, sizeof block);
  return first_found(bytes::in_escapable(block));
}

// May also write to bytes after the end of the escaped text.
char* put_escaped(char* to, std::string_view text) {
  const char* from = text.data();
  const char* const end = from + text.size();
  while (end - from >= kBlockBytes) {
    const std::ptrdiff_t plain = copy_block(to, from);
    from += plain;
    to += plain;
    if (plain < kBlockBytes) to = put_escape(to, *from++);
  }
  for (; from != end; ++from) {
    if (bytes::is_escapable(*from)) to = put_escape(to, *from);
    else *to++ = *from;
  }
  return to;
}

// Copies up to the first byte that must be escaped and returns the number of bytes before it. May also write up to
// kSlack bytes after them. The last words of a text overlap, so that only very short texts are copied byte by byte.
std::size_t copy_plain(char* to, std::string_view text) {
  std::size_t at = 0;
  const auto copy_word = [&](std::size_t from) {
    const std::uint64_t word = load_word(text.data() + from);
    store_word(to + from, word);
    const std::uint64_t marks = bytes::mark_quote_or_backslash(word) | bytes::mark_control(word);
    at = from + (marks == 0 ? kWordBytes : first_marked_byte(marks));
    return marks == 0;
  };
  while (text.size() - at >= sizeof(Block)) {
    const std::ptrdiff_t plain = copy_block(to + at, text.data() + at);
    at += static_cast<std::size_t>(plain);
    if (plain < kBlockBytes) return at;
  }
  if (text.size() - at >= kWordBytes && !copy_word(at)) return at;
  if (at < text.size() && text.size() >= kWordBytes) {
    copy_word(text.size() - kWordBytes);
    return at;
  }
  for (; at < text.size() && !bytes::is_escapable(text[at]); ++at) to[at] = text[at];
  return at;
}

}  // namespace

void append_string(std::string& out, std::string_view valid_utf8) {
  if (valid_utf8.size() <= kShortBytes && is_plain(valid_utf8)) {
    return append_parts(out, "\"", valid_utf8, "\"");
  }
  // Reserve first: otherwise a long text would be in memory twice while the buffer doubles.
  if (valid_utf8.size() > kLongBytes) out.reserve(out.size() + valid_utf8.size() + valid_utf8.size() / 16);
  out += '"';
  append_escaped(out, valid_utf8);
  out += '"';
}

void append_escaped(std::string& out, std::string_view valid_utf8) {
  while (!valid_utf8.empty()) {
    const std::string_view piece = valid_utf8.substr(0, kPieceBytes);
    const std::size_t begin = out.size();
    out.resize_and_overwrite(begin + piece.size() * kMaxEscapeBytes + kSlack, [&](char* to, std::size_t) {
      return static_cast<std::size_t>(put_escaped(to + begin, piece) - to);
    });
    valid_utf8.remove_prefix(piece.size());
  }
}

// First copies the prefix without escapes, usually the whole text, then the rest by pieces.
char* Writer::put_text(char* to, std::string_view valid_utf8) {
  const std::size_t plain = copy_plain(to, valid_utf8);
  to += plain;
  for (valid_utf8.remove_prefix(plain); !valid_utf8.empty();) {
    const std::string_view piece = valid_utf8.substr(0, kPieceBytes);
    ends_at(to, false);
    to = put_escaped(room(piece.size() * kMaxEscapeBytes + kSlack), piece);
    valid_utf8.remove_prefix(piece.size());
  }
  return to;
}

void Writer::grow(std::size_t bytes) {
  out_.resize_and_overwrite(std::max({size_ + bytes, out_.size() * 2, kFirstBytes}), [](char*, std::size_t all) { return all; });
}

std::string Writer::take() {
  out_.resize(size_);
  size_ = 0;
  need_comma_ = false;
  return std::exchange(out_, {});
}

Writer& Writer::text_key(std::string_view name) {
  string(name);
  char* to = room(1);
  *to++ = ':';
  return ends_at(to, false);
}

Writer& Writer::string(std::string_view valid_utf8) {
  // Reserve first: otherwise a long text would be in memory twice while the buffer doubles.
  const std::size_t likely_escapes = valid_utf8.size() > kLongBytes ? valid_utf8.size() / 16 : 0;
  char* to = separated(valid_utf8.size() + likely_escapes + kSlack);
  *to++ = '"';
  to = put_text(to, valid_utf8);
  ends_at(to, false);
  to = room(1);
  *to++ = '"';
  return ends_at(to, true);
}

template <class T>
Writer& Writer::put_number(T value) {
  char* const to = separated(kMaxNumberBytes);
  return ends_at(std::to_chars(to, to + kMaxNumberBytes, value).ptr, true);
}

Writer& Writer::number(std::int64_t value) { return put_number(value); }
Writer& Writer::number(std::uint64_t value) { return put_number(value); }
Writer& Writer::number(double value) { return std::isfinite(value) ? put_number(value) : null(); }

Writer& Writer::raw(std::string_view json) {
  char* const to = separated(json.size());
  if (!json.empty()) std::memcpy(to, json.data(), json.size());
  return ends_at(to + json.size(), true);
}

void write_details(Writer& out, const ErrorDetails& details) {
  out.optional_member("rule", details.rule).optional_member("record", details.record);
  out.optional_member("field_path", details.field_path).optional_member("digest", details.digest);
  if (details.size_chars >= 0) out.member("size_chars", details.size_chars);
  if (details.resume_offset_chars >= 0) out.member("resume_offset_chars", details.resume_offset_chars);
  if (details.retry_after_seconds >= 0) out.member("retry_after_seconds", details.retry_after_seconds);
  if (details.available_connections.empty()) return;
  out.key("available_connections").begin_array();
  for (const ConnectionChoice& choice : details.available_connections) {
    out.begin_object().member("connection_id", choice.connection_id);
    out.member("display_name", choice.display_name.empty() ? choice.connection_id : choice.display_name).end_object();
  }
  out.end_array().key("available_sources").begin_array();  // outside the choices, since PDPP's schema of a choice is closed
  for (const ConnectionChoice& choice : details.available_connections) {
    out.begin_object().member("connection_id", choice.connection_id).optional_member("connector_key", choice.connector_key);
    out.optional_member("stream", choice.stream).end_object();
  }
  out.end_array();
}

}  // namespace ladder::json
