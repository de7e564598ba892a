// GET /v1/streams, one entry per stream and connection (contract 6.4), and GET /v1/connectors, one per source (6.3).
#include "base/time.h"
#include "model/handle.h"
#include "port/render_parts.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::rest {
namespace {

using json::Writer;
using port::Capability;
using port::ConnectionView;
using port::FieldView;
using port::SourceView;
using port::StreamView;
using port::write_ending;
using port::write_freshness;
using port::write_names;
using port::write_source;

// A count that is not known, or a time, is null.
void write_figures(Writer& out, std::int64_t records, std::string_view last_updated) {
  out.key("record_count");
  records < 0 ? out.null() : out.number(records);
  out.key("last_updated");
  last_updated.empty() ? out.null() : out.string(last_updated);
  write_freshness(out);
}

void write_entry(Writer& out, const SourceView& source, const StreamView& stream, const ConnectionView& connection) {
  out.begin_object().member("object", "stream").member("name", stream.name);
  write_figures(out, connection.record_count, connection.last_updated);
  out.member("connection_id", connection.connection_id).member("connector_instance_id", connection.connection_id);
  out.optional_member("display_name", connection.display_name).member("connector_id", source.connector_key);
  out.key("source").begin_object().member("kind", source.source_kind).member("id", source.source_id).end_object();
  out.end_object();
}

// The latest of several times; one that cannot be read counts as the earliest.
std::string latest(const std::vector<ConnectionView>& connections) {
  const auto instant = [](const std::string& text) { return parse_time(text).value_or(INT64_MIN); };
  std::string best;
  for (const ConnectionView& connection : connections) {
    if (best.empty() || instant(connection.last_updated) > instant(best)) best = connection.last_updated;
  }
  return best;
}

std::int64_t total(const std::vector<ConnectionView>& connections) {
  std::int64_t records = 0;
  for (const ConnectionView& connection : connections) {
    if (connection.record_count < 0) return -1;
    records += connection.record_count;
  }
  return records;
}

bool can_aggregate(const StreamView& stream) {
  return stream.count_aggregation || std::ranges::any_of(stream.fields, [](const FieldView& field) {
           return field.sum.usable || field.min.usable || field.max.usable || field.count_distinct.usable;
         });
}

std::vector<std::string> usable_for(const StreamView& stream, Capability FieldView::* which) {
  std::vector<std::string> names;
  for (const FieldView& field : stream.fields) {
    if ((field.*which).usable) names.push_back(field.name);
  }
  return names;
}

void write_capabilities(Writer& out, const StreamView& stream) {
  const std::string url = "/v1/streams/" + model::percent_encode(stream.name);
  const bool aggregates = can_aggregate(stream);
  out.key("capabilities").begin_object().member("records", true).member("records_url", url + "/records");
  out.member("metadata_url", url).member("stream_metadata", true).member("aggregate", aggregates).key("aggregate_url");
  aggregates ? out.string(url + "/aggregate") : out.null();
  write_names(out, "exact_filters", usable_for(stream, &FieldView::exact_filter));
  write_names(out, "range_filters", usable_for(stream, &FieldView::range_filter));
  out.key("expand").begin_array();
  for (const port::ExpandView& expansion : stream.expansions) out.string(expansion.name);
  out.end_array().member("changes_since", true).end_object();
}

void write_source_streams(Writer& out, const SourceView& source) {
  out.key("streams").begin_array();
  for (const StreamView& stream : source.streams) {
    out.begin_object().member("object", "stream").member("name", stream.name);
    write_figures(out, total(stream.connections), latest(stream.connections));
    write_capabilities(out, stream);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

std::string render_streams(const port::SchemaView& view, Ending ending) {
  Writer out;
  out.begin_object().member("object", "list").member("has_more", false).key("data").begin_array();
  for (const SourceView& source : view.sources) {
    for (const StreamView& stream : source.streams) {
      for (const ConnectionView& connection : stream.connections) write_entry(out, source, stream, connection);
    }
  }
  out.end_array();
  ending.is_list = true;
  write_ending(out, ending);
  return out.end_object().take();
}

std::string render_connectors(const port::SchemaView& view, Ending ending) {
  Writer out;
  out.begin_object().member("object", "list").member("has_more", false).key("data").begin_array();
  for (const SourceView& source : view.sources) {
    out.begin_object().member("object", "connector");
    write_source(out, source);
    out.optional_member("display_name", source.display_name).member("stream_count", std::ssize(source.streams));
    write_source_streams(out, source);
    out.end_object();
  }
  out.end_array();
  ending.is_list = true;
  write_ending(out, ending);
  return out.end_object().take();
}

}  // namespace ladder::rest
