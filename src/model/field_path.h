// A path to a value inside a record (design D8): a literal top-level name, or an RFC 6901 pointer when it starts with "/".
#pragma once

#include "base/error/error.h"

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
// named "" and is refused too). A name with "/" inside is refused as neither one nor the other: "/a/b" is b inside a, and the
// field named "a/b" is written "/a~1b".
Result<FieldPath> parse_field_path(std::string_view text);

// The text that parse_field_path reads back: the plain name where it can stand, else a pointer.
std::string format_field_path(const std::string& field, const std::vector<std::string>& nested = {});

}  // namespace ladder::model
