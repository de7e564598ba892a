// Text that tells where it stands: every word of it names its record, its field and its place, so that whatever an answer shows
// of it, in whichever rendering, is found to the char by looking at the answer alone.
#pragma once

#include "server/ledger/disclosure.h"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::wire {

// By record and field.
using Place = std::pair<std::string, std::string>;
using Shown = std::map<Place, server::ShownRanges>;

class MarkedTexts {
 public:
  // So many words of eight chars with their spaces, for a field that has none yet.
  const std::string& make(const std::string& record, const std::string& field, std::size_t words);
  const std::string& text(const Place& place) const { return texts_.at(place); }
  // A word that stands in that text and nowhere else, as one searches for it.
  std::string word(const Place& place, std::size_t which) const;

  // Adds everything that the answer shows of any of them. Pieces of fewer than 15 chars have no whole word and are not found.
  void look_at(std::string_view answer, Shown& shown) const;
  void look_at(const boost::json::value& answer, Shown& shown) const;  // every string in it

  // The chars of marked texts that are in the one and not in the other, as "record/field [start, end)". Spaces do not count:
  // there a rendering may look like the text.
  std::vector<std::string> only_in(const Shown& one, const Shown& other) const;

 private:
  std::map<Place, std::string> texts_;
  std::map<std::string, std::pair<const Place*, std::size_t>, std::less<>> words_;  // with their place and its offset
};

}  // namespace ladder::wire
