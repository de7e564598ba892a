// Looks over the body of a POST to /mcp before anybody parses it: is it one call of read_record_field that looks for nothing?
// Such a window is a short read (design D21). Whatever could hide a word from a look is not taken for one: an escape, an array of
// messages, the name of another tool beside it.
#pragma once

#include <optional>
#include <string_view>

namespace ladder::rest {

struct WindowCall {
  std::string_view cursor;  // empty when there is none; one may still look for something
};

std::optional<WindowCall> window_call(std::string_view body);

}  // namespace ladder::rest
