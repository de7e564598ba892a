// One step of a merge of sorted lists, whose heap has the least list in front.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace ladder::store {

// Restores the order after the front has moved on to its next element. It costs two comparisons where the front stays the least,
// as it mostly does when lists hold runs of neighbors; popping and pushing it costs a walk through the heap each time.
template <class IsAfter>
void restore_front(std::vector<std::size_t>& heap, IsAfter is_after) {
  for (std::size_t at = 0;;) {
    std::size_t least = 2 * at + 1;
    if (least >= heap.size()) return;
    if (least + 1 < heap.size() && is_after(heap[least], heap[least + 1])) ++least;
    if (!is_after(heap[at], heap[least])) return;
    std::swap(heap[at], heap[least]);
    at = least;
  }
}

// The same after the front has come to its end.
template <class IsAfter>
void drop_front(std::vector<std::size_t>& heap, IsAfter is_after) {
  heap.front() = heap.back();
  heap.pop_back();
  restore_front(heap, is_after);
}

}  // namespace ladder::store
