// Parses HTML pages with gumbo, and limits the cost of hostile pages.
//
// gumbo's memory use can be quadratic in the length of a page (open <b> are reopened in every paragraph). Its memory therefore
// comes from an arena with a budget proportional to the page. If the budget is exceeded, longjmp leaves the parser and the page
// is read in halves. Pages with many tags are read in pieces from the start, because the parser walks over all open elements at
// many tags.
#pragma once

#include "import/html/html_prune.h"

#include <gumbo.h>
#include <functional>
#include <string_view>

namespace ladder::imports::html {

// Text nodes refer to the pruned page. The page and the tree are freed after the call.
using UseTree = std::function<void(const GumboNode& root, const PrunedPage& page)>;

// Calls `use` with the root of each piece of the page, in order. `valid` must be valid UTF-8.
void each_tree(std::string_view valid, const UseTree& use);

}  // namespace ladder::imports::html
