// The keywords of JSON Schema that Ladder enforces, over trees and in the plainest way, to hold json::Schema against.
#pragma once

#include <boost/json/fwd.hpp>

#include <optional>

namespace ladder::fuzz {

// Says if a schema that compiles accepts a value. nullopt: not decided here ($id, escaped references, or too much work).
std::optional<bool> accepts(const boost::json::value& schema, const boost::json::value& value);

}  // namespace ladder::fuzz
