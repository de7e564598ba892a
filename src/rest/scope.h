// Parameters that many routes take: the connection a request names, under its new or its old name (contract 1.4), and numbers.
#pragma once

#include "base/result.h"
#include "http/query.h"
#include "port/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

// kInvalidArgument when both names are given and differ.
Result<std::string> connection_of(const http::Query& query, std::vector<port::Warning>& warnings);

std::optional<std::int64_t> whole_number(std::string_view text);  // decimal, with a minus at most

// An integer parameter; nullopt when absent or empty. kInvalidRequest otherwise.
Result<std::optional<std::int64_t>> integer_of(const http::Query& query, std::string_view name);

}  // namespace ladder::rest
