// The owner's own tokens: made, listed, revoked.
#include "base/format.h"
#include "model/quote.h"
#include "rs/resource_server.h"
#include "rs/token.h"

#include <algorithm>

namespace ladder::rs {
namespace {

constexpr Instant kLifeUnlessSaid = 365 * kDay;

OwnerToken described(const store::TokenRow& row, Instant now) {
  const bool expired = row.expires_at && now >= *row.expires_at;
  return {token_id(row.hash), row.created_at, row.expires_at, row.revoked_at,
          row.revoked_at ? "revoked"
          : expired      ? "expired"
                         : "active"};
}

}  // namespace

Result<std::string> ResourceServer::create_owner_token(const Access& access, const TokenEnd& end) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  if (end.at && *end.at <= now) {
    return fail(Code::kInvalidRequest,
                format("the token would expire at {}, which has passed; choose a later time", format_time(*end.at)), "expires");
  }
  std::optional<Instant> ends = end.at ? end.at : now + kLifeUnlessSaid;
  if (end.never) ends.reset();
  std::string text = new_token(store::TokenKind::kOwner);
  LADDER_CHECK(store_.add_token(access.owner(), {token_hash(text), store::TokenKind::kOwner, "", now, ends}));
  return text;
}

Result<std::vector<OwnerToken>> ResourceServer::owner_tokens(const Access& access) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto rows, store_.owner_tokens(access.owner()));
  const Instant now = clock_.now();
  std::vector<OwnerToken> all;
  for (const store::TokenRow& row : rows) all.push_back(described(row, now));
  return all;
}

Result<OwnerToken> ResourceServer::revoke_owner_token(const Access& access, std::string_view id) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto rows, store_.owner_tokens(access.owner()));
  const auto found = std::ranges::find_if(rows, [&](const store::TokenRow& row) { return token_id(row.hash) == id; });
  if (found == rows.end()) {
    return fail(Code::kNotFound, format("there is no owner token {}; `ladder token list` shows them", model::in_quotes(id)),
                "token_id");
  }
  auto revoked = store_.revoke_owner_token(access.owner(), found->no, clock_.now());
  accesses_.forget_all();
  if (!revoked) return std::unexpected(std::move(revoked).error());
  return described(*revoked, clock_.now());
}

}  // namespace ladder::rs
