// What a Markdown note says about itself: headings, tags and links. The text itself stays as it is.
#pragma once

#include <string>
#include <string_view>
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

}  // namespace ladder::imports
