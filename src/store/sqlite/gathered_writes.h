// Neighbouring writes to one file, passed on as one. SQLite writes its log as headers of 24 bytes and pages of 4096: tens of
// thousands of calls of the system in a large import, which cost more than the copying.
// Whoever owns this must pass on what others look for before they look (vfs.cpp).
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ladder::store::sqlite {

class GatheredWrites {
 public:
  explicit GatheredWrites(sqlite3_file* file) : file_(file) {}

  bool empty() const { return size_ == 0; }
  std::int64_t end() const { return offset_ + static_cast<std::int64_t>(size_); }
  bool overlaps(std::int64_t offset, std::int64_t size) const { return size_ > 0 && offset < end() && offset_ < offset + size; }

  // Codes of SQLite. What fails is forgotten: SQLite takes the whole transaction as failed.
  int write(const void* bytes, std::size_t size, std::int64_t offset);
  int pass_on();

 private:
  sqlite3_file* file_;
  std::unique_ptr<unsigned char[]> bytes_;  // there once something was written
  std::size_t size_ = 0;
  std::int64_t offset_ = 0;
};

}  // namespace ladder::store::sqlite
