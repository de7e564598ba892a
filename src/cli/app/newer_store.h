// A store that a newer Ladder has made or migrated: this program refuses it, and no command of its own mends that, `ladder init`
// least of all.
#pragma once

#include "base/error/error.h"

namespace ladder::cli {

inline bool is_of_newer_ladder(const Error& error) {
  return error.code == Code::kNotSetUp && error.message.ends_with("upgrade ladder");
}

}  // namespace ladder::cli
