// Apple Health: export.xml, of any size and under any name (it is translated), read element by element.
#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"
#include "json/writer.h"

#include <algorithm>
#include <utility>

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

// "2024-06-05 13:45:22 -0700"
std::optional<Instant> time_of(std::string_view text) {
  if (text.size() != 25 || text[19] != ' ') return parse_time(text);
  return parse_time(format("{}T{}{}:{}", text.substr(0, 10), text.substr(11, 8), text.substr(20, 3), text.substr(23, 2)));
}

std::string without_prefix(std::string_view type) {
  for (const std::string_view prefix : {"HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKCategoryValue",
                                        "HKWorkoutActivityType", "HKDataType", "HKCorrelationTypeIdentifier"}) {
    if (type.starts_with(prefix) && type.size() > prefix.size()) return std::string(type.substr(prefix.size()));
  }
  return std::string(type);
}

std::optional<double> real_of(std::string_view text) { return parse_number<double>(trim(text)); }

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), number_(entry), entry_(tree.entries()[entry]), sink_(sink) {}

  Status run() {
    auto bytes = tree_.open(number_);
    if (!bytes) return sink_.lost({entry_.path, -1}, bytes.error().message);
    XmlReader xml(**bytes);
    for (;;) {
      const auto step = xml.next();
      if (!step)
        return step.error().code == Code::kCancelled ? Status(std::unexpected(step.error()))
                                                     : sink_.lost({entry_.path, -1}, step.error().message);
      if (*step == Step::kDone) return {};
      if (*step == Step::kDamaged)
        return sink_.lost({entry_.path, place(xml).byte}, format("the rest of the file cannot be read: {}", xml.why()));
      if (*step == Step::kEnd) {
        if (xml.name() == "Workout") LADDER_CHECK(end_workout());
        else if (xml.name() == "Record" && has_record_) LADDER_CHECK(end_record());
        continue;
      }
      if (*step == Step::kStart) LADDER_CHECK(start(xml));
    }
  }

 private:
  wire::FileLocation place(const XmlReader& xml) const { return {entry_.path, std::min(xml.offset(), entry_.size)}; }

  Status start(const XmlReader& xml) {
    const std::string_view name = xml.name();
    // The records of a correlation are also in the file by themselves.
    if (name == "Record") start_record(xml);
    else if (name == "Workout") start_workout(xml);
    else if (name == "ActivitySummary") return day(xml);
    else if (name == "MetadataEntry" && has_record_) metadata_.emplace_back(xml.attribute("key"), xml.attribute("value"));
    else if (name == "WorkoutStatistics" && has_workout_) statistics(xml);
    else if (name == "FileReference" && has_workout_) route_ = xml.attribute("path");
    else if (name == "ClinicalRecord") return sink_.skipped("measurements", "a clinical record (its file is not read)");
    return {};
  }

  void start_record(const XmlReader& xml) {
    has_record_ = true;
    metadata_.clear();
    at_ = place(xml);
    type_ = xml.attribute("type");
    source_ = xml.attribute("sourceName");
    value_ = xml.attribute("value");
    unit_ = xml.attribute("unit");
    start_text_ = xml.attribute("startDate");
    end_text_ = xml.attribute("endDate");
  }

  Status end_record() {
    has_record_ = false;
    const auto begin = time_of(start_text_), end = time_of(end_text_);
    if (type_.empty() || !begin) return sink_.lost(at_, "a measurement without a kind or a date");
    json::Writer out;
    out.begin_object().member("id",
                              digest_id({type_, source_, format_time(*begin), end ? format_time(*end) : "", value_, unit_}));
    out.member("type", without_prefix(type_)).member("start_at", format_time(*begin));
    if (end && end != begin) out.member("end_at", format_time(*end));
    const auto number = real_of(value_);
    if (number) out.member("value", *number);
    const std::string shown = number ? value_ : without_prefix(value_);
    out.optional_member("text", unit_.empty() ? shown : format("{} {}", shown, unit_));
    out.optional_member("unit", unit_).optional_member("source", source_).member("date_text", start_text_);
    if (!metadata_.empty()) {
      out.key("metadata").begin_object();
      std::vector<std::string> seen;
      for (const auto& [key, text] : metadata_) {
        if (std::ranges::find(seen, key) != seen.end()) continue;
        seen.push_back(key);
        out.member(key, text);
      }
      out.end_object();
    }
    out.end_object();
    return sink_.record({"measurements", out.take(), at_, begin});
  }

  void start_workout(const XmlReader& xml) {
    has_workout_ = true;
    statistics_ = {};
    has_statistics_ = false;
    route_.clear();
    at_ = place(xml);
    type_ = xml.attribute("workoutActivityType");
    source_ = xml.attribute("sourceName");
    start_text_ = xml.attribute("startDate");
    end_text_ = xml.attribute("endDate");
    const auto duration = real_of(xml.attribute("duration"));
    const std::string_view unit = xml.attribute("durationUnit");
    seconds_ = duration ? *duration * (unit == "hr" ? 3600 : unit == "s" ? 1 : 60) : 0;
    // Before iOS 16 the totals were attributes.
    add_statistic("TotalDistance", xml.attribute("totalDistance"), xml.attribute("totalDistanceUnit"));
    add_statistic("TotalEnergyBurned", xml.attribute("totalEnergyBurned"), xml.attribute("totalEnergyBurnedUnit"));
  }

  void add_statistic(std::string_view name, std::string_view value, std::string_view unit) {
    if (value.empty() || name.empty() || std::ranges::find(statistic_names_, name) != statistic_names_.end()) return;
    if (!has_statistics_) statistics_.begin_object();
    has_statistics_ = true;
    statistic_names_.emplace_back(name);
    statistics_.member(std::string(name), format("{}{}{}", value, unit.empty() ? "" : " ", unit));
  }

  void statistics(const XmlReader& xml) {
    const std::string kind = without_prefix(xml.attribute("type"));
    for (const std::string_view which : {"sum", "average", "minimum", "maximum"})
      add_statistic(format("{} {}", kind, which), xml.attribute(which), xml.attribute("unit"));
  }

  Status end_workout() {
    if (!std::exchange(has_workout_, false)) return {};
    statistic_names_.clear();
    const auto begin = time_of(start_text_), end = time_of(end_text_);
    if (has_statistics_) statistics_.end_object();
    const std::string totals = has_statistics_ ? statistics_.take() : std::string();
    if (!begin) return sink_.lost(at_, "a workout without a date");
    json::Writer out;
    out.begin_object().member("id", digest_id({"workout", type_, source_, format_time(*begin), end ? format_time(*end) : ""}));
    out.member("type", without_prefix(type_)).member("start_at", format_time(*begin));
    optional_time_member(out, "end_at", end);
    if (seconds_ > 0) out.member("duration_seconds", seconds_);
    out.optional_member("source", source_);
    if (!totals.empty()) out.key("statistics").raw(totals);
    out.optional_member("route", route_).end_object();
    return sink_.record({"workouts", out.take(), at_, begin});
  }

  Status day(const XmlReader& xml) {
    const std::string date(xml.attribute("dateComponents"));
    const auto time = date.size() == 10 ? parse_time(date) : std::nullopt;
    if (!time) return sink_.skipped("days", "a daily total without a date");
    json::Writer out;
    out.begin_object().member("id", date).member("day", date).member("at", format_time(*time));
    const auto number = [&](auto name, std::string_view attribute) {
      if (const auto value = real_of(xml.attribute(attribute))) out.member(name, *value);
    };
    number(std::string("energy"), "activeEnergyBurned");
    number(std::string("energy_goal"), "activeEnergyBurnedGoal");
    number(std::string("exercise_minutes"), "appleExerciseTime");
    number(std::string("stand_hours"), "appleStandHours");
    out.end_object();
    return sink_.record({"days", out.take(), place(xml), time});
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  Sink& sink_;
  // The record or workout that is being read:
  bool has_record_ = false, has_workout_ = false, has_statistics_ = false;
  json::Writer statistics_;
  std::vector<std::string> statistic_names_;
  wire::FileLocation at_;
  std::string type_, source_, value_, unit_, start_text_, end_text_, route_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  double seconds_ = 0;
};

class Health final : public Format {
 public:
  std::string_view name() const override { return "health"; }
  std::string_view summary() const override { return "Apple Health: measurements, workouts and activity rings"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (!entry.has_extension(".xml")) continue;
      const std::string_view head = tree.head(i);
      if (head.find("<!DOCTYPE HealthData") == std::string_view::npos && head.find("<HealthData") == std::string_view::npos)
        continue;
      Unit unit;
      unit.confidence = Confidence::kCertain;
      unit.what = "Apple Health data";
      unit.part = entry.path;
      unit.entries = {i};
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    LADDER_CHECK(Reader(tree, unit.entries.front(), sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& health_format() {
  static const Health format;
  return format;
}

}  // namespace ladder::imports
