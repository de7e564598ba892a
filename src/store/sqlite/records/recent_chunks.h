// The chunks that a connection has read last, decompressed. Whoever reads a long value window by window meets the same chunks
// again: every window begins in the chunk where the one before ended. They hold for one state of the store, as the last read does
// (Connection::LastRead): when somebody has committed anything, all of them are forgotten.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::store::sqlite {

class RecentChunks {
 public:
  // By the number of its row; null when it is not kept.
  const std::string* find(std::int64_t data_version, std::int64_t row) {
    if (data_version != data_version_) return nullptr;
    const auto slot = std::ranges::find(set_of(row), row, &Slot::row);
    if (slot == set_of(row).end()) return nullptr;
    slot->used = ++uses_;
    return &slot->text;
  }

  // In place of the one of its set that was used longest ago.
  void keep(std::int64_t data_version, std::int64_t row, std::string_view text) {
    if (data_version != data_version_) forget();
    data_version_ = data_version;
    Set& set = set_of(row);
    const auto slot = std::ranges::min_element(set, {}, [&](const Slot& one) { return one.row == row ? -1 : one.used; });
    slot->row = row;
    slot->used = ++uses_;
    slot->text = text;
  }

  void forget() { *this = RecentChunks(); }

 private:
  static constexpr std::size_t kSets = 64, kSlots = 4;  // of a chunk each: a megabyte at most
  struct Slot {
    std::int64_t row = 0;  // 0: nothing; values are numbered from 1
    std::int64_t used = 0;
    std::string text;
  };
  using Set = std::array<Slot, kSlots>;
  // Neighbours lie in different sets.
  Set& set_of(std::int64_t row) { return sets_[static_cast<std::size_t>(row + (row >> 24) * 37) % kSets]; }

  std::int64_t data_version_ = -1, uses_ = 0;
  std::array<Set, kSets> sets_;
};

}  // namespace ladder::store::sqlite
