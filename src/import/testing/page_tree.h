// Serializes the parts of gumbo's parse tree that html_text.cpp reads, to compare the trees of a page and of the pruned page.
#pragma once

#include "base/text/format.h"
#include "import/html/html_prune.h"
#include "import/text/text.h"

#include <gumbo.h>

#include <functional>
#include <string>
#include <string_view>

namespace ladder::imports::testing {

// Returns the declarations of a style attribute that are read.
inline std::string read_style(std::string_view style) {
  std::string out;
  for (std::size_t at = 0; at < style.size();) {
    const std::size_t end = std::min(style.find(';', at), style.size());
    const std::string_view one = style.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos || !html::is_read_property(lower_ascii(trim(one.substr(0, colon))))) continue;
    out += one;
    out += ';';
  }
  return out;
}

inline void write_tree(const GumboNode& node, const std::function<std::string(std::string_view)>& whole, int depth,
                       std::string& out) {
  constexpr int kMaxDepth = 300;
  if (depth > kMaxDepth) return;
  if (node.type == GUMBO_NODE_TEXT || node.type == GUMBO_NODE_CDATA || node.type == GUMBO_NODE_WHITESPACE) {
    const bool is_sheet = node.parent->type == GUMBO_NODE_ELEMENT && node.parent->v.element.tag == GUMBO_TAG_STYLE;
    if (!is_sheet) out += format("{}[{}]", static_cast<int>(node.type), whole(node.v.text.text));
    return;
  }
  const bool is_element = node.type == GUMBO_NODE_ELEMENT;
  if (is_element) {
    out += format("<{}", static_cast<int>(node.v.element.tag));
    for (const char* name : {"hidden", "alt", "href", "start", "style"}) {
      const GumboAttribute* found = gumbo_get_attribute(&node.v.element.attributes, name);
      if (found == nullptr) continue;
      const std::string value = std::string_view(name) == "style" ? read_style(found->value) : std::string(found->value);
      if (std::string_view(name) == "hidden" || !value.empty()) out += format(" {}={}", name, value);
    }
    out += '>';
  } else if (node.type != GUMBO_NODE_DOCUMENT) {
    out += "<!>";
    return;
  }
  const GumboVector& children = is_element ? node.v.element.children : node.v.document.children;
  for (unsigned i = 0; i < children.length; ++i)
    write_tree(*static_cast<const GumboNode*>(children.data[i]), whole, depth + 1, out);
  out += "</>";
}

inline std::string tree_of(std::string_view html, const std::function<std::string(std::string_view)>& whole) {
  GumboOutput* const output = gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size());
  std::string out;
  write_tree(*output->document, whole, 0, out);
  gumbo_destroy_output(&kGumboDefaultOptions, output);
  return out;
}

inline std::string tree_of_page(std::string_view html) {
  return tree_of(html, [](std::string_view text) { return std::string(text); });
}

inline std::string tree_of_pruned_page(std::string_view html) {
  const html::PrunedPage page(html);
  std::string buffer;
  return tree_of(page.html(), [&](std::string_view text) { return std::string(page.original_text(text, buffer)); });
}

}  // namespace ladder::imports::testing
