// The flow from request to token: refusals, bindings, and what ends what.
#include "auth/text_formatting.h"
#include "auth_fixture.h"

#include <algorithm>
#include <cctype>
#include <latch>
#include <thread>

namespace ladder::auth {
namespace {

class FlowSuite : public AuthSuite {
 protected:
  FlowSuite() { put("n1", text_member("title", "First") + "," + text_member("updated_at", "2026-10-01T00:00:00Z")); }
  TokenResponse token() {
    const auto answer = auth().tokens().redeem_code(redeem(code_for(ask())), server_url());
    if (!answer) throw std::runtime_error(answer.error().error + ": " + answer.error().description);
    return *answer;
  }
  std::string refused(const AuthorizeParameters& asked, bool to_client) {
    const auto begun = auth().requests().begin(asked, server_url());
    if (begun) return "accepted";
    EXPECT_EQ(begun.error().to_client, to_client) << begun.error().description;
    return begun.error().error;
  }
};
LADDER_FOR_EVERY_ENGINE(FlowSuite);

TEST_P(FlowSuite, ATokenReadsExactlyWhatWasApproved) {
  const TokenResponse answer = token();
  EXPECT_EQ(answer.scope, "ladder:read");
  EXPECT_TRUE(answer.refresh_token.empty());
  EXPECT_EQ(answer.expires_in, 30 * 86'400);
  const auto client = must(server().accesses().authenticate(answer.access_token));
  EXPECT_EQ(client.client_id(), kClaude);
  EXPECT_EQ(must(server().reads().records(client, records_of("notes"))).records.size(), 1U);
  const auto diary = server().reads().records(client, records_of("diary"));
  ASSERT_FALSE(diary);
  EXPECT_EQ(diary.error().code, Code::kStreamNotAllowed);
}

TEST_P(FlowSuite, ABadClientOrRedirectIsNotRedirected) {
  AuthorizeParameters asked = ask();
  asked.redirect_uri = "https://evil.example/callback";
  EXPECT_EQ(refused(asked, false), "invalid_request");
  asked = ask();
  asked.client_id = "cli_unknown";
  EXPECT_EQ(refused(asked, false), "invalid_client");
  asked.client_id = "https://claude.ai/missing";
  EXPECT_EQ(refused(asked, false), "invalid_client");
  asked = ask();
  asked.repeated = "redirect_uri";
  EXPECT_EQ(refused(asked, false), "invalid_request");
}

TEST_P(FlowSuite, OtherErrorsReturnToTheClient) {
  const auto with = [&](auto change) {
    AuthorizeParameters asked = ask();
    change(asked);
    return refused(asked, true);
  };
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.challenge.clear(); }), "invalid_request");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.challenge_method = "plain"; }), "invalid_request");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.challenge = "short"; }), "invalid_request");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.response_type = "token"; }), "unsupported_response_type");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.resource = "https://other.example/mcp"; }), "invalid_target");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.state = std::string(8192, 's'); }), "invalid_request");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.repeated = "scope"; }), "invalid_request");
  EXPECT_EQ(with([](AuthorizeParameters& a) { a.details = "[{\"type\":\"other\"}]"; }), "invalid_authorization_details");
}

TEST_P(FlowSuite, OptionalParametersMayBeMissingAndUnknownScopesAreIgnored) {
  AuthorizeParameters asked = ask();
  asked.state.clear();
  asked.resource.clear();
  asked.scope = " claudeai  ladder:read ";
  const auto begun = auth().requests().begin(asked, server_url());
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->resource, "https://data.example/mcp");
  EXPECT_EQ(begun->scope, "ladder:read");
}

TEST_P(FlowSuite, ACodeWorksOnceAndASecondUseEndsTheFirstToken) {
  const std::string code = code_for(ask());
  const auto first = auth().tokens().redeem_code(redeem(code), server_url());
  ASSERT_TRUE(first);
  const auto second = auth().tokens().redeem_code(redeem(code), server_url());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error, "invalid_grant");
  EXPECT_FALSE(server().accesses().authenticate(first->access_token));
}

