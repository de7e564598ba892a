// Detects nearly identical texts, such as versions of a document. The sketch of a text is the smallest hashes of all
// its runs of three words (MinHash): two texts share about the same fraction of their sketches as of their runs.
#pragma once

#include "text/word_rank.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::text {

inline constexpr std::size_t kSketchHashes = 16;
// Shorter texts may differ in the one word that matters.
inline constexpr std::int64_t kMinNearChars = 1'000;

using NearSketch = std::vector<std::uint32_t>;  // ascending

// The hash of a word as stored in the index.
std::uint32_t word_hash(std::string_view word);

// Hashes of the words at the beginning of a record's text, in text order.
std::vector<std::uint32_t> beginning_words(const RankedText& reading);

// The sketch of a record's text, given the hashes of its first words. Empty if the text is too short or too long to be
// read.
NearSketch near_sketch(const RankedText& reading, std::span<const std::uint32_t> words);

// Returns whether the texts share about four fifths of their runs. An empty sketch is similar to no other.
bool nearly_same(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace ladder::text
