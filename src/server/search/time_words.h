// Times in the words of a question: "invoices in March 2024", "last week". English only, and only where the words mean one range;
// "in March", "the last week of May", two times in one question and anything in quotes stay words.
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
  std::string words;  // that tell the range, as typed
  std::string rest;   // of the question
};

// Days, weeks (from Monday), months and years are those of UTC, and seasons those of the northern half of the earth.
std::optional<TimeWords> find_time_words(std::string_view question, Instant now);

// Says that a question has no words to seek, as "what did I do" next to a time.
bool asks_for_anything(std::string_view question);

}  // namespace ladder::server