TEST_P(FlowSuite, ACodeIsBoundToClientRedirectVerifierResourceAndTime) {
  const auto refused_with = [&](auto change) {
    auto asked = redeem(code_for(ask()));
    change(asked);
    const auto answer = auth().tokens().redeem_code(asked, server_url());
    return answer ? "accepted" : answer.error().error;
  };
  using TokenRequest = TokenRequest;
  EXPECT_EQ(refused_with([](TokenRequest& a) { a.client_id = "other"; }), "invalid_grant");
  EXPECT_EQ(refused_with([](TokenRequest& a) { a.redirect_uri = "https://claude.ai/other"; }), "invalid_grant");
  EXPECT_EQ(refused_with([](TokenRequest& a) { a.verifier[0] = 'X'; }), "invalid_grant");
  EXPECT_EQ(refused_with([](TokenRequest& a) { a.verifier.clear(); }), "invalid_grant");
  EXPECT_EQ(refused_with([](TokenRequest& a) { a.resource = "https://other.example"; }), "invalid_target");
  EXPECT_EQ(refused_with([&](TokenRequest&) { clock().move(61 * kSecond); }), "invalid_grant");
}

TEST_P(FlowSuite, ARequestBelongsToTheFirstOwnerWhoOpensIt) {
  must(store().add_owner("other", clock().now()));
  const auto begun = auth().requests().begin(ask(), server_url());
  must(auth().requests().open(begun->id, owner()));
  EXPECT_FALSE(auth().requests().open(begun->id, owner("other")));
  must(auth().requests().open(begun->id, owner()));
  EXPECT_EQ(must(auth().requests().opened(owner())).size(), 1U);
  EXPECT_TRUE(must(auth().requests().opened(owner("other"))).empty());
}

TEST_P(FlowSuite, ARequestIsAnsweredOnce) {
  const Reviewed made = review(ask());
  must(auth().consents().approve(made.request, owner(), made.review, made.choices, {}, "test"));
  const auto again = auth().consents().approve(made.request, owner(), made.review, made.choices, {}, "test");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kConflict);
}

TEST_P(FlowSuite, TheGrantKeepsWhatWasShown) {
  const TokenResponse answer = token();
  const std::string evidence = must(auth().client_access().evidence(owner(), answer.grant_ids.front()));
  EXPECT_NE(evidence.find("ladder.review.1"), std::string::npos);
  EXPECT_NE(evidence.find("sha256:"), std::string::npos);
  must(store().add_owner("other", clock().now()));
  EXPECT_EQ(must(auth().client_access().evidence(owner("other"), answer.grant_ids.front())), "");
}

TEST_P(FlowSuite, ThePreviewEqualsTheFirstRead) {
  put("n2", text_member("title", "Second") + "," + text_member("secret", "s") + "," +
                text_member("updated_at", "2026-10-02T00:00:00Z"));
  const Reviewed made = review(ask(), [](Choices& choices) {
    choices.streams.front().fields = {"title"};
    choices.period = "12m";
  });
  ASSERT_EQ(made.review.streams.size(), 1U);
  const auto approved = must(auth().consents().approve(made.request, owner(), made.review, made.choices, {}, "test"));
  const auto answer = auth().tokens().redeem_code(redeem(must(auth().consents().issue_code(approved))), server_url());
  ASSERT_TRUE(answer);
  const auto client = must(server().accesses().authenticate(answer->access_token));
  const auto page = must(server().reads().records(client, records_of("notes")));
  const StreamPreview& shown = made.review.streams.front();
  ASSERT_EQ(page.records.size(), 2U);
  ASSERT_EQ(shown.newest.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(shown.newest[i].data, page.records[i].data);
  EXPECT_EQ(shown.records, page.window->total);
  EXPECT_EQ(page.records[0].data.find("secret"), std::string::npos);
  EXPECT_NE(std::ranges::find(shown.withheld, "secret"), shown.withheld.end());
}

TEST_P(FlowSuite, PreselectsOnlyNecessaryFields) {
  const auto details = read_details(R"([{"type":"https://pdpp.dev/data-access","source":{"id":"https://sources.example/notes"},
    "purpose_code":"https://pdpp.dev/purpose/agent_context","access_mode":"continuous","streams":[
      {"name":"notes","fields":["title"]},{"name":"diary","necessity":"optional"},{"name":"trips"}]}])");
  ASSERT_TRUE(details) << details.error().description;
  const Offer offer = must(make_offer(server(), owner(), *details, {}));
  const Choices choices = required_choices(offer);
  ASSERT_EQ(choices.streams.size(), 1U);
  EXPECT_EQ(choices.streams[0].id, "notes/notes");
  EXPECT_EQ(choices.streams[0].fields, std::vector<std::string>{"title"});
  EXPECT_EQ(choices.streams[0].connection_ids, std::vector<std::string>{"work"});
  ASSERT_EQ(offer.missing.size(), 1U) << "trips are not here, so they are shown and not given";
}

