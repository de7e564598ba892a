// Serves the routes that need the owner's token: ingest, erase, revoke a grant, introspect a token (PDPP "grants", "tokens",
// "ingest").
#include "base/limits.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/render.h"
#include "rest/service.h"
#include "server/window/field_text.h"

namespace ladder::rest {
namespace {

using http::Response;

// For a database that becomes unavailable during an ingest. A short time frees the worker; the client may send the same lines
// again.
constexpr auto kStoreRetryTime = std::chrono::seconds(2);
constexpr auto kRevocationTimeout = std::chrono::seconds(2);
constexpr int kAccepted = 202;
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

class StopOnDisconnect final : public server::IngestObserver {
 public:
  explicit StopOnDisconnect(std::stop_token gone) : gone_(std::move(gone)) {}
  void durable_through(std::int64_t, const server::IngestReport&) override {}
  bool wants_stop() override { return gone_.stop_requested(); }
  std::chrono::milliseconds retry_time() const override { return kStoreRetryTime; }

 private:
  std::stop_token gone_;
};

// Returns 204 if the bytes are removed from the store's files; 202 with a status URL while some remain.
Response erased(bool cleared) {
  if (!cleared) return Response::json(202, R"({"cleared":false,"status":"/v1/erasures"})");
  Response response;
  response.status = 204;
  return response;
}

// Returns the only active connection of a source.
Result<std::string> connection_of_source(server::ResourceServer& server, const server::Access& who, std::string_view key) {
  LADDER_TRY(const auto connections, server.sources().connections(who));
  Error ambiguous{Code::kAmbiguousConnection, format("source {} has several connections; name one", model::in_quotes(key)),
                  "connection_id"};
  auto& choices = ambiguous.details().available_connections;
  for (const server::ConnectionSummary& connection : connections) {
    if (connection.source_key != key || connection.status != "active") continue;
    choices.push_back({connection.connection_id, connection.source_key, "", connection.display_name});
  }
  if (choices.empty()) {
    return fail(Code::kConnectionNotFound, format("source {} has no active connection", model::in_quotes(key)), "connector_id");
  }
  if (choices.size() > 1) return std::unexpected(std::move(ambiguous));
  return choices.front().connection_id;
}

bool is_form(const http::Request& request) {
  const auto type = request.headers.get("Content-Type");
  return type && http::equal_without_case(http::trimmed(type->substr(0, type->find(';'))), kForm);
}

}  // namespace

Status Service::require_owner(const server::Access& who) {
  if (who.is_owner()) return {};
  return fail(Code::kPermission, "this requires the owner's token; `ladder token create` creates one");
}

Result<std::string> Service::written_connection(const Call& call, const server::Access& who,
                                                std::vector<api::Warning>& warnings) {
  LADDER_TRY(std::string connection, connection_of(call.query, warnings));
  if (!connection.empty()) return connection;
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  if (connector) return connection_of_source(server_, who, *connector);
  return fail(Code::kInvalidRequest, "name the connection with connection_id", "connection_id");
}

Result<Response> Service::ingest(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  std::vector<api::Warning> warnings;
  LADDER_TRY(const std::string connection, written_connection(call, who, warnings));
  server::TextBytes bytes(call.request.body);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  StopOnDisconnect observer(call.request.gone);
  LADDER_TRY(const auto report,
             server_.ingest().put_records(who, {connection, std::string(call.match.at("stream"))}, source, observer));
  return Response::json(200, server::to_json(report));
}

// Equivalent to a delete line: the payload is removed and a tombstone remains. Deleting a missing record succeeds.
Result<Response> Service::delete_record(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  std::vector<api::Warning> warnings;
  LADDER_TRY(const std::string connection, written_connection(call, who, warnings));
  LADDER_TRY(const bool cleared, server_.erasures().erase_record(
                                     who, {connection, std::string(call.match.at("stream")), std::string(call.match.at("id"))}));
  return erased(cleared);
}

Result<Response> Service::delete_records(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  std::vector<api::Warning> warnings;
  LADDER_TRY(const std::string connection, written_connection(call, who, warnings));
  LADDER_CHECK(server_.erasures().erase_stream(who, connection, call.match.at("stream"), call.request.gone));
  LADDER_TRY(const bool cleared, server_.erasures().clear_erasures(who));
  return erased(cleared);
}

Result<Response> Service::erasures(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  LADDER_TRY(const bool cleared, server_.erasures().clear_erasures(who));
  return Response::json(200, cleared ? R"({"cleared":true})" : R"({"cleared":false})");
}

Result<Response> Service::grants(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_TRY(const auto all, server_.grants().list(who));
  return Response::json(200, render_grants(all));
}

Result<Response> Service::grant(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_TRY(const auto summary, server_.grants().find(who, call.match.at("grant")));
  json::Writer out;
  write_grant(out, summary);
  return Response::json(200, out.take());
}

// The grant is refused immediately. If the store cannot save the revocation soon, the response says so.
Result<Response> Service::revoke_grant(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  const std::string_view grant = call.match.at("grant");
  const auto revoked = server_.grants().revoke(who, grant, Deadline::after(kRevocationTimeout));
  if (revoked) return Response::json(200, R"({"revoked":true})");
  if (revoked.error().code != Code::kStoreUnavailable || !server_.grants().refuses_from_memory(who, grant)) {
    return std::unexpected(revoked.error());
  }
  json::Writer out;
  out.begin_object().member("revoked", true).member("written", false);
  out.member("message",
             format("this server refuses the grant from now on, but could not save the revocation yet and tries again every "
                    "second: until it is saved, other servers and programs that use the same store, and this one "
                    "after a restart, still accept it. The store said: {}",
                    revoked.error().message));
  out.end_object();
  return Response::json(kAccepted, out.take());
}

Result<Response> Service::introspect(const Call& call) {
  LADDER_TRY(const auto who, access(call));
  LADDER_CHECK(require_owner(who));
  if (!is_form(call.request)) {
    return fail(Code::kInvalidRequest, format("send the token as a form: token=… with Content-Type {}", kForm), "Content-Type");
  }
  LADDER_TRY(const auto form, http::Query::parse(call.request.body));  // unknown parameters are ignored (RFC 6749, 3.2)
  LADDER_TRY(const auto token, form.one("token"));
  if (!token) return fail(Code::kInvalidRequest, "name the token: token=…", "token");
  LADDER_TRY(const auto facts, server_.owner_tokens().introspect(who, *token));
  Response response = Response::json(200, render_token(facts, options_.issuer, public_url(call.request)));
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Pragma", "no-cache");
  return response;
}

}  // namespace ladder::rest
