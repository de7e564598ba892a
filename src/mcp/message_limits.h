// How large a message may be, in every direction that its sender decides. Crossing one is an error that says which.
#pragma once

#include <cstddef>

namespace ladder::mcp {

inline constexpr std::size_t kMaxHttpMessageBytes = 4 * 1024 * 1024;  // the body of a POST; what other servers take, too
inline constexpr std::size_t kMaxLineBytes = 10'000'000;              // a line over stdio; where common clients stop as well
inline constexpr std::size_t kMaxMessageDepth = 64;                   // nesting; reading it uses the stack
inline constexpr std::size_t kMaxIdBytes = 256;                       // a request's id as JSON; it is echoed and logged
inline constexpr std::size_t kMaxArgumentBytes = 8'192;  // of a tool's arguments as JSON; answers and errors repeat them
inline constexpr std::size_t kMaxBatch = 16;             // messages of an array (2025-03-26)

}  // namespace ladder::mcp
