// A PostgreSQL 15 server for tests: made in a scratch folder, reached through a unix socket in it, gone with the test process
// however that ends. A watcher process (a small shell script) starts the server, waits for the other end of a pipe to close and
// then ends the server and removes the folder, so a crashed test leaves nothing behind. As root the server runs as the user
// postgres, since it refuses to run as root.
//
// LADDER_TEST_POSTGRES=postgres://… makes shared() use that server instead; its user must be allowed to create databases.
#pragma once

#include "support/scratch_folder.h"

#include <sys/types.h>

#include <csignal>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::test_support {

// A database of a test's own, dropped when the object goes unless it is kept.
class Database {
 public:
  enum class Kept { kNo, kFromNowOn, kFromBefore };
  // Creates it (UTF8), in the place of one with that name; kFromBefore: it is there. Throws when it can't.
  Database(std::string server_address, std::string name, Kept kept = Kept::kNo);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& name() const { return name_; }
  const std::string& address() const { return address_; }  // postgres://…
  void run(const std::string& sql) const;                  // throws when it fails
  std::string value(const std::string& sql) const;         // the first field of the first row; throws when there is none

 private:
  std::string server_address_, name_, address_;
  Kept kept_;
};

class PostgresCluster {
 public:
  // The one of this process, started on first use.
  static PostgresCluster& shared();

  PostgresCluster();  // makes the cluster and starts it; throws when it can't
  explicit PostgresCluster(std::string existing_server);
  ~PostgresCluster();
  // Makes a hot standby that follows the primary; throws when it can't.
  static std::unique_ptr<PostgresCluster> standby_of(const PostgresCluster& primary);
  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;

  std::unique_ptr<Database> fresh_database();
  const std::string& address() const { return address_; }  // of the database `postgres`

  // Only for clusters of one's own: the server goes away (clients are cut off, kCrash: without a checkpoint) and comes back.
  enum class Stop { kFast, kCrash };
  void stop(Stop how);
  void start();
  // Stops every process of the server where it is, as a hung machine does, and lets them continue.
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
