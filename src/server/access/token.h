// Access tokens: 256 random bits as base64url with a prefix that identifies a leaked token. They are opaque to
// clients; the store keeps only their SHA-256 (design D16).
#pragma once

#include "store/rows/rows.h"

#include <string>
#include <string_view>

namespace ladder::server {

std::string new_token(store::TokenKind kind);  // "ldr_o_…" for an owner, "ldr_c_…" for a client
bool has_token_shape(std::string_view text);   // a string without this shape is rejected without a lookup
store::Digest token_hash(std::string_view token);
// Returns "tok_" and 16 hex digits of the hash: an identifier that is safe to show.
std::string token_id(const store::Digest& hash);

}  // namespace ladder::server
