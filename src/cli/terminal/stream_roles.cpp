#include "cli/terminal/stream_roles.h"

#include "api/roles.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::cli {
namespace {

constexpr std::string_view kAuthorRole = "actor";

StreamRoles granted_roles(const api::StreamView& stream) {
  const auto granted = [&](const std::string& name) {
    const auto field = std::ranges::find(stream.fields, name, &api::FieldView::name);
    return field != stream.fields.end() && field->granted ? name : std::string();
  };
  const api::DocumentRoles roles = api::roles_of(stream);
  const auto author = std::ranges::find(stream.fields, kAuthorRole, &api::FieldView::role);
  return {granted(roles.title), author == stream.fields.end() ? "" : granted(author->name), granted(roles.time),
          granted(roles.text)};
}

}  // namespace

RolesByStream roles_by_stream(server::ResourceServer& server, const server::Access& access, const std::string& stream) {
  api::SchemaRequest request;
  request.stream = stream;
  request.counted = false;
  RolesByStream roles;
  const auto view = server.schema(access, request);
  if (!view) return roles;
  for (const api::SourceView& source : view->sources) {
    for (const api::StreamView& one : source.streams) {
      for (const api::ConnectionView& connection : one.connections)
        roles[{connection.connection_id, one.name}] = granted_roles(one);
    }
  }
  return roles;
}

StreamRoles roles_of(const RolesByStream& roles, const model::RecordRef& record) {
  const auto found = roles.find({record.connection_id, record.stream});
  return found == roles.end() ? StreamRoles() : found->second;
}

std::string text_member(const std::string& data, const std::string& name) {
  if (name.empty() || data.empty()) return {};
  const auto value = json::member(data, name);
  return value && value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string();
}

}  // namespace ladder::cli
