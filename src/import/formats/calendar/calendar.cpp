// Calendars (.ics, RFC 5545): events and tasks of any number of calendars.
//
// Reads all files of a tree together, in two passes: the first finds the newest version of each entry, the second sends it.
// Exports contain the same entry several times (invitations and their updates), but only one version can be the record.
#include "base/text/format.h"
#include "import/formats/calendar/calendar_records.h"
#include "import/formats/component_files.h"
#include "import/formats/format.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ladder::imports {
namespace {

using namespace calendar;  // NOLINT(google-build-using-namespace): the parts of this format

constexpr std::string_view kContainer = "VCALENDAR";
// A file of a megabyte can describe a billion occurrences.
constexpr std::size_t kMaxOccurrencesOfUnit = 1'000'000;
constexpr std::size_t kMaxSeriesBytes = 64 * limits::kMiB;

std::int64_t year_of(const Request& request) {
  return request.year != 0 ? request.year : civil_date(floor_div(Clock::system().now(), kDay)).year;
}

bool begins_as_calendar(std::string_view head) { return starts_with_ignoring_case(trim(head), "begin:vcalendar"); }

class CalendarFormat final : public Format {
 public:
  std::string_view name() const override { return "calendar"; }
  std::string_view summary() const override { return "calendars (.ics), events and tasks"; }
  std::vector<Unit> detect(Tree& tree, const Request& request) const override;
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override;
};

std::vector<Unit> CalendarFormat::detect(Tree& tree, const Request& request) const {
  Unit unit{Confidence::kLikely, "", "", {}};
  const std::vector<Entry>& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    const bool named = entries[i].has_extension(".ics") || entries[i].has_extension(".ical") ||
                       entries[i].has_extension(".ifb") || entries[i].has_extension(".icalendar");
    if (!named && !request.forced) continue;
    unit.entries.push_back(i);
    if (unit.confidence != Confidence::kCertain && begins_as_calendar(text_head(tree, i))) unit.confidence = Confidence::kCertain;
  }
  if (unit.entries.empty()) return {};
  unit.inputs = std::to_string(year_of(request));
  unit.what = unit.entries.size() == 1 ? "a calendar file" : format("{} calendar files", unit.entries.size());
  return {std::move(unit)};
}

