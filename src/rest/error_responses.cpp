#include "rest/error_responses.h"

#include "api/missing_rights.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "server/read/reads.h"

#include <algorithm>

namespace ladder::rest {

http::Response refused(const Addresses& addresses, const Error& error, const http::Request& request, const Trace& trace) {
  http::Response response = http::error_response(error, request.id);
  if (error.more && error.more->retry_after_seconds >= 0) {
    response.headers.set("Retry-After", std::to_string(error.more->retry_after_seconds));
  }
  const bool of_mcp = trace.route == "/mcp";
  const std::string metadata =
      format("{}/.well-known/oauth-protected-resource{}", addresses.public_url(request), of_mcp ? "/mcp" : "");
  const std::string scope = addresses.server_url(request) ? format(", scope=\"{}\"", auth::kReadScope) : "";
  const bool lacks_rights = error.code == Code::kInsufficientScope || error.code == Code::kStreamNotAllowed ||
                            error.code == Code::kFieldNotGranted || error.code == Code::kGrantExpired ||
                            error.code == Code::kGrantRevoked;
  if (lacks_rights && addresses.server_url(request)) {
    // Hosts request more access, or a new token, when they see this header.
    response.headers.set("WWW-Authenticate",
                         format("Bearer error=\"insufficient_scope\", resource_metadata=\"{}\"{}", metadata, scope));
  }
  if (error.code != Code::kAuthentication) return response;
  const bool sent_one = of_mcp && request.headers.get("Authorization").has_value();
  response.headers.set("WWW-Authenticate", format("Bearer resource_metadata=\"{}\"{}{}", metadata, scope,
                                                  sent_one ? ", error=\"invalid_token\"" : ""));
  json::Writer more;
  more.begin_object().member("resource_metadata", metadata);
  more.member("next_step", addresses.server_url(request)
                               ? "get a token as described in resource_metadata, or ask the owner for one"
                               : "ask the owner for a token: `ladder grant create` creates one for a client");
  more.end_object();
  const std::string members = more.take();
  response.body.resize(response.body.size() - 2);  // removes the two closing braces, to append to the inner object
  response.body += "," + members.substr(1) + "}";
  return response;
}

http::Response failed(const Addresses& addresses, server::Reads& reads, const Error& error, const Call& call) {
  http::Response response = refused(addresses, error, call.request, call.trace);
  if (error.code != Code::kStreamNotAllowed && error.code != Code::kFieldNotGranted) return response;
  if (!call.access || call.who().is_owner()) return response;
  std::vector<std::string> named;
  for (const char* name : {"fields", "field", "sort", "group_by", "group_by_time"}) {
    auto values = call.query.many(name, true);
    if (!values) continue;
    for (std::string& value : *values) {
      if (value.starts_with('/')) value.erase(0, 1);  // a JSON Pointer
      value.resize(std::min(value.find_first_of("/.["), value.size()));
      named.push_back(std::move(value));
    }
  }
  for (const http::Parameter* condition : call.query.nested("filter")) {
    if (!condition->path.empty()) named.push_back(condition->path.front());
  }
  api::SchemaRequest asked;
  asked.counted = false;
  const auto view = reads.schema(call.who(), asked);
  const std::string missing = view ? api::missing_rights(*view, call.match.at("stream"), named) : "";
  if (missing.empty() || !response.body.ends_with("}}")) return response;
  response.body.insert(response.body.size() - 2, ",\"authorization_details\":" + missing);
  return response;
}

}  // namespace ladder::rest
