// Scheduled backups whose server is killed, and requests that arrive while one is made. On both engines.
#include "app/backup/backup_service.h"
#include "app/backup/backup_writer.h"
#include "support/server_fixture.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

namespace ladder::app {
namespace {

using namespace std::chrono_literals;
using test_support::must;

class ScheduledBackup : public test_support::ServerFixture {
 protected:
  ScheduledBackup() : plans(store(), clock()) {
    BackupPlan plan;
    plan.folder = (place().folder().path() / "backups").string();
    plan.every = BackupPlan::Every::kWeek;
    EXPECT_TRUE(plans.set_plan(owner(), plan));
    folder = plan.folder;
  }
  // The mark of a backup that is under way.
  void begin() {
    BackupResult result = must(plans.result(owner()));
    result.tried_at = result.begun_at = clock().now();
    ASSERT_TRUE(plans.put_result(owner(), result));
  }
  bool becomes(const std::function<bool(const BackupResult&)>& is_right, std::chrono::seconds limit = 10s) {
    for (const auto end = std::chrono::steady_clock::now() + limit; std::chrono::steady_clock::now() < end;) {
      if (is_right(must(plans.result(owner())))) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }

  BackupPlans plans;
  std::string folder;
};
LADDER_FOR_EVERY_ENGINE(ScheduledBackup);

TEST_P(ScheduledBackup, AKilledOneCountsAsAFailure) {
  begin();
  const BackupService service(plans, owner(), {"", "1"});
  ASSERT_TRUE(becomes([](const BackupResult& result) { return result.failures == 1; }));
  const BackupResult result = must(plans.result(owner()));
  EXPECT_EQ(result.begun_at, 0);
  EXPECT_NE(result.error.find("cut off"), std::string::npos) << result.error;
  EXPECT_EQ(service.figures().failing, 1);
  EXPECT_LE(backup_due_at(must(plans.plan(owner())), result), clock().now() + 3600 * kSecond) << "it is tried again soon";
}

TEST_P(ScheduledBackup, OneThatAnotherProcessMakesIsLeftAlone) {
  begin();
  const auto writer = must(BackupWriter::open(folder, "", BackupWriter::Extent::kWhatIsNew));
  const BackupService service(plans, owner(), {"", "1"});
  EXPECT_FALSE(becomes([](const BackupResult& result) { return result.begun_at == 0; }, 3s));
  EXPECT_EQ(must(plans.result(owner())).failures, 0);
}

// The snapshot was complete when the process was killed, or the store was restored from it.
TEST_P(ScheduledBackup, ACompleteSnapshotCountsAsASuccess) {
  begin();
  {
    auto writer = must(BackupWriter::open(folder, "", BackupWriter::Extent::kWhatIsNew));
    Snapshot snapshot;
    snapshot.made_at = clock().now();
    must(writer->finish(snapshot));
  }
  const BackupService service(plans, owner(), {"", "1"});
  ASSERT_TRUE(becomes([](const BackupResult& result) { return result.begun_at == 0; }));
  EXPECT_EQ(must(plans.result(owner())).failures, 0);
  EXPECT_EQ(must(plans.result(owner())).succeeded_at, clock().now());
}

TEST_P(ScheduledBackup, ARequestDuringABackupIsKept) {
  begin();
  BackupResult ending = must(plans.result(owner()));
  ASSERT_TRUE(plans.request(owner()));  // another process, while this one makes the backup
  ending.begun_at = 0;
  ending.succeeded_at = ending.tried_at;
  ASSERT_TRUE(plans.put_outcome(owner(), ending));
  const BackupResult result = must(plans.result(owner()));
  EXPECT_TRUE(result.wanted);
  EXPECT_EQ(result.succeeded_at, clock().now());
  EXPECT_EQ(result.begun_at, 0);
}

}  // namespace
}  // namespace ladder::app
