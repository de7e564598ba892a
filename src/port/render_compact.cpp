// A stream's metadata in short (contract 6.2): what a model needs to make its next call, a line of flags a field.
#include "port/render_parts.h"

#include <array>

namespace ladder::port {
namespace {

constexpr std::string_view kUnusable = "=unusable:field_not_granted";

// A value inside the line: what separates flags may not stand in it.
std::string plain(std::string_view value) {
  std::string text(value);
  for (char& c : text) {
    if (std::string_view(";,[]{}= \t\n\r\f\v").find(c) != std::string_view::npos) c = '_';
  }
  return text;
}

class Flags {
 public:
  void add(const std::string& flag) { line_ += (line_.empty() ? "" : ",") + flag; }
  void add(std::string_view name, const Capability& capability, const std::string& values = {}) {
    if (!capability.declared) return;
    add(std::string(name) + (!capability.usable ? std::string(kUnusable) : values.empty() ? "" : "=" + values));
  }
  std::string line() && { return line_.empty() ? "declared" : std::move(line_); }

 private:
  std::string line_;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + plain(name);
  return text;
}

// The aggregates a field may be used in, as one flag.
void add_aggregations(Flags& flags, const FieldView& field) {
  const std::array<std::pair<const char*, const Capability*>, 6> all = {{{"sum", &field.sum},
                                                                         {"min", &field.min},
                                                                         {"max", &field.max},
                                                                         {"group_by", &field.group_by},
                                                                         {"group_by_time", &field.group_by_time},
                                                                         {"count_distinct", &field.count_distinct}}};
  Capability any;
  std::vector<std::string> usable;
  for (const auto& [name, capability] : all) {
    any.declared = any.declared || capability->declared;
    if (capability->usable) usable.emplace_back(name);
  }
  any.usable = !usable.empty();
  flags.add("a", any, joined(usable));
}

void write_expansions(json::Writer& out, const StreamView& stream) {
  if (stream.expansions.empty()) return;
  out.key("expand_capabilities").begin_array();
  for (const ExpandView& expansion : stream.expansions) {
    out.begin_object().member("name", expansion.name).member("target_stream", expansion.target_stream);
    out.member("cardinality", expansion.has_many ? "has_many" : "has_one");
    if (expansion.has_many) out.member("max_limit", expansion.max_limit.value_or(kExpandMaxLimit));
    out.member("usable", expansion.usable).end_object();
  }
  out.end_array();
}

}  // namespace

std::int64_t records_in(const StreamView& stream) {
  if (stream.record_count) return *stream.record_count;
  std::int64_t records = 0;
  for (const ConnectionView& connection : stream.connections) {
    if (connection.record_count < 0) return -1;
    records += connection.record_count;
  }
  return records;
}

std::string field_flags(const FieldView& field) {
  Flags flags;
  if (!field.type.empty() && field.type != "any") flags.add("t=" + plain(field.type));
  if (!field.role.empty()) flags.add("role=" + plain(field.role));
  if (!field.granted) flags.add("g=false");
  flags.add("eq", field.exact_filter);
  flags.add("r", field.range_filter, joined(field.range_operators));
  flags.add("lex", field.lexical_search);
  if (field.semantic_search.declared) flags.add(field.granted ? "sem=unusable:not_served" : "sem" + std::string(kUnusable));
  add_aggregations(flags, field);
  return std::move(flags).line();
}

void write_compact_stream(json::Writer& out, const SourceView& source, const StreamView& stream, CompactParts parts) {
  out.member("name", stream.name).member("connector_key", source.connector_key).optional_member("display_name", stream.label);
  if (const std::int64_t records = records_in(stream); records >= 0) out.member("record_count", records);
  out.member("granted", true);
  write_names(out, "primary_key", stream.primary_key);
  out.optional_member("cursor_field", stream.cursor_field);
  if (parts.fields) {
    write_expansions(out, stream);
    out.key("field_capabilities").begin_object();
    for (const FieldView& field : stream.fields) out.member(field.name, field_flags(field));
    out.end_object();
  }
  if (parts.connections) write_connections(out, "granted_connections", stream.connections);
}

}  // namespace ladder::port
