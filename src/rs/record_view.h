// What of a record a request shows, decided once per request: names, cuts, and the envelope around them.
#pragma once

#include "base/result.h"
#include "port/records.h"
#include "rs/projection.h"
#include "rs/reach.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::rs {

// The names to show: what was asked for, or all that is granted. kUnknownField, kFieldNotGranted, kInvalidRequest.
Result<Projection> choose_fields(const Reach& reach, const model::Stream& declared, std::vector<std::string> fields,
                                 const std::string& view);

// kInvalidRequest for bounds that are none.
Status check_bounds(std::optional<std::int64_t> max_field_chars, std::optional<std::int64_t> max_bytes);

// With the time at which the newest of its granted fields was emitted: what came later is not the caller's (design D5, D20).
port::Record to_record(const Reach& reach, const StreamPlace& place, const store::RecordRow& row, ProjectedRecord projected);

}  // namespace ladder::rs
