// How large a tool's answer is on the wire: UTF-8 bytes of the serialized result, _meta included (design D10).
#pragma once

#include "api/field_window.h"
#include "mcp/tools/tools.h"
#include "model/window_selector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::mcp {

// Bytes that the protocol adds around an answer in either era: the names of members, resultType, the server's name in _meta.
inline constexpr std::size_t kResultFrameBytes = 400;

std::size_t escaped_bytes(std::string_view valid_utf8);  // of a text inside a JSON string, without its quotes
std::size_t result_bytes(const ToolResult& result);

// Most answers fit however much of their text has to be escaped, and are not looked at for that.
bool fits(const Context& context, const ToolResult& result);

// How much of a page an answer can hold.

// The most items of a page of two or more that `fits(page)` takes; at least one is tried. A shorter page has a next_cursor, which
// the whole one may lack: `cursor_room` is left for it.
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

// How many chars of a window fit where all of it does not.

// The same selector, asking for less, so that the answer shrinks by at least `excess` bytes; nullopt when the window cannot be
// shorter. Whether a cursor goes on or back is known to its server only, so both ends are looked at.
std::optional<model::WindowArguments> shorter_window(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                     std::size_t excess);

// The same selector, asking for at most so many lines; nullopt when the window has no more.
std::optional<model::WindowArguments> fewer_lines(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                  std::int64_t most_lines);

}  // namespace ladder::mcp
