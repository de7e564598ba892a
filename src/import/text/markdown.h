// Reads a Markdown note's headings, tags and links. The text itself stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports {

struct MarkdownFacts {
  std::string heading;              // of the first "# …"; "" when there is none
  std::vector<std::string> tags;    // #tag and #nested/tag, without the #, once each, in order
  std::vector<std::string> links;   // targets of [[…]] and [..](..), once each, in order
  std::vector<std::string> embeds;  // targets of ![[…]] and ![..](..)
};

// Code blocks and `code` are passed over. Linear in time.
MarkdownFacts read_markdown(std::string_view text);

// The YAML block at the top of a Markdown note, as far as notes use it: names with a text, or with a list of texts.
struct FrontMatter {
  struct Property {
    std::string name;
    std::vector<std::string> values;  // one, unless it is a list
    bool is_list = false;
  };
  std::vector<Property> properties;  // each name once, the first; what is nested deeper is kept as its text
  std::size_t length = 0;            // bytes of the block with both of its lines of dashes; 0: there is none

  const Property* find(std::string_view lower_name) const;
  std::string first(std::string_view lower_name) const;  // its first value, or ""
};

FrontMatter read_front_matter(std::string_view text);  // valid UTF-8 with \n line ends

}  // namespace ladder::imports
