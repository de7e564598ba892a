// A zip archive made while it is sent: entries are stored as they are, their sizes stand behind them and in the directory at the
// end (zip64, so that neither files nor archive have a bound).
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
  Status write(std::string_view bytes);  // of the entry that was begun
  Status end();
  Status finish();  // the directory

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
