// The table of what imports keep.
#pragma once

#include "store/sqlite/engine/connection.h"

namespace ladder::store::sqlite {

Status add_import_table(Connection& connection);  // a migration step

}  // namespace ladder::store::sqlite
