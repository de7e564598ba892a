#include "import/formats/calendar/series.h"

#include "base/text/format.h"
#include "import/text/text.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace ladder::imports::calendar {
namespace {

// Rules and dates of one event that are read. Real events have one rule and some dates.
constexpr std::size_t kMaxRules = 20;
constexpr std::size_t kMaxDates = 20'000;

// Writes a local time like DTSTART: "20240105", "20240105T100000" or "20240105T090000Z".
std::string written(LocalTime time, const CalendarTime& like) {
  const std::int64_t day = floor_div(time, kDay);
  const CivilDate date = civil_date(day);
  std::string text = format("{:04}{:02}{:02}", date.year, date.month, date.day);
  if (like.is_date) return text;
  const std::int64_t second = (time - day * kDay) / kSecond;
  text += format("T{:02}{:02}{:02}", second / 3600, second / 60 % 60, second % 60);
  return like.local.empty() ? text + "Z" : text;
}

// Returns the time that clocks show; in UTC for times in UTC.
std::optional<LocalTime> local_of(const CalendarTime& time) {
  return time.local.empty() ? time.instant : parse_field_time(time.local);
}

// Calls `use` for every value of the property, such as EXDATE, with the zone of its line.
void each_value(const Component& event, std::string_view property,
                const std::function<void(std::string_view, std::string_view)>& use) {
  std::size_t count = 0;
  for (const ContentLine& line : event.lines) {
    if (line.name != property) continue;
    for (const std::string& value : split_escaped(line.decoded(), ',')) {
      if (value.empty()) continue;
      if (++count > kMaxDates) return;
      // A period ("20240105T100000Z/PT1H") begins with its start.
      use(std::string_view(value).substr(0, value.find('/')), line.parameter("TZID"));
    }
  }
}

class Expansion {
 public:
  Expansion(const Component& event, Zones& zones, RecurrenceRange window, const std::set<Instant>& replaced)
      : event_(event), zones_(zones), window_(window), replaced_(replaced) {}

  Series run() {
    const ContentLine* const line = event_.find("DTSTART");
    if (line == nullptr) return {};
    zone_ = line->parameter("TZID");
    start_ = zones_.read(*line);
    if (!start_.instant) return {};  // in an unknown zone: the event has a local time and a problem
    start_local_ = local_of(start_).value_or(*start_.instant);
    if (const ContentLine* const end = event_.find("DTEND")) end_ = zones_.read(*end);
    read_exceptions();
    std::size_t rules = 0;
    for (const ContentLine& each : event_.lines) {
      if (each.name == "RRULE" && ++rules <= kMaxRules) add_rule(each.decoded());
    }
    each_value(event_, "RDATE", [&](std::string_view value, std::string_view zone) {
      const CalendarTime time = zones_.read(value, zone.empty() ? zone_ : zone);
      // The date may be written in another zone.
      if (!time.instant) return;
      const auto local = start_.local.empty() ? time.instant : local_of(zones_.at(*time.instant, zone_));
      if (local) add(*local);
    });
    series_.start_takes_place = takes_place(start_local_, *start_.instant);
    for (const LocalTime each : later_) {
      if (each != start_local_) series_.later.push_back(occurrence(each));
    }
    return std::move(series_);
  }

 private:
  void read_exceptions() {
    each_value(event_, "EXDATE", [&](std::string_view value, std::string_view zone) {
      const CalendarTime time = zones_.read(value, zone.empty() ? zone_ : zone);
      if (!time.instant) return;
      // A date leaves out all occurrences of the day, also of an event that has a time.
      if (time.is_date) excluded_days_.insert(floor_div(*time.instant, kDay));
      else excluded_.insert(*time.instant);
    });
  }

  bool takes_place(LocalTime local, Instant instant) const {
    return !excluded_.contains(instant) && !replaced_.contains(instant) && !excluded_days_.contains(floor_div(local, kDay));
  }

  void add(LocalTime local) {
    const auto instant = zones_.read(written(local, start_), zone_).instant;
    if (!instant || !takes_place(local, *instant)) return;
    if (local < window_.first || local > window_.last) return;
    if (later_.size() < kMaxOccurrences) later_.insert(local);
    else series_.problem = format("only its first {} occurrences were imported", kMaxOccurrences);
  }

  void add_rule(std::string_view text) {
    const auto rule = RecurrenceRule::parse(text);
    if (!rule) {
      series_.problem = format("the repetition \"{}\" cannot be read", replace_invalid(text.substr(0, 200)));
      return;
    }
    LocalTime until = std::numeric_limits<LocalTime>::max();
    if (!rule->until.empty()) {
      const CalendarTime end = zones_.read(rule->until, zone_);
      const bool in_utc = end.instant && end.local.empty() && !start_.local.empty() && !end.is_date;
      const auto local = in_utc ? local_of(zones_.at(*end.instant, zone_)) : local_of(end);
      if (!local) {
        series_.problem = end.problem;
        return;
      }
      until = end.is_date || start_.is_date ? (floor_div(*local, kDay) + 1) * kDay - 1 : *local;
    }
    const RecurrenceRange range{std::max(start_local_, window_.first), std::min(until, window_.last)};
    const bool complete = each_recurrence(*rule, start_local_, range, [&](LocalTime local) {
      add(local);
      return series_.problem.empty();
    });
    if (!complete) series_.problem = "the repetition is too long to be followed to its end";
  }

  Occurrence occurrence(LocalTime local) {
    Occurrence out;
    out.original = written(local, start_);
    out.start = zones_.read(out.original, zone_);
    if (!end_ || !end_->instant) return out;
    // The end keeps its distance on the clock, so that a night on which clocks change does not move it.
    const auto end_local = local_of(*end_);
    if (end_local && end_->zone == start_.zone && end_->local.empty() == start_.local.empty()) {
      const LocalTime moved = local + *end_local - start_local_;
      out.end = zones_.read(written(moved, *end_), zone_);
    } else {
      CalendarTime moved;
      moved.instant = *out.start.instant + *end_->instant - *start_.instant;
      moved.text = format_time(*moved.instant);
      out.end = std::move(moved);
    }
    return out;
  }

  const Component& event_;
  Zones& zones_;
  RecurrenceRange window_;
  const std::set<Instant>& replaced_;
  std::string zone_;
  CalendarTime start_;
  std::optional<CalendarTime> end_;
  LocalTime start_local_ = 0;
  std::set<Instant> excluded_;
  std::set<std::int64_t> excluded_days_;
  std::set<LocalTime> later_;
  Series series_;
};

}  // namespace

RecurrenceRange window_of(std::int64_t year) {
  constexpr int kYearsBefore = 10, kYearsAfter = 2;
  return {days_of({year - kYearsBefore, 1, 1}) * kDay, days_of({year + kYearsAfter + 1, 1, 1}) * kDay - 1};
}

bool is_repeated(const Component& event) { return event.find("RRULE") != nullptr || event.find("RDATE") != nullptr; }

Series expand(const Component& event, Zones& zones, RecurrenceRange window, const std::set<Instant>& replaced) {
  return Expansion(event, zones, window, replaced).run();
}

}  // namespace ladder::imports::calendar
