// Helpers for import tests: they run the real program and its child process on generated exports, and compute digests of the
// stored data.
#pragma once

#include "crypto/hash.h"
#include "e2e/owner.h"
#include "exports.h"
#include "import/testing/archive_maker.h"
#include "server/resource_server.h"
#include "support/must.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ladder::import_tests {

namespace fs = std::filesystem;
using e2e::number_at;
using e2e::Outcome;
using e2e::text_at;
using imports::testing::save;

class Importer : public e2e::Owner {
 public:
  explicit Importer(const std::string& engine = "sqlite") : e2e::Owner(engine) { done({"init"}); }

  // Runs `ladder import --json`; the caller checks the exit code.
  Outcome import(std::vector<std::string> words) const {
    words.insert(words.begin(), "import");
    words.emplace_back("--json");
    return ladder(words);
  }

  // Returns a digest of all records of a stream, in the store's order; "" if the stream is empty.
  std::string digest(const std::string& connection, const std::string& stream) const {
    crypto::Sha256 hash;
    std::string cursor;
    std::int64_t count = 0;
    do {
      std::vector<std::string> words = {"records", stream, "--connection", connection, "--limit", "500", "--order", "asc"};
      if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
      const boost::json::value page = json(words);
      for (const auto& record : page.at("data").as_array()) {
        hash.update(boost::json::serialize(record.at("data")) + "\n");
        ++count;
      }
      const auto* next = page.as_object().if_contains("next_cursor");
      cursor = next && next->is_string() ? std::string(next->as_string()) : "";
    } while (!cursor.empty());
    return count == 0 ? "" : std::to_string(count) + " " + crypto::digest_text(hash.finish());
  }

  // Returns a number from the only account, for example "/streams/0/added".
  static std::int64_t counted(const Outcome& outcome, const std::string& pointer) {
    return number_at(outcome.json(), "/runs/0/accounts/0" + pointer);
  }
};

// Reads the owner's store while an import writes to it, so that tests wait for progress and not for time.
class Progress {
 public:
  explicit Progress(const Importer& owner)
      : store_(owner.place().open(store::OpenMode::kExisting)), server_(*store_, Clock::system()) {}

  // Returns the position at which the first import of a connection would resume; "" if it has none yet, or has finished.
  std::string position(const std::string& connection) {
    const auto imports = server_.imports().list(test_support::must(server_.accesses().local_owner("local")), connection);
    if (!imports || imports->empty()) return "";
    const boost::json::value account = boost::json::parse(imports->front().body);
    const auto* position = account.as_object().if_contains("position");
    return position ? std::string(position->as_string()) : "";
  }
  std::int64_t records(const std::string& connection) {
    const auto summary = server_.sources().connection(test_support::must(server_.accesses().local_owner("local")), connection);
    std::int64_t sum = 0;
    if (summary) {
      for (const auto& stream : summary->streams) sum += stream.records;
    }
    return sum;
  }

 private:
  std::unique_ptr<store::Store> store_;
  server::ResourceServer server_;
};

// Polls until the condition holds, for up to five minutes.
template <class Holds>
void wait_until(Holds holds) {
  for (int tries = 0; tries < 60'000 && !holds(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Returns a sum over all accounts and streams of one import.
inline std::int64_t total(const Outcome& outcome, const char* what) {
  std::int64_t sum = 0;
  const boost::json::value json = outcome.json();
  for (const auto& run : json.at("runs").as_array()) {
    for (const auto& account : run.at("accounts").as_array()) {
      if (std::string_view(what) == "lost") sum += account.at("lost").as_int64();
      else
        for (const auto& stream : account.at("streams").as_array()) sum += stream.at(what).as_int64();
    }
  }
  return sum;
}

}  // namespace ladder::import_tests
