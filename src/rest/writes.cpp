// Serves the owner's changes of data: ingest, blobs and erasure (PDPP "ingest", "blobs").
#include "base/limits.h"
#include "base/text/format.h"
#include "http/message/message.h"
#include "json/writer.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/blobs.h"
#include "rest/handlers.h"
#include "server/ingest/ingest.h"
#include "server/owner/erasures.h"
#include "server/owner/sources.h"

namespace ladder::rest {
namespace {

using http::Response;

// For a database that becomes unavailable during an ingest. A short time frees the worker; the client may send the same lines
// again.
constexpr auto kStoreRetryTime = std::chrono::seconds(2);
constexpr std::string_view kBlobIdPrefix = "blob_sha256_";

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
Result<std::string> connection_of_source(server::Sources& sources, const server::Access& who, std::string_view key) {
  LADDER_TRY(const auto connections, sources.connections(who));
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

Status check_json_path(std::string_view json_path) {
  if (json_path.empty() || json_path == "@record" || json_path.front() == '/') return {};
  return fail(Code::kInvalidRequest, "json_path must be @record or a JSON Pointer such as /blob_ref", "json_path");
}

// Returns the connection that the change applies to: the named one, or the only active one of the named source.
Result<std::string> written_connection(server::Sources& sources, const Call& call) {
  std::vector<api::Warning> warnings;  // responses to changes have no place for them
  LADDER_TRY(std::string connection, connection_of(call.query, warnings));
  if (!connection.empty()) return connection;
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  if (connector) return connection_of_source(sources, call.who(), *connector);
  return fail(Code::kInvalidRequest, "name the connection with connection_id", "connection_id");
}

}  // namespace

Answer WriteHandlers::add_records(const Call& call) const {
  LADDER_TRY(const std::string connection, written_connection(sources, call));
  server::TextBytes bytes(call.request.body);
  server::LineSource source(bytes, limits::kMaxLineBytes);
  StopOnDisconnect observer(call.request.gone);
  LADDER_TRY(const auto report,
             ingest.put_records(call.who(), {connection, std::string(call.match.at("stream"))}, source, observer));
  return Response::json(200, server::to_json(report));
}

// The record's blob_ref binds a blob to it, so the record named here is only checked.
Answer WriteHandlers::add_blob(const Call& call) const {
  LADDER_TRY(const auto json_path, call.query.one("json_path"));
  LADDER_CHECK(check_json_path(json_path.value_or("")));
  LADDER_TRY(const auto stream_name, call.query.one("stream"));
  if (call.query.has("connection_id") || call.query.has("connector_instance_id") || call.query.has("connector_id")) {
    LADDER_TRY(const std::string connection_id, written_connection(sources, call));
    LADDER_TRY(const auto connection, sources.connection(call.who(), connection_id));
    if (stream_name && std::ranges::find(connection.streams, *stream_name, &server::ConnectionSummary::StreamCount::stream) ==
                           connection.streams.end()) {
      return fail(Code::kStreamNotDeclared, format("connection {} has no stream \"{}\"", connection_id, *stream_name), "stream");
    }
  }
  LADDER_TRY(const auto named_type, call.query.one("mime_type"));
  std::string type =
      bare_type(named_type ? std::string_view(*named_type) : call.request.headers.get("Content-Type").value_or(""));
  if (type.empty()) type = "application/octet-stream";
  server::TextBytes bytes(call.request.body);
  LADDER_TRY(const api::Blob blob, ingest.put_blob(call.who(), type, bytes));
  json::Writer out;
  out.begin_object().member("object", "blob").member("blob_id", blob.blob_id);
  out.member("sha256", std::string_view(blob.blob_id).substr(kBlobIdPrefix.size()));
  out.member("size_bytes", blob.size_bytes).member("mime_type", blob.mime_type).end_object();
  return Response::json(200, out.take());
}

// Equivalent to a delete line: the payload is removed and a tombstone remains. Deleting a missing record succeeds.
Answer WriteHandlers::erase_record(const Call& call) const {
  LADDER_TRY(const std::string connection, written_connection(sources, call));
  LADDER_TRY(const bool cleared, erasures.erase_record(call.who(), {connection, std::string(call.match.at("stream")),
                                                                    std::string(call.match.at("id"))}));
  return erased(cleared);
}

Answer WriteHandlers::erase_stream(const Call& call) const {
  LADDER_TRY(const std::string connection, written_connection(sources, call));
  LADDER_CHECK(erasures.erase_stream(call.who(), connection, call.match.at("stream"), call.request.gone));
  LADDER_TRY(const bool cleared, erasures.clear_erasures(call.who()));
  return erased(cleared);
}

Answer WriteHandlers::erasure_state(const Call& call) const {
  LADDER_TRY(const bool cleared, erasures.clear_erasures(call.who()));
  return Response::json(200, cleared ? R"({"cleared":true})" : R"({"cleared":false})");
}

}  // namespace ladder::rest
