#include "api/render/render.h"
#include "api/render/target.h"
#include "api/schema.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "mcp/context.h"
#include "mcp/render/budget.h"
#include "mcp/render/calls.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/fence.h"
#include "mcp/render/schema_index.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ladder::mcp {
namespace {

// Up to three repeated values per field, as JSON, the most frequent first.
using SampleValues = std::map<std::string, std::vector<std::string>>;

constexpr std::int64_t kRecordsLookedAt = 100;  // the newest, in one page
constexpr std::int64_t kRecordsBytes = 64 * 1'024;
constexpr std::size_t kSamples = 3;
constexpr std::size_t kRecordsNamed = 10;    // records per field that are noted in the ledger
constexpr std::size_t kMaxSampleBytes = 60;  // maximum value size; longer values are not useful as filters

bool is_plain(json::Kind kind) { return kind == json::Kind::kString || kind == json::Kind::kNumber || kind == json::Kind::kBool; }

bool helps_to_filter(const api::FieldView& field) {
  return field.granted && (field.exact_filter.usable || field.group_by.usable);
}

// Returns the most frequent of the repeated values. A field with only unique values is not useful as a filter.
std::vector<std::string> repeated_of(const std::map<std::string, int>& counts) {
  std::vector<std::pair<int, std::string>> found;
  found.reserve(counts.size());
  for (const auto& [value, count] : counts) found.emplace_back(-count, value);
  std::ranges::sort(found);
  std::vector<std::string> values;
  if (found.empty() || found.front().first == -1) return values;
  for (std::size_t i = 0; i < std::min(kSamples, found.size()); ++i) values.push_back(found[i].second);
  return values;
}

SampleValues samples_in(const api::RecordsPage& page, const std::vector<std::string>& fields) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const api::Record& record : page.records) {
    if (record.data.empty()) continue;
    for (json::Members members(record.data); members.next();) {
      const json::Value& value = members.value();
      if (is_plain(value.kind) && value.text.size() <= kMaxSampleBytes) {
        ++counts[json::decode_string(members.raw_name())][std::string(value.text)];
      }
    }
  }
  SampleValues samples;
  for (const std::string& field : fields) {
    if (auto values = repeated_of(counts[field]); !values.empty()) samples[field] = std::move(values);
  }
  return samples;
}

// Keeps only the samples, in the newest records that contain them.
void keep_samples(api::RecordsPage& page, const SampleValues& samples) {
  std::map<std::pair<std::string, std::string>, std::size_t> kept;  // number of records with the value, by field and value
  page.shown_chars = 0;
  for (api::Record& record : page.records) {
    json::Writer left;
    left.begin_object();
    for (json::Members members(record.data.empty() ? std::string_view("{}") : record.data); members.next();) {
      const std::string field = json::decode_string(members.raw_name());
      const json::Value& value = members.value();
      const auto found = samples.find(field);
      if (found == samples.end() || std::ranges::find(found->second, value.text) == found->second.end()) continue;
      const std::size_t before = kept[{field, std::string(value.text)}]++;
      if (before >= kRecordsNamed) continue;
      left.key(field).raw(value.text);
      if (before > 0) continue;
      *page.shown_chars +=
          value.kind == json::Kind::kString ? utf8::count(json::decode_string(json::raw_content(value))) : std::ssize(value.text);
    }
    record.data = left.end_object().take();
    record.cut.clear();
  }
  std::erase_if(page.records, [](const api::Record& record) { return record.data == "{}"; });
}

// Chooses the samples of a page, and trims the page to them.
class SampleChoice : public api::AnswerBudget {
 public:
  using Fits = std::function<bool(const SampleValues&)>;
  SampleChoice(const std::vector<std::string>& fields, const Fits& fits) : fields_(fields), fits_(fits) {}

  void trim_records(api::RecordsPage& page) override { keep_samples(page, choose(page)); }
  // Returns the samples of the trimmed page, or of this one if a remote server did not trim it.
  SampleValues take(const api::RecordsPage& page) { return samples_ ? *std::move(samples_) : choose(page); }

 private:
  const SampleValues& choose(const api::RecordsPage& page) {
    samples_ = samples_in(page, fields_);
    if (!samples_->empty() && !fits_(*samples_)) samples_->clear();
    return *samples_;
  }

