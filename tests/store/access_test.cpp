// Grants and tokens, their validity, and reads that check the status in the same statement.
#include "store_suite.h"

namespace ladder::store {
namespace {

Digest hash_of(std::string_view token) { return crypto::sha256(token); }

class AccessSuite : public StoreSuite {
 protected:
  NewGrant grant(std::string id) {
    NewGrant grant;
    grant.grant_id = std::move(id);
    grant.client_id = "client 中";
    grant.body = R"({"streams":["notes"],"n":1.50})";
    grant.issued_at = kNow;
    return grant;
  }
  NewToken token(std::string_view text, TokenKind kind = TokenKind::kClient) {
    NewToken token;
    token.hash = hash_of(text);
    token.kind = kind;
    token.client_id = kind == TokenKind::kClient ? "client 中" : "";
    token.created_at = kNow;
    return token;
  }
};
LADDER_FOR_EVERY_ENGINE(AccessSuite);

TEST_P(AccessSuite, ATokenMayHaveSeveralGrants) {
  NewGrant first = grant("g1"), second = grant("g2");
  first.expires_at = kNow + kDay;
  second.single_use = true;
  NewToken bound = token("secret");
  bound.expires_at = kNow + 2 * kDay;
  must(store().add_grants(world().owner(), std::vector<NewGrant>{first, second}, bound));

  const auto found = must(store().find_token(hash_of("secret")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->owner, world().owner());
  EXPECT_EQ(found->owner_name, "local");
  EXPECT_EQ(found->kind, TokenKind::kClient);
  EXPECT_EQ(found->client_id, "client 中");
  EXPECT_EQ(found->created_at, kNow);
  EXPECT_EQ(found->expires_at, kNow + 2 * kDay);
  EXPECT_FALSE(found->revoked_at);
  ASSERT_EQ(found->grants.size(), 2u);
  EXPECT_EQ(found->grants[0].grant_id, "g1");
  EXPECT_EQ(found->grants[1].grant_id, "g2");
  EXPECT_EQ(found->grants[0].owner, world().owner());
  EXPECT_EQ(found->grants[0].client_id, "client 中");
  EXPECT_EQ(found->grants[0].body, first.body);
  EXPECT_EQ(found->grants[0].issued_at, kNow);
  EXPECT_EQ(found->grants[0].expires_at, kNow + kDay);
  EXPECT_FALSE(found->grants[0].single_use);
  EXPECT_FALSE(found->grants[1].expires_at);
  EXPECT_TRUE(found->grants[1].single_use);
  EXPECT_FALSE(must(store().find_token(hash_of("guess"))));
}

TEST_P(AccessSuite, GrantsKeepTheirOrderOnTheToken) {
  std::vector<NewGrant> grants;
  for (const char* id : {"z", "a", "m", "b"}) grants.push_back(grant(id));
  must(store().add_grants(world().owner(), grants, token("t")));
  std::vector<std::string> order;
  const auto found = must(store().find_token(hash_of("t")));
  for (const GrantRow& row : found->grants) order.push_back(row.grant_id);
  EXPECT_EQ(order, (std::vector<std::string>{"z", "a", "m", "b"}));
}

TEST_P(AccessSuite, AnOwnersTokenHasNoGrants) {
  must(store().add_token(world().owner(), token("owner's", TokenKind::kOwner)));
  const auto found = must(store().find_token(hash_of("owner's")));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, TokenKind::kOwner);
  EXPECT_TRUE(found->grants.empty());
  EXPECT_FALSE(found->expires_at);
}

TEST_P(AccessSuite, OwnersTokensAreListedAndRevoked) {
  const OwnerRow eve = must(store().add_owner("eve", kNow));
  must(store().add_token(world().owner(), token("first", TokenKind::kOwner)));
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g1")}, token("client's")));
  must(store().add_token(eve.no, token("eve's", TokenKind::kOwner)));
  NewToken ending = token("second", TokenKind::kOwner);
  ending.expires_at = kNow + kDay;
  must(store().add_token(world().owner(), ending));

  const auto listed = must(store().owner_tokens(world().owner()));
  ASSERT_EQ(listed.size(), 2U) << "of this owner, and of no client";
  EXPECT_EQ(listed[0].hash, hash_of("first"));
  EXPECT_EQ(listed[0].created_at, kNow);
  EXPECT_EQ(listed[0].kind, TokenKind::kOwner);
  EXPECT_EQ(listed[0].owner_name, "local");
  EXPECT_FALSE(listed[0].expires_at);
  EXPECT_EQ(listed[1].hash, hash_of("second"));
  EXPECT_EQ(listed[1].expires_at, kNow + kDay);

  const TokenRow revoked = must(store().revoke_owner_token(world().owner(), listed[0].no, kNow + 5));
  EXPECT_EQ(revoked.revoked_at, kNow + 5);
  EXPECT_EQ(must(store().revoke_owner_token(world().owner(), listed[0].no, kNow + 9)).revoked_at, kNow + 5)
      << "the first time counts";
  EXPECT_EQ(must(store().find_token(hash_of("first")))->revoked_at, kNow + 5);
  EXPECT_TRUE(must(store().access_status({world().owner(), listed[0].no, 0})).token_revoked);
  EXPECT_FALSE(must(store().find_token(hash_of("second")))->revoked_at);
  const TokenNo client = must(store().find_token(hash_of("client's")))->no;
  for (const TokenNo other : {client, must(store().owner_tokens(eve.no)).at(0).no, TokenNo{12345}}) {
    const auto refused = store().revoke_owner_token(world().owner(), other, kNow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kNotFound);
  }
  EXPECT_FALSE(must(store().find_token(hash_of("eve's")))->revoked_at);
}

TEST_P(AccessSuite, AGrantKeepsItsDetails) {
  NewGrant named = grant("g1");
  named.named = R"({"notes":["tïtle"]})";
  must(store().add_grants(world().owner(), std::vector<NewGrant>{named, grant("g2")}, token("t")));
  const auto rows = must(store().grants(world().owner()));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].named, named.named);
  EXPECT_EQ(rows[1].named, "");
  EXPECT_FALSE(rows[0].last_used_at);
  EXPECT_EQ(must(store().find_grant(world().owner(), "g1"))->named, named.named);