// One source is requested for a single use, the other without an end; each keeps its own use, end and purpose.
TEST_P(FlowSuite, EverySourceKeepsItsOwnTerms) {
  must(server().sources().add(owner(), test_support::notes_declaration("https://sources.example/mail"), "mail"));
  must(server().sources().add_connection(owner(), "mail", "", "home"));
  AuthorizeParameters asked = ask();
  asked.scope = "offline_access";
  asked.details = R"([{"type":"https://pdpp.dev/data-access","source":{"id":"mail"},"access_mode":"continuous",
      "purpose_code":"https://pdpp.dev/purpose/agent_context","streams":[{"name":"notes"}]},
    {"type":"https://pdpp.dev/data-access","source":{"id":"https://sources.example/notes"},"access_mode":"single_use",
      "purpose_code":"https://purposes.example/tax","purpose_description":"My taxes","streams":[{"name":"notes"}]}])";
  const Reviewed made = review(asked, [](Choices& choices) { choices.duration = "1y"; });
  ASSERT_EQ(made.review.draft.grants.size(), 2U);
  const auto of = [](const std::vector<grant::Grant>& grants, std::string_view source) {
    return *std::ranges::find(grants, source, &grant::Grant::source_id);
  };
  const grant::Grant once = of(made.review.draft.grants, "https://sources.example/notes");
  const grant::Grant year = of(made.review.draft.grants, "https://sources.example/mail");
  EXPECT_TRUE(once.single_use);
  EXPECT_EQ(once.expires_at, clock().now() + kDay);
  EXPECT_EQ(once.purpose_code, "https://purposes.example/tax");
  EXPECT_EQ(once.purpose_description, "My taxes");
  EXPECT_FALSE(year.single_use);
  EXPECT_EQ(year.expires_at, clock().now() + 365 * kDay);
  EXPECT_EQ(year.purpose_code, "https://pdpp.dev/purpose/agent_context");
  EXPECT_EQ(terms_text(once).substr(0, 5), "once,");
  EXPECT_TRUE(terms_text(once).ends_with("for https://purposes.example/tax")) << terms_text(once);
  EXPECT_FALSE(terms_text(year).contains(", for ")) << terms_text(year) << ": the usual purpose";

  const auto approved = must(auth().consents().approve(made.request, owner(), made.review, made.choices, {}, "test"));
  const auto first = auth().tokens().redeem_code(redeem(must(auth().consents().issue_code(approved))), server_url());
  ASSERT_TRUE(first);
  ASSERT_FALSE(first->refresh_token.empty()) << "the continuous source is renewed";
  EXPECT_EQ(must(server().accesses().authenticate(first->access_token)).grants().size(), 2U);
  TokenRequest refresh;
  refresh.client_id = kClaude;
  refresh.refresh_token = first->refresh_token;
  const auto second = auth().tokens().refresh(refresh);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->grant_ids, std::vector<std::string>{year.grant_id}) << "the other one was for its first token only";

  // The same request without terms must not widen the grant.
  const auto held = must(auth().client_access().held(owner(), kClaude));
  const Offer offer = must(make_offer(server(), owner(), {}, held));
  const auto client = must(auth().clients().find(kClaude));
  const Review same =
      must(make_review(server(), owner(), {client, kClaudeBack, "", "", {}}, offer, held_choices(offer, held), auth().now()));
  EXPECT_TRUE(of(same.draft.grants, "https://sources.example/notes").single_use);
  EXPECT_EQ(of(same.draft.grants, "https://sources.example/notes").purpose_code, "https://purposes.example/tax");
  EXPECT_FALSE(of(same.draft.grants, "https://sources.example/mail").single_use);
}

TEST_P(FlowSuite, ASourceHasOneSetOfTerms) {
  const auto entry = [](std::string_view source, std::string_view mode) {
    return format(R"({{"type":"https://pdpp.dev/data-access","source":{{"id":"{}"}},"access_mode":"{}",)"
                  R"("purpose_code":"https://pdpp.dev/purpose/agent_context","streams":[{{"name":"notes"}}]}})",
                  source, mode);
  };
  const auto twice = read_details(format("[{},{}]", entry("notes", "single_use"), entry("notes", "continuous")));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().error, "invalid_authorization_details");
  EXPECT_TRUE(read_details(format("[{},{}]", entry("notes", "single_use"), entry("notes", "single_use"))));
  AuthorizeParameters asked = ask();
  asked.details = format("[{},{}]", entry("notes", "single_use"), entry("https://sources.example/notes", "continuous"));
  EXPECT_THROW(review(asked), std::runtime_error) << "the key and the URI name the same source";
}