  const std::vector<std::string>& fields_;
  const Fits& fits_;
  std::optional<SampleValues> samples_;
};

// Finds existing values of the declared fields that help to filter, only for a view of one stream of one source. They are read
// under the same grant as any call, and recorded if `fits` says that they will be shown. If they cannot be read, the response
// has none.
SampleValues sample_values(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request,
                           const std::function<bool(const SampleValues&)>& fits) {
  if (view.sources.size() != 1 || view.sources.front().streams.size() != 1) return {};
  const api::StreamView& stream = view.sources.front().streams.front();
  api::RecordsRequest asked;
  asked.stream = stream.name;
  asked.scope.connection_id = request.connection_id;
  asked.limit = kRecordsLookedAt;
  asked.max_field_chars = kMaxSampleBytes;
  asked.max_bytes = kRecordsBytes;
  for (const api::FieldView& field : stream.fields) {
    if (helps_to_filter(field)) asked.fields.push_back(field.name);
  }
  if (asked.fields.empty()) return {};
  SampleChoice choice(asked.fields, fits);
  asked.budget = &choice;
  const auto page = context.port.records(asked, context.stop);
  if (!page) return {};
  return choice.take(*page);
}

using api::ConnectionView;
using api::SourceView;
using api::StreamView;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLegend = {{
    {"t", "type"},
    {"role", "what the source declares the field to be"},
    {"eq", "filter by value"},
    {"r", "filter by these range operators"},
    {"lex", "searched by search"},
    {"sem", "semantic search"},
    {"a", "aggregations it allows"},
    {"g=false", "not granted: cannot be read"},
}};

// How much of the view fits.
struct Shown {
  std::size_t fields = SIZE_MAX;       // per stream
  std::size_t connections = SIZE_MAX;  // per stream
  std::size_t sources = SIZE_MAX;
  SampleValues samples = {};  // of the stream
};

std::size_t beyond(std::size_t all, std::size_t most) { return all > most ? all - most : 0; }

std::string legend_text() {
  std::string text = "field_capability_legend";
  for (const auto& [flag, meaning] : kLegend)
    text += format(" {}{}{}", flag, flag == "g=false" ? ": " : "=", quoted_line(meaning));
  return text + "; =unusable: declared but not usable here\n";
}

void write_legend(json::Writer& out) {
  out.key("field_capability_legend").begin_object();
  for (const auto& [flag, meaning] : kLegend) out.member(flag, meaning);
  out.end_object();
}

void append_connections(std::string& text, const StreamView& stream, std::size_t most) {
  for (const ConnectionView& connection : std::span(stream.connections).first(std::min(most, stream.connections.size()))) {
    text += format("  connection_id={}", quoted_line(connection.connection_id));
    if (!connection.display_name.empty()) text += " display_name=" + quoted_line(connection.display_name);
    if (connection.record_count >= 0) text += format(" records={}", connection.record_count);
    if (!connection.last_updated.empty()) text += " newest=" + plain_or_quoted(connection.last_updated);
    text += '\n';
  }
  if (const std::size_t rest = beyond(stream.connections.size(), most)) {
    text += format(
        "  more_connections={}: not listed for lack of room; search and query_records name the connection of each record\n",
        rest);
  }
}

void append_fields(std::string& text, const StreamView& stream, const Shown& shown) {
  const std::size_t most = shown.fields;
  for (std::size_t i = 0; i < std::min(most, stream.fields.size()); ++i) {
    text += format("  field {} {}", plain_or_quoted(stream.fields[i].name), api::field_flags(stream.fields[i]));
    if (const auto found = shown.samples.find(stream.fields[i].name); found != shown.samples.end()) {
      std::string_view separator = " values=";
      for (const std::string& value : found->second) {
        text.append(separator).append(visible_json(value));
        separator = "|";
      }
    }
    text += '\n';
  }
  if (stream.fields.size() > most) {
    text += format("  more_fields={}: not listed for lack of room; query_records with limit 1 shows those a record has\n",
                   stream.fields.size() - most);
  }
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + plain_or_quoted(name);
  return text;
}

