// Items of sign-in and authorization under compare-and-swap, together with grants and tokens in one transaction.
#include "store/auth_store.h"
#include "store_suite.h"

#include <atomic>
#include <set>
#include <thread>

namespace ladder::store {
namespace {

AuthItem item(std::string kind, std::string key, std::string body, OwnerNo owner = 0) {
  return {std::move(kind), std::move(key), owner, std::move(body), kNow, std::nullopt, 0};
}

AuthChange put(AuthItem one) {
  AuthChange change;
  change.puts.push_back(std::move(one));
  return change;
}

class AuthItemsSuite : public StoreSuite {
 protected:
  AuthStore& items() { return store().auth(); }
  NewGrant grant(std::string id) {
    NewGrant made;
    made.grant_id = std::move(id);
    made.client_id = "client";
    made.body = "{}";
    made.issued_at = kNow;
    return made;
  }
  static BoundToken token(std::string_view text, std::vector<std::string> grants) {
    return {crypto::sha256(text), "client", kNow, std::nullopt, std::move(grants)};
  }
};
LADDER_FOR_EVERY_ENGINE(AuthItemsSuite);

TEST_P(AuthItemsSuite, AnItemIsReturnedUnchanged) {
  AuthItem one = item("session", std::string("\0\xFFkey", 5), "body \xE4\xB8\xAD", world().owner());
  one.expires_at = kNow + kDay;
  EXPECT_TRUE(must(items().apply(put(one))));
  const auto found = must(items().find("session", one.key));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "session");
  EXPECT_EQ(found->key, one.key);
  EXPECT_EQ(found->body, one.body);
  EXPECT_EQ(found->owner, world().owner());
  EXPECT_EQ(found->created_at, kNow);
  EXPECT_EQ(found->expires_at, kNow + kDay);
  EXPECT_EQ(found->version, 1);
  EXPECT_FALSE(must(items().find("client", one.key)));
  EXPECT_FALSE(must(items().find("session", "key")));
}

TEST_P(AuthItemsSuite, ReplacesOnlyTheVersionThatWasRead) {
  EXPECT_TRUE(must(items().apply(put(item("code", "c", "new")))));
  EXPECT_FALSE(must(items().apply(put(item("code", "c", "again"))))) << "it exists";
  AuthItem read = *must(items().find("code", "c"));
  read.body = "used";
  EXPECT_TRUE(must(items().apply(put(read))));
  EXPECT_FALSE(must(items().apply(put(read)))) << "it has another version now";
  EXPECT_EQ(must(items().find("code", "c"))->body, "used");
  EXPECT_EQ(must(items().find("code", "c"))->version, 2);
  AuthItem gone = item("code", "gone", "x");
  gone.version = 1;
  EXPECT_FALSE(must(items().apply(put(gone))));
}

TEST_P(AuthItemsSuite, AChangeIsAtomic) {
  EXPECT_TRUE(must(items().apply(put(item("code", "c", "1")))));
  AuthChange change;
  change.puts.push_back(item("request", "r", "x"));
  change.puts.push_back(item("code", "c", "exists"));
  change.owner = world().owner();
  change.grants.push_back(grant("g1"));
  change.tokens.push_back(token("t", {"g1"}));
  EXPECT_FALSE(must(items().apply(change)));
  EXPECT_FALSE(must(items().find("request", "r")));
  EXPECT_FALSE(must(store().find_grant(world().owner(), "g1")));
  EXPECT_FALSE(must(store().find_token(crypto::sha256("t"))));
}

TEST_P(AuthItemsSuite, TokensMayFollowTheirGrants) {
  AuthChange approval;
  approval.owner = world().owner();
  approval.grants = {grant("g1"), grant("g2")};
  EXPECT_TRUE(must(items().apply(approval)));
  ASSERT_TRUE(must(store().find_grant(world().owner(), "g1")));
  AuthChange exchange;
  exchange.owner = world().owner();
  exchange.tokens.push_back(token("t", {"g1", "g2"}));
  EXPECT_TRUE(must(items().apply(exchange)));
  const auto found = must(store().find_token(crypto::sha256("t")));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->grants.size(), 2u);
  EXPECT_EQ(found->grants[0].grant_id, "g1");
  EXPECT_EQ(found->kind, TokenKind::kClient);
}