TEST_P(FlowSuite, AnUnknownViewGrantsNothing) {
  const auto details = read_details(R"([{"type":"https://pdpp.dev/data-access","source":{"id":"notes"},
    "purpose_code":"https://pdpp.dev/purpose/agent_context","access_mode":"continuous","streams":[{"name":"notes","view":"none"}]}])");
  ASSERT_TRUE(details);
  const Offer offer = must(make_offer(server(), owner(), *details, {}));
  EXPECT_TRUE(required_choices(offer).streams.empty());
  EXPECT_EQ(offer.missing.size(), 1U);
}

TEST_P(FlowSuite, TheDigestDependsOnDataAndChoices) {
  const std::string before = review(ask()).review.digest;
  EXPECT_EQ(review(ask()).review.digest, before);
  EXPECT_NE(review(ask(), [](Choices& c) { c.duration = "1y"; }).review.digest, before);
  EXPECT_NE(review(ask(), [](Choices& c) { c.streams.front().fields = {"title"}; }).review.digest, before);
  put("n3", text_member("title", "Third") + "," + text_member("updated_at", "2026-10-03T00:00:00Z"));
  EXPECT_NE(review(ask()).review.digest, before);
}

TEST_P(FlowSuite, RefreshRotatesWithAShortGraceAndReuseEndsTheFamily) {
  AuthorizeParameters asked = ask();
  asked.scope = "ladder:read offline_access";
  const auto first = auth().tokens().redeem_code(redeem(code_for(asked)), server_url());
  ASSERT_TRUE(first);
  ASSERT_FALSE(first->refresh_token.empty());
  EXPECT_EQ(first->expires_in, 86'400);
  TokenRequest refresh;
  refresh.client_id = kClaude;
  refresh.refresh_token = first->refresh_token;
  const auto second = auth().tokens().refresh(refresh);
  ASSERT_TRUE(second);
  EXPECT_NE(second->refresh_token, first->refresh_token);
  const auto at_once = auth().tokens().refresh(refresh);
  ASSERT_TRUE(at_once) << at_once.error().description;
  EXPECT_EQ(at_once->refresh_token, second->refresh_token) << "two processes of a host get the same successor";
  EXPECT_TRUE(server().accesses().authenticate(second->access_token));
  clock().move(kRefreshGrace + kSecond);
  const auto reused = auth().tokens().refresh(refresh);
  ASSERT_FALSE(reused);
  EXPECT_EQ(reused.error().error, "invalid_grant");
  EXPECT_FALSE(server().accesses().authenticate(second->access_token)) << "the family has ended, and its tokens with it";
  refresh.refresh_token = second->refresh_token;
  EXPECT_FALSE(auth().tokens().refresh(refresh));
}

// A token family with many access tokens ends with all of them, whatever the reason.
TEST_P(FlowSuite, EveryAccessTokenOfAFamilyEndsWithIt) {
  constexpr int kRefreshes = 20;
  const auto check = [&](std::string_view reason, auto end) {
    SCOPED_TRACE(reason);
    AuthorizeParameters asked = ask();
    asked.scope = "offline_access";
    const std::string code = code_for(asked, [](Choices& choices) { choices.replaces = false; });
    const auto first = auth().tokens().redeem_code(redeem(code), server_url());
    ASSERT_TRUE(first);
    std::vector<std::string> tokens = {first->access_token};
    TokenRequest refresh;
    refresh.client_id = kClaude;
    refresh.refresh_token = first->refresh_token;
    for (int i = 0; i < kRefreshes; ++i) {
      const auto next = auth().tokens().refresh(refresh);
      ASSERT_TRUE(next) << next.error().description;
      tokens.push_back(next->access_token);
      refresh.refresh_token = next->refresh_token;
    }
    std::vector<server::Access> known;
    for (const std::string& token : tokens) known.push_back(must(server().accesses().authenticate(token)));
    end(code, first->refresh_token, refresh.refresh_token);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      EXPECT_FALSE(server().accesses().authenticate(tokens[i])) << "token " << i;
      EXPECT_FALSE(server().reads().records(known[i], records_of("notes"))) << "looked up before, token " << i;
    }
  };
  check("the newest refresh token is revoked",
        [&](auto&, auto&, const std::string& newest) { EXPECT_TRUE(auth().tokens().revoke(newest, kClaude)); });
  check("the oldest refresh token is revoked",
        [&](auto&, const std::string& oldest, auto&) { EXPECT_TRUE(auth().tokens().revoke(oldest, kClaude)); });
  check("the code is used again",
        [&](const std::string& code, auto&, auto&) { EXPECT_FALSE(auth().tokens().redeem_code(redeem(code), server_url())); });
  check("a refresh token is used again", [&](auto&, const std::string& oldest, auto&) {
    TokenRequest refresh;
    refresh.client_id = kClaude;
    refresh.refresh_token = oldest;
    EXPECT_FALSE(auth().tokens().refresh(refresh));
  });
}

