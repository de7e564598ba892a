// The owner's decisions about a connected client: extend, narrow or block its access.
#include "auth/authorization.h"
#include "auth/body.h"
#include "base/text/format.h"
#include "json/writer.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder::auth {
namespace {

constexpr int kTries = 5;

std::string block_key(store::OwnerNo owner, std::string_view client_id) { return format("{}:{}", owner, client_id); }

// Returns the host of an https redirect; empty for other redirects, which any program can use.
std::string own_origin(std::string_view redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  return uri && uri->scheme == "https" ? shown_origin(redirect_uri) : std::string();
}

}  // namespace

Status AuthorizationServer::replace(const server::Access& owner, const std::vector<server::Reissue>& drafts,
                                    std::optional<std::int64_t> budget, const std::vector<store::AuthItem>& evidence) {
  std::map<std::string, std::string> replacements;
  for (const server::Reissue& draft : drafts) replacements[draft.old_id] = draft.grant ? draft.grant->grant_id : "";
  for (int attempt = 0; attempt < kTries; ++attempt) {
    store::AuthChange change;
    change.puts = evidence;
    // Refreshes use the grants of the family, so these are replaced together with the tokens.
    LADDER_TRY(const auto families, items_.list("family", owner.owner()));
    for (const store::AuthItem& item : families) {
      auto changed = with_grants(item, replacements);
      if (changed) change.puts.push_back(*std::move(changed));
    }
    LADDER_TRY(const bool done, server_.grants().reissue(owner, drafts, budget, std::move(change)));
    if (done) return {};
  }
  return fail(Code::kStoreUnavailable, "the client's access changes too fast to be replaced; try again");
}

Status AuthorizationServer::extend(const server::Access& owner, std::string_view client_id, Instant by, std::string_view who) {
  LADDER_TRY(const auto grants, held(owner, client_id));
  const Instant now = clock_.now();
  std::vector<server::Reissue> drafts;
  std::vector<store::AuthItem> kept;
  for (const server::GrantSummary& old : grants) {
    if (!old.grant.expires_at || old.grant.single_use) continue;  // no expiry, or single-use
    grant::Grant longer = old.grant;
    longer.expires_at = *old.grant.expires_at + by;
    LADDER_TRY(auto draft, server_.grants().draft_reissue(owner, old, std::move(longer)));
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

Status AuthorizationServer::narrow(const server::Access& owner, const Narrowing& narrowing, std::string_view who) {
  const Instant now = clock_.now();
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

Status AuthorizationServer::end(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(const auto grants, held(owner, client_id));
  for (const server::GrantSummary& one : grants) LADDER_CHECK(server_.grants().revoke(owner, one.grant.grant_id));
  return {};
}

Result<std::map<std::string, std::vector<std::string>>> AuthorizationServer::approved_redirects(const server::Access& owner) {
  LADDER_TRY(const auto items, items_.list("evidence", owner.owner()));
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

Status AuthorizationServer::block(const server::Access& owner, std::string_view client_id) {
  LADDER_TRY(const auto approved, approved_redirects(owner));
  std::set<std::string> origins;
  if (const auto its = approved.find(std::string(client_id)); its != approved.end()) {
    for (const std::string& redirect : its->second) origins.insert(own_origin(redirect));
  }
  origins.erase("");
  // The block is stored before access is revoked, so that the client cannot send a new request in between.
  json::Writer body;
  body.begin_object().member("client_id", client_id).key("origins").begin_array();
  for (const std::string& origin : origins) body.string(origin);
  body.end_array().end_object();
  store::AuthChange change;
  change.puts.push_back(
      {"blocked", block_key(owner.owner(), client_id), owner.owner(), body.take(), clock_.now(), std::nullopt, 0});
  LADDER_TRY([[maybe_unused]] const bool is_new, items_.apply(change));
  LADDER_TRY(const auto waiting, opened(owner));
  for (const AuthorizationRequest& request : waiting) {
    LADDER_TRY(const bool its, is_blocked(owner.owner(), request));
    if (its && request.status == "waiting") LADDER_CHECK(deny(request));
  }
  return end(owner, client_id);
}

Status AuthorizationServer::unblock(const server::Access& owner, std::string_view client_id) {
  store::AuthChange change;
  change.removes.emplace_back("blocked", block_key(owner.owner(), client_id));
  LADDER_CHECK(items_.apply(change));
  return {};
}

Result<std::vector<BlockedClient>> AuthorizationServer::blocked(store::OwnerNo owner) {
  LADDER_TRY(const auto items, items_.list("blocked", owner));
  std::vector<BlockedClient> all;
  for (const store::AuthItem& item : items) {
    const Body body(item.body);
    all.push_back({body.text("client_id"), body.texts("origins"), item.created_at});
    // Older versions stored one origin per block.
    if (std::string one = body.text("origin"); !one.empty()) all.back().origins.push_back(std::move(one));
  }
  return all;
}

Result<bool> AuthorizationServer::is_blocked(store::OwnerNo owner, const AuthorizationRequest& request) {
  LADDER_TRY(const auto all, blocked(owner));
  // A host can register any number of clients, so its origin is checked too.
  const std::string origin = own_origin(request.redirect_uri);
  return std::ranges::any_of(all, [&](const BlockedClient& one) {
    return one.client_id == request.client_id || (!origin.empty() && std::ranges::find(one.origins, origin) != one.origins.end());
  });
}

Result<bool> AuthorizationServer::is_blocked_by_all(const AuthorizationRequest& request) {
  LADDER_TRY(const auto owners, store_.owners());
  for (const store::OwnerRow& owner : owners) {
    LADDER_TRY(const bool its, is_blocked(owner.no, request));
    if (!its) return false;
  }
  return !owners.empty();
}

}  // namespace ladder::auth
