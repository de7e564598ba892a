// Whole reads grow with what is there, never with what an archive claims.
#include "import/bytes.h"

#include "base/format.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ladder::imports {
namespace {

constexpr std::size_t kFirstPieceBytes = 4 * 1024;  // most files of some exports are small; pieces then grow
constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

Result<std::size_t> BytesInMemory::read(char* buffer, std::size_t capacity) {
  const std::size_t count = std::min(capacity, rest_.size());
  if (count > 0) std::memcpy(buffer, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

Result<std::string> read_whole(Bytes& bytes, std::size_t max_bytes) {
  std::string whole;
  for (;;) {
    const std::size_t before = whole.size();
    const std::size_t piece = std::clamp(before, kFirstPieceBytes, kPieceBytes);
    whole.resize(before + piece);
    LADDER_TRY(const std::size_t count, bytes.read(whole.data() + before, piece));
    whole.resize(before + count);
    if (whole.size() > max_bytes) return fail(Code::kResourceLimit, format("it is larger than {} bytes", max_bytes));
    if (count == 0) return whole;
  }
}

Status skip(Bytes& bytes, std::int64_t count) {
  std::array<char, kPieceBytes> passed;
  while (count > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(count, kPieceBytes));
    LADDER_TRY(const std::size_t got, bytes.read(passed.data(), wanted));
    if (got == 0) break;
    count -= static_cast<std::int64_t>(got);
  }
  return {};
}

}  // namespace ladder::imports
