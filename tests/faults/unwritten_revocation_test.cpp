// The store cannot take the end of a grant: the server that was told refuses the grant from that moment on, says that it is not
// written, and writes it as soon as it can.
#include "base/format.h"
#include "house.h"
#include "serving.h"
#include "support/store_fixture.h"

#include <sqlite3.h>

#include <stdexcept>
#include <thread>

namespace ladder::faults {
namespace {

// Another program in the middle of a write transaction: nothing can be written, whoever goes first.
class WritingProgram {
 public:
  explicit WritingProgram(const std::string& path) {
    if (sqlite3_open(path.c_str(), &db_) != SQLITE_OK) throw std::runtime_error("cannot open " + path);
    sqlite3_busy_timeout(db_, 10'000);
    if (sqlite3_exec(db_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) throw std::runtime_error("cannot write");
  }
  ~WritingProgram() { sqlite3_close(db_); }
  WritingProgram(const WritingProgram&) = delete;
  WritingProgram& operator=(const WritingProgram&) = delete;

 private:
  sqlite3* db_ = nullptr;
};

TEST(UnwrittenRevocation, holds_in_the_server_that_was_told_and_is_written_later) {
  const test_support::StorePlace place("sqlite");
  House house(place.location());
  house.put_notes(5, "text");
  const rs::IssuedGrants grant = house.grant(), other = house.grant();
  const Serving serving(place.location());
  const std::string target = "/v1/streams/notes/records/n1";
  ASSERT_EQ(serving.get(target, grant.token).status, 200);
  const auto status = [&] { return must(house.server().grant(house.owner(), grant.grant_ids.front())).status; };
  {
    const WritingProgram other_program(place.location());
    Answer answer;
    std::thread revoking(
        [&] { answer = serving.send("POST", "/grants/" + grant.grant_ids.front() + "/revoke", house.owner_token()); });
    std::this_thread::sleep_for(kSlower * milliseconds(300));
    EXPECT_TRUE(serving.get(target, grant.token).is(403, "grant_revoked")) << "while the owner still waits for the answer";
    revoking.join();
    EXPECT_EQ(answer.status, 202) << answer.told();
    EXPECT_NE(answer.text.find("\"written\":false"), std::string::npos) << answer.told();
    EXPECT_NE(answer.text.find("this server refuses the grant from now on"), std::string::npos) << answer.told();
    EXPECT_LT(answer.took(), kSlower * seconds(10));
    EXPECT_TRUE(serving.get(target, grant.token).is(403, "grant_revoked"));
    EXPECT_EQ(serving.get(target, other.token).status, 200) << "nobody else is touched";
    EXPECT_EQ(status(), "active") << "the store does not know yet";
    EXPECT_EQ(serving.send("POST", "/grants/grt_0000000000000000/revoke", house.owner_token()).status, 404);
  }
  for (int n = 0; n < 100 && status() != "revoked"; ++n) std::this_thread::sleep_for(kSlower * milliseconds(100));
  EXPECT_EQ(status(), "revoked") << "written once the store could take it";
  EXPECT_TRUE(serving.get(target, grant.token).is(403, "grant_revoked"));
}

}  // namespace
}  // namespace ladder::faults
