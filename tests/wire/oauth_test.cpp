// Hosts that connect by an address: each dialogue from a request without a token to a read, against the real program.
#include "oauth_fixture.h"
#include "pages/form.h"

namespace ladder::wire {
namespace {

LADDER_FOR_EVERY_ENGINE(OAuth);

TEST_P(OAuth, DiscoveryDocumentsAgree) {
  const Answer stranger = send("POST", "/mcp", "", "{}", headers({{"Content-Type", "application/json"}}));
  EXPECT_EQ(stranger.status, 401);
  EXPECT_EQ(stranger.header("WWW-Authenticate"),
            "Bearer resource_metadata=\"" + base() + "/.well-known/oauth-protected-resource/mcp\", scope=\"ladder:read\"");
  const Answer of_mcp = get("/.well-known/oauth-protected-resource/mcp", "", headers({{"Origin", "https://inspector.example"}}));
  EXPECT_EQ(of_mcp.string("/resource"), base() + "/mcp");
  EXPECT_EQ(of_mcp.header("Access-Control-Allow-Origin"), "*");
  EXPECT_EQ(boost::json::serialize(of_mcp.at("/authorization_servers")), "[\"" + base() + "\"]");
  EXPECT_EQ(boost::json::serialize(of_mcp.at("/scopes_supported")), "[\"ladder:read\"]");
  const Answer server = get("/.well-known/oauth-authorization-server", "");
  EXPECT_EQ(server.status, 200);
  EXPECT_EQ(server.string("/issuer"), base());
  EXPECT_EQ(server.string("/token_endpoint"), base() + "/oauth/token");
  EXPECT_EQ(boost::json::serialize(server.at("/code_challenge_methods_supported")), "[\"S256\"]");
  EXPECT_EQ(boost::json::serialize(server.at("/token_endpoint_auth_methods_supported")), "[\"none\"]");
  EXPECT_TRUE(server.at("/client_id_metadata_document_supported").as_bool());
  EXPECT_TRUE(server.at("/authorization_response_iss_parameter_supported").as_bool());
  EXPECT_EQ(server.text.find("null"), std::string::npos);
  EXPECT_EQ(get("/.well-known/openid-configuration", "").status, 404);
  const Answer preflight = send("OPTIONS", "/oauth/token", "", {},
                                headers({{"Origin", "https://inspector.example"},
                                         {"Access-Control-Request-Method", "POST"},
                                         {"Access-Control-Request-Headers", "mcp-protocol-version"}}));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "*");
}

TEST_P(OAuth, TheAddressOfMcpMayEndWithASlash) {
  const Answer stranger = send("POST", "/mcp/", "", "{}", headers({{"Content-Type", "application/json"}}));
  EXPECT_EQ(stranger.status, 401);
  EXPECT_NE(stranger.header("WWW-Authenticate").find("/.well-known/oauth-protected-resource/mcp\""), std::string::npos);
  EXPECT_EQ(get("/.well-known/oauth-protected-resource/mcp/", "").string("/resource"), base() + "/mcp");
  EXPECT_EQ(get("/mcp/", "").status, 401) << "as GET /mcp";
  EXPECT_EQ(get("/mcp//", "").status, 404);
  EXPECT_EQ(get("/v1/mcp/", "").status, 404);
}

TEST_P(OAuth, ClaudeConnectsByRegistration) {
  sign_in();
  const std::string back = "https://claude.ai/api/mcp/auth_callback";
  const std::string client = registered(
      R"({"client_name":"Claude","redirect_uris":["https://claude.ai/api/mcp/auth_callback"],)"
      R"("grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"client_secret_post","scope":"claudeai"})");
  const std::string location = location_after_consent(authorize_target(client, back, "&prompt=consent&scope=+offline_access"));
  EXPECT_TRUE(location.starts_with(back + "?code=")) << location;
  EXPECT_EQ(parameter(location, "state"), "st%26te");
  EXPECT_EQ(parameter(location, "iss"), Url::encoded(base()));
  const auto redeem = [&] {
    return post("/oauth/token", {{"grant_type", "authorization_code"},
                                 {"client_id", client},
                                 {"code", parameter(location, "code")},
                                 {"redirect_uri", back},
                                 {"code_verifier", std::string(kVerifier)},
                                 {"resource", base() + "/mcp"}});
  };
  const Answer token = redeem();
  ASSERT_EQ(token.status, 200) << token.text;
  EXPECT_EQ(token.header("Cache-Control"), "no-store");
  EXPECT_EQ(token.string("/token_type"), "Bearer");
  const std::string access = token.string("/access_token");
  const Answer page = get("/v1/streams/notes/records", access);
  ASSERT_EQ(page.status, 200) << page.text;
  EXPECT_EQ(page.string("/data/0/data/title"), "Kitchen <b>quote</b>");
  EXPECT_FALSE(page.has("/data/0/data/secret"));
  const Answer refreshed =
      post("/oauth/token",
           {{"grant_type", "refresh_token"}, {"client_id", client}, {"refresh_token", token.string("/refresh_token")}});
  EXPECT_EQ(refreshed.status, 200) << refreshed.text;
  const Answer again = redeem();
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(again.string("/error"), "invalid_grant");
  EXPECT_EQ(get("/v1/streams/notes/records", access).status, 401) << "the code came twice";
}

