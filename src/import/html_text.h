// HTML as people read it: blocks apart, entities resolved, scripts, styles and comments gone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

struct HtmlText {
  std::string title;  // of <title>; "" when there is none
  std::string text;   // blocks are parted by \n, paragraphs by \n\n, list items start with "- ", cells are parted by tabs
  std::vector<std::string> links;  // href of every <a>, in order, once each; only http, https and mailto
};

// The charset of a page: the header's, unless there is none or it is ASCII, which many programs write without looking; then what
// <meta> says; "" when nobody says.
std::string html_charset(std::string_view html, std::string_view header);

// Any bytes; the charset comes from a byte order mark, then `charset` (a header), then <meta>, then a guess. Linear in time.
HtmlText html_to_text(std::string_view html, std::string_view charset = {});

}  // namespace ladder::imports
