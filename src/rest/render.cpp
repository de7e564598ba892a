#include "rest/render.h"

#include "base/format.h"
#include "model/handle.h"

namespace ladder::rest {
namespace {

using json::Writer;

// The same target with `cursor` set to the next page's.
std::string with_cursor(std::string_view target, std::string_view cursor) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::string next(path);
  char separator = '?';
  std::string_view query = target.size() > path.size() ? target.substr(path.size() + 1) : std::string_view();
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.starts_with("cursor=") || pair.empty()) continue;
    next += separator;
    next += pair;
    separator = '&';
  }
  next += separator;
  next += "cursor=";
  next += model::percent_encode(cursor);
  return next;
}

void end_with(Writer& out, const Ending& ending) {
  out.key("links").begin_object().member("self", ending.self);
  if (ending.is_list) {
    out.key("next");
    ending.next_cursor.empty() ? out.null() : out.string(with_cursor(ending.self, ending.next_cursor));
  }
  out.end_object();
  out.key("meta").begin_object().key("count").begin_object();
  if (ending.count.kind == port::CountKind::kNone) {
    out.member("kind", "none");
  } else {
    out.member("kind", ending.count.kind == port::CountKind::kExact ? "exact" : "estimated").member("value", ending.count.value);
  }
  out.end_object().key("warnings").begin_array();
  for (const port::Warning& warning : ending.warnings) {
    out.begin_object().member("code", warning.code).member("message", warning.message).optional_member("param", warning.param);
    if (!warning.detail.empty()) out.key("detail").raw(warning.detail);
    out.end_object();
  }
  out.end_array().end_object();
}

void write_cut(Writer& out, const port::Record& record) {
  if (record.cut.empty()) return;
  out.key("truncated_fields").begin_array();
  for (const port::CutField& cut : record.cut) {
    out.begin_object().member("field_path", cut.path).member("type", cut.type).optional_member("mime_type", cut.mime_type);
    out.member("text_like", cut.text_like).member("size_chars", cut.size_chars).member("shown_chars", cut.shown_chars);
    out.optional_member("digest", cut.digest);
    out.key("field_window_read").begin_object().member("method", "GET");
    out.member("url", format("/v1/streams/{}/records/{}/field-window?connection_id={}&field={}&offset_chars={}",
                             model::percent_encode(record.ref.stream), model::percent_encode(record.ref.record_id),
                             model::percent_encode(record.ref.connection_id), model::percent_encode(cut.path), cut.shown_chars));
    out.end_object().end_object();
  }
  out.end_array();
}

// The members of one record, without braces, so that a single one can carry links and meta too.
void write_record(Writer& out, const port::Record& record) {
  out.member("object", "record").member("id", record.ref.record_id).member("stream", record.ref.stream);
  out.key("data").raw(record.data);
  out.member("emitted_at", record.emitted_at);
  out.member("connection_id", record.ref.connection_id).member("connector_instance_id", record.ref.connection_id);
  out.optional_member("display_name", record.display_name);
  write_cut(out, record);
}

void write_names(Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) out.string(name);
  out.end_array();
}

void write_flag(Writer& out, std::string_view name, const port::Capability& capability) {
  out.key(name).begin_object().member("declared", capability.declared).member("usable", capability.usable);
  if (capability.declared && !capability.usable) out.member("reason", "field_not_granted");
  out.end_object();
}

void write_field(Writer& out, const port::FieldView& field) {
  out.key(field.name).begin_object().member("type", field.type).optional_member("role", field.role);
  out.key("schema").raw(field.schema_json);
  out.member("granted", field.granted);
  write_flag(out, "exact_filter", field.exact_filter);
  out.key("range_filter")
      .begin_object()
      .member("declared", field.range_filter.declared)
      .member("usable", field.range_filter.usable);
  if (!field.range_operators.empty()) write_names(out, "operators", field.range_operators);
  out.end_object();
  write_flag(out, "lexical_search", field.lexical_search);
  out.key("semantic_search")
      .begin_object()
      .member("declared", field.semantic_search.declared)
      .member("usable", false)
      .end_object();
  out.key("aggregation").begin_object();
  write_flag(out, "sum", field.sum);
  write_flag(out, "min", field.min);
  write_flag(out, "max", field.max);
  write_flag(out, "group_by", field.group_by);
  write_flag(out, "group_by_time", field.group_by_time);
  write_flag(out, "count_distinct", field.count_distinct);
  out.end_object().end_object();
}

void write_grant_bounds(Writer& out, const port::StreamView& stream) {
  if (stream.time_bounds) {
    out.key("time_constraint").begin_object().member("field", stream.time_bounds->field);
    out.optional_member("since", stream.time_bounds->since).optional_member("until", stream.time_bounds->until).end_object();
  }
  if (!stream.resources.empty()) write_names(out, "resources", stream.resources);
}

