// Parses time expressions in a question: "invoices in March 2024", "last week". English only, and only if the
// expression has one meaning; "in March", "the last week of May", two times in one question and quoted text remain
// words.
#pragma once

#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::server {

struct TimeRange {
  std::optional<Instant> since, until;  // [since, until)

  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

struct TimeWords {
  TimeRange range;
  std::string words;  // the time expression, as typed
  std::string rest;   // the question without it
};

// Days, weeks (from Monday), months and years are in UTC; seasons are those of the northern hemisphere.
std::optional<TimeWords> find_time_words(std::string_view question, Instant now);

// Returns true if a question has no words to search for, such as "what did I do" with a time.
bool has_no_search_words(std::string_view question);

}  // namespace ladder::server
