// A token identifies a user, holds grants, and ends at its time (design D14, D16).
#include "support/server_fixture.h"

#include "server/access/token.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ladder::test_support {
namespace {

using server::GrantSelection;

GrantSelection all_of(std::string stream, std::string connection = {}) {
  GrantSelection selection;
  selection.stream = std::move(stream);
  selection.connection_id = std::move(connection);
  return selection;
}

class AccessTest : public ServerFixture {
 protected:
  void add_second_source() {
    must(server().sources().add(owner(), notes_declaration("https://sources.example/mail"), "mail"));
    must(server().sources().add_connection(owner(), "mail", "", "post"));
  }
  Code code_of(std::string_view token) {
    const auto access = server().accesses().authenticate(token);
    return access ? Code::kInternal : access.error().code;
  }
};

TEST_P(AccessTest, TheOwnerAtTheMachineNeedsNoTokenButMustExist) {
  const server::Access access = owner();
  EXPECT_TRUE(access.is_owner());
  EXPECT_EQ(access.owner_name(), "local");
  EXPECT_EQ(access.token(), 0);
  EXPECT_TRUE(server().accesses().check_still_valid(access));
  const auto nobody = server().accesses().local_owner("nobody");
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, Code::kNotSetUp);
  EXPECT_NE(nobody.error().message.find("\"nobody\""), std::string::npos);
  EXPECT_EQ(nobody.error().message.find("\"local\""), std::string::npos) << "an error does not name other owners";
}

TEST_P(AccessTest, AnOwnerTokenIsValidForAYear) {
  const std::string token = must(server().owner_tokens().create(owner()));
  const server::Access access = must(server().accesses().authenticate(token));
  EXPECT_TRUE(access.is_owner());
  EXPECT_EQ(access.owner_name(), "local");
  EXPECT_NE(access.token(), 0);
  EXPECT_TRUE(access.grants().empty());
  EXPECT_TRUE(server().sources().connections(access));
  clock().move(365 * kDay - kSecond);
  EXPECT_TRUE(server().accesses().authenticate(token));
  EXPECT_TRUE(server().accesses().check_still_valid(access));
  clock().move(kSecond);
  EXPECT_EQ(code_of(token), Code::kAuthentication);
  EXPECT_EQ(server().accesses().check_still_valid(access).error().code, Code::kAuthentication);
  EXPECT_EQ(server().sources().connections(access).error().code, Code::kAuthentication);
}

TEST_P(AccessTest, AnInvalidTokenIsRefused) {
  const std::string token = issue({all_of("notes")}).token;
  EXPECT_EQ(code_of(""), Code::kAuthentication);
  EXPECT_EQ(code_of(server::new_token(store::TokenKind::kClient)), Code::kAuthentication);
  EXPECT_EQ(code_of(server::new_token(store::TokenKind::kOwner)), Code::kAuthentication);
  EXPECT_EQ(code_of("ldr_o_" + token.substr(6)), Code::kAuthentication);
  EXPECT_EQ(code_of(token + " "), Code::kAuthentication);
  EXPECT_EQ(code_of(std::string(1'000'000, 'x')), Code::kAuthentication);
  EXPECT_TRUE(server().accesses().authenticate(token));
}

TEST_P(AccessTest, AClientTokenHoldsItsGrants) {
  add_second_source();
  const server::IssuedGrants issued = issue({all_of("notes")});
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  const server::Access access = must(server().accesses().authenticate(issued.token));
  EXPECT_FALSE(access.is_owner());
  EXPECT_EQ(access.client_id(), "agent");
  EXPECT_EQ(access.owner_name(), "local");
  ASSERT_EQ(access.grants().size(), 2U);
  EXPECT_EQ(access.grants()[0]->grant.grant_id, issued.grant_ids[0]);
  EXPECT_EQ(access.grants()[0]->grant.source_id, "https://sources.example/notes");
  EXPECT_EQ(access.grants()[1]->grant.source_id, "https://sources.example/mail");
  const server::Access again = must(server().accesses().authenticate(issued.token));
  EXPECT_EQ(again.grants()[0], access.grants()[0]) << "a body is parsed once";
}

