// The fields of a stream that stand for a record's title, text, time, author and address, as its source declares them (design
// D22). Names of fields mean nothing here.
#pragma once

#include "api/schema.h"

#include <string>

namespace ladder::api {

struct DocumentRoles {
  std::string title, text, time, author, url;  // names of fields; empty when none is declared
};

DocumentRoles roles_of(const StreamView& stream);

// The same without fields that the reader may not see.
DocumentRoles granted_roles_of(const StreamView& stream);

}  // namespace ladder::api
