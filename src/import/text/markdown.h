// Extracts the headings, tags and links of a Markdown note. The text itself is not changed.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports {

struct MarkdownInfo {
  std::string heading;              // the first "# …"; "" if there is none
  std::vector<std::string> tags;    // #tag and #nested/tag, without the #, without duplicates, in order
  std::vector<std::string> links;   // targets of [[…]] and [..](..), without duplicates, in order
  std::vector<std::string> embeds;  // targets of ![[…]] and ![..](..)
};

// Skips code blocks and `code`. Linear time.
MarkdownInfo read_markdown(std::string_view text);

// The YAML block at the top of a Markdown note, limited to the subset in use: names with a string or a list of strings.
struct FrontMatter {
  struct Property {
    std::string name;
    std::vector<std::string> values;  // one value, unless it is a list
    bool is_list = false;
  };
  std::vector<Property> properties;  // without duplicates (the first wins); deeper nesting is kept as text
  std::size_t length = 0;            // bytes of the block including both lines of dashes; 0: no block

  const Property* find(std::string_view lower_name) const;
  std::string first(std::string_view lower_name) const;  // the first value, or ""
};

FrontMatter read_front_matter(std::string_view text);  // the text is valid UTF-8 with \n line ends

}  // namespace ladder::imports
