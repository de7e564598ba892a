// The address of a record in the connection of a source.
#pragma once

#include <string>

namespace ladder::sync {

struct RecordKey {
  std::string stream, key;
  auto operator<=>(const RecordKey&) const = default;
};

}  // namespace ladder::sync
