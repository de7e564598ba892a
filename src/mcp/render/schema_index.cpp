#include "mcp/render/schema_index.h"
#include "mcp/render/content_ladder_json.h"

#include "api/preview.h"
#include "api/render/render.h"
#include "api/render/target.h"
#include "base/text/format.h"
#include "mcp/context.h"
#include "mcp/render/budget.h"
#include "mcp/render/calls.h"
#include "mcp/render/fence.h"

#include <algorithm>

namespace ladder::mcp {

ToolResult schema_result(const Context& context, const api::SchemaRequest& request, std::string_view request_id,
                         json::Writer& out, std::string text) {
  const std::string self = api::target_of(request, true);
  api::write_response_tail(out, {.self = self});
  out.end_object();
  write_origin(out, context, request_id);
  ToolResult result;
  result.structured = out.end_object().take();
  result.text = std::move(text);
  return result;
}

namespace {

using api::ConnectionView;
using api::SourceView;
using api::StreamView;

enum class Depth : std::uint8_t { kStreams, kNames, kConnections };

constexpr std::size_t kAll = SIZE_MAX;

struct Shown {
  Depth depth = Depth::kStreams;
  std::size_t most = kAll;          // names, or connections, per connector
  std::size_t most_sources = kAll;  // connectors
};

std::int64_t count_streams(const api::SchemaView& view) {
  std::int64_t count = 0;
  for (const SourceView& source : view.sources) count += std::ssize(source.streams);
  return count;
}

// Sums all streams; returns -1 if one of them is unknown.
std::int64_t records_of(const SourceView& source) {
  std::int64_t all = 0;
  for (const StreamView& stream : source.streams) {
    const std::int64_t records = api::records_in(stream);
    if (records < 0) return -1;
    all += records;
  }
  return all;
}

// Returns each connection of the source once.
std::vector<ConnectionView> connections_of(const SourceView& source) {
  std::vector<ConnectionView> all;
  for (const StreamView& stream : source.streams) {
    for (const ConnectionView& connection : stream.connections) {
      if (std::ranges::find(all, connection.connection_id, &ConnectionView::connection_id) == all.end())
        all.push_back(connection);
    }
  }
  return all;
}

bool differs(const SourceView& source, const StreamView& stream) {
  const auto* const common = api::common_connections(source);
  return !common || !api::same_connections(*common, stream.connections);
}

std::string connection_text(const ConnectionView& connection) {
  std::string text = plain_or_quoted(connection.connection_id);
  if (!connection.display_name.empty()) text += " " + quoted_line(connection.display_name);
  return text;
}

std::string connections_text(const std::vector<ConnectionView>& connections, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, connections.size()); ++i) {
    text += (i == 0 ? "" : ", ") + connection_text(connections[i]);
  }
  if (connections.size() > most) text += format(", more_connections={}", connections.size() - most);
  return text;
}

void append_stream(std::string& text, const SourceView& source, const StreamView& stream) {
  text += format("  stream name={}", quoted_line(stream.name));
  if (!stream.label.empty()) text += " display_name=" + quoted_line(stream.label);
  if (const std::int64_t records = api::records_in(stream); records >= 0) text += format(" records={}", records);
  if (differs(source, stream)) text += " connections: " + connections_text(stream.connections, kAll);
  text += '\n';
}

void append_names(std::string& text, const SourceView& source, std::size_t most) {
  text += "  streams=";
  for (std::size_t i = 0; i < std::min(most, source.streams.size()); ++i) {
    text += (i == 0 ? "" : "|") + plain_or_quoted(source.streams[i].name);
  }
  if (source.streams.size() > most) text += format("|more_streams={}", source.streams.size() - most);
  text += '\n';
}

