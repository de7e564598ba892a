#include "import/child/format_table.h"

#include <array>

namespace ladder::imports {

std::span<const Format* const> all_formats() {
  static const std::array formats = {
      &ladder_format(),  &mail_format(),   &calendar_format(), &contacts_format(), &whatsapp_format(),
      &chatgpt_format(), &claude_format(), &slack_format(),    &notes_format(),    &table_format(),
  };
  return formats;
}

const Format* find_format(std::string_view name) {
  for (const Format* one : all_formats()) {
    if (one->name() == name) return one;
  }
  return nullptr;
}

}  // namespace ladder::imports
