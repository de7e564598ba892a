// The size of a tool's response on the wire: UTF-8 bytes of the serialized result, including _meta (design D10).
#pragma once

#include "api/field_window.h"
#include "mcp/context.h"
#include "model/window_selector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::mcp {

// Bytes that the protocol adds to a response in either era: member names, resultType, the server's name in _meta.
inline constexpr std::size_t kResultFrameBytes = 400;

std::size_t escaped_bytes(std::string_view valid_utf8);  // size of a text in a JSON string, without quotes
std::size_t result_bytes(const ToolResult& result);

// Most responses fit even if all their text were escaped, and skip the exact count.
bool fits(const Context& context, const ToolResult& result);

// How much of a page fits in a response.

// Returns the largest number of items, out of a page of two or more, that `fits(page)` accepts; at least one is tried. A
// shorter page has a next_cursor, which the full one may not have; `cursor_room` is reserved for it.
template <class Page, class Item, class Fits>
std::int64_t fitting_count(const Page& page, std::vector<Item> Page::* items, std::size_t cursor_room, Fits fits) {
  std::size_t least = 1, most = (page.*items).size() - 1;
  while (least < most) {
    const std::size_t middle = (least + most + 1) / 2;
    Page part = page;
    (part.*items).resize(middle);
    part.has_more = true;
    if (part.next_cursor.empty()) part.next_cursor.assign(cursor_room, 'x');
    if (fits(part)) least = middle;
    else most = middle - 1;
  }
  return static_cast<std::int64_t>(least);
}

// How many chars of a window fit if it is too long.

// Returns the same selector with a smaller limit, so that the response shrinks by at least `excess` bytes; nullopt if the
// window cannot be shorter. Only the server knows the direction of a cursor, so both ends are considered.
std::optional<model::WindowArguments> shorter_window(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                     std::size_t excess);

// Returns the same selector limited to that many lines; nullopt if the window has no more.
std::optional<model::WindowArguments> fewer_lines(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                  std::int64_t most_lines);

}  // namespace ladder::mcp
