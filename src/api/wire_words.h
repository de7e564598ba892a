// The words of the wire for the port's choices, both ways.
#pragma once

#include "api/records.h"
#include "api/search.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace ladder::api {

inline constexpr std::array<std::pair<std::string_view, Metric>, 5> kMetricWords = {{
    {"count", Metric::kCount},
    {"sum", Metric::kSum},
    {"min", Metric::kMin},
    {"max", Metric::kMax},
    {"count_distinct", Metric::kCountDistinct},
}};

inline constexpr std::array<std::pair<std::string_view, Granularity>, 7> kGranularityWords = {{
    {"minute", Granularity::kMinute},
    {"hour", Granularity::kHour},
    {"day", Granularity::kDay},
    {"week", Granularity::kWeek},
    {"month", Granularity::kMonth},
    {"quarter", Granularity::kQuarter},
    {"year", Granularity::kYear},
}};

inline constexpr std::array<std::pair<std::string_view, SearchOrder>, 3> kSearchOrderWords = {{
    {"relevance", SearchOrder::kRelevance},
    {"newest", SearchOrder::kNewest},
    {"oldest", SearchOrder::kOldest},
}};

template <class Words, class Value>
constexpr std::string_view word_of(const Words& words, Value value) {
  for (const auto& [word, meant] : words) {
    if (meant == value) return word;
  }
  return {};
}

template <class Words>
constexpr auto value_of_word(const Words& words, std::string_view word) {
  using Value = typename Words::value_type::second_type;
  for (const auto& [known, value] : words) {
    if (known == word) return std::optional<Value>(value);
  }
  return std::optional<Value>();
}

}  // namespace ladder::api
