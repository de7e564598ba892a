// What one message may cost, each with its reason. What is over a bound is left out, and the record and the account say so.
#pragma once

#include "import/limits.h"

#include <cstddef>

namespace ladder::imports::mail {

// A message is held whole, with the decoded text and its record beside it: eight times this fits the child's address space.
inline constexpr std::size_t kMaxMessageBytes = 160 * limits::kMiB;
inline constexpr std::size_t kMaxAttachments = 1000;                       // of one message
inline constexpr std::size_t kMaxAttachmentTextBytes = 16 * limits::kMiB;  // text taken out of one attachment
inline constexpr std::size_t kMaxInnerBytes = 160 * limits::kMiB;  // of all messages inside one message, each opened as a copy
inline constexpr int kMaxPartDepth = 32;                           // parts in parts; real mail stays under ten
inline constexpr std::size_t kMaxHeaderBytes = 64 * limits::kKiB;  // of one header's value
inline constexpr std::size_t kMaxAddresses = 10'000;               // in one header
inline constexpr std::size_t kMaxReferences = 1000;

}  // namespace ladder::imports::mail
