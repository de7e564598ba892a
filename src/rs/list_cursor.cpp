#include "rs/list_cursor.h"

#include "base/bytes.h"
#include "crypto/hash.h"

#include <initializer_list>
#include <optional>

namespace ladder::rs {
namespace {

constexpr std::string_view kPurpose = "list-cursor";
constexpr std::size_t kPadding = 128;
constexpr std::size_t kBindingBytes = 16;

void put_part(std::string& out, std::string_view part) {
  put_varint(out, part.size());
  out += part;
}

std::optional<std::string> get_part(std::string_view bytes, std::size_t& at) {
  const auto size = get_varint(bytes, at);
  if (!size || *size > bytes.size() - at) return std::nullopt;
  std::string part(bytes.substr(at, *size));
  at += *size;
  return part;
}

}  // namespace

std::string list_binding(std::initializer_list<std::string_view> parts) {
  std::string bytes;
  for (std::string_view part : parts) put_part(bytes, part);
  return std::string(crypto::view(crypto::sha256(bytes)).substr(0, kBindingBytes));
}

std::string seal_position(const crypto::Sealer& sealer, std::string_view binding, const ListPosition& position) {
  std::string plain(binding);
  for (const std::string& part : {position.order_key, position.key, position.connection_id}) put_part(plain, part);
  plain.resize((plain.size() + kPadding - 1) / kPadding * kPadding, '\0');
  return sealer.seal_fresh(kPurpose, plain);
}

Result<ListPosition> open_position(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed) {
  LADDER_TRY(const std::string plain, sealer.open(kPurpose, sealed));
  if (plain.size() < kBindingBytes || std::string_view(plain).substr(0, kBindingBytes) != binding) {
    return fail(Code::kCursorMismatch,
                "the cursor belongs to another list; use it with the arguments it came with, or start again without it",
                "cursor");
  }
  std::size_t at = kBindingBytes;
  ListPosition position;
  for (std::string* part : {&position.order_key, &position.key, &position.connection_id}) {
    auto read = get_part(plain, at);
    if (!read) return fail(Code::kInvalidCursor, "the cursor is not one that this server made; start again without it", "cursor");
    *part = *std::move(read);
  }
  return position;
}

}  // namespace ladder::rs
