// Records as an answer shows them: trimmed, with what the ladder says of them.
#pragma once

#include "evidence/ladder.h"
#include "port/records.h"

#include <cstdint>
#include <vector>

namespace ladder::mcp {

// Cuts what is long and hides base64, in the record and in those expanded inside it.
void trim_record(port::Record& record, std::int64_t max_chars);

// What the ladder says of a trimmed record: what is cut, and blobs. Nothing to say: no fields.
evidence::LadderRecord ladder_of(const port::Record& record);

// Of a record and those expanded inside it: every one of them, since its id stands there.
void add_ladder(const port::Record& record, std::vector<evidence::LadderRecord>& into);

inline constexpr std::size_t kMostBlobs = 8;  // blob references told of per record

}  // namespace ladder::mcp
