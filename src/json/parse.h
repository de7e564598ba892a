// Parses small documents from outside (requests, declarations, grants, handles) into a tree. Not used for records,
// since Boost.JSON rounds some numbers. Bounded in bytes and depth; duplicate names are errors.
#pragma once

#include "base/error/error.h"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::json {

// kInvalidRequest, with the position (line, and byte in the line, both from 1), for anything that is not one JSON value
// within the limits.
Result<boost::json::value> parse(std::string_view text, std::size_t max_bytes, std::size_t max_depth);

// Canonical text of a tree: members sorted by name, no white space. Equal values have equal texts.
std::string canonical(const boost::json::value& value);

}  // namespace ladder::json
