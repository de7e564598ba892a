#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

// With the damaged declaration and the vertical tab that Apple writes.
const std::string kExport =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (Record*)>\n<!ATTLIST "
    "VisionPrescription\n"
    "type CDATA #REQUIRED\n<!ELEMENT b EMPTY>\n]>\n<HealthData locale=\"de_DE\">\n"
    " <Record type=\"HKQuantityTypeIdentifierStepCount\" sourceName=\"Ada\xE2\x80\x99s\x0B Watch\" unit=\"count\" "
    "creationDate=\"2024-06-05 13:46:00 -0700\" "
    "startDate=\"2024-06-05 13:45:22 -0700\" endDate=\"2024-06-05 13:45:52 -0700\" value=\"42\"/>\n"
    " <Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Phone\" startDate=\"2024-06-05 23:00:00 +0200\" "
    "endDate=\"2024-06-06 06:00:00 +0200\" "
    "value=\"HKCategoryValueSleepAnalysisInBed\"><MetadataEntry key=\"HKTimeZone\" value=\"Europe/Berlin\"/><MetadataEntry "
    "key=\"HKTimeZone\" value=\"x\"/></Record>\n"
    " <Record type=\"HKQuantityTypeIdentifierStepCount\" value=\"1\"/>\n"
    " <Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" duration=\"30.5\" durationUnit=\"min\" sourceName=\"Watch\" "
    "startDate=\"2024-06-05 08:00:00 +0200\" "
    "endDate=\"2024-06-05 08:30:30 +0200\"><WorkoutStatistics type=\"HKQuantityTypeIdentifierDistanceWalkingRunning\" "
    "sum=\"5.2\" unit=\"km\"/>"
    "<WorkoutRoute><FileReference path=\"/workout-routes/route.gpx\"/></WorkoutRoute></Workout>\n"
    " <ActivitySummary dateComponents=\"2024-06-05\" activeEnergyBurned=\"512.5\" appleExerciseTime=\"31\" "
    "appleStandHours=\"12\"/>\n</HealthData>\n";

TEST(Health, MeasurementsWorkoutsAndDays) {
  const Files files{{"apple_health_export/Exportieren.xml", kExport}, {"other.xml", "<x/>"}};
  const CollectingSink sink = read_files(health_format(), files);
  const auto measured = sink.of("measurements");
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(member(measured[0], "type"), "StepCount");
  EXPECT_EQ(member(measured[0], "start_at"), "2024-06-05T20:45:22.000Z");
  EXPECT_EQ(member(measured[0], "date_text"), "2024-06-05 13:45:22 -0700");
  EXPECT_EQ(member(measured[0], "value"), "42");
  EXPECT_EQ(member(measured[0], "text"), "42 count");
  EXPECT_EQ(member(measured[1], "text"), "SleepAnalysisInBed");
  EXPECT_EQ(member(measured[1], "metadata"), R"({"HKTimeZone":"Europe/Berlin"})");
  const Collected workout = only(sink, "workouts");
  EXPECT_EQ(member(workout, "type"), "Running");
  EXPECT_EQ(member(workout, "duration_seconds"), "1830");
  EXPECT_EQ(member(workout, "statistics"), R"({"DistanceWalkingRunning sum":"5.2 km"})");
  EXPECT_EQ(member(workout, "route"), "/workout-routes/route.gpx");
  EXPECT_EQ(member(only(sink, "days"), "stand_hours"), "12");
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].reason, "a measurement without a kind or a date");
  expect_resumable(health_format(), files);
}

TEST(Health, AFileThatIsCutShortKeepsWhatCameBefore) {
  const CollectingSink sink = read_files(health_format(), {{"export.xml", kExport.substr(0, kExport.find(" <Workout"))}});
  EXPECT_EQ(sink.of("measurements").size(), 2U);
  EXPECT_EQ(sink.losses.size(), 2U);
}

}  // namespace
}  // namespace ladder::imports
