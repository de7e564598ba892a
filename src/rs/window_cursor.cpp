// Plaintext of a cursor: direction 1 | binding 16 | digest prefix 16 | anchor, limit, before, after as varints | q to the end.
#include "rs/window_cursor.h"

#include "base/bytes.h"

#include <array>

namespace ladder::rs {
namespace {

constexpr std::string_view kPurpose = "window-cursor";
constexpr std::size_t kHashBytes = 16;  // 128 bits: no one can find a second record that fits

void put_part(std::string& out, std::string_view part) {
  put_varint(out, part.size());
  out += part;
}

std::unexpected<Error> unreadable() {
  return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
}

}  // namespace

CursorBinding CursorBinding::of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                                std::string_view key, const model::FieldPath& path) {
  std::string bytes;
  for (std::string_view part : {grant_id, connection_id, stream, key, std::string_view(path.field)}) put_part(bytes, part);
  for (const std::string& token : path.nested) put_part(bytes, token);
  return {std::string(crypto::view(crypto::sha256(bytes)).substr(0, kHashBytes))};
}

std::string seal(const crypto::Sealer& sealer, const CursorBinding& binding, const crypto::Digest& field_digest,
                 const WindowCursor& cursor) {
  std::string plain(1, static_cast<char>(cursor.direction));
  plain += binding.bytes;
  plain += crypto::view(field_digest).substr(0, kHashBytes);
  for (std::int64_t number : {cursor.anchor_chars, cursor.limit_chars, cursor.before_chars, cursor.after_chars}) {
    put_varint(plain, static_cast<std::uint64_t>(number));
  }
  plain += cursor.q;
  return sealer.seal_same(kPurpose, plain);
}

bool OpenedCursor::same_content(const crypto::Digest& field_digest) const {
  return crypto::view(field_digest).substr(0, kHashBytes) == digest_prefix;
}

Result<OpenedCursor> open_cursor(const crypto::Sealer& sealer, const CursorBinding& binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  std::size_t at = 1 + 2 * kHashBytes;
  if (plain.size() < at) return unreadable();
  OpenedCursor opened;
  opened.cursor.direction = static_cast<Direction>(plain[0]);
  opened.digest_prefix = plain.substr(1 + kHashBytes, kHashBytes);
  for (std::int64_t* number :
       {&opened.cursor.anchor_chars, &opened.cursor.limit_chars, &opened.cursor.before_chars, &opened.cursor.after_chars}) {
    const auto value = get_varint(plain, at);
    if (!value) return unreadable();
    *number = static_cast<std::int64_t>(*value);
  }
  opened.cursor.q = plain.substr(at);
  if (std::string_view(plain).substr(1, kHashBytes) != binding.bytes) {
    return fail(Code::kCursorMismatch,
                "the cursor belongs to another record, field or grant; use it with the arguments it came with, or start again "
                "without it",
                "cursor");
  }
  return opened;
}

bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed) {
  const auto plain = sealer.open(kPurpose, sealed);
  return plain && !plain->empty() && static_cast<Direction>(plain->front()) == Direction::kMatch;
}

}  // namespace ladder::rs
