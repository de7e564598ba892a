// Short record ids: tables show the beginning of a long key, and `ladder show` takes it.
#pragma once

#include "base/result.h"
#include "model/record_id.h"
#include "rs/resource_server.h"

#include <string>

namespace ladder::cli {

// CONNECTION/STREAM:KEY with the first chars of a key that is long; the whole key when it is short.
std::string short_id(const model::RecordRef& record);

// The record whose key is or begins with that of `named`; of the newest records of the stream only. kNotFound when there is none,
// kInvalidRequest when there are several.
Result<model::RecordRef> resolve_short_id(rs::ResourceServer& server, const rs::Access& access, const model::RecordRef& named);

}  // namespace ladder::cli
