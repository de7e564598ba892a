// A cache of the chunks that a connection has read last, decompressed. A client that reads a long value in windows
// reads some chunks twice, because each window starts in the chunk where the previous one ended. The cache is valid for
// one state of the store, like Connection::LastRead. Any commit invalidates all of it.
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
  // Finds a chunk by its row number. Null when it is not cached.
  const std::string* find(std::int64_t data_version, std::int64_t row) {
    if (data_version != data_version_) return nullptr;
    const auto slot = std::ranges::find(set_of(row), row, &Slot::row);
    if (slot == set_of(row).end()) return nullptr;
    slot->used = ++uses_;
    return &slot->text;
  }

  // Adds a chunk and evicts the least recently used one of its set.
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
  static constexpr std::size_t kSets = 64, kSlots = 4;  // one chunk per slot: one megabyte at most
  struct Slot {
    std::int64_t row = 0;  // 0: empty; values are numbered from 1
    std::int64_t used = 0;
    std::string text;
  };
  using Set = std::array<Slot, kSlots>;
  // Neighboring chunks are in different sets.
  Set& set_of(std::int64_t row) { return sets_[static_cast<std::size_t>(row + (row >> 24) * 37) % kSets]; }

  std::int64_t data_version_ = -1, uses_ = 0;
  std::array<Set, kSets> sets_;
};

}  // namespace ladder::store::sqlite
