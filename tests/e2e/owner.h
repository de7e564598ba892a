// A made-up owner for the end-to-end tests: a place for a store, the program pointed at it, and a source with notes.
#pragma once

#include "ladder_process.h"
#include "support/scratch_folder.h"
#include "support/store_fixture.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::e2e {

// Streams notes (id, title, body, blocks, diary, updated_at; mutable) and log (id, text; append_only).
extern const std::string_view kNotesDeclaration;

// Its next version, with title, body and diary to search.
std::string searchable_notes_declaration();

// One RECORD line of the stream notes, with its line end.
std::string note(std::string_view id, std::string_view body);

class Owner {
 public:
  explicit Owner(const std::string& engine = "sqlite");

  Surroundings& surroundings() { return surroundings_; }
  const test_support::StorePlace& place() const { return place_; }
  std::filesystem::path file(std::string_view name) const { return place_.folder() / name; }
  std::string write_file(std::string_view name, std::string_view text) const;  // returns its path

  Outcome ladder(const std::vector<std::string>& words, std::string_view input = {}) const {
    return run(surroundings_, words, input);
  }
  // The same, and it must succeed.
  Outcome done(const std::vector<std::string>& words, std::string_view input = {}) const;
  boost::json::value json(std::vector<std::string> words, std::string_view input = {}) const;  // with --json, and it must succeed

  // init, the declaration, and a connection "home".
  void set_up() const;
  Outcome ingest(std::string_view lines, std::vector<std::string> more = {}) const;  // into notes of home

 private:
  test_support::StorePlace place_;
  Surroundings surroundings_;
};

// The text at a pointer like "/window/text"; fails the test when there is none.
std::string text_at(const boost::json::value& value, std::string_view pointer);
std::int64_t number_at(const boost::json::value& value, std::string_view pointer);

// The tests that every engine must pass.
class EveryEngine : public ::testing::TestWithParam<std::string> {
 protected:
  EveryEngine() : owner(GetParam()) {}
  Owner owner;
};

}  // namespace ladder::e2e
