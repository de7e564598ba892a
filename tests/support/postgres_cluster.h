// A PostgreSQL 15 server for tests: created in a scratch folder, reached through a unix socket in it, and removed when
// the test process ends for any reason. A watcher process (a small shell script) starts the server, waits until the
// other end of a pipe closes, then stops the server and removes the folder, so a crashed test leaves nothing running.
// If the tests run as root, the server runs as the user postgres, since it refuses to run as root.
//
// Ladder uses the databases as the user ladder_test, whom row-level security applies to; it owns them. The tests themselves look
// and change rows as the server's superuser.
//
// LADDER_TEST_POSTGRES=postgres://… makes shared() use that server instead; its user must be allowed to create databases and the
// role ladder_test.
#pragma once

#include "support/scratch_folder.h"

#include <sys/types.h>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::test_support {

// A test database, dropped with the object unless it is kept.
class Database {
 public:
  enum class Kept { kNo, kFromNowOn, kFromBefore };
  // Creates it (UTF8), replacing one with that name; kFromBefore: it exists. Throws on failure.
  Database(std::string server_address, std::string name, Kept kept = Kept::kNo);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& name() const { return name_; }
  const std::string& address() const { return address_; }  // postgres://…, for Ladder
  const std::string& superuser_address() const { return superuser_address_; }
  void run(const std::string& sql) const;           // throws on failure
  std::string value(const std::string& sql) const;  // returns the first field of the first row; throws if there is none

 private:
  std::string server_address_, name_, superuser_address_, address_;
  Kept kept_;
};

class PostgresCluster {
 public:
  // The one of this process, started on first use.
  static PostgresCluster& shared();

  PostgresCluster();  // creates the cluster and starts it; throws on failure
  explicit PostgresCluster(std::string existing_server);
  ~PostgresCluster();
  // Creates a hot standby of the primary; throws on failure.
  static std::unique_ptr<PostgresCluster> standby_of(const PostgresCluster& primary);
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;

  std::unique_ptr<Database> fresh_database();
  const std::string& address() const { return address_; }  // the address of the database `postgres`

  // Only for clusters that are not shared: stops the server (disconnects clients; kCrash: without a checkpoint) and
  // restarts it.
  enum class Stop { kFast, kCrash };
  void stop(Stop how);
  void start();
  void become_standby() const;  // at the next start; pg_promote() makes it a primary again
  // Stops every process of the server, as on a hung machine, and lets them continue.
  void freeze() { signal_every_process(SIGSTOP); }
  void thaw() { signal_every_process(SIGCONT); }

 private:
  explicit PostgresCluster(const PostgresCluster* primary);  // null: a new server
  void signal_every_process(int signal);
  void end_watcher(std::string_view last_word);

  std::unique_ptr<ScratchFolder> folder_;  // null for an existing server
  std::string address_;
  pid_t watcher_ = -1;
  int pipe_ = -1;
};

}  // namespace ladder::test_support
