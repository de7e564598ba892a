// A generated owner for the end-to-end tests: a store location, the program configured for it, and a source with notes.
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

// Returns its next version, with searchable title, body and diary.
std::string searchable_notes_declaration();

// Returns one RECORD line of the stream notes, with its line end.
std::string note(std::string_view id, std::string_view body);

class Owner {
 public:
  explicit Owner(const std::string& engine = "sqlite");

  Surroundings& surroundings() { return surroundings_; }
  const test_support::StoreLocation& place() const { return place_; }
  std::filesystem::path file(std::string_view name) const { return place_.folder() / name; }
  std::string write_file(std::string_view name, std::string_view text) const;  // returns its path

  Outcome ladder(const std::vector<std::string>& words, std::string_view input = {}) const {
    return run(surroundings_, words, input);
  }
  // Runs a command that must succeed.
  Outcome done(const std::vector<std::string>& words, std::string_view input = {}) const;
  boost::json::value json(std::vector<std::string> words, std::string_view input = {}) const;  // adds --json; must succeed

  // Runs init, adds the declaration and a connection "home".
  void set_up() const;
  // Into the stream notes of the connection home.
  Outcome ingest(std::string_view lines, std::vector<std::string> more = {}) const;

 private:
  test_support::StoreLocation place_;
  Surroundings surroundings_;
};

// Returns the text at a pointer like "/window/text"; fails the test if there is none.
std::string text_at(const boost::json::value& value, std::string_view pointer);
std::int64_t number_at(const boost::json::value& value, std::string_view pointer);

// Base of the tests that run on every engine.
class EveryEngine : public ::testing::TestWithParam<std::string> {
 protected:
  EveryEngine() : owner(GetParam()) {}
  Owner owner;
};

}  // namespace ladder::e2e
