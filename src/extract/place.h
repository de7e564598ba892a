// Where something stands in the owner's files: what accounts and errors name.
#pragma once

#include <cstdint>
#include <string>

namespace ladder::extract {

struct Place {
  std::string file = {};   // path inside the folder or archive that was given
  std::int64_t byte = -1;  // offset in the file, uncompressed; -1: the file as a whole
};

}  // namespace ladder::extract