TEST_P(AuthItemsSuite, ATokenIsBoundToGrantsOfItsOwnerOnly) {
  World other(store(), "other", "conn_b");
  AuthChange approval;
  approval.owner = other.owner();
  approval.grants = {grant("theirs")};
  EXPECT_TRUE(must(items().apply(approval)));
  AuthChange exchange;
  exchange.owner = world().owner();
  exchange.tokens.push_back(token("t", {"theirs"}));
  const auto refused = items().apply(exchange);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNotFound);
  EXPECT_FALSE(must(store().find_token(crypto::sha256("t"))));
}

TEST_P(AuthItemsSuite, TokensAreRevokedOnceAndOwnersTokensNever) {
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("g")},
                          {crypto::sha256("c"), TokenKind::kClient, "client", kNow, {}}));
  must(store().add_token(world().owner(), {crypto::sha256("o"), TokenKind::kOwner, "", kNow, {}}));
  AuthChange change;
  change.owner = world().owner();
  change.revoked_tokens = {crypto::sha256("c"), crypto::sha256("o"), crypto::sha256("unknown")};
  change.now = kNow + 1;
  EXPECT_TRUE(must(items().apply(change)));
  change.now = kNow + 2;
  EXPECT_TRUE(must(items().apply(change)));
  EXPECT_EQ(must(store().find_token(crypto::sha256("c")))->revoked_at, kNow + 1);
  EXPECT_FALSE(must(store().find_token(crypto::sha256("o")))->revoked_at);
  EXPECT_TRUE(must(store().access_status({world().owner(), must(store().find_token(crypto::sha256("c")))->no, 0})).token_revoked);
}

TEST_P(AuthItemsSuite, RevokesExactlyTheTokensOfAGrant) {
  AuthChange approval;
  approval.owner = world().owner();
  approval.grants = {grant("g1"), grant("g2"), grant("g3")};
  approval.tokens = {token("a", {"g1"}), token("b", {"g2", "g1"}), token("c", {"g3"})};
  EXPECT_TRUE(must(items().apply(approval)));
  AuthChange change;
  change.owner = world().owner() + 1;
  change.revoked_bindings = {"g1"};
  change.now = kNow + 1;
  EXPECT_TRUE(must(items().apply(change)));
  EXPECT_FALSE(must(store().find_token(crypto::sha256("a")))->revoked_at) << "the grant is of another owner";
  change.owner = world().owner();
  EXPECT_TRUE(must(items().apply(change)));
  EXPECT_EQ(must(store().find_token(crypto::sha256("a")))->revoked_at, kNow + 1);
  EXPECT_EQ(must(store().find_token(crypto::sha256("b")))->revoked_at, kNow + 1);
  EXPECT_FALSE(must(store().find_token(crypto::sha256("c")))->revoked_at);
}

TEST_P(AuthItemsSuite, RevokesExactlyOneOwnersTokens) {
  World other(store(), "other", "conn_b");
  must(store().add_grants(world().owner(), std::vector<NewGrant>{grant("mine")},
                          {crypto::sha256("m"), TokenKind::kClient, "client", kNow, {}}));
  must(store().add_grants(other.owner(), std::vector<NewGrant>{grant("theirs")},
                          {crypto::sha256("t"), TokenKind::kClient, "client", kNow, {}}));
  AuthChange change;
  change.owner = world().owner();
  change.revoke_everything = true;
  change.now = kNow + 5;
  EXPECT_TRUE(must(items().apply(change)));
  EXPECT_EQ(must(store().find_grant(world().owner(), "mine"))->revoked_at, kNow + 5);
  EXPECT_EQ(must(store().find_token(crypto::sha256("m")))->revoked_at, kNow + 5);
  EXPECT_FALSE(must(store().find_grant(other.owner(), "theirs"))->revoked_at);
  EXPECT_FALSE(must(store().find_token(crypto::sha256("t")))->revoked_at);
}

