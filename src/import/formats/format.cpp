#include "import/formats/format.h"

#include "base/text/format.h"
#include "import/formats/record_members.h"

#include <charconv>

namespace ladder::imports {

std::string position_text(const Tree& tree, const Unit& unit, FilePosition position) {
  const std::string& path = tree.entries()[unit.entries[position.index]].path;
  return format("{} {} {}", position.index, position.byte, digest_id({path}));
}

FilePosition parse_position(const Tree& tree, const Unit& unit, std::string_view text) {
  FilePosition position;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [after_index, bad_index] = std::from_chars(begin, end, position.index);
  if (bad_index != std::errc() || after_index == end || position.index >= unit.entries.size()) return {};
  const auto [after_byte, bad_byte] = std::from_chars(after_index + 1, end, position.byte);
  if (bad_byte != std::errc() || position.byte < 0) return {};
  if (position_text(tree, unit, position) != text) return {};
  std::int64_t before = position.byte;
  for (std::size_t i = 0; i < position.index; ++i) before += tree.entries()[unit.entries[i]].size;
  tree.add_progress(before);
  return position;
}

}  // namespace ladder::imports
