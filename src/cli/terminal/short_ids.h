// Record ids for people: keys that are paths are shown unchanged, and tables show only the beginning of a digest. `ladder show`
// accepts both.
#pragma once

#include "base/error/error.h"
#include "model/record_id.h"
#include "server/read/reads.h"

#include <string>
#include <string_view>

namespace ladder::cli {

// Returns CONNECTION/STREAM:KEY, even if the key contains a slash; a pdpp://record/ handle only if the key cannot be printed in
// a line.
std::string shown_id(const model::RecordRef& record);

// Shortens a key that is a digest or long to its first characters.
std::string short_id(const model::RecordRef& record);

// Parses the forms of parse_record_id, and the output of shown_id for a key with a slash.
Result<model::RecordRef> parse_shown_id(std::string_view text);

// Finds the record whose key is or begins with that of `named`, among the newest records of the stream. Returns kNotFound if
// there is none, kInvalidRequest if there are several.
Result<model::RecordRef> resolve_short_id(server::Reads& reads, const server::Access& access, const model::RecordRef& named);

}  // namespace ladder::cli