TEST_P(AuthItemsSuite, ListsAreOfOneOwnerAndOldestFirst) {
  World other(store(), "other", "conn_b");
  for (const char* key : {"b", "a", "c"}) {
    AuthItem one = item("session", key, "x", world().owner());
    one.created_at = kNow - (key[0] - 'a');
    EXPECT_TRUE(must(items().apply(put(one))));
  }
  EXPECT_TRUE(must(items().apply(put(item("session", "d", "x", other.owner())))));
  std::string order;
  for (const AuthItem& one : must(items().list("session", world().owner()))) order += one.key;
  EXPECT_EQ(order, "cba");
  EXPECT_EQ(must(items().count("session")), 4);
  EXPECT_EQ(must(items().count("client")), 0);
}

TEST_P(AuthItemsSuite, ExpiredItemsAreRemoved) {
  for (const Instant at : {kNow - 1, kNow, kNow + 1}) {
    AuthItem one = item("code", std::to_string(at), "x");
    one.expires_at = at;
    EXPECT_TRUE(must(items().apply(put(one))));
  }
  EXPECT_TRUE(must(items().apply(put(item("code", "for ever", "x")))));
  EXPECT_EQ(must(items().remove_expired(kNow)), 2);
  EXPECT_EQ(must(items().remove_expired(kNow)), 0);
  EXPECT_EQ(must(items().count("code")), 2);
}

TEST_P(AuthItemsSuite, ACodeIsUsedOnceByManyAtOnce) {
  EXPECT_TRUE(must(items().apply(put(item("code", "c", "new")))));
  const AuthItem read = *must(items().find("code", "c"));
  std::atomic<int> won = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto done = items().apply(put(read));
        if (done && *done) ++won;
      });
    }
  }
  EXPECT_EQ(won, 1);
}

TEST_P(AuthItemsSuite, ItemsOutliveTheProcess) {
  EXPECT_TRUE(must(items().apply(put(item("request", "r", "waiting")))));
  reopen();
  EXPECT_EQ(must(store().auth().find("request", "r"))->body, "waiting");
}

// The token of a replaced grant stays valid, and ends with the new grant.
TEST_P(AuthItemsSuite, TokensMoveToTheReplacingGrant) {
  AuthChange first;
  first.owner = world().owner();
  NewGrant old = grant("g1");
  old.expires_at = kNow + kDay;
  first.grants = {old, grant("beside")};
  BoundToken bound = token("t", {"g1", "beside"}), brief = token("brief", {"g1"});
  bound.expires_at = kNow + kDay;
  brief.expires_at = kNow + 60 * kSecond;  // expires before its grant, so it has its own expiry
  first.tokens = {bound, brief, token("other", {"beside"})};
  EXPECT_TRUE(must(items().apply(first)));

  AuthChange change;
  change.owner = world().owner();
  change.now = kNow + 5;
  NewGrant longer = grant("g2");
  longer.expires_at = kNow + 30 * kDay;
  change.grants = {longer};
  change.replaced = {{"g1", "g2"}};
  EXPECT_TRUE(must(items().apply(change)));
  const auto names = [&](std::string_view text) {
    std::set<std::string> ids;
    const auto found = must(store().find_token(crypto::sha256(text)));
    for (const GrantRow& row : found->grants) {
      if (!row.revoked_at) ids.insert(row.grant_id);
    }
    return ids;
  };
  using Ids = std::set<std::string>;
  EXPECT_EQ(names("t"), (Ids{"beside", "g2"}));
  EXPECT_EQ(names("brief"), Ids{"g2"});
  EXPECT_EQ(names("other"), Ids{"beside"});
  EXPECT_EQ(must(store().find_token(crypto::sha256("t")))->expires_at, kNow + 30 * kDay);
  EXPECT_EQ(must(store().find_token(crypto::sha256("brief")))->expires_at, kNow + 60 * kSecond);
  EXPECT_EQ(must(store().find_grant(world().owner(), "g1"))->revoked_at, kNow + 5);

  change.grants = {grant("g3")};
  change.replaced = {{"g1", "g3"}};
  EXPECT_EQ(items().apply(change).error().code, Code::kConflict) << "it does not stand any more";
  EXPECT_FALSE(must(store().find_grant(world().owner(), "g3"))) << "nothing of it was done";
  change.grants = {};
  change.replaced = {{"g2", ""}};
  EXPECT_TRUE(must(items().apply(change)));
  EXPECT_TRUE(names("brief").empty());
  EXPECT_TRUE(must(store().check_invariants()).empty());
}

}  // namespace
}  // namespace ladder::store
