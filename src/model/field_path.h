// A path to a value inside a record (design D8): a literal top-level name, or an RFC 6901 pointer when it starts with "/".
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

struct FieldPath {
  std::string text;                 // as given
  std::string field;                // the top-level name: what a grant is checked on
  std::vector<std::string> nested;  // tokens below it; empty for the whole field
};

// kInvalidFieldPath when empty, with a NUL, of invalid UTF-8, over its bounds, or a malformed pointer (the bare "/" is the field
// named "" and is refused too).
Result<FieldPath> parse_field_path(std::string_view text);

}  // namespace ladder::model
