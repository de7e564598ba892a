// How many chars of a window fit where all of it does not.
#pragma once

#include "evidence/field_window.h"
#include "model/window_selector.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ladder::mcp {

// The same selector, asking for less, so that the answer shrinks by at least `excess` bytes; nullopt when the window cannot be
// shorter. Whether a cursor goes on or back is known to its server only, so both ends are looked at.
std::optional<model::WindowArguments> shorter_window(const evidence::FieldWindow& window, const model::WindowArguments& asked,
                                                     std::size_t excess);

// The same selector, asking for at most so many lines; nullopt when the window has no more.
std::optional<model::WindowArguments> fewer_lines(const evidence::FieldWindow& window, const model::WindowArguments& asked,
                                                  std::int64_t most_lines);

}  // namespace ladder::mcp
