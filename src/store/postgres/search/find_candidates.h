// Finding the candidates of a search, by the way that promises to be the cheapest: through the word index, or over all rows by
// time. Which candidates there are is the same either way.
#pragma once

#include "store/postgres/search/search_state.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ladder::store::postgres {

// All candidates; or, past `most`, the newest `most` and some more.
Result<WordCandidates> find_newest(SearchState& state, std::int64_t most);

// The next accepted ones in the order of time, after `from` and up to `last`.
Result<WordCandidates> find_by_time(SearchState& state, const std::optional<TimePlace>& from,
                                    const std::optional<TimePlace>& last, std::size_t count);

// Asks with the batch for the candidates of every group, if find_newest() would ask the word index for all of them; else returns
// false. The shares of the groups are known.
bool ask_newest(SearchState& state, Batch& batch);
// Takes the candidates out of the answers.
void read_newest(SearchState& state);

}  // namespace ladder::store::postgres
