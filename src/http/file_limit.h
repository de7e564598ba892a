// How many files this process may have open; sockets count.
#pragma once

#include <cstddef>

namespace ladder::http {

// Raises the limit as far as the system lets this process and returns what it is then.
std::size_t raise_file_limit();

}  // namespace ladder::http
