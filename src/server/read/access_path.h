// The access path of a request: the part of a stream that can contain matching records. It is the complete stream, a
// range of its order, a range of an index, or the few keys that a grant names. It only affects speed: unless the path
// is exact, every record in it is still checked.
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
  store::IndexKind kind = store::IndexKind::kText;  // of the values in the bounds
  std::string field;                                // the field with the bounds
  store::IndexRange range;                          // of ordering keys or index entries
  // kIndex: all entries start with this value, so they are in stream order; empty if there are several values
  std::string one_value;
  bool exact = false;  // the path contains exactly the visible, matching records
};

// `granted` is null for the owner.
AccessPath choose_access_path(const ConnectionStream& place, const grant::StreamGrant* granted, const RecordFilter& filter);

}  // namespace ladder::server
