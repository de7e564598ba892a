#include "support/postgres_cluster.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

extern char** environ;

namespace ladder::test_support {
namespace {

constexpr std::string_view kBin = "/usr/lib/postgresql/15/bin";

// $1 folder, $2 programs, $3 empty or the user to run as. A word on standard input is the signal to stop the server
// with, keeping the folder; at the end of input the script stops the server and removes the folder.
constexpr const char* kWatcher = R"(
trap '' INT TERM HUP
as=${3:+--reuid=$3 --regid=$3 --clear-groups}
setpriv $as --pdeathsig QUIT "$2/postgres" -D "$1/data" -c unix_socket_directories="$1" -c listen_addresses= \
  -c max_connections=100 -c log_min_messages=warning >>"$1/log" 2>&1 </dev/null &
server=$!
if read -r signal; then
  kill -s "$signal" "$server"; wait "$server"
else
  kill -s QUIT "$server"; wait "$server"; rm -rf "$1"
fi
)";

constexpr const char* kMake = R"(
as=${3:+setpriv --reuid=$3 --regid=$3 --clear-groups}
cd "$1" && $as "$2/initdb" -D "$1/data" -U postgres -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync >"$1/log" 2>&1 </dev/null
)";

// $4 is the socket folder of the primary.
constexpr const char* kCopy = R"(
as=${3:+setpriv --reuid=$3 --regid=$3 --clear-groups}
cd "$1" && $as "$2/pg_basebackup" -h "$4" -U postgres -D "$1/data" -R -X stream -c fast --no-sync >"$1/log" 2>&1 </dev/null
)";

std::string run_as() { return ::geteuid() == 0 ? "postgres" : ""; }

pid_t spawn_shell(const char* script, const std::string& folder, int standard_input, const std::string& primary = {}) {
  const std::string bin(kBin), user = run_as();
  std::vector<std::string> words = {"sh", "-c", script, "sh", folder, bin, user, primary};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (standard_input >= 0) ::posix_spawn_file_actions_adddup2(&actions, standard_input, STDIN_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);  // a Ctrl-C at the terminal is for the test, not for its server
  pid_t child = -1;
  const int failure = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) throw std::system_error(failure, std::generic_category(), "posix_spawn /bin/sh");
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string read_log(const std::filesystem::path& folder) {
  std::stringstream text;
  text << std::ifstream(folder / "log").rdbuf();
  return text.str();
}

struct ConnectionClose {
  void operator()(PGconn* connection) const { ::PQfinish(connection); }
};
struct ResultClear {
  void operator()(PGresult* result) const { ::PQclear(result); }
};

std::string query(const std::string& address, const std::string& sql) {
  const std::unique_ptr<PGconn, ConnectionClose> connection(::PQconnectdb(address.c_str()));
  if (::PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(::PQerrorMessage(connection.get()));
  const std::unique_ptr<PGresult, ResultClear> result(::PQexec(connection.get(), sql.c_str()));
  const ExecStatusType status = ::PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + ": " + ::PQresultErrorMessage(result.get()));
  }
  return ::PQntuples(result.get()) > 0 && ::PQnfields(result.get()) > 0 ? ::PQgetvalue(result.get(), 0, 0) : "";
}

// Replaces the database in the path of a postgres:// address.
std::string with_database(const std::string& address, const std::string& name) {
  const std::size_t authority = address.find("://") + 3;
  const std::size_t options = std::min(address.find('?', authority), address.size());
  const std::size_t path = std::min(address.find('/', authority), options);
  return address.substr(0, path) + "/" + name + address.substr(options);
}

// Replaces the user of an address "postgres://USER@…" or "postgres://USER:PASSWORD@…".
std::string with_user(const std::string& address, const std::string& user) {
  const std::size_t authority = address.find("://") + 3;
  const std::size_t end = std::min(address.find('@', authority), address.find(':', authority));
  return end == std::string::npos ? address : address.substr(0, authority) + user + address.substr(end);
}

// Several processes may create it at the same time.
constexpr const char* kMakeUser =
    "DO $$ BEGIN CREATE ROLE ladder_test LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$";

// Ladder may use everything that a test creates as the superuser, such as a trigger that fails.
constexpr const char* kShareObjects =
    "ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO ladder_test; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ladder_test;"
    "ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO ladder_test";

}  // namespace

