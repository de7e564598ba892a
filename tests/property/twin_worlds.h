// Two stores that look the same to one client and differ everywhere else: other fields, records outside the grant's
// time range or list, other streams, connections, sources and owners (design D5). The same client calls both through
// the REST interface.
#pragma once

#include "rest/service.h"
#include "support/library_fixture.h"

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ladder::test_support {

class SilentSink final : public http::LogSink {
 public:
  void write(std::string_view) override {}
};

struct Answer {
  int status = 0;
  std::string body;
};

// The grant of the client.
struct GrantShape {
  std::string name;
  std::vector<server::GrantSelection> streams;
  std::vector<std::string> fields;       // fields of books
  std::vector<std::string> connections;  // connections of books
  std::optional<Instant> since, until;   // limits of bought_at
  std::vector<std::string> records;
};

class World {
 public:
  World(std::unique_ptr<store::Store> store, StillClock& clock, unsigned secret_seed);

  void grant(const GrantShape& shape);
  // Adds a book with the granted members `shown` and other members of this world's own.
  void put_shown(const std::string& connection, const std::string& id, const std::string& shown, const std::string& emitted_at);
  void delete_shown(const std::string& connection, const std::string& id);
  void put_line(const std::string& connection, const std::string& stream, std::string_view line);
  // Makes changes that the client must not notice. `shown` are books that it may see.
  void change_hidden_data(const std::vector<std::pair<std::string, std::string>>& shown);

  Answer ask(const std::string& target);

 private:
  struct Shown {
    std::string members, emitted_at;
  };
  std::string hidden_members();
  void put_hidden_record();
  void add_import_report();
  void write_shown(const std::string& connection, const std::string& id, const std::string& emitted_at);
  unsigned one_of(unsigned n) { return static_cast<unsigned>(random_() % n); }

  std::unique_ptr<store::Store> store_;
  StillClock& clock_;
  std::mt19937 random_;
  server::ResourceServer server_;
  SilentSink log_;
  std::unique_ptr<rest::Service> service_;
  std::string token_;
  GrantShape shape_;
  std::map<std::pair<std::string, std::string>, Shown> shown_;
  int emissions_ = 0;
};

}  // namespace ladder::test_support
