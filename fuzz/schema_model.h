// The keywords of JSON Schema that Ladder enforces, implemented plainly over trees, to check json::Schema against.
#pragma once

#include <boost/json/fwd.hpp>

#include <optional>

namespace ladder::fuzz {

// Returns whether a compiled schema accepts a value; nullopt if undecided ($id, escaped references, or too much work).
std::optional<bool> accepts(const boost::json::value& schema, const boost::json::value& value);

}  // namespace ladder::fuzz
