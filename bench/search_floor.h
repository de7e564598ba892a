// The floor of a search: the engine's own full-text index over the same texts, asked for its ten best and an excerpt
// of each, as a program that uses nothing else would do it.
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
  // The ten best of the records that have all of the words, the words in a row, or any of them; how many bytes their excerpts
  // have.
  virtual std::size_t ten_best(const std::string& words, Match match) = 0;
};

std::unique_ptr<SearchFloor> search_floor(const Place& place, std::int64_t records);

}  // namespace ladder::bench
