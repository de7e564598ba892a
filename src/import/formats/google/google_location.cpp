#include "import/formats/google/google_location.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/record_members.h"
#include "import/json/json_members.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <cmath>

namespace ladder::imports::google {
namespace {

using json::Kind;
using json::Value;

// A number, or a number as text.
std::optional<double> real_of(const Value& value) {
  const auto number = parse_number<double>(trim(text_of(value)));
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<Position> in_range(double latitude, double longitude) {
  if (!(std::abs(latitude) <= 90 && std::abs(longitude) <= 180)) return std::nullopt;
  return Position{latitude, longitude};
}

// Ten millionths of a degree. Values that overflowed 32 bits are too large by 2^32.
std::optional<Position> position_e7(const Value& latitude, const Value& longitude) {
  auto north = real_of(latitude), east = real_of(longitude);
  if (!north || !east) return std::nullopt;
  constexpr double kOverflow = 4'294'967'296, kMost = 1'800'000'000;
  if (*north > kMost) *north -= kOverflow;
  if (*east > kMost) *east -= kOverflow;
  return in_range(*north / 1e7, *east / 1e7);
}

// A time as text, or as milliseconds in text.
std::optional<Instant> time_of(const Value& text, const Value& milliseconds) {
  if (const auto time = instant_of(text)) return time;
  const auto number = parse_number(text_of(milliseconds));
  constexpr std::int64_t kLatest = 253'402'300'799'000;
  return number && *number > 0 && *number < kLatest ? std::optional<Instant>(*number * 1000) : std::nullopt;
}

struct Stay {
  std::string_view kind;  // "visit" or "movement"
  std::optional<Instant> start, end;
  std::string title, address, place_id;
  std::optional<Position> position;
  std::optional<double> meters;
};

Status send(const Stay& stay, const wire::FileLocation& place, Sink& sink) {
  if (!stay.start) return sink.lost(place, format("a {} without a time", stay.kind));
  json::Writer out;
  const std::string where = stay.position ? format("{:.5f},{:.5f}", stay.position->latitude, stay.position->longitude) : "";
  out.begin_object().member(
      "id", digest_id({stay.kind, format_time(*stay.start), stay.end ? format_time(*stay.end) : "", stay.place_id, where}));
  out.member("start_at", format_time(*stay.start));
  optional_time_member(out, "end_at", stay.end);
  out.member("kind", stay.kind)
      .member("title", stay.title.empty() ? std::string_view(stay.kind == "visit" ? "A place" : "A movement") : stay.title);
  out.optional_member("address", stay.address).optional_member("place_id", stay.place_id);
  if (stay.position) out.member("latitude", stay.position->latitude).member("longitude", stay.position->longitude);
  if (stay.meters) out.member("distance_meters", *stay.meters);
  out.end_object();
  return sink.record({"places", out.take(), place, stay.start});
}

Status send_point(std::optional<Instant> time, std::optional<Position> position, std::optional<double> accuracy,
                  const std::string& source, const wire::FileLocation& place, Sink& sink) {
  if (!time || !position) return sink.lost(place, "a recorded position without a time or without coordinates");
  json::Writer out;
  const std::string where = format("{:.7f},{:.7f}", position->latitude, position->longitude);
  out.begin_object().member("id", digest_id({format_time(*time), where, source})).member("at", format_time(*time));
  out.member("latitude", position->latitude).member("longitude", position->longitude);
  if (accuracy) out.member("accuracy_meters", *accuracy);
  out.optional_member("source", source).end_object();
  return sink.record({"points", out.take(), place, time});
}

// WALKING, IN_PASSENGER_VEHICLE → walking, in passenger vehicle
std::string words_of(std::string_view name) {
  std::string words = lower_ascii(name);
  for (char& c : words) {
    if (c == '_') c = ' ';
  }
  return words;
}

}  // namespace

std::optional<Position> position_of(std::string_view text) {
  if (text.starts_with("geo:")) text.remove_prefix(4);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view part) {
    part = trim(part);
    if (part.ends_with("\xC2\xB0")) part.remove_suffix(2);
    return parse_number<double>(part);
  };
  const std::string_view rest = text.substr(comma + 1);
  const auto latitude = number(text.substr(0, comma)), longitude = number(rest.substr(0, rest.find(',')));
  return latitude && longitude ? in_range(*latitude, *longitude) : std::nullopt;
}

Status send_point(const Value& location, const wire::FileLocation& place, Sink& sink) {
  const auto [latitude, longitude, accuracy, source, time, ms] =
      members_of<6>(location, {"latitudeE7", "longitudeE7", "accuracy", "source", "timestamp", "timestampMs"});
  return send_point(time_of(time, ms), position_e7(latitude, longitude), real_of(accuracy), text_of(source), place, sink);
}

Status send_timeline_object(const Value& object, const wire::FileLocation& place, Sink& sink) {
  const auto [visit, movement] = members_of<2>(object, {"placeVisit", "activitySegment"});
  const Value& what = visit.kind == Kind::kObject ? visit : movement;
  if (what.kind != Kind::kObject) return sink.skipped("places", "an entry of the timeline of another kind");
  const auto [location, duration, start_location, activity, distance] =
      members_of<5>(what, {"location", "duration", "startLocation", "activityType", "distance"});
  const auto [start, start_ms, end, end_ms] =
      members_of<4>(duration, {"startTimestamp", "startTimestampMs", "endTimestamp", "endTimestampMs"});
  Stay stay;
  stay.kind = visit.kind == Kind::kObject ? "visit" : "movement";
  stay.start = time_of(start, start_ms);
  stay.end = time_of(end, end_ms);
  const Value& at = visit.kind == Kind::kObject ? location : start_location;
  stay.position = position_e7(member_of(at, "latitudeE7"), member_of(at, "longitudeE7"));
  stay.place_id = text_of(at, "placeId");
  stay.address = text_of(at, "address");
  stay.title = visit.kind == Kind::kObject ? text_of(at, "name") : words_of(text_of(activity));
  stay.meters = real_of(distance);
  return send(stay, place, sink);
}

Status send_segment(const Value& segment, const wire::FileLocation& place, Sink& sink) {
  const auto [start, end, visit, activity, path] =
      members_of<5>(segment, {"startTime", "endTime", "visit", "activity", "timelinePath"});
  Stay stay;
  stay.start = instant_of(start);
  stay.end = instant_of(end);
  if (visit.kind == Kind::kObject) {
    const Value top = member_of(visit, "topCandidate"), where = member_of(top, "placeLocation");
    stay.kind = "visit";
    stay.position = position_of(where.kind == Kind::kObject ? text_of(where, "latLng") : text_of(where));
    stay.place_id = text_of(top, "placeId").empty() ? text_of(top, "placeID") : text_of(top, "placeId");
    const std::string meaning = text_of(top, "semanticType");
    stay.title = meaning.empty() || lower_ascii(meaning) == "unknown" ? "" : words_of(meaning);
    return send(stay, place, sink);
  }
  if (activity.kind == Kind::kObject) {
    const Value from = member_of(activity, "start");
    stay.kind = "movement";
    stay.position = position_of(from.kind == Kind::kObject ? text_of(from, "latLng") : text_of(from));
    stay.title = words_of(text_of(member_of(activity, "topCandidate"), "type"));
    stay.meters = real_of(member_of(activity, "distanceMeters"));
    return send(stay, place, sink);
  }
  if (path.kind != Kind::kArray) return sink.skipped("places", "an entry of the timeline of another kind");
  for (json::Elements each(path.text); each.next();) {
    const auto [point, time, minutes] = members_of<3>(each.value(), {"point", "time", "durationMinutesOffsetFromStartTime"});
    auto at = instant_of(time);
    // iPhones count from the start of the segment.
    if (const auto offset = real_of(minutes); !at && offset && stay.start && std::abs(*offset) < 1e6)
      at = *stay.start + static_cast<Instant>(*offset * 60) * kSecond;
    LADDER_CHECK(send_point(at, position_of(text_of(point)), std::nullopt, "timeline", place, sink));
  }
  return {};
}

Status send_signal(const Value& signal, const wire::FileLocation& place, Sink& sink) {
  const Value position = member_of(signal, "position");
  if (position.kind != Kind::kObject) return sink.skipped("points", "a signal without a position (Wi-Fi, activity)");
  const auto [where, accuracy, source, time] = members_of<4>(position, {"LatLng", "accuracyMeters", "source", "timestamp"});
  return send_point(instant_of(time), position_of(text_of(where)), real_of(accuracy), text_of(source), place, sink);
}

}  // namespace ladder::imports::google
