// Page cursors of record lists: the last place shown, sealed with a random nonce and padded, so that neither the text nor its
// length tells anything (design D6). Bound to grant, stream, scope, order and conditions.
#pragma once

#include "base/result.h"
#include "crypto/seal.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace ladder::rs {

struct ListPosition {
  std::string order_key;  // of the last record passed; the record key when the order is by key
  std::string key;
  std::string connection_id;
};

std::string seal_position(const crypto::Sealer& sealer, std::string_view binding, const ListPosition& position);
// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<ListPosition> open_position(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);

// A hash over the parts that a cursor is bound to.
std::string list_binding(std::initializer_list<std::string_view> parts);

}  // namespace ladder::rs