// Refreshing without pause cannot extend a family beyond its end.
TEST_P(FlowSuite, AFamilyEndsDespiteRefreshes) {
  AuthorizeParameters asked = ask();
  asked.scope = "offline_access";
  const auto first = auth().tokens().redeem_code(redeem(code_for(asked)), server_url());
  ASSERT_TRUE(first);
  std::vector<std::string> tokens = {first->access_token};
  std::latch refreshed(1);
  std::thread refresher([&] {
    TokenRequest refresh;
    refresh.client_id = kClaude;
    refresh.refresh_token = first->refresh_token;
    for (bool ended = false; !ended;) {
      const auto next = auth().tokens().refresh(refresh);
      ended = !next && next.error().error == "invalid_grant";
      if (!next) continue;
      tokens.push_back(next->access_token);
      refresh.refresh_token = next->refresh_token;
      if (tokens.size() == 4) refreshed.count_down();
    }
    if (tokens.size() < 4) refreshed.count_down();
  });
  refreshed.wait();
  EXPECT_TRUE(auth().tokens().revoke(first->refresh_token, kClaude));
  refresher.join();
  EXPECT_GE(tokens.size(), 4U);
  for (const std::string& token : tokens) EXPECT_FALSE(server().accesses().authenticate(token));
}

TEST_P(FlowSuite, AFamilyEndsWithoutTheTokensOfAnother) {
  AuthorizeParameters asked = ask();
  asked.scope = "offline_access";
  const auto apart = [](Choices& choices) { choices.replaces = false; };
  const auto one = auth().tokens().redeem_code(redeem(code_for(asked, apart)), server_url());
  const auto other = auth().tokens().redeem_code(redeem(code_for(asked, apart)), server_url());
  ASSERT_TRUE(one && other);
  ASSERT_TRUE(auth().tokens().revoke(one->refresh_token, kClaude));
  EXPECT_FALSE(server().accesses().authenticate(one->access_token));
  EXPECT_TRUE(server().accesses().authenticate(other->access_token));
}

TEST_P(FlowSuite, AForgedOrForeignRefreshTokenChangesNothing) {
  AuthorizeParameters asked = ask();
  asked.scope = "offline_access";
  const auto first = auth().tokens().redeem_code(redeem(code_for(asked)), server_url());
  ASSERT_TRUE(first);
  TokenRequest refresh;
  refresh.client_id = kClaude;
  refresh.refresh_token = first->refresh_token;
  refresh.refresh_token.back() = refresh.refresh_token.back() == 'A' ? 'B' : 'A';
  EXPECT_EQ(auth().tokens().refresh(refresh).error().error, "invalid_grant");
  refresh.refresh_token = first->refresh_token;
  refresh.client_id = "other";
  EXPECT_EQ(auth().tokens().refresh(refresh).error().error, "invalid_grant");
  refresh.client_id = kClaude;
  EXPECT_TRUE(auth().tokens().refresh(refresh));
}

TEST_P(FlowSuite, RevocationTakesEffectAtOnce) {
  const TokenResponse answer = token();
  const auto client = must(server().accesses().authenticate(answer.access_token));
  ASSERT_TRUE(auth().tokens().revoke(answer.access_token, "another client"));
  EXPECT_TRUE(server().accesses().authenticate(answer.access_token)) << "only its own client revokes it";
  ASSERT_TRUE(auth().tokens().revoke(answer.access_token, kClaude));
  EXPECT_FALSE(server().accesses().authenticate(answer.access_token));
  EXPECT_FALSE(server().reads().records(client, records_of("notes"))) << "also for an earlier lookup";
  EXPECT_TRUE(auth().tokens().revoke("ldr_c_unknown", kClaude)) << "unknown tokens are fine (RFC 7009)";
}

