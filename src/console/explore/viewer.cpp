#include "console/explore/viewer.h"

#include "base/text/format.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "console/reading/markdown.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::size_t kInSwitch = 5;  // clients; the Apps page has all of them

Writer choice(const Url& to, bool current, const ClientFace* face) {
  Writer out;
  out << Markup("<a") << Attribute("href", to);
  if (current) out << Markup(" aria-current=\"true\"");
  out << Markup(">");
  if (face) {
    out << Markup("<span") << Attribute("class", "client " + colour(*face)) << Markup("><bdi>") << Text(face->short_name())
        << Markup("</bdi></span></a>");
  } else {
    out << Markup("You</a>");
  }
  return out;
}

}  // namespace

const grant::Grant* Viewer::grant_for(const model::RecordRef& record) const {
  for (const auto& held : access.grants()) {
    const grant::StreamGrant* const stream = held->grant.stream(record.stream);
    if (stream && stream->allows_instance(record.connection_id)) return &held->grant;
  }
  return nullptr;
}

Result<Viewer> viewer_of(auth::AuthorizationServer& authorization, const server::Access& owner, ClientFaces& faces,
                         const std::string& client_id) {
  if (client_id.empty()) return Viewer{owner};
  const bool known = std::ranges::find(faces.all(), client_id, &ClientFace::client_id) != faces.all().end();
  if (!known) return fail(Code::kNotFound, "No app with this name ever had access.", "as");
  LADDER_TRY(server::Access seen, authorization.server().grants().access_as_client(owner, client_id));
  return Viewer{std::move(seen), faces.at(client_id)};
}

Writer viewer_switch(Markup label, const ClientFaces& faces, const Viewer& viewer, const Url& here) {
  std::vector<const ClientFace*> shown;
  for (const ClientFace& face : faces.all()) {
    const bool current = viewer.client_id() == face.client_id;
    if (current || (face.connected && shown.size() < kInSwitch)) shown.push_back(&face);
  }
  Writer out;
  if (shown.empty()) return out;
  out << Markup("<div class=\"as-bar\" id=\"as\"><span class=\"quiet\">") << label
      << Markup("</span><nav class=\"seg\" aria-label=\"") << label << Markup("\">") << choice(here, viewer.is_owner(), nullptr);
  for (const ClientFace* face : shown) {
    out << choice(here.with("as", face->client_id), viewer.client_id() == face->client_id, face);
  }
  const auto connected = std::ranges::count_if(faces.all(), &ClientFace::connected);
  if (connected > std::ssize(shown)) out << Markup("<a href=\"/clients\">More apps</a>");
  out << Markup("</nav></div>");
  return out;
}

const api::FieldView* ShownStream::field(std::string_view name) const {
  const auto found = std::ranges::find(stream->fields, name, &api::FieldView::name);
  return found == stream->fields.end() ? nullptr : &*found;
}

bool ShownStream::is_dated() const {
  const api::FieldView* const time = roles.time.empty() || roles.time != stream->cursor_field ? nullptr : field(roles.time);
  return time && time->range_filter.usable && std::ranges::find(time->range_operators, "lte") != time->range_operators.end();
}

bool ShownStream::has_files() const { return console::has_files(*stream); }

Result<ShownStreams> ShownStreams::of(server::ResourceServer& server, const server::Access& access) {
  ShownStreams made;
  api::SchemaRequest request;
  request.counted = false;
  // A client without grants has no streams and no schema.
  if (!access.is_owner() && access.grants().empty()) {
    made.view_ = std::make_unique<const api::SchemaView>();
    return made;
  }
  LADDER_TRY(auto view, server.reads().schema(access, request));
  made.view_ = std::make_unique<const api::SchemaView>(std::move(view));
  for (const api::SourceView& source : made.view_->sources) {
    for (const api::StreamView& stream : source.streams) {
      made.streams_.push_back({&source, &stream, api::granted_roles_of(stream), look_of(stream)});
    }
  }
  return made;
}

bool ShownStream::only_links() const { return console::only_links(*source, *stream); }

Result<ShownStreams> ShownStreams::arranged(server::ResourceServer& server, const server::Access& owner) {
  LADDER_TRY(ShownStreams made, of(server, owner));
  LADDER_TRY(made.arrangement_, Arrangement::of(server, owner));
  // One stream per connection, so that every list can leave out some.
  std::vector<ShownStream> split;
  for (const ShownStream& one : made.streams_) {
    for (const api::ConnectionView& connection : one.stream->connections) {
      if (made.arrangement_.is_hidden(connection.connection_id)) continue;
      auto single = std::make_unique<api::StreamView>(*one.stream);
      single->connections = {connection};
      split.push_back({one.source, single.get(), one.roles, one.look});
      made.single_.push_back(std::move(single));
    }
  }
  made.streams_ = std::move(split);
  return made;
}

std::vector<std::string> ShownStreams::searched_connections() const {
  std::vector<std::string> ids;
  if (!arrangement_.hides_any()) return ids;
  for (const ShownStream& one : streams_) {
    for (const api::ConnectionView& connection : one.stream->connections) {
      if (std::ranges::find(ids, connection.connection_id) == ids.end()) ids.push_back(connection.connection_id);
    }
  }
  if (ids.empty()) ids.emplace_back();  // all are hidden: no connection has this id
  return ids;
}

const ShownStream* ShownStreams::find(const model::RecordRef& record) const {
  for (const ShownStream& one : streams_) {
    if (one.stream->name != record.stream) continue;
    const auto& connections = one.stream->connections;
    if (std::ranges::find(connections, record.connection_id, &api::ConnectionView::connection_id) != connections.end())
      return &one;
  }
  return nullptr;
}

std::string ShownStreams::connection_name(std::string_view connection_id) const {
  if (std::string group = arrangement_.group_of(connection_id); !group.empty()) return group;
  for (const ShownStream& one : streams_) {
    const auto& connections = one.stream->connections;
    const auto found = std::ranges::find(connections, connection_id, &api::ConnectionView::connection_id);
    if (found == connections.end()) continue;
    return found->display_name.empty() ? one.source->display_name : found->display_name;
  }
  return std::string(connection_id);
}

RecordLine line_of(const api::Record& record, const ShownStream& stream) {
  RecordLine line{record.ref, text_of(record.data, stream.roles.title), text_of(record.data, stream.roles.author),
                  text_of(record.data, stream.roles.text)};
  line.time = parse_field_time(text_of(record.data, stream.roles.time));
  line.icon = source_icon(stream.source->connector_key);
  line.is_markdown = is_markdown(stream, record.data, stream.roles.text);
  return line;
}

std::string RecordLine::preview() const { return is_markdown ? markdown_preview(text, title) : text; }

std::vector<std::string> line_fields(const ShownStream& stream) {
  std::vector<std::string> fields;
  for (const std::string& name : {stream.roles.title, stream.roles.author, stream.roles.time, stream.roles.text}) {
    if (!name.empty() && std::ranges::find(fields, name) == fields.end()) fields.push_back(name);
  }
  if (fields.empty()) return fields;
  for (const api::FieldView* format : fields_with_role(*stream.stream, kTextFormatRole)) fields.push_back(format->name);
  return fields;
}

std::string text_of(std::string_view data, std::string_view field) {
  if (field.empty() || data.empty()) return {};
  const auto value = json::member(data, field);
  return value && value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string();
}

std::string range_text(std::int64_t start, std::int64_t end, std::int64_t size) {
  return format("{} to {} of {}", grouped(start), grouped(end), grouped(size));
}

}  // namespace ladder::console
