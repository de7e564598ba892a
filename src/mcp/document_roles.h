// Which fields a source declares to be a document's title, text, time, author and address: by x_pdpp_role and x_pdpp_type, and
// the consent time. Names of fields mean nothing here (design D22).
#pragma once

#include "port/schema.h"

#include <string>

namespace ladder::mcp {

struct DocumentRoles {
  std::string title, text, time, author, url;  // names of fields; empty when none is declared
};

DocumentRoles roles_of(const port::StreamView& stream);

}  // namespace ladder::mcp
