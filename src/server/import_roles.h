// The roles that an import uses.
#pragma once

#include "server/ingest/ingest.h"
#include "server/owner/imports.h"
#include "server/owner/maintenance.h"
#include "server/owner/sources.h"

namespace ladder::server {

struct ImportRoles {
  Sources& sources;
  Ingest& ingest;
  Imports& imports;
  Maintenance& maintenance;
};

}  // namespace ladder::server
