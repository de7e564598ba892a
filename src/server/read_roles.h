// The roles that read under an Access.
#pragma once

#include "server/read/reads.h"
#include "server/search/search.h"
#include "server/watch/watches.h"
#include "server/window/field_windows.h"

namespace ladder::server {

struct ReadRoles {
  Reads& reads;
  FieldWindows& windows;
  Search& search;
  Watches& watches;
};

}  // namespace ladder::server
