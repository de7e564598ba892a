// Converts HTML to plain text: separates blocks, resolves entities, and removes scripts, styles, comments and hidden content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

struct HtmlText {
  std::string title;  // the content of <title>; "" if there is none
  // Blocks are separated by \n, paragraphs by \n\n, cells by tabs; list items start with "- " or their number.
  std::string text;
  std::vector<std::string> links;  // href of every <a>, in order, without duplicates; only http, https and mailto
  bool is_cut = false;             // the page exceeds the size limit
  std::string guessed;             // the detected encoding, if none was named; "" otherwise
};

// Returns the charset of a page: the one in the header, unless it is missing or ASCII, which many programs write without
// checking; then the one in <meta>; "" if neither names one.
std::string html_charset(std::string_view html, std::string_view header);

// Accepts any bytes. The charset comes from a byte order mark, `charset` (a header), <meta>, or detection, in this order. Time,
// memory and depth are bounded for every page (see each_tree()).
HtmlText html_to_text(std::string_view html, std::string_view charset = {});

}  // namespace ladder::imports