TEST_P(FlowSuite, PanicEndsEverything) {
  AuthorizeParameters asked = ask();
  asked.scope = "offline_access";
  const auto answer = auth().tokens().redeem_code(redeem(code_for(asked)), server_url());
  ASSERT_TRUE(answer);
  const std::string unused = code_for(ask(), [](Choices& c) { c.replaces = false; });
  const auto client = must(server().accesses().authenticate(answer->access_token));
  EXPECT_EQ(must(auth().client_access().revoke_everything(owner())), 2);
  EXPECT_FALSE(server().reads().records(client, records_of("notes")));
  EXPECT_FALSE(server().accesses().authenticate(answer->access_token));
  TokenRequest refresh;
  refresh.client_id = kClaude;
  refresh.refresh_token = answer->refresh_token;
  EXPECT_FALSE(auth().tokens().refresh(refresh));
  EXPECT_FALSE(auth().tokens().redeem_code(redeem(unused), server_url()));
}

TEST_P(FlowSuite, ADeviceWaitsForItsOwner) {
  const auto device = auth().requests().begin_device(ask(), server_url());
  ASSERT_TRUE(device);
  TokenRequest poll;
  poll.client_id = kClaude;
  poll.device_code = device->device_code;
  EXPECT_EQ(auth().tokens().poll_device(poll).error().error, "authorization_pending");
  EXPECT_EQ(auth().tokens().poll_device(poll).error().error, "slow_down");
  std::string typed = device->user_code;
  for (char& c : typed) c = static_cast<char>(std::tolower(c));
  const auto request = must(auth().requests().open(must(auth().requests().find_by_code(typed)), owner()));
  const Reviewed made = review(ask());
  must(auth().consents().approve(request, owner(), made.review, made.choices, {}, "terminal"));
  const auto answer = auth().tokens().poll_device(poll);
  ASSERT_TRUE(answer) << answer.error().description;
  EXPECT_TRUE(server().accesses().authenticate(answer->access_token));
  EXPECT_EQ(auth().tokens().poll_device(poll).error().error, "invalid_grant") << "once";
}

TEST_P(FlowSuite, TextThatChangesAfterThePreviewChangesTheDigest) {
  const std::string when = text_member("updated_at", "2026-10-01T00:00:00Z");
  const std::string before = review(ask()).review.digest;
  put("n1", text_member("title", "Forst") + "," + when);
  const std::string after = review(ask()).review.digest;
  EXPECT_NE(after, before) << "as many records, as long, of the same time";
  const std::string long_text(2000, 'x');
  put("n1", text_member("title", long_text + "1") + "," + when);
  const std::string cut = review(ask()).review.digest;
  put("n1", text_member("title", long_text + "2") + "," + when);
  EXPECT_NE(review(ask()).review.digest, cut) << "also when it changes where the preview was cut";
}

TEST_P(FlowSuite, TheSameChoiceHasTheSameDigestInAnyOrder) {
  const Reviewed one = review(ask());
  const Reviewed other = review(ask(), [](Choices& choices) {
    for (ChosenStream& stream : choices.streams) std::ranges::reverse(stream.fields);
  });
  EXPECT_EQ(one.review.digest, other.review.digest);
}

TEST_P(FlowSuite, AnotherProcessCanContinue) {
  const std::string code = code_for(ask());
  server::ResourceServer other_server(store(), clock());
  AuthorizationServer other(other_server, store(), std::make_unique<FakeDocuments>(), clock());
  const auto answer = other.tokens().redeem_code(redeem(code), server_url());
  ASSERT_TRUE(answer);
  EXPECT_TRUE(server().accesses().authenticate(answer->access_token));
}

TEST_P(FlowSuite, ANewRequestReplacesTheGrant) {
  const TokenResponse first = token();
  const TokenResponse second = token();
  EXPECT_FALSE(server().accesses().authenticate(first.access_token));
  EXPECT_TRUE(server().accesses().authenticate(second.access_token));
}

}  // namespace
}  // namespace ladder::auth
