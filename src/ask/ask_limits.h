// The limits of Ask (docs/use/ask.md). A small local model reads about 8,000 characters well; more passages make its answers worse.
#pragma once

#include "base/limits.h"

#include <cstddef>
#include <cstdint>

namespace ladder::limits {

inline constexpr std::size_t kAskPassages = 8;
inline constexpr std::int64_t kAskQuestionChars = 500;          // a question; a pasted document is not one
inline constexpr std::int64_t kAskPassageChars = 900;           // of one passage: up to three windows of a hit
inline constexpr std::int64_t kAskAnswerChars = 6'000;          // of a model's answer; the rest is not read
inline constexpr std::size_t kAskSentences = 40;                // of an answer
inline constexpr std::size_t kAskResponseBytes = 256 * kKiB;    // of a model server's response, including its statistics
inline constexpr int kAskTimeoutS = 60, kAskMaxTimeoutS = 600;  // for a whole answer; a model on a CPU may take minutes

}  // namespace ladder::limits
