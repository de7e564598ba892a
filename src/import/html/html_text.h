// A page as the HTML standard reads it, by gumbo, with bounds on what a hostile one may cost.
//
// gumbo takes whatever memory a page asks for, and a page can ask for the square of its length (open <b> are opened again in
// every paragraph). So its memory comes from an arena with a budget in proportion to the page; when that is spent, the parser is
// left behind by longjmp and the page is read in halves. Pages of many tags are read in pieces from the beginning, since the
// parser walks over all open elements at many tags.
#pragma once

#include "import/html/html_prune.h"

#include <gumbo.h>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::html {

// Text nodes of the tree are those of the pruned page, which is gone afterwards, as the tree is.
using UseTree = std::function<void(const GumboNode& root, const PrunedPage& page)>;

// Calls `use` with the root of each piece of the page, in order. `valid` is UTF-8.
void each_tree(std::string_view valid, const UseTree& use);

}  // namespace ladder::imports::html

// HTML as people read it: blocks apart, entities resolved, scripts, styles, comments and what is hidden gone.

namespace ladder::imports {

struct HtmlText {
  std::string title;  // of <title>; "" when there is none
  // Blocks are parted by \n, paragraphs by \n\n, cells by tabs; items of lists start with "- " or their number.
  std::string text;
  std::vector<std::string> links;  // href of every <a>, in order, once each; only http, https and mailto
  bool is_cut = false;             // the page is larger than what is read
  std::string guessed;             // the encoding, when nobody named it; "" otherwise
};

// The charset of a page: the header's, unless there is none or it is ASCII, which many programs write without looking; then what
// <meta> says; "" when nobody says.
std::string html_charset(std::string_view html, std::string_view header);

// Any bytes; the charset comes from a byte order mark, then `charset` (a header), then <meta>, then a guess. Bounded in time,
// memory and depth whatever the page (html/tree.h).
HtmlText html_to_text(std::string_view html, std::string_view charset = {});

}  // namespace ladder::imports