Database::Database(std::string server_address, std::string name, Kept kept)
    : server_address_(std::move(server_address)),
      name_(std::move(name)),
      superuser_address_(with_database(server_address_, name_)),
      address_(with_user(superuser_address_, "ladder_test")),
      kept_(kept) {
  if (kept_ == Kept::kFromBefore) return;
  query(server_address_, kMakeUser);
  if (kept_ == Kept::kFromNowOn) query(server_address_, format("DROP DATABASE IF EXISTS \"{}\"", name_));
  query(server_address_,
        format("CREATE DATABASE \"{}\" OWNER ladder_test TEMPLATE template0 ENCODING 'UTF8' STRATEGY file_copy", name_));
  query(superuser_address_, kShareObjects);
}

Database::~Database() {
  if (kept_ != Kept::kNo) return;
  try {
    query(server_address_, format("DROP DATABASE \"{}\" WITH (FORCE)", name_));
  } catch (const std::exception&) {
    // The server is gone, and the database with it.
  }
}

void Database::run(const std::string& sql) const { query(superuser_address_, sql); }
std::string Database::value(const std::string& sql) const { return query(superuser_address_, sql); }

PostgresCluster& PostgresCluster::shared() {
  static const std::unique_ptr<PostgresCluster> cluster = [] {
    const char* existing = std::getenv("LADDER_TEST_POSTGRES");
    return existing != nullptr && *existing != '\0' ? std::make_unique<PostgresCluster>(std::string(existing))
                                                    : std::make_unique<PostgresCluster>();
  }();
  return *cluster;
}

PostgresCluster::PostgresCluster(std::string existing_server) : address_(std::move(existing_server)) {}

PostgresCluster::PostgresCluster() : PostgresCluster(static_cast<const PostgresCluster*>(nullptr)) {}

std::unique_ptr<PostgresCluster> PostgresCluster::standby_of(const PostgresCluster& primary) {
  return std::unique_ptr<PostgresCluster>(new PostgresCluster(&primary));
}

PostgresCluster::PostgresCluster(const PostgresCluster* primary) : folder_(std::make_unique<ScratchFolder>()) {
  const std::string folder = folder_->path().string();
  if (const std::string user = run_as(); !user.empty()) {
    const passwd* const entry = ::getpwnam(user.c_str());
    if (entry == nullptr || ::chown(folder.c_str(), entry->pw_uid, entry->pw_gid) != 0) {
      throw std::runtime_error("as root the test server runs as the user " + user + ", who can't be given " + folder);
    }
  }
  const pid_t maker =
      primary == nullptr ? spawn_shell(kMake, folder, -1) : spawn_shell(kCopy, folder, -1, primary->folder_->path().string());
  if (wait_for(maker) != 0) throw std::runtime_error("initdb or pg_basebackup failed: " + read_log(folder_->path()));
  address_ = format("postgres://postgres@/postgres?host={}", folder);
  start();
}

PostgresCluster::~PostgresCluster() {
  if (folder_) thaw();  // a stopped process does not exit
  end_watcher("");
}

// The server's processes are children of the process in its pid file.
void PostgresCluster::signal_every_process(int signal) {
  pid_t server = 0;
  if (!(std::ifstream(folder_->path() / "data" / "postmaster.pid") >> server)) return;
  ::kill(server, signal);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string pid, name, state;
    pid_t parent = 0;
    if (file >> pid >> name >> state >> parent && parent == server) ::kill(std::stoi(pid), signal);
  }
}

void PostgresCluster::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  pipe_ = ends[1];
  watcher_ = spawn_shell(kWatcher, folder_->path().string(), ends[0]);
  ::close(ends[0]);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (::PQping(address_.c_str()) != PQPING_OK) {
    if (std::chrono::steady_clock::now() > give_up) {
      const std::string log = read_log(folder_->path());
      end_watcher("");
      throw std::runtime_error("the test server does not answer: " + log);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void PostgresCluster::become_standby() const { std::ofstream(folder_->path() / "data" / "standby.signal"); }

void PostgresCluster::stop(Stop how) { end_watcher(how == Stop::kFast ? "INT\n" : "QUIT\n"); }

void PostgresCluster::end_watcher(std::string_view last_word) {
  if (watcher_ < 0) return;
  if (!last_word.empty() && ::write(pipe_, last_word.data(), last_word.size()) < 0) ::kill(watcher_, SIGKILL);
  ::close(pipe_);
  wait_for(watcher_);
  watcher_ = -1;
  pipe_ = -1;
}

std::unique_ptr<Database> PostgresCluster::fresh_database() {
  static std::atomic<int> made = 0;
  return std::make_unique<Database>(address_, format("ladder_test_{}_{}", ::getpid(), ++made));
}

}  // namespace ladder::test_support