TEST_P(AccessTest, AClientMayNotActAsTheOwner) {
  const server::Access access = must(server().accesses().authenticate(issue({all_of("notes")}).token));
  TextSource bytes("{}");
  server::LineSource lines(bytes, limits::kMaxLineBytes);
  QuietObserver observer;
  EXPECT_EQ(server().sources().add(access, notes_declaration(), "").error().code, Code::kPermission);
  EXPECT_EQ(server().sources().add_connection(access, "notes", "", "").error().code, Code::kPermission);
  EXPECT_EQ(server().sources().connections(access).error().code, Code::kPermission);
  EXPECT_EQ(server().sources().connection(access, "work").error().code, Code::kPermission);
  EXPECT_EQ(server().grants().create(access, {}).error().code, Code::kPermission);
  EXPECT_EQ(server().owner_tokens().create(access).error().code, Code::kPermission);
  EXPECT_EQ(server().grants().list(access).error().code, Code::kPermission);
  EXPECT_EQ(server().grants().find(access, "grt_0000000000000000").error().code, Code::kPermission);
  EXPECT_EQ(server().grants().revoke(access, access.grants()[0]->grant.grant_id).error().code, Code::kPermission);
  EXPECT_EQ(server().ingest().put_records(access, {"work", "notes"}, lines, observer).error().code, Code::kPermission);
  EXPECT_EQ(server().ingest().put_blob(access, "image/png", bytes).error().code, Code::kPermission);
  EXPECT_EQ(server().maintenance().sweep(access, Deadline::never()).error().code, Code::kPermission);
}

TEST_P(AccessTest, ARevokedGrantEndsAtOnceAndTheOthersStay) {
  add_second_source();
  const server::IssuedGrants issued = issue({all_of("notes")});
  const server::Access before = must(server().accesses().authenticate(issued.token));
  must(server().grants().revoke(owner(), issued.grant_ids[0]));
  EXPECT_EQ(server().accesses().check_still_valid(before).error().code, Code::kGrantRevoked);

  const server::Access after = must(server().accesses().authenticate(issued.token));
  ASSERT_EQ(after.grants().size(), 1U);
  EXPECT_EQ(after.grants()[0]->grant.grant_id, issued.grant_ids[1]);
  EXPECT_TRUE(server().accesses().check_still_valid(after));

  must(server().grants().revoke(owner(), issued.grant_ids[1]));
  EXPECT_EQ(code_of(issued.token), Code::kGrantRevoked);
}

TEST_P(AccessTest, AnExpiredGrantIsReported) {
  server::GrantRequest request;
  request.client_id = "agent";
  request.streams = {all_of("notes")};
  request.expires_at = clock().now() + 3600 * kSecond;
  const std::string token = must(server().grants().create(owner(), request)).token;
  const server::Access access = must(server().accesses().authenticate(token));
  clock().move(3600 * kSecond - 1);
  EXPECT_TRUE(server().accesses().authenticate(token));
  EXPECT_TRUE(server().accesses().check_still_valid(access));
  clock().move(1);
  EXPECT_EQ(code_of(token), Code::kGrantExpired);
  EXPECT_FALSE(server().accesses().check_still_valid(access));
}

TEST_P(AccessTest, ARevocationByAnotherProcessTakesEffectHere) {
  const server::IssuedGrants issued = issue({all_of("notes")});
  const server::Access access = must(server().accesses().authenticate(issued.token));
  const auto other_store = place().open(store::OpenMode::kExisting);
  server::ResourceServer other(*other_store, clock());
  must(other.grants().revoke(must(other.accesses().local_owner("local")), issued.grant_ids[0]));
  EXPECT_EQ(server().accesses().check_still_valid(access).error().code, Code::kGrantRevoked);
  const server::Access again =
      must(server().accesses().authenticate(issued.token));  // a token's status may be cached for a moment
  EXPECT_EQ(server().reads().schema(again, {}).error().code, Code::kGrantRevoked) << "but nothing is read with it";
  clock().move(kSecond);
  EXPECT_EQ(code_of(issued.token), Code::kGrantRevoked);
}

LADDER_FOR_EVERY_ENGINE(AccessTest);

TEST(Access, NoTokenIsInTheStoresFiles) {
  StoreLocation place("sqlite");
  StillClock clock;
  std::vector<std::string> tokens;
  {
    const auto store = place.open();
    server::ResourceServer server(*store, clock);
    must(store->add_owner("local", clock.now()));
    const server::Access owner = must(server.accesses().local_owner("local"));
    must(server.sources().add(owner, notes_declaration(), ""));
    must(server.sources().add_connection(owner, "notes", "", "work"));
    server::GrantRequest request;
    request.client_id = "agent-marker";
    request.streams = {all_of("notes")};
    tokens = {must(server.grants().create(owner, request)).token, must(server.owner_tokens().create(owner))};
  }
  bool found_marker = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place.folder().path())) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = test_support::file_text(entry.path());
    found_marker |= bytes.find("agent-marker") != std::string::npos;
    for (const std::string& token : tokens) EXPECT_EQ(bytes.find(token.substr(6)), std::string::npos) << entry.path();
  }
  EXPECT_TRUE(found_marker) << "the files were looked through";
}

}  // namespace
}  // namespace ladder::test_support
