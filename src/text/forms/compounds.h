// Compound words: "barn" and "cykel" form the Swedish "barncykel", "Arbeit" and "Vertrag" the German "Arbeitsvertrag".
// Words are folded as in the index.
#pragma once

#include "text/forms/function_words.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

bool makes_compounds(Language language);

// The compounds that begin with `first` and end with one of `seconds`, with each possible linking letter.
std::vector<std::string> compounds_of(std::string_view first, std::span<const std::string> seconds, Language language);

struct CompoundParts {
  std::string first, second;

  friend auto operator<=>(const CompoundParts&, const CompoundParts&) = default;
};

// Every way to split a word into two parts that are not function words, most even first.
std::vector<CompoundParts> compound_parts(std::string_view word, Language language);

}  // namespace ladder::text
