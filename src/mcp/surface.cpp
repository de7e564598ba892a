#include "mcp/surface.h"

#include <algorithm>

namespace ladder::mcp {

const Tool* Surface::find(std::string_view name) const {
  const auto found = std::ranges::find(tools, name, &Tool::name);
  return found == tools.end() ? nullptr : &*found;
}

}  // namespace ladder::mcp
