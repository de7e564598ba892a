// Bytes of one file, in pieces, wherever it lies: on disk, in a zip or in a tar.gz.
// (The folder's namespace is `imports`, since `import` means something of its own in C++.)
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports {

class Bytes {
 public:
  virtual ~Bytes() = default;
  // Up to `capacity` bytes into the buffer; 0 at the end. kResourceLimit when a limit of limits.h is crossed, kInvalidRequest
  // when the archive is damaged there.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

// Bytes that are in memory already; they must outlive this.
class BytesInMemory final : public Bytes {
 public:
  explicit BytesInMemory(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;

 private:
  std::string_view rest_;
};

// Everything that is left; kResourceLimit when that is more than `max_bytes`.
Result<std::string> read_whole(Bytes& bytes, std::size_t max_bytes);

// Passes over so many bytes; less when the end comes first.
Status skip(Bytes& bytes, std::int64_t count);

}  // namespace ladder::imports
