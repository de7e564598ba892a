// The chunks that a connection has read last, decompressed. Whoever reads a long value window by window meets the same chunks
// again: every window begins in the chunk where the one before ended. They hold for one state of the store, as the last read does
// (Connection::LastRead): when somebody has committed anything, all of them are forgotten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::store::sqlite {

class RecentChunks {
 public:
  // By the number of its row; null when it is not kept.
  const std::string* find(std::int64_t data_version, std::int64_t row) const {
    const Slot& slot = slots_[place(row)];
    return data_version == data_version_ && slot.row == row ? &slot.text : nullptr;
  }

  void keep(std::int64_t data_version, std::int64_t row, std::string_view text) {
    if (data_version != data_version_) forget();
    data_version_ = data_version;
    Slot& slot = slots_[place(row)];
    slot.row = row;
    slot.text = text;
  }

  void forget() { *this = RecentChunks(); }

 private:
  static constexpr std::size_t kSlots = 256;  // a megabyte at most
  struct Slot {
    std::int64_t row = 0;  // 0: nothing; values are numbered from 1
    std::string text;
  };
  // Neighbours never take each other's place.
  static std::size_t place(std::int64_t row) { return static_cast<std::size_t>(row + (row >> 24) * 37) % kSlots; }

  std::int64_t data_version_ = -1;
  std::array<Slot, kSlots> slots_;
};

}  // namespace ladder::store::sqlite
