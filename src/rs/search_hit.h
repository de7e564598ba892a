// A hit as the caller sees it: which record, where the words are, and the text around them.
#pragma once

#include "base/result.h"
#include "port/search.h"
#include "rs/search_reach.h"
#include "store/store.h"

#include <optional>

namespace ladder::rs {

// Reads no more than the record's short fields, which came with it, and the passages of its long ones that the store names.
// nullopt: the record changed while it was read; search anew.
Result<std::optional<port::SearchHit>> to_hit(store::Reader& reader, const SearchPlace& place, const store::WordQuery& query,
                                              const store::WordHit& hit);

}  // namespace ladder::rs
