// Record ids for people: keys that are paths stand as they are, tables show the beginning of a digest, and `ladder show` takes
// both.
#pragma once

#include "base/error/error.h"
#include "model/record_id.h"
#include "server/resource_server.h"

#include <string>
#include <string_view>

namespace ladder::cli {

// CONNECTION/STREAM:KEY, also where the key holds a slash; a pdpp://record/ handle only for what cannot stand in a line.
std::string shown_id(const model::RecordRef& record);

// The same with the first chars of a key that is a digest or long.
std::string short_id(const model::RecordRef& record);

// Reads the forms of parse_record_id, and the one that shown_id makes of a key with a slash.
Result<model::RecordRef> parse_shown_id(std::string_view text);

// The record whose key is or begins with that of `named`; of the newest records of the stream only. kNotFound when there is none,
// kInvalidRequest when there are several.
Result<model::RecordRef> resolve_short_id(server::ResourceServer& server, const server::Access& access,
                                          const model::RecordRef& named);

}  // namespace ladder::cli
