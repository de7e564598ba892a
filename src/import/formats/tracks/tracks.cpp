// GPX files of watches, phones and navigation devices: a record per segment of a track, per route and per waypoint.
#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"
#include "json/writer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxPoints = 5'000'000;  // of a segment
constexpr std::size_t kKeptPoints = 20'000;    // in its record
constexpr std::size_t kMaxTextBytes = 64 * limits::kKiB;

struct Point {
  double latitude = 0, longitude = 0;
  std::optional<double> elevation;
  std::optional<Instant> time;
};

struct Track {
  std::string name, activity, text;
  std::vector<Point> points;
  std::size_t too_many = 0;
};

double meters_between(const Point& a, const Point& b) {
  constexpr double kEarthMeters = 6'371'008.8, kRadians = std::numbers::pi / 180;
  const double latitude = (b.latitude - a.latitude) * kRadians, longitude = (b.longitude - a.longitude) * kRadians;
  const double h = std::sin(latitude / 2) * std::sin(latitude / 2) + std::cos(a.latitude * kRadians) *
                                                                         std::cos(b.latitude * kRadians) *
                                                                         std::sin(longitude / 2) * std::sin(longitude / 2);
  return 2 * kEarthMeters * std::asin(std::min(1.0, std::sqrt(h)));
}

double rounded(double value, double step) { return std::round(value / step) * step; }

