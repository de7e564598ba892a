// Google's location history, of all generations: the recorded positions, the monthly files of the timeline, and the exports of
// phones since 2024.
#pragma once

#include "import/io/sink.h"
#include "json/scan/scan.h"

#include <optional>
#include <string_view>

namespace ladder::imports::google {

struct Position {
  double latitude = 0, longitude = 0;
};
// "35.05°, 135.67°" and "geo:35.05,135.67"; nullopt if it is not a position.
std::optional<Position> position_of(std::string_view text);

Status send_point(const json::Value& location, const wire::FileLocation& place, Sink& sink);          // the recorded positions
Status send_timeline_object(const json::Value& object, const wire::FileLocation& place, Sink& sink);  // monthly files
Status send_segment(const json::Value& segment, const wire::FileLocation& place, Sink& sink);         // phones
Status send_signal(const json::Value& signal, const wire::FileLocation& place, Sink& sink);           // phones: rawSignals

}  // namespace ladder::imports::google
