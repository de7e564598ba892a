#include "cli/hit_titles.h"

#include "json/scan.h"
#include "mcp/document_roles.h"

#include <algorithm>
#include <map>

namespace ladder::cli {
namespace {

constexpr std::int64_t kTitleChars = 200;

using StreamOfConnection = std::pair<std::string, std::string>;

// The title's field for every stream of every connection; streams without one are absent.
std::map<StreamOfConnection, std::string> title_fields(const port::SchemaView& view) {
  std::map<StreamOfConnection, std::string> fields;
  for (const port::SourceView& source : view.sources) {
    for (const port::StreamView& stream : source.streams) {
      const std::string title = mcp::roles_of(stream).title;
      const auto field = std::ranges::find(stream.fields, title, &port::FieldView::name);
      if (field == stream.fields.end() || !field->granted) continue;
      for (const port::ConnectionView& connection : stream.connections) fields[{connection.connection_id, stream.name}] = title;
    }
  }
  return fields;
}

}  // namespace

std::vector<std::string> titles_of(rs::ResourceServer& server, const rs::Access& access,
                                   const std::vector<port::SearchHit>& hits) {
  std::vector<std::string> titles(hits.size());
  port::SchemaRequest schema;
  schema.counted = false;
  const auto view = hits.empty() ? Result<port::SchemaView>() : server.schema(access, schema);
  if (!view) return titles;
  const auto fields = title_fields(*view);
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const auto field = fields.find({hits[i].ref.connection_id, hits[i].ref.stream});
    if (field == fields.end()) continue;
    port::RecordRequest request;
    request.record = hits[i].ref;
    request.fields = {field->second};
    request.max_field_chars = kTitleChars;
    const auto record = server.record(access, request);
    if (!record) continue;
    for (json::Members member(record->data); member.next();) {
      const json::Value value = member.value();
      if (value.kind == json::Kind::kString) titles[i] = json::decode_string(json::raw_content(value));
    }
  }
  return titles;
}

}  // namespace ladder::cli
