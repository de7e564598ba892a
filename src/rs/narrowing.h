// Where in a stream the records lie that a request can match: all of it, a stretch of its order, a stretch of an index, or the
// few keys that a grant names. A matter of speed only: what lies there is still checked record by record, unless it is exact.
#pragma once

#include "grant/grant.h"
#include "rs/catalog.h"
#include "rs/filter.h"

#include <string>

namespace ladder::rs {

struct Narrowing {
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
Narrowing narrow(const StreamPlace& place, const grant::StreamGrant* granted, const RecordFilter& filter);

}  // namespace ladder::rs
