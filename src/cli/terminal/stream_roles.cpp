#include "cli/terminal/stream_roles.h"

#include "api/schema.h"
#include "json/scan/scan.h"

namespace ladder::cli {
namespace {

StreamRoles granted_roles(const api::StreamView& stream) {
  const api::DocumentRoles roles = api::granted_roles_of(stream);
  return {roles.title, roles.author, roles.time, roles.text};
}

}  // namespace

RolesByStream roles_by_stream(server::Reads& reads, const server::Access& access, const std::string& stream) {
  api::SchemaRequest request;
  request.stream = stream;
  request.counted = false;
  RolesByStream roles;
  const auto view = reads.schema(access, request);
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
