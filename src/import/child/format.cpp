// The one table of formats. Of two that are equally sure of a file the earlier one takes it.
#include "import/child/format.h"

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
  for (const Format* format : all_formats()) {
    if (format->name() == name) return format;
  }
  return nullptr;
}

}  // namespace ladder::imports
