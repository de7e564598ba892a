// Texts that are nearly the same, such as the versions of a document. A sketch of a text is the smallest hashes among those of
// all its runs of three words (MinHash): two texts share as much of their sketches as of their runs.
#pragma once

#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kSketchHashes = 16;
// Shorter texts may differ in the one word that matters.
inline constexpr std::int64_t kMinNearChars = 1'000;

using NearSketch = std::vector<std::uint32_t>;  // ascending

// The sketch of a record's text, whose first words have these hashes. Empty if the text is too short, or too long to be read.
NearSketch near_sketch(const WordReading& reading, std::span<const std::uint32_t> words);

// Says whether the texts share some four fifths of their runs. An empty sketch is like no other.
bool nearly_same(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace ladder::store
