// The fields of a stream that are a record's title, author, time and text, as its source declares them (x_pdpp_role). Names of
// fields mean nothing here.
#pragma once

#include "server/resource_server.h"

#include <map>
#include <string>
#include <utility>

namespace ladder::cli {

struct StreamRoles {
  std::string title, author, time, text;  // names of fields; empty when none is declared or the caller may not read it
};

using RolesByStream = std::map<std::pair<std::string, std::string>, StreamRoles>;  // by connection id and stream

// Of every stream that the caller may read, or of one. A schema that cannot be read gives none: roles only arrange what is shown.
RolesByStream roles_by_stream(server::ResourceServer& server, const server::Access& access, const std::string& stream = {});

StreamRoles roles_of(const RolesByStream& roles, const model::RecordRef& record);

// The text of a member of a record's data; empty when it is absent or no string.
std::string text_member(const std::string& data, const std::string& name);

}  // namespace ladder::cli