void append_relations(std::string& text, const StreamView& stream) {
  for (const api::ExpandView& expansion : stream.expansions) {
    text += format("  expand {} target_stream={} cardinality={}", plain_or_quoted(expansion.name),
                   plain_or_quoted(expansion.target_stream), expansion.has_many ? "has_many" : "has_one");
    if (!expansion.foreign_key.empty()) text += " foreign_key=" + plain_or_quoted(expansion.foreign_key);
    if (expansion.has_many) text += format(" max_limit={}", expansion.max_limit.value_or(api::kExpandMaxLimit));
    text += expansion.usable ? "\n" : " unusable: its key is not granted\n";
  }
  for (const model::View& view : stream.views)
    text += format("  view {} fields={}\n", plain_or_quoted(view.id), joined(view.fields));
}

void append_stream(std::string& text, const SourceView& source, const StreamView& stream, const Shown& shown) {
  text += format("stream name={} connector_key={}", quoted_line(stream.name), quoted_line(source.connector_key));
  if (!source.display_name.empty()) text += " display_name=" + quoted_line(source.display_name);
  if (!stream.semantics.empty()) text += " semantics=" + stream.semantics;
  if (!stream.primary_key.empty()) text += " primary_key=" + joined(stream.primary_key);
  if (!stream.cursor_field.empty()) text += format(" sort={0}|-{0}", plain_or_quoted(stream.cursor_field));
  if (!stream.consent_time_field.empty()) text += " time=" + plain_or_quoted(stream.consent_time_field);
  if (stream.count_aggregation) text += " aggregate=count";
  text += '\n';
  if (!stream.description.empty()) text += "  description " + quoted_line(api::shortened(stream.description, 400)) + "\n";
  append_connections(text, stream, shown.connections);
  append_fields(text, stream, shown);
  append_relations(text, stream);
  if (stream.time_bounds) {
    text += format("  granted_time field={} since={} until={}\n", plain_or_quoted(stream.time_bounds->field),
                   plain_or_quoted(stream.time_bounds->since), plain_or_quoted(stream.time_bounds->until));
  }
  if (!stream.resources.empty()) text += format("  granted_records={}\n", stream.resources.size());
}

std::string next_line(const api::SchemaView& view) {
  if (view.sources.empty() || view.sources.front().streams.empty()) return {};
  const StreamView& stream = view.sources.front().streams.front();
  json::Writer args;
  args.begin_object().member("stream", stream.name);
  if (!stream.connections.empty()) args.member("connection_id", stream.connections.front().connection_id);
  return "records: " + line_of({"query_records", args.end_object().take()});
}

std::string detail_text(const api::SchemaView& view, const api::SchemaRequest& request, const Shown& shown) {
  std::size_t streams = 0;
  for (const SourceView& source : view.sources) streams += source.streams.size();
  std::string text = format("PDPP schema: connectors={} streams={}\n", view.sources.size(), streams) + legend_text();
  if (!request.connection_id.empty()) text += format("schema_scope connection_id={}\n", quoted_line(request.connection_id));
  for (const SourceView& source : std::span(view.sources).first(std::min(shown.sources, view.sources.size()))) {
    for (const StreamView& stream : source.streams) append_stream(text, source, stream, shown);
  }
  if (const std::size_t rest = beyond(view.sources.size(), shown.sources)) {
    text += format("more_connectors={}: not listed for lack of room; add connection_id\n", rest);
  }
  if (view.sources.empty()) return text + "no granted stream has that name; call schema args={} for those there are";
  return text + next_line(view);
}

