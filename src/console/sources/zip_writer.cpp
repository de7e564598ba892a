#include "console/sources/zip_writer.h"

#include <array>

namespace ladder::console {
namespace {

constexpr std::uint16_t kZip64 = 45;                    // the version needed to extract
constexpr std::uint16_t kFlags = 1U << 3U | 1U << 11U;  // sizes follow the data; names are UTF-8
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDate = 1U << 5U | 1U;  // 1 January 1980; the archive has no times
constexpr std::uint16_t kMadeByUnix = 3U << 8U | kZip64;
constexpr std::uint32_t kPlainFile = 0100600U << 16U;
constexpr std::uint32_t kInExtra = 0xFFFFFFFF;

constexpr auto kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? 0xEDB88320U ^ value >> 1U : value >> 1U;
    table[i] = value;
  }
  return table;
}();

std::uint32_t crc_of(std::uint32_t before, std::string_view bytes) {
  std::uint32_t crc = ~before;
  for (const char c : bytes) crc = kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ crc >> 8U;
  return ~crc;
}

// Writes little-endian numbers.
class Bytes {
 public:
  Bytes& u16(std::uint16_t value) { return add(value, 2); }
  Bytes& u32(std::uint32_t value) { return add(value, 4); }
  Bytes& u64(std::uint64_t value) { return add(value, 8); }
  Bytes& text(std::string_view value) {
    out_ += value;
    return *this;
  }
  const std::string& get() const { return out_; }

 private:
  Bytes& add(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_ += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xFFU);
    return *this;
  }
  std::string out_;
};

}  // namespace

Status ZipWriter::put(std::string_view bytes) {
  offset_ += bytes.size();
  return out_(bytes);
}

Status ZipWriter::begin(std::string_view name) {
  entries_.push_back({std::string(name), 0, 0, offset_});
  Bytes head;
  head.u32(0x04034B50).u16(kZip64).u16(kFlags).u16(kStored).u16(0).u16(kDate).u32(0).u32(kInExtra).u32(kInExtra);
  head.u16(static_cast<std::uint16_t>(name.size())).u16(20).text(name).u16(1).u16(16).u64(0).u64(0);
  return put(head.get());
}

Status ZipWriter::write(std::string_view bytes) {
  Entry& entry = entries_.back();
  entry.crc = crc_of(entry.crc, bytes);
  entry.bytes += bytes.size();
  return put(bytes);
}

Status ZipWriter::end() {
  const Entry& entry = entries_.back();
  return put(Bytes().u32(0x08074B50).u32(entry.crc).u64(entry.bytes).u64(entry.bytes).get());
}

Status ZipWriter::finish() {
  const std::uint64_t directory = offset_;
  for (const Entry& entry : entries_) {
    Bytes head;
    head.u32(0x02014B50).u16(kMadeByUnix).u16(kZip64).u16(kFlags).u16(kStored).u16(0).u16(kDate).u32(entry.crc);
    head.u32(kInExtra).u32(kInExtra).u16(static_cast<std::uint16_t>(entry.name.size())).u16(28).u16(0).u16(0).u16(0);
    head.u32(kPlainFile).u32(kInExtra).text(entry.name).u16(1).u16(24).u64(entry.bytes).u64(entry.bytes).u64(entry.offset);
    LADDER_CHECK(put(head.get()));
  }
  const std::uint64_t end = offset_, count = entries_.size();
  Bytes tail;
  tail.u32(0x06064B50)
      .u64(44)
      .u16(kMadeByUnix)
      .u16(kZip64)
      .u32(0)
      .u32(0)
      .u64(count)
      .u64(count)
      .u64(end - directory)
      .u64(directory);
  tail.u32(0x07064B50).u32(0).u64(end).u32(1);
  tail.u32(0x06054B50).u16(0xFFFF).u16(0xFFFF).u16(0xFFFF).u16(0xFFFF).u32(kInExtra).u32(kInExtra).u16(0);
  return put(tail.get());
}

}  // namespace ladder::console
