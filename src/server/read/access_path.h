// The access path of a request: where in a stream the records lie that it can match, all of it, a stretch of its order, a stretch
// of an index, or the few keys that a grant names. A matter of speed only: what lies there is still checked record by record,
// unless it is exact.
#pragma once

#include "grant/grant.h"
#include "server/catalog/catalog.h"
#include "server/read/filter.h"

#include <string>

namespace ladder::server {

struct AccessPath {
  enum class By : std::uint8_t { kAll, kOrder, kIndex, kKeys };
  By by = By::kAll;
  store::IndexNo index = 0;                         // kIndex
  store::IndexKind kind = store::IndexKind::kText;  // of the values that bound it
  std::string field;                                // that bounds it
  store::IndexRange range;                          // of ordering keys or entries
  // kIndex: every entry begins with this value, so they lie in the stream's order; empty when there are several values
  std::string one_value;
  bool exact = false;  // every record there is visible and matches, and there is none elsewhere
};

// `granted` is null for the owner.
AccessPath choose_access_path(const StreamPlace& place, const grant::StreamGrant* granted, const RecordFilter& filter);

}  // namespace ladder::server
