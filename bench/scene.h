// A store of either engine in its own location, with an owner, the source "notes" and the connection "work", and short
// ways to fill it and to act as its client. Any failure ends the program: a benchmark has nothing to recover.
#pragma once

#include "base/error/error.h"
#include "server/resource_server.h"
#include "store/store.h"
#include "support/postgres_cluster.h"
#include "support/scratch_folder.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

[[noreturn]] void give_up(const std::string& why);

// Pins this process, and every server it starts later, to one core. Waking a core that became idle while another
// program ran takes longer than a short query, and that depends on the scheduler, not on the measured work.
void stay_on_one_core();

template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error().message + " " + result.error().log_detail);
  return *std::move(result);
}
void must(const Status& status);

// The location of one store. Removed at the end unless it is kept for the next run.
class ScratchLocation {
 public:
  explicit ScratchLocation(const std::string& engine);  // "sqlite" or "postgres"
  // Keeps the store under this name in the folder `keep`: a file, or a database on the server that LADDER_TEST_POSTGRES
  // names. An empty folder keeps nothing.
  ScratchLocation(const std::string& engine, const std::string& keep, const std::string& name);

  const std::string& engine() const { return engine_; }
  const std::string& location() const { return location_; }
  // The folder for the ledger's journals, as `ladder serve` uses for a remote database. A SQLite store has its own.
  std::string journals() const { return engine_ == "sqlite" ? "" : (folder_ / "journals").string(); }
  std::string folder() const { return (folder_ / "").string(); }  // on the disk of the stores, also if the database is remote
  std::string files() const;  // the store's file, or the folder in which the server keeps the database
  std::string name_in_table() const { return engine_ == "sqlite" ? "SQLite" : "PostgreSQL"; }
  bool is_filled() const;  // true if an earlier run filled it
  void note_filled() const;

 private:
  std::string engine_;
  std::string note_;  // the file that marks a filled store; empty: nothing is kept
  test_support::ScratchFolder folder_;
  std::unique_ptr<test_support::Database> database_;  // null on SQLite
  std::string location_;
};

class Scene {
 public:
  enum class Set : std::uint8_t { kUp, kUpSearched, kAlready };
  // KUp: creates the store, its owner, source and connection; kUpSearched: bodies are searchable.
  Scene(const ScratchLocation& place, Set set);

  server::ResourceServer& server() { return server_; }
  store::Store& store() { return *store_; }
  server::Access owner() { return must(server_.accesses().local_owner("local")); }
  server::Access client() { return must(server_.accesses().authenticate(client_token())); }
  std::string client_token();  // for a grant of the fields id and body of the stream notes
  // Every line must be accepted as new. The default target is the stream "notes" of "work".
  void ingest(std::string_view lines, server::IngestObserver& observer);
  void ingest(std::string_view lines);
  void ingest(const server::IngestTarget& target, std::string_view lines);

 private:
  void ingest(const server::IngestTarget& target, std::string_view lines, server::IngestObserver& observer);

  std::unique_ptr<store::Store> store_;
  server::ResourceServer server_;
};

// Returns generated prose of exactly this many code points, about two percent of them beyond ASCII. A seed always gives
// the same text.
std::string prose(std::int64_t chars, std::uint64_t seed);
// Returns one RECORD line of the stream "notes".
std::string note_line(std::string_view id, std::string_view body);

// Runs the function in a separate process, so that neither process's memory affects the other's figures; returns its
// result.
std::int64_t in_another_process(const std::function<std::int64_t()>& work);

// Returns the engines named on the command line, or both. Every other word must be in `others`, and is added to
// `given`.
std::vector<std::string> engines_to_run(int argc, char** argv, const std::vector<std::string>& others,
                                        std::vector<std::string>& given);

}  // namespace ladder::bench
