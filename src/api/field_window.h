// One bounded window of one field: what every adapter shows, in its own rendering (PDPP "field windows", PDPP "field windows").
#pragma once

#include "base/error/error.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

struct Match {
  std::string q;
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
};

struct FieldWindow {
  model::RecordRef record;

  std::string path;              // as asked for
  std::string type;              // "string", "object" or "array"
  std::string mime_type;         // empty when unknown
  bool text_like = true;         // false for base64
  std::int64_t size_chars = 0;   // of the whole field
  std::int64_t size_bytes = -1;  // of what base64 stands for; negative for text, and where a server does not say
  std::string digest;            // "sha256:…" of the whole field's UTF-8 bytes; empty when a remote server gives none

  std::string text;
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  std::int64_t limit_chars = 0;
  std::optional<Match> match;
  std::string next_cursor;        // empty when the window reaches the end
  std::string previous_cursor;    // empty when it starts at the start
  std::string next_match_cursor;  // after a match: reads the next one, or answers query_not_found

  bool complete() const { return start_chars == 0 && end_chars >= size_chars; }
  bool has_more() const { return end_chars < size_chars; }
};

// The body of GET …/field-window, without `links` and `meta`, which belong to the route.
std::string to_json(const FieldWindow& window);

// The part of a window that stays when it becomes shorter.
enum class Keep : std::uint8_t { kStart, kEnd, kMatch };

// The window that smaller arguments would have given, cut out of this one without reading anything: fewer chars, or less context
// of its match. Its cursors are still those of the longer one.
void shorten(FieldWindow& window, const model::WindowArguments& smaller, Keep keep);

// The contents of a sealed window cursor (design D6), whoever seals it: the resource server with its store's key, or an adapter
// for a server that seals none. Nothing here is secret or authenticated; that is the sealer's work.

// 64 bits: what a cursor is bound to is told apart, and nothing is authorised by it.
inline constexpr std::size_t kCursorHashBytes = 8;

enum class Direction : std::uint8_t {
  kForward = 'n',   // [anchor, anchor + limit)
  kBackward = 'p',  // [max(0, anchor - limit), anchor)
  kMatch = 'm',     // the first match of `q` at or after anchor
};

struct WindowCursor {
  Direction direction = Direction::kForward;
  std::int64_t anchor_chars = 0;
  std::int64_t limit_chars = 0;
  std::string q = {};  // kMatch only, with its context
  std::int64_t before_chars = 0, after_chars = 0;
};

// The place and content it is bound to, as hashes of kCursorHashBytes.
struct CursorBonds {
  std::string place;    // grant, record and field
  std::string content;  // the field's content
};

std::string pack(const CursorBonds& bonds, const WindowCursor& cursor);

struct UnpackedCursor {
  WindowCursor cursor;
  std::string content;
};

// kInvalidCursor for anything that `pack` does not write; kCursorMismatch for another place.
Result<UnpackedCursor> unpack(std::string_view packed, std::string_view place);

// The field is no longer what it was when the cursor was made: what it is now, and where to go on.
Error stale_cursor(const WindowCursor& cursor, std::int64_t size_chars, std::string digest);

}  // namespace ladder::api
