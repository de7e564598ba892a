// An operator with several owners on the command line: the server starts without naming an owner, a suspension reaches a running
// server, and deleting and moving are shown with their proof.
#include "owner.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace ladder::e2e {
namespace {

class Operator : public EveryEngine {
 protected:
  Operator() {
    owner.done({"init", "--owner", "ann"});
    owner.done({"owner", "add", "bob"});
    owner.done({"owner", "add", "carl"});
    const std::string declaration = owner.write_file("notes.json", kNotesDeclaration);
    for (const char* name : {"ann", "bob", "carl"}) {
      owner.done({"source", "add", declaration, "--owner", name});
      owner.done({"connection", "add", "notes", "--id", "home", "--owner", name});
      owner.done({"ingest", "--connection", "home", "--stream", "notes", "--owner", name},
                 note("n1", std::string("the note of ") + name));
    }
  }
  std::string token_of(const std::string& name) const {
    return text_at(owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body", "--owner", name}), "/token");
  }
  Outcome read_as(const std::string& token) const {
    return owner.ladder({"read", "home/notes:n1", "body", "--token", token, "--json"});
  }
};
LADDER_FOR_EVERY_ENGINE(Operator);

TEST_P(Operator, ListsSuspendsAndLimits) {
  const auto owners = owner.json({"owner", "list"}).as_array();
  ASSERT_EQ(owners.size(), 3U);
  EXPECT_EQ(text_at(owners[1], "/name"), "bob");
  EXPECT_EQ(number_at(owners[1], "/records"), 1);

  const std::string ann = token_of("ann"), bob = token_of("bob");
  EXPECT_EQ(read_as(ann).exit_code, 0);
  owner.done({"owner", "suspend", "ann"});
  EXPECT_NE(owner.done({"owner", "list"}).out.find("suspended since"), std::string::npos);
  const Outcome refused = read_as(ann);
  EXPECT_EQ(refused.error_code(), "owner_suspended") << refused.summary();
  EXPECT_EQ(owner.ladder({"records", "notes", "--owner", "ann", "--json"}).error_code(), "owner_suspended");
  EXPECT_EQ(read_as(bob).exit_code, 0);
  owner.done({"owner", "resume", "ann"});
  EXPECT_EQ(read_as(ann).exit_code, 0);

  const auto limits = owner.json({"owner", "limit", "ann", "--records", "1"});
  EXPECT_EQ(number_at(limits, "/limits/records"), 1);
  const Outcome full =
      owner.ladder({"ingest", "--connection", "home", "--stream", "notes", "--owner", "ann", "--json"}, note("n2", "more"));
  EXPECT_EQ(full.error_code(), "owner_limit_reached") << full.summary();
}

TEST_P(Operator, NoMessageNamesAnotherOwner) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"records", "notes", "--owner", "dora"},
                                                                                     {"owner", "suspend", "dora"},
                                                                                     {"owner", "delete", "dora", "--yes"},
                                                                                     {"serve", "--owner", "dora"}}) {
    const Outcome outcome = owner.ladder(words);
    EXPECT_NE(outcome.exit_code, 0);
    for (const char* name : {"ann", "bob", "carl"}) EXPECT_EQ(outcome.err.find(name), std::string::npos) << outcome.summary();
  }
}

TEST_P(Operator, ServesWithoutNamingAnOwner) {
  Process serving(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0", "--json"});
  const auto announced = serving.read_line();
  ASSERT_TRUE(announced);
  EXPECT_NE(announced->find("http://127.0.0.1:"), std::string::npos);
  serving.signal(SIGTERM);
  const Outcome outcome = serving.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.summary();
}

TEST_P(Operator, DeletesOneOwnerAndProvesIt) {
  const std::string token = token_of("ann");
  EXPECT_EQ(owner.ladder({"owner", "delete", "ann"}).exit_code, 64) << "without a terminal it needs --yes";
  const auto deleted = owner.json({"owner", "delete", "ann", "--yes"});
  EXPECT_EQ(number_at(deleted, "/records_deleted"), 1);
  EXPECT_EQ(number_at(deleted, "/rows_left"), 0);
  EXPECT_GT(number_at(deleted, "/tables_checked"), 30);
  EXPECT_EQ(read_as(token).error_code(), "authentication_error");
  EXPECT_EQ(owner.json({"owner", "list"}).as_array().size(), 2U);
  EXPECT_NE(owner.done({"read", "home/notes:n1", "body", "--owner", "bob"}).out.find("the note of bob"), std::string::npos);
  if (GetParam() == "sqlite") {
    std::string bytes;
    for (const auto& file : std::filesystem::directory_iterator(owner.place().folder().path())) {
      if (file.path().string().find("store.db") == std::string::npos) continue;
      std::ifstream in(file.path(), std::ios::binary);
      bytes.append(std::istreambuf_iterator<char>(in), {});
    }
    EXPECT_NE(bytes.find("the note of bob"), std::string::npos);
    EXPECT_EQ(bytes.find("the note of ann"), std::string::npos) << "deleted bytes are overwritten";
  }
}

TEST_P(Operator, ExportsAndMoves) {
  const std::string folder = owner.file("of-bob").string();
  EXPECT_EQ(number_at(owner.json({"owner", "export", "bob", folder}), "/records"), 1);
  const std::string token = token_of("bob");
  Owner other(GetParam() == "sqlite" ? "postgres" : "sqlite");
  other.done({"init", "--owner", "dora"});
  const auto moved = owner.json({"owner", "move", "bob", "--to", other.place().location()});
  EXPECT_EQ(number_at(moved, "/records"), 1);
  EXPECT_EQ(number_at(moved, "/tokens"), 1);
  EXPECT_GE(number_at(moved, "/suspended_ms"), 0);
  EXPECT_EQ(read_as(token).error_code(), "owner_suspended");
  const Outcome there = other.ladder({"read", "home/notes:n1", "body", "--token", token});
  EXPECT_NE(there.out.find("the note of bob"), std::string::npos) << there.summary();
  owner.done({"owner", "delete", "bob", "--yes"});
}

}  // namespace
}  // namespace ladder::e2e
