// The topics of `ladder help`: parts of the pages of docs/, embedded in the program. cmake/help-topics collects them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ladder::cli {

struct Topic {
  std::vector<std::string_view> names;  // the first one is shown, the others are accepted as well
  std::string_view page;                // in docs/: "use/import.md"
  std::string_view title;               // of the page
  std::string_view text;                // Markdown

  std::string_view name() const { return names.front(); }
};

std::span<const Topic> topics();                 // by name
const Topic* find_topic(std::string_view name);  // null if there is none

// Returns the names of up to five topics for a name that is none: similar names first, then topics whose text contains it.
std::vector<std::string_view> topics_near(std::string_view name);

}  // namespace ladder::cli
