// Reserves disk space for revocations, which must always succeed: an empty file next to the database. When the disk is
// full, part of it is released to the file system for the write to use. It is refilled when there is space again. Safe
// from any thread and process; concurrent callers find less of it.
#pragma once

#include <cstddef>
#include <string>

namespace ladder::store::sqlite {

class Reserve {
 public:
  explicit Reserve(const std::string& database_path) : path_(database_path + "-reserve") {}

  void refill() const;   // grows the file to its full size if there is space; not an error if there is none
  bool release() const;  // releases a piece; false when the reserve is empty

  static constexpr std::size_t kBytes = 1024 * 1024;
  static constexpr std::size_t kPieceBytes = 128 * 1024;  // several times what one revocation writes

 private:
  const std::string path_;
};

}  // namespace ladder::store::sqlite
