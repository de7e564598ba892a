#include "import/child/format_table.h"

#include "import/formats/flat/flat.h"
#include "import/formats/format_list.h"

#include <algorithm>
#include <vector>

namespace ladder::imports {

std::span<const Format* const> all_formats() {
  static const std::vector formats = [] {
#define LADDER_ROW(name) &name##_format(),
    std::vector<const Format*> all = {LADDER_EACH_FORMAT(LADDER_ROW, LADDER_ROW)};
#undef LADDER_ROW
    // Flat exports are data, so their list is in their folder.
    const auto flat = flat_formats();
    all.insert(std::ranges::find(all, &notes_format()), flat.begin(), flat.end());
    return all;
  }();
  return formats;
}

const Format* find_format(std::string_view name) {
  for (const Format* one : all_formats()) {
    if (one->name() == name) return one;
  }
  return nullptr;
}

}  // namespace ladder::imports
