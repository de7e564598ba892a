// A store of either engine in a place of its own, with an owner who has one source "notes" and one connection "work", and the
// short ways to fill it and to be its client. Whatever goes wrong ends the program: a benchmark has nothing to recover.
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

// This process, and every server it starts from now on. Waking a core that fell asleep while another program worked takes longer
// than a short query, and whether it does so is the scheduler's choice, not the work's.
void stay_on_one_core();

template <class T>
T must(Result<T> result) {
  if (!result) give_up(result.error().message + " " + result.error().log_detail);
  return *std::move(result);
}
void must(const Status& status);

// A place for one store; gone with it, unless it is kept for the next run.
class Place {
 public:
  explicit Place(const std::string& engine);  // "sqlite" or "postgres"
  // Under this name in the folder `keep`, where it stays: a file, or on the server that LADDER_TEST_POSTGRES names a database.
  // An empty folder keeps nothing.
  Place(const std::string& engine, const std::string& keep, const std::string& name);

  const std::string& engine() const { return engine_; }
  const std::string& location() const { return location_; }
  // For the ledger's journals, as `ladder serve` has one for a database elsewhere; beside a file the store has its own.
  std::string journals() const { return engine_ == "sqlite" ? "" : (folder_ / "journals").string(); }
  std::string folder() const { return (folder_ / "").string(); }  // on the disk of the stores, also of a database elsewhere
  std::string files() const;  // the file of the store, or the folder in which the server keeps the database
  std::string name_in_table() const { return engine_ == "sqlite" ? "SQLite" : "PostgreSQL"; }
  bool is_filled() const;  // by an earlier run
  void note_filled() const;

 private:
  std::string engine_;
  std::string note_;  // the file that says so; empty: nothing is kept
  test_support::ScratchFolder folder_;
  std::unique_ptr<test_support::Database> database_;  // null on SQLite
  std::string location_;
};

class Scene {
 public:
  enum class Set : std::uint8_t { kUp, kUpSearched, kAlready };
  Scene(const Place& place, Set set);  // kUp: makes the store, its owner, source and connection; kUpSearched: bodies are searched

  server::ResourceServer& server() { return server_; }
  store::Store& store() { return *store_; }
  server::Access owner() { return must(server_.owner_at_machine("local")); }
  server::Access client() { return must(server_.authenticate(client_token())); }
  std::string client_token();  // granted the fields id and body of the stream "notes", nothing else
  // Every line must be accepted as new. They are for the stream "notes" of "work" unless another is named.
  void ingest(std::string_view lines, server::IngestObserver& observer);
  void ingest(std::string_view lines);
  void ingest(const server::IngestTarget& target, std::string_view lines);

 private:
  void ingest(const server::IngestTarget& target, std::string_view lines, server::IngestObserver& observer);

  std::unique_ptr<store::Store> store_;
  server::ResourceServer server_;
};

// Exactly so many code points of made-up prose, about two in a hundred of them beyond ASCII. The same for the same seed.
std::string prose(std::int64_t chars, std::uint64_t seed);
// One RECORD line of the stream "notes".
std::string note_line(std::string_view id, std::string_view body);

// Runs it in a process of its own, so that neither's memory tells anything about the other's; returns what it returns.
std::int64_t in_another_process(const std::function<std::int64_t()>& work);

// The engines named on the command line, both when none is; whatever else stands there must be in `others`, and ends up in
// `given`.
std::vector<std::string> engines_to_run(int argc, char** argv, const std::vector<std::string>& others,
                                        std::vector<std::string>& given);

}  // namespace ladder::bench
