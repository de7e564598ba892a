// Leaves out of a page what no text comes from, before gumbo reads it: most bytes of a newsletter are attributes and style
// sheets, and gumbo spends its time by the byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::html {

// A page for gumbo, and what was put aside of it. The tree that gumbo builds of it has the elements and text nodes of the tree
// of the whole page, with the attributes and declarations of styles that html_text.cpp reads.
class PrunedPage {
 public:
  // The page is UTF-8 and outlives this object. Markup that is not well-formed, or that changes how the rest is tokenized
  // (scripts, SVG, <select>), ends the pruning, and the rest of the page stays as it is.
  explicit PrunedPage(std::string_view page);

  const std::string& html() const { return html_; }

  // Returns the content of a text node of the page, made from that of the pruned page. It may lie in the buffer.
  std::string_view whole_text(std::string_view pruned_text, std::string& buffer) const;

 private:
  std::string html_;
  // Runs of text are one letter each in html_: gumbo makes a token of every letter. The letters are those of a plane for private
  // use, from kFirstRun on; of a page that has such a letter itself no run is put aside.
  std::vector<std::string_view> runs_;
};

// Says whether html_text.cpp reads this property of a style attribute. The name is in lower case.
bool is_read_property(std::string_view name);

}  // namespace ladder::imports::html
