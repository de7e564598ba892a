#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Tracks, SegmentsRoutesAndWaypoints) {
  const Files files{{"walk.gpx",
                     "<gpx version=\"1.1\"><metadata><name>file</name></metadata><wpt lat=\"39.5\" "
                     "lon=\"-0.4\"><ele>12</ele><name>Beach</name></wpt>"
                     "<trk><name>Morning &amp; run</name><type>running</type><trkseg>"
                     "<trkpt lat=\"0\" lon=\"0\"><ele>10</ele></trkpt><trkpt lat=\"0\" "
                     "lon=\"0.001\"><time>2024-01-02T03:04:05Z</time><ele>15</ele>"
                     "<extensions><hr>120</hr></extensions></trkpt><trkpt lat=\"0\" "
                     "lon=\"0.002\"><ele>12</ele><time>2024-01-02T03:05:05Z</time></trkpt>"
                     "<trkpt lat=\"95\" lon=\"0\"/></trkseg><trkseg/></trk><rte><rtept lat=\"1\" lon=\"1\"/><rtept lat=\"1\" "
                     "lon=\"2\"/></rte></gpx>"},
                    {"cut.gpx", "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"1\"></trkpt><trkpt lat"}};
  const CollectingSink sink = read_files(tracks_format(), files);
  const auto tracks = sink.of("tracks");
  ASSERT_EQ(tracks.size(), 4U);
  EXPECT_EQ(member(tracks[0], "name"), "cut");
  EXPECT_EQ(member(tracks[0], "date_text"), "true");
  EXPECT_EQ(member(tracks[1], "name"), "Beach");
  EXPECT_EQ(member(tracks[1], "kind"), "waypoint");
  const Collected& run = tracks[2];
  EXPECT_EQ(member(run, "name"), "Morning & run");
  EXPECT_EQ(member(run, "activity"), "running");
  EXPECT_EQ(member(run, "start_at"), "2024-01-02T03:04:05.000Z");
  EXPECT_EQ(member(run, "end_at"), "2024-01-02T03:05:05.000Z");
  EXPECT_EQ(member(run, "point_count"), "3");
  EXPECT_EQ(member(run, "distance_meters"), "222");
  EXPECT_EQ(member(run, "ascent_meters"), "5");
  EXPECT_EQ(member(run, "points"),
            R"([[0,0,10],[0.001,0,15,"2024-01-02T03:04:05.000Z"],[0.002,0,12,"2024-01-02T03:05:05.000Z"]])");
  EXPECT_EQ(member(tracks[3], "kind"), "route");
  EXPECT_EQ(sink.losses.size(), 2U);
  expect_resumable(tracks_format(), files);
}

}  // namespace
}  // namespace ladder::imports
