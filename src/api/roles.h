// Which fields of a stream are a record's title, text, time, author and address, as its source declares them. Names of fields
// mean nothing here.
#pragma once

#include "api/schema.h"

#include <string>

namespace ladder::api {

struct DocumentRoles {
  std::string title, text, time, author, url;  // names of fields; empty when none is declared
};

DocumentRoles roles_of(const StreamView& stream);

}  // namespace ladder::api
