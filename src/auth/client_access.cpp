#include "auth/client_access.h"

#include "auth/body.h"
#include "auth/refresh_family.h"
#include "base/text/format.h"
#include "json/writer.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder::auth {
namespace {

constexpr int kTries = 5;

}  // namespace

Result<std::vector<server::GrantSummary>> ClientAccess::held(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(auto all, state_.server.grants().list(owner));
  std::erase_if(all, [&](const server::GrantSummary& one) { return one.status != "active" || one.grant.client_id != client_id; });
  return all;
}

Result<std::string> ClientAccess::evidence(const server::Access& owner, std::string_view grant_id) {
  LADDER_TRY(const auto item, state_.items.find("evidence", grant_id));
  if (!item || item->owner != owner.owner()) return std::string();
  return item->body;
}

Status ClientAccess::replace(const server::Access& owner, const std::vector<server::Reissue>& drafts,
                             std::optional<std::int64_t> budget, const std::vector<store::AuthItem>& evidence) {
  std::map<std::string, std::string> replacements;
  for (const server::Reissue& draft : drafts) replacements[draft.old_id] = draft.grant ? draft.grant->grant_id : "";
  for (int attempt = 0; attempt < kTries; ++attempt) {
    store::AuthChange change;
    change.puts = evidence;
    // Refreshes use the grants of the family, so these are replaced together with the tokens.
    LADDER_TRY(const auto families, state_.items.list("family", owner.owner()));
    for (const store::AuthItem& item : families) {
      auto changed = with_grants(item, replacements, state_.clock.now());
      if (changed) change.puts.push_back(*std::move(changed));
    }
    LADDER_TRY(const bool done, state_.server.grants().reissue(owner, drafts, budget, std::move(change)));
    if (done) return {};
  }
  return fail(Code::kStoreUnavailable, "the client's access changes too fast to be replaced; try again");
}

Status ClientAccess::extend(const server::Access& owner, std::string_view client_id, Instant by, std::string_view who) {
  LADDER_TRY(const auto grants, held(owner, client_id));
  const Instant now = state_.clock.now();
  std::vector<server::Reissue> drafts;
  std::vector<store::AuthItem> kept;
  for (const server::GrantSummary& old : grants) {
    if (!old.grant.expires_at || old.grant.single_use) continue;  // no expiry, or single-use
    grant::Grant longer = old.grant;
    longer.expires_at = *old.grant.expires_at + by;
    LADDER_TRY(auto draft, state_.server.grants().draft_reissue(owner, old, std::move(longer)));
    LADDER_TRY(const std::string before, evidence(owner, old.grant.grant_id));
    json::Writer body;
    body.begin_object().member("extends", old.grant.grant_id).member("approved_at", format_time(now)).member("by", who);
    if (!before.empty()) body.key("before").raw(before);
    body.end_object();
    kept.push_back({"evidence", draft.row.grant_id, owner.owner(), body.take(), now, std::nullopt, 0});
    drafts.push_back(std::move(draft));
  }
  if (drafts.empty()) return fail(Code::kInvalidRequest, "This app has no access with an expiry to extend.");
  return replace(owner, drafts, std::nullopt, kept);
}

Status ClientAccess::narrow(const server::Access& owner, const Narrowing& narrowing, std::string_view who) {
  const Instant now = state_.clock.now();
  std::vector<store::AuthItem> kept;
  for (const server::Reissue& draft : narrowing.drafts) {
    if (!draft.grant) continue;
    json::Writer body;
    body.begin_object().member("narrows", draft.old_id).member("digest", narrowing.review.digest);
    body.key("review").raw(narrowing.review.evidence).member("approved_at", format_time(now)).member("by", who).end_object();
    kept.push_back({"evidence", draft.row.grant_id, owner.owner(), body.take(), now, std::nullopt, 0});
  }
  return replace(owner, narrowing.drafts, narrowing.review.budget, kept);
}

Status ClientAccess::end(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(const auto grants, held(owner, client_id));
  for (const server::GrantSummary& one : grants) LADDER_CHECK(state_.server.grants().revoke(owner, one.grant.grant_id));
  return {};
}

Result<std::map<std::string, std::vector<std::string>>> ClientAccess::approved_redirects(const server::Access& owner) {
  LADDER_TRY(const auto items, state_.items.list("evidence", owner.owner()));
  std::map<std::string, std::vector<std::string>> approved;
  for (const store::AuthItem& item : items) {
    const Body review = Body(item.body).object("review");
    std::string redirect = review.text("redirect_uri");
    if (redirect.empty()) continue;  // a device, or a change of an earlier approval
    auto& of_client = approved[review.text("client_id")];
    std::erase(of_client, redirect);
    of_client.push_back(std::move(redirect));
  }
  return approved;
}

Status ClientAccess::block(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(const auto approved, approved_redirects(owner));
  std::set<std::string> origins;
  if (const auto its = approved.find(std::string(client_id)); its != approved.end()) {
    for (const std::string& redirect : its->second) origins.insert(own_origin(redirect));
  }
  origins.erase("");
  // The block is stored before access is revoked, so that the client cannot send a new request in between.
  LADDER_CHECK(blocks_.add(owner.owner(), client_id, origins));
  LADDER_TRY(const auto waiting, requests_.opened(owner));
  for (const AuthorizationRequest& request : waiting) {
    LADDER_TRY(const bool its, blocks_.covers(owner.owner(), request));
    if (its && request.status == "waiting") LADDER_CHECK(requests_.deny(request));
  }
  return end(owner, client_id);
}

Result<std::int64_t> ClientAccess::revoke_everything(const server::Access& owner) {
  LADDER_TRY(const std::int64_t stood, state_.server.grants().revoke_all(owner));
  store::AuthChange change;
  for (const char* kind : {"family", "code", "request"}) {
    LADDER_TRY(const auto items, state_.items.list(kind, owner.owner()));
    for (const store::AuthItem& item : items) change.removes.emplace_back(kind, item.key);
  }
  if (!change.removes.empty()) LADDER_CHECK(state_.items.apply(change));
  return stood;
}

}  // namespace ladder::auth
