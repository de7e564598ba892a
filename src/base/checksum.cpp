#include "base/checksum.h"

#include <xxhash.h>

#include <array>
#include <cstddef>

namespace ladder {

Checksum& Checksum::add(std::string_view bytes) {
  value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_);
  return *this;
}

// Little-endian on every machine.
Checksum& Checksum::add(std::int64_t number) {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * i);
  return add(std::string_view(bytes.data(), bytes.size()));
}

}  // namespace ladder