  const auto used_at = [&] { return must(store().find_grant(world().owner(), "g1"))->last_used_at; };
  const auto use = [&](Instant at) { must(store().record_grant_uses(std::vector<GrantUse>{{rows[0].no, at}})); };
  use(kNow);
  EXPECT_EQ(used_at(), kNow);
  use(kNow + kGrantUseStep - 1);
  EXPECT_EQ(used_at(), kNow) << "less than an hour later";
  use(kNow + kGrantUseStep);
  EXPECT_EQ(used_at(), kNow + kGrantUseStep);
  use(kNow);
  EXPECT_EQ(used_at(), kNow + kGrantUseStep) << "an older use says nothing new";
  EXPECT_FALSE(must(store().grants(world().owner()))[1].last_used_at);
  reopen();
  EXPECT_EQ(used_at(), kNow + kGrantUseStep);
  EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>());
}

TEST_P(AccessSuite, GrantsAreAddedAllOrNone) {
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g1")}, token("first")));
  const auto again = store().add_grants(world().owner(), std::vector<NewGrant>{grant("g2"), grant("g1")}, token("second"));
  EXPECT_FALSE(again) << "the id g1 is taken";
  EXPECT_FALSE(must(store().find_token(hash_of("second"))));
  EXPECT_FALSE(must(store().find_grant(world().owner(), "g2")));
  const auto same_token = store().add_grants(world().owner(), std::vector<NewGrant>{grant("g3")}, token("first"));
  EXPECT_FALSE(same_token);
  EXPECT_FALSE(must(store().find_grant(world().owner(), "g3")));
}

TEST_P(AccessSuite, ListingAndFindingIsPerOwner) {
  const OwnerNo other = must(store().add_owner("other", kNow)).no;
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("mine")}, token("1")));
  must(store().add_grants(other, std::vector<NewGrant>{grant("theirs")}, token("2")));
  ASSERT_EQ(must(store().grants(world().owner())).size(), 1u);
  EXPECT_EQ(must(store().grants(world().owner()))[0].grant_id, "mine");
  EXPECT_TRUE(must(store().find_grant(other, "theirs")));
  EXPECT_FALSE(must(store().find_grant(world().owner(), "theirs")));
  const auto revoked = store().revoke_grant(world().owner(), "theirs", kNow);
  ASSERT_FALSE(revoked);
  EXPECT_EQ(revoked.error().code, Code::kNotFound);
  EXPECT_FALSE(must(store().find_grant(other, "theirs"))->revoked_at);
}

