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

std::string activity_cell(std::string_view product, std::string_view content, std::string_view caption) {
  return format(
      R"(<div class="outer-cell mdl-cell mdl-cell--12-col"><div class="mdl-grid"><div class="header-cell mdl-cell"><p class="mdl-typography--title">{}<br></p></div><div class="content-cell mdl-cell mdl-typography--body-1">{}</div><div class="content-cell mdl-typography--text-right"></div><div class="content-cell mdl-typography--caption">{}</div></div></div>)",
      product, content, caption);
}

TEST(Google, ActivityPages) {
  const std::string page =
      "<html><head><title>My Activity History</title><style>" + std::string(10'000, 'x') + "</style></head><body>" +
      activity_cell("Search",
                    "Searched for&nbsp;<a href=\"https://g.example/?q=hotel\">hotel</a><br>Mar 8, 2018, 5:14:40\u202FPM UTC",
                    "<b>Products:</b><br>&emsp;Search<br><b>Why is this here?</b><br>Web activity") +
      activity_cell(
          "YouTube",
          "Watched&nbsp;<a href=\"https://y.example/watch?v=1\">A film</a><br><a href=\"https://y.example/c\">Channel</a><br>"
          "Jan 2, 2024, 3:04:05 AM CET",
          "") +
      activity_cell("Suche", "Gesucht nach&nbsp;<a href=\"https://g.example/?q=a\">a</a><br>08.03.2018, 17:14 Ortszeit", "") +
      "</body></html>";
  const Files files{{"Takeout/My Activity/Search/MyActivity.html", page}, {"Takeout/archive_browser.html", page}};
  const CollectingSink sink = read_files(google_format(), files);
  const auto found = sink.of("activity");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(member(found[0], "product") + "|" + member(found[0], "title"), "Search|Searched for hotel");
  EXPECT_EQ(member(found[0], "at") + member(found[0], "date_text"), "2018-03-08T17:14:40.000Z");
  EXPECT_EQ(member(found[0], "url"), "https://g.example/?q=hotel");
  EXPECT_EQ(member(found[1], "at"), "2024-01-02T02:04:05.000Z");
  EXPECT_EQ(member(found[1], "text"), "Channel");
  EXPECT_NE(member(found[1], "date_text"), "") << "the zone is the one of the export";
  EXPECT_NE(member(found[2], "date_text"), "");
  EXPECT_TRUE(sink.losses.empty());
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
