#include "auth/blocks.h"

#include "auth/body.h"
#include "auth/uri/uri.h"
#include "base/text/format.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::auth {
namespace {

std::string block_key(store::OwnerNo owner, std::string_view client_id) { return format("{}:{}", owner, client_id); }

}  // namespace

// Returns the host of an https redirect; empty for other redirects, which any program can use.
std::string own_origin(std::string_view redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  return uri && uri->scheme == "https" ? shown_origin(redirect_uri) : std::string();
}

Status Blocks::add(store::OwnerNo owner, std::string_view client_id, const std::set<std::string>& origins) {
  json::Writer body;
  body.begin_object().member("client_id", client_id).member("origins", origins).end_object();
  store::AuthChange change;
  change.puts.push_back({"blocked", block_key(owner, client_id), owner, body.take(), state_.clock.now(), std::nullopt, 0});
  LADDER_CHECK(state_.items.apply(change));
  return {};
}

Status Blocks::remove(store::OwnerNo owner, std::string_view client_id) {
  store::AuthChange change;
  change.removes.emplace_back("blocked", block_key(owner, client_id));
  LADDER_CHECK(state_.items.apply(change));
  return {};
}

Result<std::vector<BlockedClient>> Blocks::list(store::OwnerNo owner) {
  LADDER_TRY(const auto items, state_.items.list("blocked", owner));
  std::vector<BlockedClient> all;
  for (const store::AuthItem& item : items) {
    const Body body(item.body);
    all.push_back({body.text("client_id"), body.texts("origins"), item.created_at});
    // Older versions stored one origin per block.
    if (std::string one = body.text("origin"); !one.empty()) all.back().origins.push_back(std::move(one));
  }
  return all;
}

Result<bool> Blocks::covers(store::OwnerNo owner, const AuthorizationRequest& request) {
  LADDER_TRY(const auto all, list(owner));
  // A host can register any number of clients, so its origin is checked too.
  const std::string origin = own_origin(request.redirect_uri);
  return std::ranges::any_of(all, [&](const BlockedClient& one) {
    return one.client_id == request.client_id || (!origin.empty() && std::ranges::find(one.origins, origin) != one.origins.end());
  });
}

Result<bool> Blocks::cover_for_all_owners(const AuthorizationRequest& request) {
  LADDER_TRY(const auto owners, state_.store.owners());
  for (const store::OwnerRow& owner : owners) {
    LADDER_TRY(const bool its, covers(owner.no, request));
    if (!its) return false;
  }
  return !owners.empty();
}

}  // namespace ladder::auth
