#include "import/child/format_table.h"

#include "import/formats/flat/flat.h"

#include <vector>

namespace ladder::imports {

std::span<const Format* const> all_formats() {
  static const std::vector formats = [] {
    std::vector<const Format*> all = {
        &ladder_format(),   &mail_format(),    &calendar_format(), &contacts_format(),
        &whatsapp_format(), &chatgpt_format(), &claude_format(),   &slack_format(),
    };
    const auto flat = flat_formats();
    all.insert(all.end(), flat.begin(), flat.end());
    all.insert(all.end(), {&notes_format(), &table_format()});
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
