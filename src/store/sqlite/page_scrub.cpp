// The page header, from the file format of SQLite: type 1 | first free block 2 | cells 2 | start of cell content 2 | fragments 1,
// and on inner pages the rightmost child 4; then one pointer of 2 bytes per cell; then the gap; then the cells.
#include "store/sqlite/page_scrub.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;

std::size_t header_bytes(unsigned char type) {
  switch (type) {
    case 0x02:
    case 0x05:
      return 12;  // inner pages of an index, of a table
    case 0x0a:
    case 0x0d:
      return 8;  // leaves
    default:
      return 0;
  }
}

// Empty for pages of any other kind.
template <class Byte>
std::span<Byte> gap_of(std::span<Byte, kPageBytes> page, bool first_page) {
  const std::size_t start = first_page ? kFileHeaderBytes : 0;
  const std::size_t header = header_bytes(page[start]);
  if (header == 0) return {};
  const auto u16 = [&](std::size_t at) { return static_cast<std::size_t>(page[start + at]) << 8 | page[start + at + 1]; };
  const std::size_t gap = start + header + 2 * u16(3);
  const std::size_t content = u16(5);
  if (gap >= content || content > kPageBytes) return {};
  return page.subspan(gap, content - gap);
}

bool is_zero(std::span<const unsigned char> bytes) {
  static constexpr std::array<unsigned char, kPageBytes> kZeros{};
  return bytes.empty() || std::memcmp(bytes.data(), kZeros.data(), bytes.size()) == 0;
}

}  // namespace

bool needs_scrubbing(std::span<const unsigned char, kPageBytes> page, bool first_page) {
  return !is_zero(gap_of(page, first_page));
}

bool scrub_page(std::span<unsigned char, kPageBytes> page, bool first_page) {
  const auto gap = gap_of(page, first_page);
  if (is_zero(gap)) return false;
  std::ranges::fill(gap, static_cast<unsigned char>(0));
  return true;
}

}  // namespace ladder::store::sqlite
