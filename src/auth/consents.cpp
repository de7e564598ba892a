#include "auth/consents.h"

#include "auth/body.h"
#include "base/text/base64.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <utility>

namespace ladder::auth {
namespace {

constexpr std::size_t kSecretBytes = 32;

}  // namespace

Result<AuthorizationRequest> Consents::approve(const AuthorizationRequest& asked, const server::Access& owner,
                                               const Review& review, const Choices& choices,
                                               const std::vector<server::GrantSummary>& held_now, std::string_view by) {
  AuthorizationRequest request = asked;
  request.status = "approved";
  request.owner = owner.owner();
  for (const grant::Grant& grant : review.draft.grants) request.grant_ids.push_back(grant.grant_id);
  const Instant now = state_.clock.now();
  store::AuthChange change;
  change.owner = owner.owner();
  change.now = now;
  change.grants = review.draft.rows;
  for (const std::string& id : request.grant_ids) {
    json::Writer body;
    body.begin_object().member("digest", review.digest).key("review").raw(review.evidence);
    body.member("approved_at", format_time(now)).member("by", by).end_object();
    change.puts.push_back({"evidence", id, owner.owner(), body.take(), now, std::nullopt, 0});
  }
  // The budget is set before the grants are issued, so that no read precedes it.
  if (review.budget) LADDER_CHECK(state_.server.ledger().share_budget(owner, request.grant_ids, review.budget));
  const auto kept = requests_.keep(request, std::move(change));
  if (!kept || !*kept) {
    if (review.budget) (void)state_.server.ledger().share_budget(owner, request.grant_ids, std::nullopt);
    if (!kept) return std::unexpected(kept.error());
    return fail(Code::kConflict, "this request was already answered");
  }
  ++request.version;
  (void)clients_.note_use(request.client_id);
  if (choices.replaces) {
    for (const server::GrantSummary& old : held_now) LADDER_CHECK(state_.server.grants().revoke(owner, old.grant.grant_id));
  }
  return request;
}

Result<AuthorizationRequest> Consents::keep_review(const AuthorizationRequest& asked, std::string review, std::string choices) {
  AuthorizationRequest request = asked;
  request.review = std::move(review);
  request.choices = std::move(choices);
  LADDER_TRY(const bool kept, requests_.keep(request, {}));
  if (!kept) return fail(Code::kConflict, "this request has changed; review it again");
  ++request.version;
  return request;
}

Status Consents::undo(const AuthorizationRequest& request, const server::Access& owner) {
  for (const std::string& id : request.grant_ids) LADDER_CHECK(state_.server.grants().revoke(owner, id));
  return requests_.deny(request);
}

Result<std::string> Consents::issue_code(const AuthorizationRequest& asked) {
  if (asked.status != "approved" || asked.kind != RequestKind::kCode) {
    return fail(Code::kConflict, "this request was already answered");
  }
  AuthorizationRequest request = asked;
  request.status = "done";
  std::string code = "ldr_a_" + base64url::encode(crypto::random_bytes(kSecretBytes));
  const Instant now = state_.clock.now();
  json::Writer body;
  body.begin_object().member("client_id", request.client_id).member("redirect_uri", request.redirect_uri);
  body.member("challenge", request.challenge).member("resource", request.resource).member("scope", request.scope);
  body.member("until", now + kCodeLife).key("grants").begin_array();
  for (const std::string& id : request.grant_ids) body.string(id);
  body.end_array().end_object();
  store::AuthChange change;
  // Stored longer than it is valid, so that a second use can be detected.
  change.puts.push_back({"code", hash_key(code), request.owner, body.take(), now, now + 10 * 60 * kSecond, 0});
  LADDER_TRY(const bool kept, requests_.keep(request, std::move(change)));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return code;
}

Result<std::string> Consents::issue_exchange(const AuthorizationRequest& asked) {
  if (asked.status != "approved" || asked.kind != RequestKind::kReview || !asked.exchange.empty()) {
    return fail(Code::kConflict, "this request was already answered");
  }
  AuthorizationRequest request = asked;
  request.status = "done";
  std::string code = "cex_" + crypto::random_hex(kSecretBytes);
  const Instant now = state_.clock.now();
  json::Writer body;
  body.begin_object().member("client_id", request.client_id).member("scope", request.scope);
  body.member("until", now + kExchangeLife).key("grants").begin_array();
  for (const std::string& id : request.grant_ids) body.string(id);
  body.end_array().end_object();
  store::AuthChange change;
  // Stored for twice its lifetime, so that late or repeated use can be detected.
  change.puts.push_back({"exchange", hash_key(code), request.owner, body.take(), now, now + 2 * kExchangeLife, 0});
  LADDER_TRY(const bool kept, requests_.keep(request, std::move(change)));
  if (!kept) return fail(Code::kConflict, "this request was already answered");
  return code;
}

}  // namespace ladder::auth
