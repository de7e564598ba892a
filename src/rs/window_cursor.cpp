#include "rs/window_cursor.h"

#include "base/bytes.h"

namespace ladder::rs {
namespace {

constexpr std::string_view kPurpose = "window-cursor/2";

void put_part(std::string& out, std::string_view part) {
  put_varint(out, part.size());
  out += part;
}

std::string prefix_of(const crypto::Digest& digest) {
  return std::string(crypto::view(digest).substr(0, port::kCursorHashBytes));
}

}  // namespace

CursorBinding CursorBinding::of(std::string_view grant_id, std::string_view connection_id, std::string_view stream,
                                std::string_view key, const model::FieldPath& path) {
  std::string bytes;
  for (std::string_view part : {grant_id, connection_id, stream, key, std::string_view(path.field)}) put_part(bytes, part);
  for (const std::string& token : path.nested) put_part(bytes, token);
  return {prefix_of(crypto::sha256(bytes))};
}

std::string seal(const crypto::Sealer& sealer, const CursorBinding& binding, const crypto::Digest& field_digest,
                 const WindowCursor& cursor) {
  return sealer.seal_same(kPurpose, port::pack({binding.bytes, prefix_of(field_digest)}, cursor));
}

bool OpenedCursor::same_content(const crypto::Digest& field_digest) const { return prefix_of(field_digest) == digest_prefix; }

Result<OpenedCursor> open_cursor(const crypto::Sealer& sealer, const CursorBinding& binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  LADDER_TRY(auto unpacked, port::unpack(plain, binding.bytes));
  return OpenedCursor{std::move(unpacked.cursor), std::move(unpacked.content)};
}

bool looks_for_match(const crypto::Sealer& sealer, std::string_view sealed) {
  const auto plain = sealer.open(kPurpose, sealed);
  return plain && !plain->empty() && static_cast<Direction>(plain->front()) == Direction::kMatch;
}

}  // namespace ladder::rs
