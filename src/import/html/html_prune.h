// Removes everything from a page that produces no text, before gumbo parses it. Most bytes of a newsletter are attributes and
// style sheets, and gumbo's time is proportional to the size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::html {

// A pruned page for gumbo, and the text that was replaced. gumbo's tree of the pruned page has the same elements and text nodes
// as the tree of the original page, with the attributes and style declarations that html_text.cpp reads.
class PrunedPage {
 public:
  // The page must be UTF-8 and outlive this object. Pruning stops at malformed markup and at markup that changes how the rest
  // is tokenized (scripts, SVG, <select>); the rest of the page is copied unchanged.
  explicit PrunedPage(std::string_view page);

  const std::string& html() const { return html_; }

  // Restores the original content of a text node of the pruned page. The result may point into `buffer`.
  std::string_view original_text(std::string_view pruned_text, std::string& buffer) const;

 private:
  std::string html_;
  // In html_ every run of text is one placeholder character, because gumbo creates a token per character. Placeholders are
  // private-use characters from kFirstRun on; a page that already contains such a character keeps its text.
  std::vector<std::string_view> runs_;
};

// Returns true if html_text.cpp reads this property of a style attribute. The name is in lower case.
bool is_read_property(std::string_view name);

}  // namespace ladder::imports::html
