// What the owner is told when a name is not in the catalog: the name, and those that are. For owner operations only; a client is
// never told what exists beside its grants (design D5).
#pragma once

#include "base/result.h"
#include "rs/catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rs {

// "a", "b", "c" and 7 more; `none` when there are none.
std::string listed(const std::vector<std::string>& names, std::string_view none);

// kDamagedData with the record, and the field if it is known, that the caller asked for or may hear of.
Error damaged_in(Error error, std::string_view record, std::string_view field = {});

std::unexpected<Error> unknown_source(const OwnerCatalog& catalog, std::string_view key);                // kNotFound
std::unexpected<Error> unknown_connection(const OwnerCatalog& catalog, std::string_view connection_id);  // kConnectionNotFound
std::unexpected<Error> unknown_stream(const SourceEntry& source, std::string_view stream);               // kStreamNotDeclared

}  // namespace ladder::rs
