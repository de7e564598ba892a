#include "console/sources/importer.h"

#include <algorithm>

namespace ladder::console {

bool Upload::arrived() const { return std::ranges::all_of(files, &UploadedFile::complete); }

std::int64_t Upload::bytes_here() const {
  std::int64_t sum = 0;
  for (const UploadedFile& file : files) sum += file.bytes;
  return sum;
}

}  // namespace ladder::console
