#include "auth/request.h"

#include <algorithm>

namespace ladder::auth {

bool AuthorizationRequest::offline() const { return scope.find(kOfflineScope) != std::string::npos; }

std::string requester_name(const AuthorizationRequest& request) {
  if (request.kind == RequestKind::kCode) return app_title(request.redirect_uri, request.client_name);
  return request.kind == RequestKind::kDevice ? "a device with the code " + request.user_code : "an app that is waiting";
}

Trust trust_of(const AuthorizationRequest& request) {
  return request.kind == RequestKind::kCode ? trust_of(std::string_view(request.redirect_uri)) : Trust::kCodeHolder;
}

bool is_own_resource(const ServerUrl& server_url, std::string_view resource) {
  return resource == server_url.mcp() || resource == server_url.base || resource == server_url.base + "/" ||
         resource == server_url.mcp() + "/" || resource == server_url.base + "/v1";
}

bool is_pkce_text(std::string_view text) {
  return text.size() >= 43 && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                  c == '_' || c == '~';
         });
}

std::string granted_scope(std::string_view asked) {
  std::string scope(kReadScope);
  while (!asked.empty()) {
    const auto space = std::min(asked.find(' '), asked.size());
    if (asked.substr(0, space) == kOfflineScope && scope == kReadScope) scope += " " + std::string(kOfflineScope);
    asked.remove_prefix(std::min(space + 1, asked.size()));
  }
  return scope;
}

}  // namespace ladder::auth
