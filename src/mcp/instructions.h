// How the server wants to be used: a host gives this text to its model once. At most 2,048 UTF-16 units; the first 512 chars
// stand alone, since some hosts show no more (design D10).
#pragma once

#include <string_view>

namespace ladder::mcp {

std::string_view instructions();

}  // namespace ladder::mcp
