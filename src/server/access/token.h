// Access tokens: 256 random bits as base64url behind a prefix that tells a person what was found lying about. Opaque to everybody
// else; the store keeps only their SHA-256 (design D16).
#pragma once

#include "store/rows.h"

#include <string>
#include <string_view>

namespace ladder::server {

std::string new_token(store::TokenKind kind);  // "ldr_o_…" of an owner, "ldr_c_…" of a client
bool has_token_shape(std::string_view text);   // nothing else can be a token, so nothing else needs to be looked up
store::Digest token_hash(std::string_view token);
// "tok_" and 16 hex digits of the hash: names a token and says nothing about it.
std::string token_id(const store::Digest& hash);

}  // namespace ladder::server
