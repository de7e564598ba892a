// How far a unit of many files is read: "INDEX BYTE DIGEST", the place of a file among the unit's entries, the offset in it and a
// digest of its path. A position of another tree is seen by the digest, and the unit is read from its beginning.
#pragma once

#include "import/child/format.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports {

struct FilePosition {
  std::size_t index = 0;  // into unit.entries
  std::int64_t byte = 0;
};

std::string position_text(const Tree& tree, const Unit& unit, FilePosition position);
FilePosition parse_position(const Tree& tree, const Unit& unit, std::string_view text);

}  // namespace ladder::imports
