// A checksum against damage, not against forgery: it tells bytes that a disk or a cable has changed. 64-bit XXH3, chained over
// parts, so that where one part ends matters too. The value is the same on every machine and is stored: never change it.
#pragma once

#include <cstdint>
#include <string_view>

namespace ladder {

class Checksum {
 public:
  Checksum& add(std::string_view bytes);
  Checksum& add(std::int64_t number);

  std::uint64_t value() const { return value_; }
  std::uint32_t half() const { return static_cast<std::uint32_t>(value_ ^ value_ >> 32); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace ladder
