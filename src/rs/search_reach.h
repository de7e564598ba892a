// What a search spans: every stream of every connection that the caller may read, over all its grants and their sources (design
// D14), narrowed to what was asked for. A name that several sources share is no conflict here. Decided from grant and declaration
// alone, so that what lies outside the grant is neither searched nor told about (D5).
#pragma once

#include "base/result.h"
#include "port/search.h"
#include "rs/filter.h"
#include "rs/reach.h"
#include "store/searched_text.h"
#include "store/word_search.h"

#include <memory>
#include <vector>

namespace ladder::rs {

// One stream of one connection.
struct SearchPlace {
  Reach reach;                             // of this place alone
  RecordFilter filter;                     // the request's conditions, as its declaration types them
  std::vector<store::WordColumn> columns;  // the fields that are searched: declared, granted and ready
  store::WordScope scope;                  // the same for the store
  bool pending = false;                    // some field is still being indexed
  bool applies = true;                     // false: it lacks a field that the request filters by

  bool is_searched() const { return applies && !columns.empty(); }
  const StreamPlace& place() const { return reach.places.front(); }
  bool accepts(const store::RecordRow& record) const;  // visible, and matches the conditions
};

struct SearchReach {
  std::vector<SearchPlace> places;                       // by connection, stream and grant; searched or not
  std::vector<std::shared_ptr<const HeldGrant>> grants;  // under which they are reached; none for the owner
};

// kStreamNotAllowed for a client's stream outside its grants, alike whether it exists; kConnectionNotFound; what compiling the
// filters says when they fit no source.
Result<SearchReach> search_reach(const Access& access, const OwnerCatalog& catalog, const port::SearchRequest& request);

}  // namespace ladder::rs
