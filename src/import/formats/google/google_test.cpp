#include "import/formats/google/google_location.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Google, KeepTasksAndActivity) {
  const Files files{
      {"Takeout/Keep/List.json",
       R"({"color":"DEFAULT","isTrashed":false,"isPinned":true,"isArchived":false,"listContent":[{"text":"milk","isChecked":true},{"text":"tea","isChecked":false}],
          "title":"List","userEditedTimestampUsec":1700000000000000,"createdTimestampUsec":1600000000000000,"labels":[{"name":"home"}],
          "attachments":[{"filePath":"a.jpeg","mimetype":"image/jpeg"}],"annotations":[{"url":"https://a.example"}]})"},
      {"Takeout/Keep/List.html", "<p>the same"},
      {"Takeout/Keep/a.jpg", "JPEG"},
      {"Takeout/Tasks/Tasks.json",
       R"({"kind":"tasks#taskLists","items":[{"title":"Mine","items":[{"id":"t1","title":"Call","status":"needsAction","updated":"2024-01-02T03:04:05Z","due":"2024-02-01T00:00:00Z"},
          {"title":"no id"}]},{"title":"Empty"}]})"},
      {"Takeout/Meine Aktivitäten/Suche/MeineAktivitäten.json",
       R"([{"header":"Search","title":"Searched for hotel","titleUrl":"https://g.example/?q=hotel","time":"2024-01-02T03:04:05.678Z","products":["Search"],"subtitles":[{"name":"Chrome"},{}]},
          {"header":"Search","title":"broken"}])"}};
  const CollectingSink sink = read_files(google_format(), files);
  const Collected note = only(sink, "notes");
  EXPECT_EQ(member(note, "text"), "[x] milk\n[ ] tea");
  EXPECT_EQ(member(note, "labels"), R"(["home"])");
  EXPECT_EQ(member(note, "pinned"), "true");
  EXPECT_EQ(member(note, "created_at"), "2020-09-13T12:26:40.000Z");
  EXPECT_EQ(member(only(sink, "files"), "name"), "a.jpeg");
  const Collected task = only(sink, "tasks");
  EXPECT_EQ(member(task, "list"), "Mine");
  EXPECT_EQ(member(task, "due"), "2024-02-01");
  const Collected activity = only(sink, "activity");
  EXPECT_EQ(member(activity, "title"), "Searched for hotel");
  EXPECT_EQ(member(activity, "text"), "Chrome");
  EXPECT_EQ(sink.losses.size(), 2U);
  expect_resumable(google_format(), files);
}

TEST(Google, LocationHistoryOfAllGenerations) {
  const Files files{
      {"Records.json",
       R"({"locations":[{"latitudeE7":395000000,"longitudeE7":-4000000,"accuracy":12,"source":"WIFI","timestamp":"2024-01-02T03:04:05Z"},
          {"latitudeE7":395000000,"longitudeE7":4290967296,"timestampMs":"1700000000000"},{"accuracy":1}]})"},
      {"2023_MAY.json",
       R"({"timelineObjects":[{"placeVisit":{"location":{"latitudeE7":395000000,"longitudeE7":-4000000,"placeId":"P","address":"Faro 8","name":"Hotel Miramar"},
          "duration":{"startTimestamp":"2024-05-14T10:00:00Z","endTimestampMs":"1715700000000"}}},
          {"activitySegment":{"startLocation":{"latitudeE7":395000000,"longitudeE7":-4000000},"duration":{"startTimestamp":"2024-05-14T12:00:00Z","endTimestamp":"2024-05-14T13:00:00Z"},
          "distance":1200,"activityType":"IN_PASSENGER_VEHICLE"}}]})"},
      {"Zeitleiste.json",
       R"({"semanticSegments":[{"startTime":"2024-11-01T10:00:00.000+01:00","endTime":"2024-11-01T11:00:00.000+01:00","visit":{"topCandidate":{"placeId":"Q","semanticType":"HOME",
          "placeLocation":{"latLng":"39.5°, -0.4°"}}}},{"startTime":"2024-11-01T11:00:00Z","endTime":"2024-11-01T12:00:00Z","timelinePath":[{"point":"39.6°, -0.4°","time":"2024-11-01T11:01:00Z"}]}],
          "rawSignals":[{"position":{"LatLng":"39.7°, -0.4°","accuracyMeters":5,"source":"GPS","timestamp":"2024-11-01T11:02:00Z"}},{"wifiScan":{}}]})"},
      {"location-history.json",
       R"([{"startTime":"2024-12-01T10:00:00Z","endTime":"2024-12-01T11:00:00Z","activity":{"start":"geo:39.5,-0.4","distanceMeters":"77.5","topCandidate":{"type":"walking"}}},
          {"startTime":"2024-12-01T11:00:00Z","endTime":"2024-12-01T12:00:00Z","timelinePath":[{"point":"geo:39.8,-0.4,12","durationMinutesOffsetFromStartTime":"5"}]}])"}};
  const CollectingSink sink = read_files(google_format(), files);
  const auto places = sink.of("places");
  ASSERT_EQ(places.size(), 4U);
  EXPECT_EQ(member(places[0], "title"), "Hotel Miramar");
  EXPECT_EQ(member(places[0], "address"), "Faro 8");
  EXPECT_EQ(member(places[0], "end_at"), "2024-05-14T15:20:00.000Z");
  EXPECT_EQ(member(places[1], "title"), "in passenger vehicle");
  EXPECT_EQ(member(places[1], "distance_meters"), "1200");
  EXPECT_EQ(member(places[2], "start_at"), "2024-11-01T09:00:00.000Z");
  EXPECT_EQ(member(places[2], "title"), "home");
  EXPECT_EQ(member(places[3], "distance_meters"), "77.5");
  const auto points = sink.of("points");
  ASSERT_EQ(points.size(), 5U);
  EXPECT_EQ(member(points[1], "longitude"), "-0.4") << "an overflow of 32 bits";
  EXPECT_EQ(member(points[4], "at"), "2024-12-01T11:05:00.000Z");
  EXPECT_EQ(sink.losses.size(), 1U);
  expect_resumable(google_format(), files);
}

}  // namespace
}  // namespace ladder::imports
