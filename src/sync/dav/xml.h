// A small parser for the XML of WebDAV responses. It accepts a subset: UTF-8, elements with namespaces, the predefined entities
// and character references. Document types are refused, so that no entity can be defined. Depth, elements and names are bounded.
#pragma once

#include "base/error/error.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::dav {

struct Element {
  std::shared_ptr<const std::string> space = {};  // the namespace, shared by all elements of a declaration: "DAV:"
  std::string name = {};                          // the local name: "href"
  std::string text = {};                          // its own text, without that of its children
  std::vector<Element> children = {};

  bool is(std::string_view wanted_space, std::string_view wanted_name) const {
    return name == wanted_name && space && *space == wanted_space;
  }
  const Element* find(std::string_view wanted_space,
                      std::string_view wanted_name) const;  // the first child; null if there is none
};

// Returns the root element. kRsProtocol if the text is not well-formed or exceeds a limit.
Result<Element> parse_xml(std::string_view text);

std::string xml_escaped(std::string_view text);  // for content and attribute values

}  // namespace ladder::sync::dav