TEST_P(OAuth, AProgramOnThisComputerMayUseAnyPort) {
  sign_in();
  const std::string client =
      registered(R"({"client_name":"Codex","application_type":"native","redirect_uris":["http://127.0.0.1/callback"]})");
  const std::string location = location_after_consent(authorize_target(client, "http://127.0.0.1:51204/callback"));
  EXPECT_TRUE(location.starts_with("http://127.0.0.1:51204/callback?code=")) << location;
}

TEST_P(OAuth, OneUnacceptableRedirectOfThreeIsDropped) {
  const Answer answer = send(
      "POST", "/oauth/register", "",
      R"j({"application_type":"web","redirect_uris":["cursor://anysphere.cursor-mcp/oauth/callback","javascript:alert(1)","http://localhost:8787/callback"]})j",
      headers({{"Content-Type", "application/json"}}));
  EXPECT_EQ(answer.status, 201) << answer.text;
  EXPECT_EQ(answer.at("/redirect_uris").as_array().size(), 2U);
  const Answer none = send("POST", "/oauth/register", "", R"({"redirect_uris":["http://example.org/x"]})",
                           headers({{"Content-Type", "application/json"}}));
  EXPECT_EQ(none.status, 400);
  EXPECT_EQ(none.string("/error"), "invalid_redirect_uri");
}

TEST_P(OAuth, BrokenClientsGetSpecificErrors) {
  const std::string back = "https://app.example/back";
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const Answer elsewhere = open(authorize_target(client, "https://evil.example/back"));
  EXPECT_EQ(elsewhere.status, 400);
  EXPECT_EQ(elsewhere.header("Location"), "");
  EXPECT_EQ(open(authorize_target("cli_unknown", back)).status, 400);
  const auto error_of = [&](const std::string& query) {
    const Answer answer = open("/oauth/authorize?client_id=" + client + "&redirect_uri=" + Url::encoded(back) + "&" + query);
    EXPECT_EQ(answer.status, 303) << answer.text;
    EXPECT_TRUE(answer.header("Location").starts_with(back)) << answer.header("Location");
    EXPECT_NE(answer.header("Location").find("iss="), std::string::npos);
    return parameter(answer.header("Location"), "error");
  };
  const std::string pkce = "&code_challenge_method=S256&code_challenge=" + challenge();
  EXPECT_EQ(error_of("response_type=code"), "invalid_request") << "no PKCE";
  EXPECT_EQ(error_of("response_type=code&code_challenge_method=plain&code_challenge=" + challenge()), "invalid_request");
  EXPECT_EQ(error_of("response_type=token" + pkce), "unsupported_response_type");
  EXPECT_EQ(error_of("response_type=code&resource=https%3A%2F%2Fother.example" + pkce), "invalid_target");
  EXPECT_EQ(error_of("response_type=code&state=a&state=b" + pkce), "invalid_request") << "twice";
  EXPECT_EQ(error_of("response_type=code&prompt=none" + pkce), "login_required");
  EXPECT_EQ(post("/oauth/token", {{"grant_type", "password"}}).string("/error"), "unsupported_grant_type");
  EXPECT_EQ(
      post("/oauth/token", {{"grant_type", "authorization_code"}, {"client_id", client}, {"code", "guess"}}).string("/error"),
      "invalid_grant");
}

TEST_P(OAuth, DenyingTellsTheClientAndGrantsNothing) {
  sign_in();
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const Answer begun = open(authorize_target(client, "https://app.example/back"));
  const std::string at = begun.header("Location");
  const Answer denied = decide(at.substr(at.find("request=") + 8), "deny", "x");
  EXPECT_EQ(denied.status, 303);
  EXPECT_EQ(parameter(denied.header("Location"), "error"), "access_denied");
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(OAuth, ApprovalCoversOnlyWhatWasShown) {
  sign_in();
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const std::string at = open(authorize_target(client, "https://app.example/back")).header("Location");
  const std::string request = at.substr(at.find("request=") + 8);
  const Answer preview = decide(request, "preview");
  put("n2", text_member("title", "New") + "," + text_member("updated_at", "2026-10-05T00:00:00Z"));
  const Answer again = decide(request, "allow", hidden(preview, "shown"));
  EXPECT_EQ(again.status, 200);
  EXPECT_NE(again.text.find("press Allow again"), std::string::npos);
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(OAuth, ChangedTextIsShownAgain) {
  sign_in();
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const std::string at = open(authorize_target(client, "https://app.example/back")).header("Location");
  const std::string request = at.substr(at.find("request=") + 8);
  const Answer preview = decide(request, "preview");
  put("n1", text_member("title", "Kitchen <b>quota</b>") + "," + text_member("secret", "hidden") + "," +
                text_member("updated_at", "2026-10-01T00:00:00Z"));
  const Answer again = decide(request, "allow", hidden(preview, "shown"));
  EXPECT_EQ(again.status, 200);
  EXPECT_NE(again.text.find("press Allow again"), std::string::npos);
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
  EXPECT_EQ(decide(request, "allow", hidden(again, "shown")).status, 303);
}

// The form as a browser without scripts sends it.
class ConsentForm : public OAuth {
 protected:
  std::string begin(const std::string& more = "") {
    sign_in();
    const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
    const std::string at = open(authorize_target(client, "https://app.example/back", more)).header("Location");
    request_ = at.substr(at.find("request=") + 8);
    return request_;
  }
  Answer send_form(std::vector<std::pair<const char*, std::string>> fields) {
    const Answer page = open("/consent?request=" + request_);
    std::string body = encoded({{"csrf", hidden(page, "csrf")}, {"request", request_}, {"d", "30d"}});
    for (const auto& [name, value] : fields) body += "&" + Url::encoded(name) + "=" + Url::encoded(value);
    return submit("/consent", body);
  }
  static bool allows(const Answer& page) { return page.text.find("aria-disabled=\"true\"") == std::string::npos; }

 private:
  std::string request_;
};
LADDER_FOR_EVERY_ENGINE(ConsentForm);

TEST_P(ConsentForm, NothingChosenIsNothingAllowed) {
  begin();
  const Answer page = send_form({{"do", "preview"}});
  EXPECT_EQ(page.status, 200);
  EXPECT_FALSE(allows(page));
  EXPECT_NE(page.text.find("Choose at least one kind of data to share."), std::string::npos);
  for (const char* level : {"off", "custom", "nosuch", ""}) {
    const Answer refused = send_form({{"l notes/notes", level}, {"do", "allow"}, {"shown", hidden(page, "shown")}});
    EXPECT_EQ(refused.status, 400) << level;
    EXPECT_NE(refused.text.find("Choose at least one kind of data to share."), std::string::npos) << level;
  }
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(ConsentForm, OneLevelIsEnough) {
  begin();
  const Answer page = send_form({{"l notes/notes", "all"}, {"w notes/notes", "off"}, {"do", "preview"}});
  EXPECT_TRUE(allows(page));
  EXPECT_NE(page.text.find("notes</b>: everything (1, and new ones)"), std::string::npos) << page.text;
  EXPECT_EQ(send_form({{"l notes/notes", "all"}, {"do", "allow"}, {"shown", hidden(page, "shown")}}).status, 303);
  const auto grants = must(server().grants().list(owner()));
  ASSERT_EQ(grants.size(), 1U);
  EXPECT_TRUE(grants.front().grant.streams.front().allows_field("secret"));
}

TEST_P(ConsentForm, AllowWithoutAPreviewShowsItFirst) {
  begin();
  const Answer page = send_form({{"l notes/notes", "all"}, {"w notes/notes", "off"}, {"do", "allow"}, {"shown", ""}});
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.text.find("press Allow again"), std::string::npos);
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(ConsentForm, AFieldThatIsChangedUnderALevelIsACustomChoice) {
  begin();
  const std::string title = "notes/notes\ttitle";
  const Answer fewer = send_form({{"l notes/notes", "all"}, {"w notes/notes", "all"}, {"f", title}, {"do", "preview"}});
  EXPECT_NE(fewer.text.find("notes</b>: Title (1, and new ones)"), std::string::npos) << fewer.text;
  const Answer more = send_form({{"l notes/notes", "all"}, {"w notes/notes", "off"}, {"f", title}, {"do", "preview"}});
  EXPECT_NE(more.text.find("notes</b>: everything"), std::string::npos)
      << "a changed level counts, not the fields of the old one";
}

TEST_P(ConsentForm, HandMadeFormsGrantNothingBeyondTheOffer) {
  begin();
  const Answer unknown = send_form({{"l notes/notes", "custom"}, {"f", "notes/notes\tnosuch"}, {"do", "allow"}, {"shown", ""}});
  EXPECT_EQ(unknown.status, 400);
  const Answer account = send_form({{"l notes/notes", "all"}, {"c", "notes/notes\ttelevision"}, {"do", "preview"}});
  EXPECT_EQ(account.text.find("television"), std::string::npos) << "the only account is used";
  const Answer stream = send_form({{"l other/stream", "all"}, {"f", "other/stream\ta"}, {"do", "allow"}, {"shown", ""}});
  EXPECT_EQ(stream.status, 400);
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(ConsentForm, SeveralAccountsAreChosenAndNamed) {
  must(server().sources().add_connection(owner(), "notes", "Office", "office"));
  const std::string page = open("/consent?request=" + begin()).text;
  EXPECT_NE(page.find("value=\"notes/notes\toffice\" checked"), std::string::npos)
      << "a level shares all accounts unless one is unchecked";
  const Answer none = send_form({{"l notes/notes", "all"}, {"do", "allow"}, {"shown", ""}});
  EXPECT_EQ(none.status, 400);
  EXPECT_NE(none.text.find("<p class=\"error\">Choose at least one account of notes."), std::string::npos)
      << "at the kind of data";
  const Answer one = send_form({{"l notes/notes", "all"}, {"c", "notes/notes\toffice"}, {"do", "preview"}});
  EXPECT_NE(one.text.find("(0 of Office, and new ones)"), std::string::npos) << one.text;
}

TEST_P(ConsentForm, ThePreviewSaysNewestOnlyIfItIsSortedByTime) {
  begin();
  const Answer dated =
      send_form({{"l notes/notes", "custom"}, {"f", "notes/notes\ttitle"}, {"f", "notes/notes\tupdated_at"}, {"do", "preview"}});
  EXPECT_NE(dated.text.find("Newest: notes"), std::string::npos);
  const Answer undated = send_form({{"l notes/notes", "custom"}, {"f", "notes/notes\ttitle"}, {"do", "preview"}});
  EXPECT_EQ(undated.text.find("Newest"), std::string::npos) << "without the date the app reads them in another order";
  EXPECT_NE(undated.text.find("Examples: notes"), std::string::npos);
}

TEST_P(OAuth, TheSentenceAboveAllowStatesTheTermsOfEachSource) {
  must(server().sources().add(owner(), test_support::notes_declaration("https://sources.example/mail"), "mail"));
  must(server().sources().add_connection(owner(), "mail", "", "home"));
  sign_in();
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const std::string details = R"([{"type":"https://pdpp.dev/data-access","source":{"id":"mail"},"access_mode":"continuous",)"
                              R"("purpose_code":"https://pdpp.dev/purpose/agent_context","streams":[{"name":"notes"}]},)"
                              R"({"type":"https://pdpp.dev/data-access","source":{"id":"notes"},"access_mode":"single_use",)"
                              R"("purpose_code":"https://purposes.example/tax","streams":[{"name":"notes"}]}])";
  const Answer begun =
      open(authorize_target(client, "https://app.example/back", "&" + encoded({{"authorization_details", details}})));
  const Answer page = open(begun.header("Location"));
  const auto at = page.text.find("id=\"decide\"");
  ASSERT_NE(at, std::string::npos) << page.text;
  const std::string sentence = page.text.substr(at);
  EXPECT_NE(sentence.find("<b>once, until "), std::string::npos) << sentence;
  EXPECT_NE(sentence.find(", for https://purposes.example/tax</b>"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("<b>until "), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("agent context"), std::string::npos) << sentence << ": the usual purpose is left out";
}

TEST_P(OAuth, APassphraseIsTypedTwiceAndNotEasyToGuess) {
  auth::AuthorizationServer machine(server(), store(), auth::make_document_fetcher(), Clock::system());
  const std::string link = must(machine.owners().make_link(owner()));
  const Answer page = open("/sign-in/link?token=" + link);
  const auto send_both = [&](const std::string& first, const std::string& second) {
    return submit(
        "/sign-in/link",
        encoded({{"csrf", hidden(page, "csrf")}, {"token", link}, {"passphrase", first}, {"passphrase_again", second}}));
  };
  EXPECT_EQ(send_both("aaaaaaaaaaaa", "aaaaaaaaaaaa").status, 400);
  const Answer differs = send_both("four words nobody guesses", "four words nobody guessed");
  EXPECT_EQ(differs.status, 400);
  EXPECT_NE(differs.text.find("not the same"), std::string::npos);
  EXPECT_EQ(send_both("four words nobody guesses", "four words nobody guesses").status, 303);
  const Answer late = send_both("another four words here", "another four words here");
  EXPECT_EQ(late.status, 401) << "the link was used";
}

TEST_P(OAuth, DeviceCodeGuessesAreLimited) {
  sign_in();
  int tried = 0;
  for (; tried < 50 && open("/device?user_code=BBBB-2222").status == 404; ++tried) {
  }
  EXPECT_EQ(tried, 10);
  EXPECT_EQ(open("/device?user_code=BBBB-2222").status, 429);
}

// The owner's address contains the request's id, but only the client that made the request can poll for its token.
TEST_P(OAuth, OnlyTheRequestsClientCanPollIt) {
  const std::string client = registered(R"({"client_name":"One"})"), other = registered(R"({"client_name":"Other"})");
  const auto json = [&](const std::string& target, const std::string& body) {
    return send("POST", target, "", body, headers({{"Content-Type", "application/json"}}));
  };
  const Answer pushed =
      json("/oauth/par", R"({"client_id":")" + client +
                             R"(","authorization_details":[)"
                             R"({"type":"https://pdpp.dev/data-access","source":{"id":"notes"},"access_mode":"continuous",)"
                             R"("purpose_code":"https://pdpp.dev/purpose/agent_context","streams":[{"name":"notes"}]}]})");
  ASSERT_EQ(pushed.status, 201) << pushed.text;
  const std::string uri = R"({"request_uri":")" + pushed.string("/request_uri") + "\"";
  EXPECT_EQ(json("/agent-connect", uri + "}").string("/error"), "invalid_request");
  EXPECT_EQ(json("/agent-connect", uri + R"(,"client_id":")" + other + "\"}").string("/error"), "invalid_client");
  EXPECT_EQ(json("/agent-connect", uri + R"(,"client_id":")" + client + "\"}").status, 201);
}

TEST_P(OAuth, ForeignFormsAreRefusedAndCookiesWorkOnPagesOnly) {
  sign_in();
  const Answer page = open("/clients");
  ASSERT_EQ(page.status, 200) << page.text;
  for (const char* word : {"default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"}) {
    EXPECT_NE(page.header("Content-Security-Policy").find(word), std::string::npos) << word;
  }
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  EXPECT_EQ(page.header("X-Frame-Options"), "DENY");
  EXPECT_EQ(page.header("Access-Control-Allow-Origin"), "");
  const std::string form = encoded({{"csrf", hidden(page, "csrf")}});
  const auto from = [&](const std::string& origin, const std::string& body) {
    http::Headers with = headers({{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", cookie_}});
    if (!origin.empty()) with.set("Origin", origin);
    return send("POST", "/panic", "", body, with).status;
  };
  EXPECT_EQ(from("https://evil.example", form), 403);
  EXPECT_EQ(from("http://localhost:1", form), 403);
  EXPECT_EQ(from("", form), 403);
  EXPECT_EQ(from(base(), "csrf=guess"), 403);
  EXPECT_EQ(from(base(), form), 200);
  EXPECT_EQ(send("GET", "/v1/schema", "", {}, headers({{"Cookie", cookie_}})).status, 401);
  EXPECT_EQ(send("POST", "/mcp", "", "{}", headers({{"Cookie", cookie_}, {"Content-Type", "application/json"}})).status, 401);
  const Answer by_token = send("GET", "/clients", owner_token());
  EXPECT_EQ(by_token.status, 303) << "a token opens no page";
  EXPECT_TRUE(by_token.header("Location").starts_with("/sign-in"));
}

TEST_P(OAuth, PasskeysAndTrainingNeedARecentSignIn) {
  sign_in();
  EXPECT_EQ(open("/passkeys").status, 200);
  age_session();
  EXPECT_EQ(open("/clients").status, 200) << "the session continues";
  const Answer again = open("/passkeys");
  EXPECT_EQ(again.status, 303);
  EXPECT_EQ(again.header("Location"), "/sign-in?again=1&next=%2Fpasskeys");
  const Answer page = open(again.header("Location"));
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.text.find("Please sign in again to continue"), std::string::npos);
  const std::string client = registered(R"({"redirect_uris":["https://app.example/back"]})");
  const std::string details = Url::encoded(
      R"([{"type":"https://pdpp.dev/data-access","source":{"id":"https://sources.example/notes"},"access_mode":"continuous",)"
      R"("purpose_code":"https://pdpp.dev/purpose/ai_training","streams":[{"name":"notes"}]}])");
  const std::string consent =
      open(authorize_target(client, "https://app.example/back", "&authorization_details=" + details)).header("Location");
  EXPECT_TRUE(open(consent).header("Location").starts_with("/sign-in?again=1")) << consent;
  const Answer in = submit("/sign-in", encoded({{"csrf", hidden(page, "csrf")},
                                                {"next", "/passkeys"},
                                                {"name", "local"},
                                                {"passphrase", "four words nobody guesses"}}));
  ASSERT_EQ(in.status, 303) << in.text;
  const std::string old = cookie_;
  cookie_ = in.header("Set-Cookie").substr(0, in.header("Set-Cookie").find(';'));
  EXPECT_EQ(open("/passkeys").status, 200);
  EXPECT_EQ(open(consent).status, 200);
  cookie_ = old;
  EXPECT_EQ(open("/clients").status, 303) << "the session was replaced";
}

// With a TLS proxy every connection comes from the proxy on this machine, so its header counts; from other machines it
// is ignored.
TEST(CallerAddress, ComesFromTheProxyHeaderOnlyOnThisMachine) {
  http::Request request;
  request.remote_address = "127.0.0.1";
  request.headers.set("X-Forwarded-For", "198.51.100.9, 203.0.113.7");
  EXPECT_EQ(pages::caller_address(request, "https://data.example"), "203.0.113.7");
  EXPECT_EQ(pages::caller_address(request, "http://localhost:7663"), "127.0.0.1");
  request.remote_address = "192.0.2.1";
  EXPECT_EQ(pages::caller_address(request, "https://data.example"), "192.0.2.1");
  request.from_trusted_proxy = true;
  EXPECT_EQ(pages::caller_address(request, "https://data.example"), "203.0.113.7") << "a load balancer of the operator";
  request.from_trusted_proxy = false;
  request.remote_address = "127.0.0.1";
  request.headers.set("X-Forwarded-For", "<script>");
  EXPECT_EQ(pages::caller_address(request, "https://data.example"), "127.0.0.1");
}

TEST_P(OAuth, ADeviceIsApprovedFromAnotherBrowser) {
  sign_in();
  const std::string client = registered(R"({"redirect_uris":["http://127.0.0.1/callback"]})");
  const Answer device = post("/oauth/device_authorization", {{"client_id", client}});
  ASSERT_EQ(device.status, 200) << device.text;
  const auto poll = [&] {
    return post("/oauth/token", {{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                                 {"client_id", client},
                                 {"device_code", device.string("/device_code")}});
  };
  EXPECT_EQ(poll().string("/error"), "authorization_pending");
  const std::string at = open("/device?user_code=" + device.string("/user_code")).header("Location");
  const std::string request = at.substr(at.find("request=") + 8);
  const Answer preview = decide(request, "preview");
  EXPECT_EQ(decide(request, "allow", hidden(preview, "shown")).status, 200);
  const Answer token = poll();
  EXPECT_EQ(token.status, 200) << token.text;
  EXPECT_EQ(get("/v1/streams/notes/records", token.string("/access_token")).status, 200);
}

TEST_P(OAuth, TheStylesheetIsPartOfTheProgram) {
  const Answer page = open("/sign-in");
  const auto at = page.text.find("/assets/ladder-");
  ASSERT_NE(at, std::string::npos);
  const Answer style = get(page.text.substr(at, page.text.find('"', at) - at), "");
  EXPECT_EQ(style.status, 200);
  EXPECT_NE(style.header("Cache-Control").find("immutable"), std::string::npos);
  EXPECT_EQ(get("/assets/ladder-0000000000000000.css", "").status, 404);
}

}  // namespace
}  // namespace ladder::wire
