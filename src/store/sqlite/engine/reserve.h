// Room on the disk for what must always be written, the end of a grant: a file beside the database that holds nothing. When the
// disk is full a piece of it is given back to the file system, which the write then takes; it is made whole again when there is
// room. Safe from any thread and process: whoever comes second finds less of it.
#pragma once

#include <cstddef>
#include <string>

namespace ladder::store::sqlite {

class Reserve {
 public:
  explicit Reserve(const std::string& database_path) : path_(database_path + "-reserve") {}

  void make() const;  // as large as it should be, if there is room; no error if there is none
  bool give() const;  // gives a piece of it back; false when nothing is left

  static constexpr std::size_t kBytes = 1024 * 1024;
  static constexpr std::size_t kPieceBytes = 128 * 1024;  // several times what one revocation writes

 private:
  const std::string path_;
};

}  // namespace ladder::store::sqlite
