// What a sealed window cursor holds (design D6), whoever seals it: the resource server with its store's key, or an adapter for a
// server that seals none. Nothing here is secret or authenticated; that is the sealer's work.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::port {

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

// What it is bound to, as hashes of kCursorHashBytes.
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

}  // namespace ladder::port
