// The connection a request names: connection_id, or its old name with a warning (contract 1.4).
#pragma once

#include "base/result.h"
#include "http/query.h"
#include "port/records.h"

#include <string>
#include <vector>

namespace ladder::rest {

// kInvalidArgument when both names are given and differ.
Result<std::string> connection_of(const http::Query& query, std::vector<port::Warning>& warnings);

// An integer parameter; nullopt when absent or empty. kInvalidRequest otherwise.
Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name);

}  // namespace ladder::rest
