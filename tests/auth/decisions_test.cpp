// Owner decisions about a connected client: the client keeps its key, which never opens more than before.
#include "auth_fixture.h"

#include <algorithm>

namespace ladder::auth {
namespace {

class DecisionSuite : public AuthSuite {
 protected:
  DecisionSuite() {
    put("n1", text_member("title", "First") + "," + text_member("updated_at", "2026-10-01T00:00:00Z"));
    put("n2", text_member("title", "Second") + "," + text_member("updated_at", "2026-10-02T00:00:00Z"));
  }
  TokenResponse token(AuthorizeParameters asked, const std::function<void(Choices&)>& change = {}) {
    const auto answer = auth().redeem_code(redeem(code_for(std::move(asked), change)), server_url());
    if (!answer) throw std::runtime_error(answer.error().error + ": " + answer.error().description);
    return *answer;
  }
  std::vector<server::GrantSummary> held() { return must(auth().held(owner(), kClaude)); }
  bool reads(const std::string& access_token) {
    const auto access = server().authenticate(access_token);
    return access && server().records(*access, records_of("notes"));
  }
  std::string data_of(const std::string& access_token) {
    const auto page = must(server().records(must(server().authenticate(access_token)), records_of("notes")));
    return page.records.empty() ? "" : page.records.front().data;
  }

