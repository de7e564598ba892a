#include "api/missing_rights.h"

#include "json/writer.h"

#include <algorithm>

namespace ladder::api {
namespace {

constexpr std::string_view kDetailsType = "https://pdpp.dev/data-access";
constexpr std::string_view kPurpose = "https://pdpp.dev/purpose/agent_context";
constexpr std::size_t kMaxSources = 16;  // per request

void write_entry(json::Writer& out, const SourceView& source, std::string_view stream, const std::vector<std::string>& fields) {
  out.begin_object().member("type", kDetailsType).key("source").begin_object();
  out.member("kind", source.source_kind).member("id", source.source_id).end_object();
  out.member("access_mode", "continuous").member("purpose_code", kPurpose);
  out.key("streams").begin_array().begin_object().member("name", stream);
  if (!fields.empty()) {
    out.member("fields", fields);
  }
  out.end_object().end_array().end_object();
}

}  // namespace

std::string missing_rights(const SchemaView& view, std::string_view stream, const std::vector<std::string>& fields) {
  if (stream.empty()) return {};
  json::Writer out;
  out.begin_array();
  std::size_t entries = 0;
  bool is_seen = false;
  for (const SourceView& source : view.sources) {
    const auto known = std::ranges::find(source.streams, stream, &StreamView::name);
    if (known == source.streams.end()) continue;
    is_seen = true;
    std::vector<std::string> missing;
    for (const FieldView& field : known->fields) {
      if (!field.granted && std::ranges::find(fields, field.name) != fields.end()) missing.push_back(field.name);
    }
    if (missing.empty() || entries++ == kMaxSources) continue;
    write_entry(out, source, stream, missing);
  }
  for (const SourceView& source : view.sources) {
    if (is_seen || entries++ >= kMaxSources) break;
    write_entry(out, source, stream, {});
  }
  out.end_array();
  return entries == 0 ? std::string() : out.take();
}

}  // namespace ladder::api
