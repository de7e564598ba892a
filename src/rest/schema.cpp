#include "rest/schema.h"

#include "base/text/format.h"
#include "json/writer.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/handlers.h"
#include "rest/render.h"
#include "server/owner/sources.h"
#include "server/read/reads.h"

#include <algorithm>

namespace ladder::rest {
namespace {

std::string imports_json(const std::vector<server::ImportSummary>& imports) {
  json::Writer out;
  out.begin_array();
  for (const server::ImportSummary& facts : imports) {
    out.begin_object().member("connection_id", facts.connection_id).member("stream", facts.stream);
    out.member("last_import", format_time(facts.last_import)).member("parts", facts.parts);
    out.member("records_read", facts.records_read).member("not_imported", facts.not_imported).member("complete", facts.complete);
    out.optional_member("from", facts.from).optional_member("to", facts.to).end_object();
  }
  out.end_array();
  return out.take();
}

}  // namespace

std::string schema_text(const api::SchemaView& view, const SchemaArguments& arguments,
                        const std::vector<server::ImportSummary>& imports, std::string_view self, Warnings warnings) {
  std::int64_t streams = 0;
  for (const api::SourceView& source : view.sources) streams += std::ssize(source.streams);
  bool compact = arguments.compact;
  if (!compact && arguments.request.stream.empty() && streams > kMaxFullStreams) {
    compact = true;
    warnings.push_back({"compatibility_fallback",
                        format("{} streams are shown compact; stream=NAME&detail=full shows one in full", streams),
                        "view",
                        {}});
  }
  const std::string imports_text = compact || imports.empty() ? "" : imports_json(imports);
  return render_schema(view, compact ? SchemaForm::kCompact : SchemaForm::kFull, compact || arguments.is_narrowed(),
                       {.self = self, .warnings = std::move(warnings), .imports = imports_text});
}

// Serves the metadata: /v1/schema, /v1/connectors, /v1/streams and one stream (PDPP "schema and streams").

namespace {

using http::Response;

// Keeps only that source. An owner gets an error if it does not exist; a client gets an empty list in either case (design D5).
Status keep_connector(api::SchemaView& view, const std::string& connector_key, bool is_owner) {
  if (connector_key.empty()) return {};
  std::erase_if(view.sources, [&](const api::SourceView& source) { return source.connector_key != connector_key; });
  if (!view.sources.empty() || !is_owner) return {};
  return fail(Code::kNotFound, format("no source {} with an active connection", model::in_quotes(connector_key)), "connector_id");
}

// Reads the caller's schema, limited to the connection or source in the query.
Result<api::SchemaView> narrowed_schema(const SchemaHandlers& handlers, const Call& call, Warnings& warnings) {
  api::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  LADDER_TRY(auto view, handlers.reads.schema(call.who(), request));
  if (view.sources.empty() && call.who().is_owner() && !request.connection_id.empty()) {
    LADDER_CHECK(handlers.sources.connection(
        call.who(), request.connection_id));  // kConnectionNotFound, or the connection has no readable data
  }
  LADDER_CHECK(keep_connector(view, connector.value_or(""), call.who().is_owner()));
  return view;
}

// Names the stream or the connection that the caller may not see. An ungranted stream and a missing one give the same error
// (design D5).
std::unexpected<Error> no_such_stream(server::Reads& reads, const server::Access& who, api::SchemaRequest request) {
  const std::string connection_id = std::exchange(request.connection_id, "");
  request.full_detail = false;
  if (!connection_id.empty()) {
    const auto anywhere = reads.schema(who, request);
    if (!anywhere) return std::unexpected(anywhere.error());
    if (!anywhere->sources.empty()) {
      return fail(Code::kConnectionNotFound,
                  format("no connection {} with that stream that you can read", model::in_quotes(connection_id)),
                  "connection_id");
    }
  }
  const std::string stream = model::in_quotes(request.stream);
  return who.is_owner() ? fail(Code::kNotFound, format("unknown stream {}", stream), "stream")
                        : fail(Code::kStreamNotAllowed, format("the grant does not cover a stream {}", stream), "stream");
}

}  // namespace

Answer SchemaHandlers::schema(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto arguments, schema_arguments(call.query, warnings));
  const auto view = reads.schema(call.who(), arguments.request);
  if (!view) {
    Error error = view.error();
    if (error.code == Code::kAmbiguousConnection) error.code = Code::kAmbiguousSchemaDetail;
    return std::unexpected(std::move(error));
  }
  LADDER_TRY(const auto imports,
             arguments.compact ? Result<std::vector<server::ImportSummary>>() : imports.summaries(call.who(), *view));
  return Response::json(200, schema_text(*view, arguments, imports, call.request.target, std::move(warnings)));
}

Answer SchemaHandlers::connectors(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto view, narrowed_schema(*this, call, warnings));
  return Response::json(200, render_connectors(view, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer SchemaHandlers::streams(const Call& call) const {
  Warnings warnings;
  LADDER_TRY(const auto view, narrowed_schema(*this, call, warnings));
  return Response::json(200, render_streams(view, {.self = call.request.target, .warnings = std::move(warnings)}));
}

Answer SchemaHandlers::stream(const Call& call) const {
  Warnings warnings;
  api::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto connector, call.query.one("connector_id"));
  request.stream = call.match.at("stream");
  request.full_detail = !connector;  // a source key also distinguishes streams of the same name
  LADDER_TRY(auto view, reads.schema(call.who(), request));
  if (connector) {
    std::erase_if(view.sources, [&](const api::SourceView& source) { return source.connector_key != *connector; });
  }
  if (view.sources.empty()) return no_such_stream(reads, call.who(), std::move(request));
  const api::SourceView& source = view.sources.front();
  return Response::json(
      200, render_stream(source, source.streams.front(), {.self = call.request.target, .warnings = std::move(warnings)}));
}

}  // namespace ladder::rest
