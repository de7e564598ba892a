// Text that identifies its position: every word names its record, its field and its offset, so that the characters
// shown by a response, in any rendering, are found exactly by looking at the response alone.
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

// A record and a field.
using FieldKey = std::pair<std::string, std::string>;
using Shown = std::map<FieldKey, server::ShownRanges>;

class MarkedTexts {
 public:
  // Creates this many words of eight chars, including spaces, for a field that has no text yet.
  const std::string& make(const std::string& record, const std::string& field, std::size_t words);
  const std::string& text(const FieldKey& field) const { return texts_.at(field); }
  // Returns a word that occurs only in that text, in the form to search for.
  std::string word(const FieldKey& field, std::size_t which) const;

  // Adds every part of the texts that the response shows. Pieces of fewer than 15 chars have no whole word and are not
  // found.
  void look_at(std::string_view answer, Shown& shown) const;
  void look_at(const boost::json::value& answer, Shown& shown) const;  // looks at every string in it

  // Returns the chars of marked texts that are in one but not in the other, as "record/field [start, end)". Ignores
  // spaces, which a rendering may also contain.
  std::vector<std::string> only_in(const Shown& one, const Shown& other) const;

 private:
  std::map<FieldKey, std::string> texts_;
  std::map<std::string, std::pair<const FieldKey*, std::size_t>, std::less<>> words_;  // from a word to its text and offset
};

}  // namespace ladder::wire
