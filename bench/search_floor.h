// The floor of a search: the engine's own full-text index over the same texts, queried for its ten best and an excerpt
// of each, as a program without Ladder would do it.
#pragma once

#include "scene.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ladder::bench {

class SearchFloor {
 public:
  virtual ~SearchFloor() = default;
  enum class Match : std::uint8_t { kAll, kPhrase, kAny };
  // Finds the ten best records that have all of the words, the words as a phrase, or any of them; returns the bytes of
  // their excerpts.
  virtual std::size_t ten_best(const std::string& words, Match match) = 0;
};

std::unique_ptr<SearchFloor> search_floor(const ScratchLocation& place, std::int64_t records);

}  // namespace ladder::bench
