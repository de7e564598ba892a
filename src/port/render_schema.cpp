// GET /v1/schema: who asks, and the sources with their streams, in full or in short (contract 6.2).
#include "port/render_parts.h"

#include <map>

namespace ladder::port {
namespace {

using json::Writer;

// What tells one set of connections from another.
std::string names_of(const std::vector<ConnectionView>& connections) {
  std::string names;
  for (const ConnectionView& connection : connections) names += connection.connection_id + "\n" + connection.display_name + "\n";
  return names;
}

void write_compact_streams(Writer& out, const SourceView& source) {
  const std::vector<ConnectionView>* shared = common_connections(source);
  if (shared) write_connections(out, "granted_connections", *shared);
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object();
    write_compact_stream(out, source, stream, {.connections = !shared || !same_connections(stream.connections, *shared)});
    out.end_object();
  }
  out.end_array();
}

void write_full_streams(Writer& out, const SourceView& source) {
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object();
    write_stream(out, stream);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_bearer(Writer& out, const SchemaView& view) {
  out.key("bearer").begin_object().member("token_kind", view.token_kind);
  out.member("scope", view.token_kind == "owner" ? "owner" : "grant");
  if (!view.grant_ids.empty()) out.member("grant_id", view.grant_ids.front());
  if (view.grant_ids.size() > 1) write_names(out, "grant_ids", view.grant_ids);
  out.optional_member("client_id", view.client_id).end_object();
}

const std::vector<ConnectionView>* common_connections(const SourceView& source) {
  std::map<std::string, int> seen;
  const std::vector<ConnectionView>* best = nullptr;
  int most = 0;
  for (const StreamView& stream : source.streams) {
    if (stream.connections.empty()) continue;
    if (const int times = ++seen[names_of(stream.connections)]; times > most) {
      most = times;
      best = &stream.connections;
    }
  }
  return best;
}

bool same_connections(const std::vector<ConnectionView>& a, const std::vector<ConnectionView>& b) {
  return names_of(a) == names_of(b);
}

std::string render_schema(const SchemaView& view, SchemaForm form, bool counted, const Ending& ending) {
  Writer out;
  out.begin_object().member("object", "schema");
  if (form == SchemaForm::kCompact) out.member("detail", "compact");
  write_bearer(out, view);
  std::int64_t streams = 0;
  for (const SourceView& source : view.sources) streams += std::ssize(source.streams);
  if (counted) out.member("connector_count", std::ssize(view.sources)).member("stream_count", streams);
  out.key("connectors").begin_array();
  for (const SourceView& source : view.sources) {
    out.begin_object().member("object", "connector");
    write_source(out, source);
    out.optional_member("display_name", source.display_name).member("stream_count", std::ssize(source.streams));
    form == SchemaForm::kCompact ? write_compact_streams(out, source) : write_full_streams(out, source);
    out.end_object();
  }
  out.end_array();
  write_ending(out, ending);
  return out.end_object().take();
}

}  // namespace ladder::port