void write_stream(json::Writer& out, const SourceView& source, StreamView stream, const Shown& shown) {
  const std::size_t more_fields = beyond(stream.fields.size(), shown.fields);
  const std::size_t more_connections = beyond(stream.connections.size(), shown.connections);
  stream.fields.resize(stream.fields.size() - more_fields);
  stream.connections.resize(stream.connections.size() - more_connections);
  out.begin_object();
  api::write_compact_stream(out, source, stream, {.connections = true, .fields = true});
  if (more_fields > 0) out.member("more_fields", more_fields);
  if (more_connections > 0) out.member("more_connections", more_connections);
  if (!shown.samples.empty()) {
    out.key("sample_values").begin_object();
    for (const auto& [field, values] : shown.samples) {
      out.key(field).begin_array();
      for (const std::string& value : values) out.raw(value);
      out.end_array();
    }
    out.end_object();
  }
  out.optional_member("semantics", stream.semantics).optional_member("consent_time_field", stream.consent_time_field);
  if (!stream.cursor_field.empty()) out.member("sort", {stream.cursor_field, "-" + stream.cursor_field});
  if (!stream.views.empty()) {
    out.key("views").begin_array();
    for (const model::View& view : stream.views) {
      out.begin_object().member("id", view.id);
      out.member("fields", view.fields);
      out.end_object();
    }
    out.end_array();
  }
  if (stream.time_bounds) {
    out.key("time_constraint").begin_object().member("field", stream.time_bounds->field);
    out.optional_member("since", stream.time_bounds->since).optional_member("until", stream.time_bounds->until).end_object();
  }
  out.end_object();
}

ToolResult render(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request, const Shown& shown) {
  json::Writer out;
  out.begin_object().key("data").begin_object().member("object", "schema").member("detail", "compact");
  write_legend(out);
  api::write_bearer(out, view);
  out.member("connector_count", std::ssize(view.sources));
  if (const std::size_t rest = beyond(view.sources.size(), shown.sources)) out.member("more_connectors", rest);
  out.key("connectors").begin_array();
  for (const SourceView& source : std::span(view.sources).first(std::min(shown.sources, view.sources.size()))) {
    out.begin_object().member("object", "connector");
    api::write_source(out, source);
    out.optional_member("display_name", source.display_name).key("streams").begin_array();
    for (const StreamView& stream : source.streams) write_stream(out, source, stream, shown);
    out.end_array().end_object();
  }
  out.end_array();
  return schema_result(context, request, view.request_id, out, detail_text(view, request, shown));
}

// Renders everything that is declared, in both channels; returns nothing if that is too large.
std::optional<ToolResult> render_full(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request) {
  const std::string self = api::target_of(request, false);
  const std::string document = api::render_schema(view, api::SchemaForm::kFull, true, {.self = self});
  json::Writer out;
  out.begin_object().key("data").raw(document);
  write_origin(out, context, view.request_id);
  ToolResult result;
  result.structured = out.end_object().take();
  result.text = detail_text(view, request, {}) + "\ndocument=" + visible_json(document);
  if (!fits(context, result)) return std::nullopt;
  return result;
}

Shown all_of(const api::SchemaView& view) {
  Shown shown{0, 0, view.sources.size()};
  for (const SourceView& source : view.sources) {
    for (const StreamView& stream : source.streams) {
      shown.fields = std::max(shown.fields, stream.fields.size());
      shown.connections = std::max(shown.connections, stream.connections.size());
    }
  }
  return shown;
}

// Reduces connections first if there are many, then fields, then connectors.
bool tighten(Shown& shown) {
  constexpr std::size_t kManyConnections = 24;
  if (shown.connections > kManyConnections) shown.connections = std::max(kManyConnections, shown.connections / 2);
  else if (shown.fields > 0) shown.fields = shown.fields * 3 / 4;
  else if (shown.connections > 1) shown.connections /= 2;
  else if (shown.sources > 1) shown.sources /= 2;
  else return false;
  return true;
}

}  // namespace

ToolResult schema_detail(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request) {
  std::string note;
  if (request.full_detail) {
    if (auto full = render_full(context, view, request)) return *std::move(full);
    note = format("\nfull detail is over {} bytes: the compact form is shown", context.options.result_bytes);
  }
  Shown shown = all_of(view);
  const auto render_noted = [&] {
    ToolResult result = render(context, view, request, shown);
    result.text += note;
    return result;
  };
  const auto fits_with = [&](const SampleValues& samples) {
    shown.samples = samples;
    const bool fitting = fits(context, render_noted());
    shown.samples.clear();
    return fitting;
  };
  shown.samples = sample_values(context, view, request, fits_with);
  while (true) {
    ToolResult result = render_noted();
    if (fits(context, result) || !tighten(shown)) return result;
  }
}

}  // namespace ladder::mcp