  Narrowing narrowing(const std::function<void(Choices&)>& change) {
    const auto before = held();
    const Offer offer = held_offer(must(make_offer(server(), owner(), {}, before)), before);
    const auto budget = held_budget(must(server().budgets(owner())), before);
    Choices choices = held_choices(offer, before);
    change(choices);
    fill_held(choices, offer, before);
    fill_budget(choices, budget);
    Client client;
    client.client_id = kClaude;
    return must(make_narrowing(server(), owner(), client, offer, before, budget, choices, auth().now()));
  }
};
LADDER_FOR_EVERY_ENGINE(DecisionSuite);

TEST_P(DecisionSuite, ExtendingKeepsTheKey) {
  const TokenResponse given = token(ask());
  const Instant ended = *held().front().grant.expires_at;
  const std::string before = held().front().grant.grant_id;
  must(auth().extend(owner(), kClaude, 30 * kDay, "test"));
  ASSERT_EQ(held().size(), 1U);
  EXPECT_EQ(held().front().grant.expires_at, ended + 30 * kDay);
  EXPECT_NE(held().front().grant.grant_id, before) << "a grant never changes";
  EXPECT_TRUE(reads(given.access_token));
  clock().move(31 * kDay);
  EXPECT_TRUE(reads(given.access_token)) << "the key lives as long as its grant";
  clock().move(30 * kDay);
  EXPECT_FALSE(reads(given.access_token));
  EXPECT_NE(must(auth().evidence(owner(), must(server().grants(owner())).back().grant.grant_id)).find("extends"),
            std::string::npos);
}

TEST_P(DecisionSuite, ARefreshFamilyContinues) {
  AuthorizeParameters asked = ask();
  asked.scope = "ladder:read offline_access";
  const TokenResponse given = token(asked);
  must(auth().extend(owner(), kClaude, 365 * kDay, "test"));
  EXPECT_TRUE(reads(given.access_token));
  clock().move(40 * kDay);
  AuthorizationServer::TokenRequest again;
  again.client_id = kClaude;
  again.refresh_token = given.refresh_token;
  const auto renewed = auth().refresh(again);
  ASSERT_TRUE(renewed) << renewed.error().description;
  EXPECT_TRUE(reads(renewed->access_token));
}

TEST_P(DecisionSuite, NarrowingKeepsTheKeyAndRemovesTheRest) {
  const TokenResponse given = token(ask());
  EXPECT_NE(data_of(given.access_token).find("title"), std::string::npos);
  const Narrowing less = narrowing([](Choices& choices) { std::erase(choices.streams.front().fields, "title"); });
  EXPECT_TRUE(less.changes);
  must(auth().narrow(owner(), less, "test"));
  EXPECT_EQ(data_of(given.access_token).find("title"), std::string::npos);
  const auto grant = held().front().grant;
  EXPECT_FALSE(grant.streams.front().allows_field("title"));
  EXPECT_EQ(must(auth().evidence(owner(), grant.grant_id)).find("narrows") == std::string::npos, false);
  // The client reads what the preview showed.
  EXPECT_EQ(data_of(given.access_token), less.review.streams.front().newest.front().data);
}

TEST_P(DecisionSuite, NarrowingNeverWidens) {
  token(ask(), [](Choices& choices) {
    std::erase(choices.streams.front().fields, "title");
    choices.duration = "1d";
    choices.budget = "500";
    choices.chars_a_day = 500;
  });
  const auto had = held().front().grant;
  must(server().set_budget(owner(), had.grant_id, 500, 700));
  const Narrowing wish = narrowing([](Choices& choices) {
    choices.streams.front().fields.push_back("title");
    choices.duration = "end";
    choices.period = "all";
    choices.budget = "9000";
  });
  ASSERT_EQ(wish.drafts.size(), 1U);
  ASSERT_TRUE(wish.drafts.front().grant);
  EXPECT_FALSE(wish.changes);
  EXPECT_EQ(wish.drafts.front().grant->streams.front().fields, had.streams.front().fields);
  EXPECT_EQ(wish.drafts.front().grant->expires_at, had.expires_at);
  EXPECT_EQ(wish.review.budget, 500);
  EXPECT_EQ(wish.review.budget_bytes, 700);
  const Narrowing smaller = narrowing([](Choices& choices) { choices.budget = "400"; });
  EXPECT_EQ(smaller.review.budget_bytes, 700) << "the default of the smaller budget is more than it had";
  grant::Grant wider = had;
  wider.streams.front().fields.push_back("title");
  EXPECT_EQ(server().draft_reissue(owner(), held().front(), wider).error().code, Code::kInvalidRequest);
}

TEST_P(DecisionSuite, ABudgetAppliesFromTheFirstReadAndSurvivesReplacement) {
  const TokenResponse given = token(ask(), [](Choices& choices) {
    choices.budget = "100";
    choices.chars_a_day = 100;
  });
  EXPECT_EQ(must(server().budgets(owner())).at(given.grant_ids.front()).limit(), (server::ReadAmount{100, 10'000}));
  const auto access = must(server().authenticate(given.access_token));
  int answers = 0;
  while (server().records(access, records_of("notes"))) ASSERT_LT(++answers, 60);
  const auto refused = server().records(access, records_of("notes"));
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  EXPECT_EQ(refused.error().more->rule, server::Ledger::kBudgetRule);
  must(auth().extend(owner(), kClaude, 30 * kDay, "test"));
  const auto longer = must(server().authenticate(given.access_token));
  EXPECT_EQ(server().records(longer, records_of("notes")).error().code, Code::kRateLimited)
      << "today's reads count for the replacing grant";
  EXPECT_EQ(must(server().budgets(owner())).at(held().front().grant.grant_id).limit(), (server::ReadAmount{100, 10'000}));
  clock().move(kDay);
  EXPECT_TRUE(server().records(must(server().authenticate(given.access_token)), records_of("notes")));
}

TEST_P(DecisionSuite, ABlockedClientCannotRequestAccess) {
  const TokenResponse given = token(ask());
  const auto waiting = auth().begin(ask(), server_url());
  ASSERT_TRUE(waiting);
  must(auth().block(owner(), kClaude));
  EXPECT_FALSE(reads(given.access_token));
  EXPECT_EQ(must(auth().open(waiting->id, owner())).status, "denied");
  const auto again = auth().begin(ask(), server_url());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().error, "access_denied");
  EXPECT_TRUE(again.error().to_client);
  ASSERT_EQ(must(auth().blocked(owner().owner())).size(), 1U);
  EXPECT_EQ(must(auth().blocked(owner().owner())).front().origins, std::vector<std::string>{"claude.ai"});
  must(auth().unblock(owner(), kClaude));
  EXPECT_TRUE(auth().begin(ask(), server_url()));
  EXPECT_TRUE(reads(token(ask()).access_token));
}

// Blocking uses the address shown on the consent page, whatever else the client has registered.
TEST_P(DecisionSuite, BlocksTheAddressThatWasShown) {
  const auto registered = [&](std::string_view first, std::string_view second) {
    return auth()
        .clients()
        .add(format(R"({{"redirect_uris":["{}","{}"]}})", first, second), "192.0.2.1")
        .value()
        .client.client_id;
  };
  const auto asked_by = [&](const std::string& client, std::string_view redirect) {
    AuthorizeParameters asked = ask();
    asked.client_id = client;
    asked.redirect_uri = redirect;
    return asked;
  };
  const auto may_ask = [&](const AuthorizeParameters& asked) { return auth().begin(asked, server_url()).has_value(); };
  constexpr std::string_view kEvil = "https://evil.example/back", kDecoy = "https://decoy.example/back";

  const std::string host = registered(kDecoy, kEvil);
  code_for(asked_by(host, kEvil));
  must(auth().block(owner(), host));
  EXPECT_FALSE(may_ask(asked_by(registered(kEvil, kDecoy), kEvil))) << "registering again does not get around the block";
  EXPECT_TRUE(may_ask(asked_by(registered(kDecoy, kEvil), kDecoy))) << "nothing was shown of this address";
  EXPECT_FALSE(may_ask(asked_by(host, kDecoy))) << "the client itself is blocked at every address";

  const std::string local = registered(kClaudeBack, "http://127.0.0.1:8080/back");
  code_for(asked_by(local, "http://127.0.0.1:8080/back"));
  must(auth().block(owner(), local));
  EXPECT_FALSE(may_ask(asked_by(local, "http://127.0.0.1:8080/back")));
  EXPECT_TRUE(may_ask(ask())) << "the real claude.ai is not blocked by a program that registered its address";
}

TEST_P(DecisionSuite, AnEndedGrantIsNotReplaced) {
  token(ask());
  const Narrowing less = narrowing([](Choices& choices) { std::erase(choices.streams.front().fields, "title"); });
  must(auth().end(owner(), kClaude));
  EXPECT_EQ(auth().narrow(owner(), less, "test").error().code, Code::kConflict);
  EXPECT_TRUE(held().empty());
}

}  // namespace
}  // namespace ladder::auth
