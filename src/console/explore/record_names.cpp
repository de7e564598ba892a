#include "console/explore/record_names.h"

#include "api/schema.h"
#include "base/text/utf8.h"
#include "http/message/message.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kNameChars = 120;

// Returns the first non-blank line.
std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = http::trimmed(text.substr(0, end));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) return std::string(utf8::slice(line, 0, kNameChars));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace

std::string text_member(std::string_view data, std::string_view name) {
  if (name.empty() || data.empty()) return {};
  const auto value = json::member(data, name);
  return value && value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string();
}

Result<RecordNames> RecordNames::of(server::ResourceServer& server, const server::Access& owner) {
  RecordNames made(server, owner);
  api::SchemaRequest request;
  request.counted = false;
  LADDER_TRY(const auto view, server.reads().schema(owner, request));
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) {
      const api::DocumentRoles roles = api::roles_of(stream);
      for (const api::ConnectionView& connection : stream.connections) {
        const std::string& shown = connection.display_name.empty() ? source.display_name : connection.display_name;
        const std::string name = shown.empty() ? connection.connection_id : shown;
        made.streams_[{connection.connection_id, stream.name}] = {stream.label.empty() ? stream.name : stream.label, name,
                                                                  source.connector_key, roles.title, roles.text};
        if (std::ranges::find(made.sources_, connection.connection_id, &Source::connection_id) == made.sources_.end()) {
          made.sources_.push_back({connection.connection_id, name});
        }
      }
    }
  }
  return made;
}

RecordNames::Stream RecordNames::stream(const model::RecordRef& record) const {
  const auto found = streams_.find({record.connection_id, record.stream});
  return found != streams_.end() ? found->second : Stream{record.stream, record.connection_id, {}, {}, {}};
}

Result<RecordNames::Name> RecordNames::at(const model::RecordRef& record) {
  std::string id = model::format_record_id(record);
  if (const auto known = names_.find(id); known != names_.end()) return known->second;
  const Stream of = stream(record);
  Name name{id, false, false};
  api::RecordRequest request;
  request.record = record;
  request.max_field_chars = kNameChars;
  for (const std::string* field : {&of.title, &of.text}) {
    if (!field->empty()) request.fields.push_back(*field);
  }
  const auto found = server_->reads().record(*owner_, request);
  if (!found && found.error().http_status() != 404) return std::unexpected(found.error());
  if (!found || found->deleted) {
    name.is_gone = true;
  } else if (std::string title = first_line(text_member(found->data, of.title)); !title.empty()) {
    name = {std::move(title), true, false};
  } else if (std::string text = first_line(text_member(found->data, of.text)); !text.empty()) {
    name = {std::move(text), false, false};
  }
  return names_.emplace(std::move(id), std::move(name)).first->second;
}

}  // namespace ladder::console
