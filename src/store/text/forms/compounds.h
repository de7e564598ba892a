// Words that are written as one of two: "barn" and "cykel" make the Swedish "barncykel", "Arbeit" and "Vertrag" the German
// "Arbeitsvertrag". Words are folded as in the index.
#pragma once

#include "store/text/forms/function_words.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

bool makes_compounds(Language language);

// The compounds that begin with the one word and end with one of the others, with each letter that may link them.
std::vector<std::string> compounds_of(std::string_view first, std::span<const std::string> seconds, Language language);

struct CompoundParts {
  std::string first, second;

  friend auto operator<=>(const CompoundParts&, const CompoundParts&) = default;
};

// Every way to take a word apart into two that hold no sentence together, the most even first.
std::vector<CompoundParts> compound_parts(std::string_view word, Language language);

}  // namespace ladder::store
