// A path to a value inside a record (design D8): a literal top-level name, or an RFC 6901 pointer when it starts with "/".
#pragma once

#include "base/error/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

struct FieldPath {
  std::string text;                 // as given
  std::string field;                // the top-level name, which grants are checked against
  std::vector<std::string> nested;  // tokens below it; empty for the whole field
};

// kInvalidFieldPath when empty, with a NUL, of invalid UTF-8, over its limits, or a malformed pointer (a bare "/" names
// the field "" and is also an error). A name that contains "/" is an error, since it is ambiguous: "/a/b" is b inside
// a, and the field named "a/b" is written "/a~1b".
Result<FieldPath> parse_field_path(std::string_view text);

// The text that parse_field_path reads back: the plain name if possible, else a pointer.
std::string format_field_path(const std::string& field, const std::vector<std::string>& nested = {});

}  // namespace ladder::model
