#include "import/child/format_table.h"

#include "import/formats/format_list.h"

#include <array>

namespace ladder::imports {

std::span<const Format* const> all_formats() {
#define LADDER_ROW(name) &name##_format(),
  static const std::array formats = {LADDER_EACH_FORMAT(LADDER_ROW, LADDER_ROW)};
#undef LADDER_ROW
  return formats;
}

const Format* find_format(std::string_view name) {
  for (const Format* one : all_formats()) {
    if (one->name() == name) return one;
  }
  return nullptr;
}

}  // namespace ladder::imports
