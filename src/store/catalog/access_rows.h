// The statements that add grants and tokens, for access.cpp and auth_items.cpp.
#pragma once

#include "store/sql/database.h"
#include "store/store.h"

namespace ladder::store {

// $1 owner: keeps the owner from being removed before the transaction ends. Returns a row if it exists.
inline constexpr sql::Statement kLockOwnerKey{"SELECT owner_no FROM owners WHERE owner_no = $1 FOR KEY SHARE"};
inline std::unexpected<Error> no_such_owner() {
  return fail(Code::kNotFound, "the owner does not exist in the store: create one with `ladder owner add`");
}
// For delete_owner().
inline std::unexpected<Error> owner_has_access() {
  return fail(Code::kConflict, "the owner still has access: suspend it with `ladder owner suspend` before it is deleted",
              "owner");
}

// These add a statement to the session. bind_grant affects one row if the grant exists.
void insert_grant(sql::Session& session, OwnerNo owner, const NewGrant& grant);
void insert_token(sql::Session& session, OwnerNo owner, const NewToken& token);
void bind_grant(sql::Session& session, OwnerNo owner, const Digest& token, std::string_view grant_id);

// Names what exists already if that made these statements fail.
Status explained(Status done);

}  // namespace ladder::store
