// One bounded window of one field, which every adapter renders in its own way (PDPP "field windows").
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

  std::string path;              // as requested
  std::string type;              // "string", "object" or "array"
  std::string mime_type;         // empty when unknown
  bool text_like = true;         // false for base64
  std::int64_t size_chars = 0;   // of the complete field
  std::int64_t size_bytes = -1;  // decoded size of base64; negative for text or if unknown
  std::string digest;            // "sha256:…" of the complete field's UTF-8 bytes; empty if a remote server omits it

  std::string text;
  std::int64_t start_chars = 0;
  std::int64_t end_chars = 0;
  std::int64_t limit_chars = 0;
  std::optional<Match> match;
  std::string next_cursor;        // empty if the window ends at the field's end
  std::string previous_cursor;    // empty if the window starts at the field's start
  std::string next_match_cursor;  // after a match: reads the next one, or returns query_not_found

  bool complete() const { return start_chars == 0 && end_chars >= size_chars; }
  bool has_more() const { return end_chars < size_chars; }
};

// Returns the body of GET …/field-window without `links` and `meta`, which the route adds.
std::string to_json(const FieldWindow& window);

// The part of a window to keep when it is shortened.
enum class Keep : std::uint8_t { kStart, kEnd, kMatch };

// Shortens the window to what smaller arguments would have returned, without reading: fewer chars, or less context
// around its match. The cursors are not updated.
void shorten(FieldWindow& window, const model::WindowArguments& smaller, Keep keep);

// The contents of a sealed window cursor (design D6). The sealer is the resource server with its store's key, or an
// adapter for a server without cursors. Packing provides no secrecy or authentication; sealing does.

// 64 bits are enough to detect mismatches; the hashes authorize nothing.
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

// Hashes of kCursorHashBytes that bind a cursor to its location and content.
struct CursorHashes {
  std::string location;  // grant, record and field
  std::string content;   // the field's content
};

std::string pack(const CursorHashes& hashes, const WindowCursor& cursor);

struct UnpackedCursor {
  WindowCursor cursor;
  std::string content;
};

// Returns kInvalidCursor for anything not written by `pack`, and kCursorMismatch for another location.
Result<UnpackedCursor> unpack(std::string_view packed, std::string_view location);

// Error for a field that changed after the cursor was made: its current size and digest, and where to continue.
Error stale_cursor(const WindowCursor& cursor, std::int64_t size_chars, std::string digest);

}  // namespace ladder::api
