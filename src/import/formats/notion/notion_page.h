// The title, properties and text of a page.
#pragma once

#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports::notion {

using Properties = std::vector<std::pair<std::string, std::string>>;

struct PageText {
  std::string title, text;
  Properties properties;
  std::vector<std::string> links;         // addresses
  std::vector<std::string> linked_pages;  // ids
  bool is_cut = false;                    // the page exceeds the limit of the HTML converter
};

// A row of a database begins with its properties, one per line.
PageText read_markdown_page(std::string text, bool is_row);
PageText read_html_page(std::string_view bytes);

// Returns the date of the first property with one of the names that Notion gives to such a date in English.
std::optional<Instant> created_in(const Properties& properties);
std::optional<Instant> edited_in(const Properties& properties);

}  // namespace ladder::imports::notion
