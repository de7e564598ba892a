// The words of the wire for the port's choices, both ways.
#pragma once

#include "port/aggregate.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace ladder::rest {

inline constexpr std::array<std::pair<std::string_view, port::Metric>, 5> kMetricWords = {{
    {"count", port::Metric::kCount},
    {"sum", port::Metric::kSum},
    {"min", port::Metric::kMin},
    {"max", port::Metric::kMax},
    {"count_distinct", port::Metric::kCountDistinct},
}};

inline constexpr std::array<std::pair<std::string_view, port::Granularity>, 7> kGranularityWords = {{
    {"minute", port::Granularity::kMinute},
    {"hour", port::Granularity::kHour},
    {"day", port::Granularity::kDay},
    {"week", port::Granularity::kWeek},
    {"month", port::Granularity::kMonth},
    {"quarter", port::Granularity::kQuarter},
    {"year", port::Granularity::kYear},
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

}  // namespace ladder::rest
