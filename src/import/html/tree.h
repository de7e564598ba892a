// A page as the HTML standard reads it, by gumbo, with bounds on what a hostile one may cost.
//
// gumbo takes whatever memory a page asks for, and a page can ask for the square of its length (open <b> are opened again in
// every paragraph). So its memory comes from an arena with a budget in proportion to the page; when that is spent, the parser is
// left behind by longjmp and the page is read in halves. Pages of many tags are read in pieces from the beginning, since the
// parser walks over all open elements at many tags.
#pragma once

#include <gumbo.h>

#include <functional>
#include <string_view>

namespace ladder::imports::html {

// Calls `use` with the root of each piece of the page, in order. The tree is gone afterwards. `valid` is UTF-8.
void each_tree(std::string_view valid, const std::function<void(const GumboNode& root)>& use);

}  // namespace ladder::imports::html