bool is_entry(const Component& component) { return component.name == "VEVENT" || component.name == "VTODO"; }

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, std::int64_t year, Sink& sink)
      : tree_(tree), unit_(unit), window_(window_of(year)), sink_(sink) {}

  Status read(FilePosition from) {
    for (std::size_t file = 0; file < unit_.entries.size(); ++file) {
      LADDER_CHECK(each_entry(file, nullptr, [&](const Component& component, const std::string& calendar_name) -> Status {
        if (!is_entry(component) || !component.finished) return {};
        Version version = version_of(component);
        version.file = file;
        version.byte = component.offset;
        newest_.add(entry_id(component, calendar_name), version);
        if (const ContentLine* const original = component.find("RECURRENCE-ID")) {
          const auto instant = zones_.read(*original).instant;
          if (instant) replaced_[series_id(component, calendar_name)].insert(*instant);
        }
        return {};
      }));
    }
    for (std::size_t file = from.index; file < unit_.entries.size(); ++file) {
      is_told_ = tree_.entries()[unit_.entries[file]].size == 0;
      LADDER_CHECK(each_entry(file, &sink_, [&](const Component& component, const std::string& calendar_name) {
        is_told_ = is_told_ || component.name != "VTIMEZONE";
        return send(file, component, calendar_name);
      }));
      if (!is_told_) LADDER_CHECK(sink_.lost({path(file), -1}, "it contains no readable events or tasks"));
      if (file + 1 < unit_.entries.size()) LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {file + 1, 0})));
    }
    return {};
  }

 private:
  const std::string& path(std::size_t file) const { return tree_.entries()[unit_.entries[file]].path; }

  // Calls `use` for every component of the file, with its calendar's name. `sink` is null in the first pass.
  template <class Use>
  Status each_entry(std::size_t file, Sink* sink, Use use) {
    zones_.forget();
    const auto take = [&](const Components& components) {
      if (components.component().name == "VTIMEZONE") zones_.define(components.component());
      std::string calendar_name;
      for (const ContentLine& line : components.container()) {
        if (line.name == "X-WR-CALNAME" || (line.name == "NAME" && calendar_name.empty())) calendar_name = trim(line.text());
        if (line.name == "X-WR-TIMEZONE") zones_.set_default(trim(line.text()));
      }
      return use(components.component(), calendar_name);
    };
    LADDER_TRY(const bool complete, each_component(tree_, unit_.entries[file], kContainer, "events", sink, take));
    is_told_ = is_told_ || !complete;
    return {};
  }

  Status send(std::size_t file, const Component& component, const std::string& calendar_name) {
    const wire::FileLocation place{path(file), component.offset};
    if (component.name.empty()) return sink_.lost(place, "a line outside any calendar entry");
    if (component.name == "VTIMEZONE") return {};
    if (!is_entry(component)) return sink_.skipped("events", format("{}, not an event or a task", kind(component.name)));
    if (!component.finished) return sink_.lost(place, format("the {} has no end", kind(component.name)));
    if (component.left_out > 0) {
      LADDER_CHECK(sink_.lost({path(file), component.left_out_at},
                              format("{} of an entry cannot be read; the rest of it is kept",
                                     component.left_out == 1 ? "a line" : format("{} lines", component.left_out))));
    }
    const bool is_event = component.name == "VEVENT";
    const std::string_view stream = is_event ? "events" : "tasks";
    if (!newest_.is_newest(entry_id(component, calendar_name), file, component.offset)) {
      return sink_.skipped(stream, "an older version of the same entry");
    }
    if (is_event && is_repeated(component)) return send_series(component, calendar_name, place);
    const EntryRecord record =
        is_event ? event_record(component, calendar_name, zones_) : task_record(component, calendar_name, zones_);
    return sink_.record({stream, record.data, place, record.time});
  }

  Status send_series(const Component& component, const std::string& calendar_name, const wire::FileLocation& place) {
    Series series = expand(component, zones_, window_, replaced_[series_id(component, calendar_name)]);
    const std::size_t room = std::min(kMaxSeriesBytes / std::max<std::size_t>(size_of(component), 1), occurrences_left_);
    if (series.later.size() > room) {
      series.later.resize(room);
      series.problem = format("only its first {} occurrences were imported", room);
    }
    occurrences_left_ -= series.later.size();
    if (!series.problem.empty()) LADDER_CHECK(sink_.lost(place, format("a repeated event: {}", series.problem)));
    const EntryRecord record = event_record(component, calendar_name, zones_, &series);
    LADDER_CHECK(sink_.record({"events", record.data, place, record.time}));
    for (const Occurrence& each : series.later) {
      const EntryRecord later = occurrence_record(component, calendar_name, zones_, each);
      LADDER_CHECK(sink_.record({"events", later.data, place, later.time}));
    }
    return {};
  }

  static std::size_t size_of(const Component& component) {
    std::size_t size = 0;
    for (const ContentLine& line : component.lines) size += line.value.size();
    return size;
  }

  static std::string kind(const std::string& name) {
    if (name == "VEVENT") return "event";
    if (name == "VTODO") return "task";
    if (name == "VJOURNAL") return "a journal entry";
    return name == "VFREEBUSY" ? "a list of busy times" : "something else";
  }

  Tree& tree_;
  const Unit& unit_;
  RecurrenceRange window_;
  Sink& sink_;
  Zones zones_;
  Newest newest_;
  std::unordered_map<std::string, std::set<Instant>> replaced_;  // by series: the original starts of changed occurrences
  std::size_t occurrences_left_ = kMaxOccurrencesOfUnit;
  bool is_told_ = false;  // something was reported for the current file
};

Status CalendarFormat::read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const {
  return Reader(tree, unit, year_of(request), sink).read(parse_position(tree, unit, position));
}

}  // namespace

const Format& calendar_format() {
  static const CalendarFormat format;
  return format;
}

}  // namespace ladder::imports
