// How much of a page an answer can hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ladder::mcp {

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

}  // namespace ladder::mcp
