// How long an import waits for a database server that went away. Shorter than other writers do: run again it goes on where it
// was.
#pragma once

#include <chrono>

namespace ladder::cli {

inline constexpr std::chrono::seconds kImportPatience{20};

}  // namespace ladder::cli
