// The fields that a source declares as a record's title, author, time and text (x_pdpp_role). Field names themselves have no
// meaning here.
#pragma once

#include "server/read/reads.h"

#include <map>
#include <string>
#include <utility>

namespace ladder::cli {

struct StreamRoles {
  std::string title, author, time, text;  // field names; empty if none is declared or the caller may not read it
};

using RolesByStream = std::map<std::pair<std::string, std::string>, StreamRoles>;  // by connection id and stream

// Returns the roles of every stream that the caller may read, or of one. An unreadable schema yields no roles, since they
// affect only the display.
RolesByStream roles_by_stream(server::Reads& reads, const server::Access& access, const std::string& stream = {});

StreamRoles roles_of(const RolesByStream& roles, const model::RecordRef& record);

// Returns a string member of a record's data; empty if it is absent or not a string.
std::string text_member(const std::string& data, const std::string& name);

}  // namespace ladder::cli
