// The packed form: direction 1 | place 8 | content 8 | anchor, limit as varints; to a match also before, after | q to the end.
#include "port/window_cursor.h"

#include "base/bytes.h"

#include <algorithm>
#include <vector>

namespace ladder::port {
namespace {

std::unexpected<Error> unreadable() {
  return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
}

}  // namespace

std::string pack(const CursorBonds& bonds, const WindowCursor& cursor) {
  std::string packed(1, static_cast<char>(cursor.direction));
  packed += bonds.place;
  packed += bonds.content;
  const auto put = [&](std::int64_t number) { put_varint(packed, static_cast<std::uint64_t>(number)); };
  put(cursor.anchor_chars);
  put(cursor.limit_chars);
  if (cursor.direction != Direction::kMatch) return packed;
  put(cursor.before_chars);
  put(cursor.after_chars);
  return packed + cursor.q;
}

Result<UnpackedCursor> unpack(std::string_view packed, std::string_view place) {
  std::size_t at = 1 + 2 * kCursorHashBytes;
  if (packed.size() < at) return unreadable();
  UnpackedCursor unpacked;
  WindowCursor& cursor = unpacked.cursor;
  cursor.direction = static_cast<Direction>(packed[0]);
  unpacked.content = packed.substr(1 + kCursorHashBytes, kCursorHashBytes);
  std::vector<std::int64_t*> numbers = {&cursor.anchor_chars, &cursor.limit_chars};
  if (cursor.direction == Direction::kMatch) numbers.insert(numbers.end(), {&cursor.before_chars, &cursor.after_chars});
  for (std::int64_t* const number : numbers) {
    const auto value = get_varint(packed, at);
    if (!value) return unreadable();
    *number = static_cast<std::int64_t>(*value);
  }
  if (cursor.direction != Direction::kMatch && at != packed.size()) return unreadable();
  cursor.q = packed.substr(at);
  if (packed.substr(1, kCursorHashBytes) != place) {
    return fail(Code::kCursorMismatch,
                "the cursor belongs to another record, field or grant; use it with the arguments it came with, or start again "
                "without it",
                "cursor");
  }
  return unpacked;
}

Error stale_cursor(const WindowCursor& cursor, std::int64_t size_chars, std::string digest) {
  Error error{Code::kStaleCursor, "the field has changed since the cursor was made; read on from offset_chars instead", "cursor"};
  ErrorDetails& details = error.details();
  details.digest = std::move(digest);
  details.size_chars = size_chars;
  details.resume_offset_chars = std::min(cursor.anchor_chars, size_chars);
  return error;
}

}  // namespace ladder::port