void write_stream(Writer& out, const port::StreamView& stream) {
  out.member("object", "stream_metadata").member("name", stream.name).optional_member("label", stream.label);
  out.optional_member("detail", stream.detail).optional_member("description", stream.description);
  out.member("semantics", stream.semantics);
  write_names(out, "primary_key", stream.primary_key);
  out.optional_member("cursor_field", stream.cursor_field).optional_member("consent_time_field", stream.consent_time_field);
  out.key("selection")
      .begin_object()
      .member("fields", stream.select_fields)
      .member("resources", stream.select_resources)
      .end_object();
  out.key("views").begin_array();
  for (const model::View& view : stream.views) {
    out.begin_object().member("id", view.id).member("label", view.label);
    write_names(out, "fields", view.fields);
    out.end_object();
  }
  out.end_array().key("relationships").begin_array();
  for (const model::Relationship& relation : stream.relationships) {
    out.begin_object()
        .member("name", relation.name)
        .member("stream", relation.stream)
        .member("foreign_key", relation.foreign_key);
    out.member("cardinality", relation.has_many ? "has_many" : "has_one").end_object();
  }
  out.end_array().key("freshness").begin_object().member("status", "unknown").end_object();
  out.key("field_capabilities").begin_object();
  for (const port::FieldView& field : stream.fields) write_field(out, field);
  out.end_object().key("granted_connections").begin_array();
  for (const port::ConnectionView& connection : stream.connections) {
    out.begin_object().member("connection_id", connection.connection_id).optional_member("display_name", connection.display_name);
    out.end_object();
  }
  out.end_array();
  write_grant_bounds(out, stream);
}

}  // namespace

std::string render(const port::RecordsPage& page, std::string_view path, Ending ending) {
  Writer out;
  out.begin_object().member("object", "list").member("url", path).member("has_more", page.has_more);
  out.optional_member("next_cursor", page.next_cursor);
  out.key("data").begin_array();
  for (const port::Record& record : page.records) {
    out.begin_object();
    write_record(out, record);
    out.end_object();
  }
  out.end_array();
  ending.is_list = true;
  ending.next_cursor = page.next_cursor;
  ending.count = page.count;
  ending.warnings.insert(ending.warnings.end(), page.warnings.begin(), page.warnings.end());
  end_with(out, ending);
  return out.end_object().take();
}

std::string render(const port::Record& record, Ending ending) {
  Writer out;
  out.begin_object();
  write_record(out, record);
  out.member("connector_key", record.connector_key).member("record_json_bytes", static_cast<std::int64_t>(record.data.size()));
  end_with(out, ending);
  return out.end_object().take();
}

std::string render(const evidence::FieldWindow& window, std::string_view path, Ending ending) {
  std::string body = evidence::to_json(window);
  body.pop_back();  // its closing brace, to go on
  Writer tail;
  tail.begin_object().member("url", path);
  end_with(tail, ending);
  const std::string rest = tail.end_object().take();
  return body + "," + rest.substr(1);
}

std::string render_schema(const port::SchemaView& view, Ending ending) {
  Writer out;
  out.begin_object().member("object", "schema");
  out.key("bearer").begin_object().member("token_kind", view.token_kind);
  out.member("scope", view.token_kind == "owner" ? "owner" : "grant");
  if (!view.grant_ids.empty()) out.member("grant_id", view.grant_ids.front());
  if (view.grant_ids.size() > 1) write_names(out, "grant_ids", view.grant_ids);
  out.optional_member("client_id", view.client_id).end_object();
  out.key("connectors").begin_array();
  for (const port::SourceView& source : view.sources) {
    out.begin_object().member("object", "connector");
    out.key("source").begin_object().member("kind", source.source_kind).member("id", source.source_id).end_object();
    out.member("connector_key", source.connector_key).member("connector_id", source.connector_key);
    out.optional_member("display_name", source.display_name);
    out.member("stream_count", static_cast<std::int64_t>(source.streams.size())).key("streams").begin_array();
    for (const port::StreamView& stream : source.streams) {
      out.begin_object();
      write_stream(out, stream);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
  end_with(out, ending);
  return out.end_object().take();
}

std::string render_streams(const port::SchemaView& view, Ending ending) {
  Writer out;
  out.begin_object().member("object", "list").member("has_more", false).key("data").begin_array();
  for (const port::SourceView& source : view.sources) {
    for (const port::StreamView& stream : source.streams) {
      for (const port::ConnectionView& connection : stream.connections) {
        out.begin_object().member("object", "stream").member("name", stream.name);
        out.key("record_count");
        connection.record_count < 0 ? out.null() : out.number(connection.record_count);
        out.key("last_updated");
        connection.last_updated.empty() ? out.null() : out.string(connection.last_updated);
        out.key("freshness").begin_object().member("status", "unknown").end_object();
        out.member("connection_id", connection.connection_id).member("connector_instance_id", connection.connection_id);
        out.optional_member("display_name", connection.display_name).member("connector_id", source.connector_key);
        out.key("source").begin_object().member("kind", source.source_kind).member("id", source.source_id).end_object();
        out.end_object();
      }
    }
  }
  out.end_array();
  ending.is_list = true;
  end_with(out, ending);
  return out.end_object().take();
}

std::string render_stream(const port::SourceView& source, const port::StreamView& stream, Ending ending) {
  Writer out;
  out.begin_object();
  write_stream(out, stream);
  out.member("connector_key", source.connector_key);
  end_with(out, ending);
  return out.end_object().take();
}

}  // namespace ladder::rest