std::optional<double> real_of(std::string_view text) {
  const auto value = parse_number<double>(trim(text));
  return value && std::isfinite(*value) ? value : std::nullopt;
}

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
      if (*step == Step::kDamaged) {
        LADDER_CHECK(send("track"));
        return sink_.lost({entry_.path, std::min(xml.offset(), entry_.size)},
                          format("the rest of the file cannot be read: {}", xml.why()));
      }
      if (*step == Step::kStart) LADDER_CHECK(start(xml));
      else if (*step == Step::kEnd) LADDER_CHECK(end(xml));
    }
  }

 private:
  Status start(XmlReader& xml) {
    const std::string name(xml.name());
    if (name == "trk" || name == "rte") {
      track_ = {};
      at_ = {entry_.path, std::min(xml.offset(), entry_.size)};
    } else if (name == "trkpt" || name == "rtept" || name == "wpt") {
      if (name == "wpt") track_ = {}, at_ = {entry_.path, std::min(xml.offset(), entry_.size)};
      LADDER_CHECK(point(xml));
      if (name == "wpt") return send("waypoint");
    } else if (name == "name" || name == "type" || name == "desc" || name == "cmt") {
      LADDER_TRY(const std::string text, xml.take_text(kMaxTextBytes));
      set_text(name, text);
    } else if (name == "metadata" || name == "extensions") {
      return xml.skip_element();
    }
    return {};
  }

  void set_text(std::string_view name, std::string_view text) {
    std::string& to = name == "name" ? track_.name : name == "type" ? track_.activity : track_.text;
    if (to.empty()) to = trim(text);
  }

  Status end(const XmlReader& xml) {
    if (xml.name() == "trkseg") return send("track");
    if (xml.name() == "rte") return send("route");
    return {};
  }

  Status point(XmlReader& xml) {
    Point point;
    const auto latitude = real_of(xml.attribute("lat")), longitude = real_of(xml.attribute("lon"));
    const bool is_waypoint = xml.name() == "wpt";
    for (const std::size_t begin = xml.depth();;) {
      LADDER_TRY(const Step step, xml.next());
      if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && xml.depth() <= begin)) break;
      if (step != Step::kStart) continue;
      const std::string name(xml.name());
      if (name == "ele" || name == "time" ||
          (is_waypoint && (name == "name" || name == "desc" || name == "cmt" || name == "type"))) {
        LADDER_TRY(const std::string text, xml.take_text(kMaxTextBytes));
        if (name == "ele") point.elevation = real_of(text);
        else if (name == "time") point.time = time_of(text);
        else set_text(name, text);
      } else if (name == "extensions") {
        LADDER_CHECK(xml.skip_element());
      }
    }
    if (!latitude || !longitude || std::abs(*latitude) > 90 || std::abs(*longitude) > 180) {
      return sink_.lost({entry_.path, std::min(xml.offset(), entry_.size)}, "a point without a valid position");
    }
    point.latitude = *latitude;
    point.longitude = *longitude;
    if (track_.points.size() < kMaxPoints) track_.points.push_back(point);
    else ++track_.too_many;
    return {};
  }

  // 1970 fills a missing time.
  static std::optional<Instant> time_of(std::string_view text) {
    text = trim(text);
    auto time = parse_time(text);
    if (!time) time = parse_field_time(text);
    return time && *time > kDay ? time : std::nullopt;
  }

  Status send(std::string_view kind) {
    Track track = std::exchange(track_, Track{track_.name, track_.activity, track_.text, {}, 0});
    if (track.points.empty()) return {};
    std::string shape;
    std::optional<Instant> begin, end;
    double distance = 0, ascent = 0;
    const Point* before = nullptr;
    std::optional<double> height;
    for (const Point& each : track.points) {
      shape += format("{:.6f},{:.6f};", each.latitude, each.longitude);
      if (each.time && (!begin || *each.time < *begin)) begin = each.time;
      if (each.time && (!end || *each.time > *end)) end = each.time;
      if (before != nullptr) distance += meters_between(*before, each);
      if (each.elevation && height && *each.elevation > *height) ascent += *each.elevation - *height;
      if (each.elevation) height = each.elevation;
      before = &each;
    }
    const std::string name = track.name.empty() ? std::string(without_extension(entry_.name())) : track.name;
    json::Writer out;
    out.begin_object().member("id", digest_id({kind, kind == "waypoint" ? std::string_view(name) : std::string_view(), shape,
                                               begin ? format_time(*begin) : ""}));
    out.member("name", name).member("kind", kind).optional_member("activity", track.activity).optional_member("text", track.text);
    optional_time_member(out, "start_at", begin);
    if (end != begin) optional_time_member(out, "end_at", end);
    if (kind != "waypoint") {
      out.member("point_count", track.points.size() + track.too_many).member("distance_meters", rounded(distance, 1));
      if (height) out.member("ascent_meters", rounded(ascent, 1));
    }
    out.member("latitude", track.points.front().latitude).member("longitude", track.points.front().longitude);
    if (kind != "waypoint") write_points(out, track);
    out.member("file", entry_.path);
    if (kind != "waypoint" && !begin) out.member("date_text", true);
    out.end_object();
    return sink_.record({"tracks", out.take(), at_, begin});
  }

  static void write_points(json::Writer& out, const Track& track) {
    const std::size_t every = (track.points.size() + kKeptPoints - 1) / kKeptPoints;
    std::size_t kept = 0;
    out.key("points").begin_array();
    for (std::size_t i = 0; i < track.points.size(); i += every, ++kept) {
      const Point& each = track.points[i];
      out.begin_array().number(each.longitude).number(each.latitude);
      if (each.elevation) out.number(*each.elevation);
      else if (each.time) out.null();
      if (each.time) out.string(format_time(*each.time));
      out.end_array();
    }
    out.end_array();
    const std::size_t left_out = track.points.size() + track.too_many - kept;
    if (left_out > 0) out.member("points_left_out", left_out);
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  Sink& sink_;
  Track track_;
  wire::FileLocation at_;
};

class Tracks final : public Format {
 public:
  std::string_view name() const override { return "tracks"; }
  std::string_view summary() const override { return "tracks of watches and navigation devices (.gpx)"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (tree.entries()[i].has_extension(".gpx")) unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    unit.confidence = Confidence::kCertain;
    unit.what = format("{} GPX {}", unit.entries.size(), unit.entries.size() == 1 ? "file" : "files");
    unit.part = "tracks";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) LADDER_CHECK(Reader(tree, entry, sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& tracks_format() {
  static const Tracks format;
  return format;
}

}  // namespace ladder::imports
