// Writes a zip archive as a stream. Entries are stored uncompressed, and their sizes follow the data (zip64, so there is no
// size limit).
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

class ZipWriter {
 public:
  using Out = std::function<Status(std::string_view bytes)>;
  explicit ZipWriter(Out out) : out_(std::move(out)) {}

  Status begin(std::string_view name);
  Status write(std::string_view bytes);  // data of the current entry
  Status end();
  Status finish();  // writes the directory

 private:
  struct Entry {
    std::string name;
    std::uint32_t crc = 0;
    std::uint64_t bytes = 0, offset = 0;
  };
  Status put(std::string_view bytes);

  Out out_;
  std::uint64_t offset_ = 0;
  std::vector<Entry> entries_;
};

}  // namespace ladder::console
