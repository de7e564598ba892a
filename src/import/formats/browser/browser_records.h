// The records of browsers: visits, bookmarks and searches.
#pragma once

#include "base/time/time.h"
#include "import/io/sink.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::browser {

struct Visit {
  std::string url, title, transition;
  std::optional<Instant> time;
  double duration_seconds = 0;
};
// A visit is identified by its address and time, so that exports of different ages add up.
Status send(Sink& sink, const Visit& visit, std::string_view browser, const wire::FileLocation& place);

struct Bookmark {
  std::string id, url, title, folder;  // the id is derived from address and folder if it is ""
  std::optional<Instant> added;
};
Status send(Sink& sink, const Bookmark& bookmark, std::string_view browser, const wire::FileLocation& place);

// Returns true for pages of the network; false for data:, about:, javascript: and the like.
bool is_web(std::string_view url);

// Microseconds since the year 1601, as Chrome writes them; nullopt for 0.
std::optional<Instant> chrome_time(std::int64_t value);
// Microseconds since 1970; mobile Firefox writes milliseconds.
std::optional<Instant> firefox_time(std::int64_t value);

}  // namespace ladder::imports::browser
