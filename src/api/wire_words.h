// Maps enum values to and from their wire names, and defines the labels of search groups.
#pragma once

#include "api/records.h"
#include "api/search.h"

#include <array>
#include <optional>
#include <string>
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

// The labels for hits with the same or nearly the same text, and the suffix added to the label of hits that are also
// parts of one group.
inline constexpr std::string_view kWordingLabel = "wording", kNearLabel = "near copies", kOrWordingLabel = " or wording";

// Phrases the label for the further hits: "in this conversation", "with the same wording".
inline std::string words_of_group(const SearchGroup& group) {
  const std::string_view label = group.label;
  if (label == kWordingLabel) return "with the same wording";
  if (label == kNearLabel) return "with the same wording or nearly";
  if (!label.ends_with(kOrWordingLabel)) return label.empty() ? "in this group" : "in this " + group.label;
  return "in this " + std::string(label.substr(0, label.size() - kOrWordingLabel.size())) + " or with the same wording";
}

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
