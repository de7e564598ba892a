#include "base/text/columns.h"

#include "base/text/utf8.h"

#include <utf8proc.h>

namespace ladder {
namespace {

std::int64_t width_of(char32_t c) { return utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)); }

// A unit that is broken only if it is longer than a line: a word, or one wide character; then spaces.
struct Piece {
  std::size_t end = 0, next = 0;  // without and with its spaces
  std::int64_t columns = 0;       // without spaces
};

Piece piece_at(std::string_view valid, std::size_t from) {
  Piece piece{from, from, 0};
  bool wide = false;
  for (std::size_t at = from; at < valid.size() && valid[at] != ' ';) {
    const std::int64_t width = width_of(utf8::next(valid, at));
    if (piece.columns > 0 && width > 0 && (wide || width > 1)) break;
    wide = wide || width > 1;
    piece.columns += width;
    piece.end = at;
  }
  piece.next = piece.end;
  while (piece.next < valid.size() && valid[piece.next] == ' ') ++piece.next;
  return piece;
}

}  // namespace

std::int64_t columns_of(std::string_view valid) {
  std::int64_t columns = 0;
  for (std::size_t at = 0; at < valid.size();) columns += width_of(utf8::next(valid, at));
  return columns;
}

std::string cut_to_columns(std::string_view valid, std::int64_t columns) {
  if (columns_of(valid) <= columns) return std::string(valid);
  std::int64_t used = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < valid.size();) {
    used += width_of(utf8::next(valid, at));
    if (used > columns - 1) break;  // one column is for the ellipsis
    end = at;
  }
  return std::string(valid.substr(0, end)) + "…";
}

std::vector<LineRange> wrap_to_columns(std::string_view valid, std::int64_t columns) {
  std::vector<LineRange> lines;
  LineRange line;
  std::int64_t used = 0;
  for (std::size_t at = 0; at < valid.size();) {
    const Piece piece = piece_at(valid, at);
    if (used > 0 && used + piece.columns > columns) {
      lines.push_back(line);
      line.begin = at;
      used = 0;
    }
    if (piece.columns > columns) {  // longer than a line
      for (std::size_t part = at; part < piece.end;) {
        const std::size_t here = part;
        const std::int64_t width = width_of(utf8::next(valid, part));
        if (used + width > columns && here > line.begin) {
          lines.push_back({line.begin, here});
          line.begin = here;
          used = 0;
        }
        used += width;
      }
    } else {
      used += piece.columns;
    }
    line.end = piece.end;
    used += static_cast<std::int64_t>(piece.next - piece.end);
    at = piece.next;
  }
  if (line.end > line.begin || lines.empty()) lines.push_back(line);
  return lines;
}

}  // namespace ladder