std::string index_text(const api::SchemaView& view, const api::SchemaRequest& request, const Shown& shown) {
  std::string text = format("PDPP schema: connectors={} streams={}\n", view.sources.size(), count_streams(view));
  if (!request.connection_id.empty()) text += format("schema_scope connection_id={}\n", quoted_line(request.connection_id));
  std::size_t listed = 0;
  for (const SourceView& source : view.sources) {
    if (listed++ >= shown.most_sources) break;
    const std::vector<ConnectionView> connections = connections_of(source);
    text += format("connector key={}", quoted_line(source.connector_key));
    if (!source.display_name.empty()) text += " display_name=" + quoted_line(source.display_name);
    if (shown.depth == Depth::kStreams) {
      if (const std::int64_t records = records_of(source); records >= 0) text += format(" records={}", records);
    }
    text += format(" stream_count={} connections: {}\n", source.streams.size(),
                   connections_text(connections, shown.depth == Depth::kConnections ? shown.most : kAll));
    if (shown.depth == Depth::kStreams) {
      for (const StreamView& stream : source.streams) append_stream(text, source, stream);
    } else if (shown.depth == Depth::kNames) {
      append_names(text, source, shown.most);
    }
  }
  if (view.sources.size() > shown.most_sources) {
    text += format("more_connectors={}: not listed for lack of room; search finds their records\n",
                   view.sources.size() - shown.most_sources);
  }
  if (view.sources.empty()) return text + "nothing is granted within that scope; call schema args={} for everything that is";
  if (shown.depth == Depth::kConnections) {
    json::Writer args;
    const auto connections = connections_of(view.sources.front());
    args.begin_object().member("connection_id", connections.empty() ? "" : connections.front().connection_id).end_object();
    return text + "too many streams to list: call " + line_of({"schema", args.take()}) + " for those of one connection";
  }
  json::Writer args;
  args.begin_object().member("stream", view.sources.front().streams.empty() ? "" : view.sources.front().streams.front().name);
  return text + "for fields call " + line_of({"schema", args.end_object().take()}) +
         "; add connection_id where several connectors have the stream";
}

void write_connector(json::Writer& out, const SourceView& source, const Shown& shown) {
  out.begin_object().member("object", "connector");
  if (shown.depth == Depth::kConnections) out.member("connector_key", source.connector_key);
  else api::write_source(out, source);
  out.optional_member("display_name", source.display_name).member("stream_count", std::ssize(source.streams));
  std::vector<ConnectionView> connections = connections_of(source);
  const auto* const common = api::common_connections(source);
  if (shown.depth == Depth::kConnections) {
    if (connections.size() > shown.most) {
      out.member("more_connections", connections.size() - shown.most);
      connections.resize(shown.most);
    }
    api::write_connections(out, "granted_connections", connections);
    out.end_object();
    return;
  }
  if (common) api::write_connections(out, "granted_connections", *common);
  if (shown.depth == Depth::kNames && source.streams.size() > shown.most) {
    out.member("more_streams", source.streams.size() - shown.most);
  }
  out.key("streams").begin_array();
  std::size_t written = 0;
  for (const StreamView& stream : source.streams) {
    if (written++ >= shown.most) break;
    out.begin_object();
    if (shown.depth == Depth::kNames) out.member("name", stream.name);
    else api::write_compact_stream(out, source, stream, {.connections = differs(source, stream), .fields = false});
    out.end_object();
  }
  out.end_array().end_object();
}

ToolResult render(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request, const Shown& shown) {
  json::Writer out;
  out.begin_object().key("data").begin_object().member("object", "schema").member("detail", "compact");
  api::write_bearer(out, view);
  out.member("connector_count", std::ssize(view.sources)).member("stream_count", count_streams(view));
  if (view.sources.size() > shown.most_sources) out.member("more_connectors", view.sources.size() - shown.most_sources);
  out.key("connectors").begin_array();
  for (std::size_t i = 0; i < std::min(view.sources.size(), shown.most_sources); ++i)
    write_connector(out, view.sources[i], shown);
  out.end_array();
  return schema_result(context, request, view.request_id, out, index_text(view, request, shown));
}

}  // namespace

ToolResult schema_index(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request) {
  const bool narrowed = !request.connection_id.empty();
  const std::size_t bound =
      narrowed ? context.options.result_bytes : std::min(context.options.result_bytes, api::kSchemaIndexBytes);
  ToolResult result = render(context, view, request, {Depth::kStreams});
  if (result_bytes(result) <= bound) return result;
  result = render(context, view, request, {Depth::kNames});
  if (result_bytes(result) <= bound) return result;
  // The streams of one connection can only be narrowed by name, so this lists as many names as fit.
  const Depth depth = narrowed ? Depth::kNames : Depth::kConnections;
  for (std::size_t most = narrowed ? 4'096 : 1'024; most > 0; most /= 2) {
    result = render(context, view, request, {depth, most});
    if (result_bytes(result) <= bound) return result;
  }
  for (std::size_t sources = view.sources.size() / 2; sources > 0; sources = sources * 3 / 4) {
    result = render(context, view, request, {depth, 1, sources});
    if (result_bytes(result) <= bound) break;
  }
  return result;
}

}  // namespace ladder::mcp