TEST_P(AccessSuite, TheFirstRevocationCounts) {
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g")}, token("t")));
  EXPECT_EQ(must(store().revoke_grant(world().owner(), "g", kNow + 5)).revoked_at, kNow + 5);
  EXPECT_EQ(must(store().revoke_grant(world().owner(), "g", kNow + 9)).revoked_at, kNow + 5);
  EXPECT_EQ(must(store().find_grant(world().owner(), "g"))->revoked_at, kNow + 5);
  EXPECT_EQ(must(store().find_token(hash_of("t")))->grants.at(0).revoked_at, kNow + 5);
  const auto unknown = store().revoke_grant(world().owner(), "no such", kNow);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::kNotFound);
}

TEST_P(AccessSuite, AccessStatusShowsTokenAndGrant) {
  NewToken bound = token("t");
  bound.expires_at = kNow + kDay;
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g")}, bound));
  const TokenRow row = *must(store().find_token(hash_of("t")));
  const Guard guard{world().owner(), row.no, row.grants.at(0).no};
  AccessStatusRow access_status = must(store().access_status(guard));
  EXPECT_EQ(access_status.catalog_version, must(store().catalog(world().owner())).owner.catalog_version);
  EXPECT_TRUE(access_status.token_found);
  EXPECT_EQ(access_status.token_expires_at, kNow + kDay);
  EXPECT_FALSE(access_status.token_revoked);
  EXPECT_TRUE(access_status.grant_found);
  EXPECT_FALSE(access_status.grant_revoked);
  must(store().revoke_grant(world().owner(), "g", kNow));
  access_status = must(store().access_status(guard));
  EXPECT_TRUE(access_status.grant_found);
  EXPECT_TRUE(access_status.grant_revoked);

  access_status = must(store().access_status({}));
  EXPECT_FALSE(access_status.token_found);
  EXPECT_FALSE(access_status.grant_found);
  EXPECT_EQ(must(store().access_status({12'345, 0, 0})).catalog_version, -1);
  EXPECT_FALSE(must(store().access_status({world().owner(), 12'345, 12'345})).token_found);
  EXPECT_FALSE(must(store().access_status({world().owner(), 12'345, 12'345})).grant_found);
}

TEST_P(AccessSuite, ARevocationTakesEffectAtOnceInEveryProcess) {
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g")}, token("t")));
  const TokenRow row = *must(store().find_token(hash_of("t")));
  const Guard guard{world().owner(), row.no, row.grants.at(0).no};
  world().put("a", R"({"id":"a"})");
  const auto other = place().open(OpenMode::kExisting);
  const StreamNo streams[] = {world().stream("notes")};
  for (int i = 0; i < 3; ++i) {  // fills the caches of other processes
    EXPECT_FALSE(must(must(other->read())->records(guard, streams, "a")).access_status.grant_revoked);
  }
  must(store().revoke_grant(world().owner(), "g", kNow));
  EXPECT_TRUE(must(must(other->read())->records(guard, streams, "a")).access_status.grant_revoked);
  EXPECT_TRUE(must(other->access_status(guard)).grant_revoked);
}

TEST_P(AccessSuite, AGuardedReadFindsRecordsOfSeveralStreams) {
  World second(store(), "local", "conn_b");
  world().put("a", R"({"from":"conn_a"})");
  second.put("a", R"({"from":"conn_b"})");
  second.put("b", R"({"from":"conn_b"})");
  const StreamNo here = world().stream("notes"), there = second.stream("notes"), nowhere = 999'999;
  const auto reader = must(store().read());
  const StreamNo order[] = {there, nowhere, world().stream("events"), here};
  GuardedRecords found = must(reader->records({world().owner(), 0, 0}, order, "a"));
  EXPECT_GE(found.access_status.catalog_version, 0);
  ASSERT_EQ(found.records.size(), 2u);
  EXPECT_EQ(found.records[0].stream, there);
  EXPECT_EQ(found.records[1].stream, here);
  found = must(reader->records({}, order, "b"));
  ASSERT_EQ(found.records.size(), 1u);
  EXPECT_EQ(found.records[0].body, R"({"from":"conn_b"})");
  EXPECT_TRUE(must(reader->records({}, order, "c")).records.empty());
  EXPECT_TRUE(must(reader->records({}, {}, "a")).records.empty());
}

}  // namespace
}  // namespace ladder::store
