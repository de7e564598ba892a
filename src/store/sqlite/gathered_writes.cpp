#include "store/sqlite/gathered_writes.h"

#include <cstring>
#include <utility>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kMostBytes = 128 * 1024 - 1;  // SQLite's layer for Unix writes no more at once

}  // namespace

int GatheredWrites::write(const void* bytes, std::size_t size, std::int64_t offset) {
  if (size_ > 0 && (offset != end() || size > kMostBytes - size_)) {
    if (const int rc = pass_on(); rc != SQLITE_OK) return rc;
  }
  if (size > kMostBytes) return file_->pMethods->xWrite(file_, bytes, static_cast<int>(size), offset);
  if (!bytes_) bytes_ = std::make_unique_for_overwrite<unsigned char[]>(kMostBytes);
  if (size_ == 0) offset_ = offset;
  std::memcpy(bytes_.get() + size_, bytes, size);
  size_ += size;
  return SQLITE_OK;
}

int GatheredWrites::pass_on() {
  if (size_ == 0) return SQLITE_OK;
  return file_->pMethods->xWrite(file_, bytes_.get(), static_cast<int>(std::exchange(size_, 0)), offset_);
}

}  // namespace ladder::store::sqlite
