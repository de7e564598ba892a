// An authorization server over a fresh store of either engine: clients whose documents need no network, an owner with
// notes, and a client's flow from request to token.
#pragma once

#include "auth/authorization.h"
#include "base/text/base64.h"
#include "support/server_fixture.h"

#include <functional>
#include <map>
#include <string>

namespace ladder::auth {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

// Serves documents by address; any other address fails.
class FakeDocuments final : public DocumentFetcher {
 public:
  Result<Document> fetch(const std::string& url) override {
    ++fetches;
    const auto found = documents.find(url);
    if (found == documents.end()) return fail(Code::kInvalidRequest, "it answered with status 404, not 200");
    return Document{found->second, 60};
  }
  std::map<std::string, std::string> documents;
  int fetches = 0;
};

inline constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr std::string_view kClaude = "https://claude.ai/oauth/mcp-oauth-client-metadata";
inline constexpr std::string_view kClaudeBack = "https://claude.ai/api/mcp/auth_callback";

class AuthSuite : public test_support::ServerFixture {
 protected:
  AuthSuite() {
    auto fetcher = std::make_unique<FakeDocuments>();
    documents_ = fetcher.get();
    documents_->documents[std::string(kClaude)] =
        R"({"client_id":"https://claude.ai/oauth/mcp-oauth-client-metadata","client_name":"Claude",)"
        R"("redirect_uris":["https://claude.ai/api/mcp/auth_callback"],"token_endpoint_auth_method":"none"})";
    server_under_test_ = std::make_unique<AuthorizationServer>(server(), store(), std::move(fetcher), clock());
  }

  AuthorizationServer& auth() { return *server_under_test_; }
  FakeDocuments& documents() { return *documents_; }
  static const ServerUrl& server_url() {
    static const ServerUrl here{"https://data.example"};
    return here;
  }
  static std::string challenge() { return base64url::encode(crypto::view(crypto::sha256(kVerifier))); }

  AuthorizeParameters ask() const {
    AuthorizeParameters asked;
    asked.client_id = kClaude;
    asked.redirect_uri = kClaudeBack;
    asked.response_type = "code";
    asked.state = "xyz";
    asked.challenge = challenge();
    asked.challenge_method = "S256";
    asked.resource = server_url().mcp();
    return asked;
  }

  // All fields of one stream, for 30 days.
  Choices all_of(const Offer& offer, std::string_view stream) const {
    Choices choices;
    for (const OfferedStream& one : offer.streams) {
      if (one.stream != stream) continue;
      ChosenStream chosen{one.id(), {}, {}};
      for (const OfferedStream::Account& at : one.accounts) chosen.connection_ids.push_back(at.connection_id);
      for (const OfferedField& field : one.fields) chosen.fields.push_back(field.name);
      choices.streams.push_back(std::move(chosen));
    }
    return choices;
  }

  static api::RecordsRequest records_of(std::string stream) {
    api::RecordsRequest request;
    request.stream = std::move(stream);
    request.window = true;
    return request;
  }

  struct Reviewed {
    AuthorizationRequest request;
    Offer offer;
    Choices choices;
    Review review;
  };
  Reviewed review(AuthorizeParameters asked, const std::function<void(Choices&)>& change = {}) {
    Reviewed made;
    const auto begun = auth().requests().begin(asked, server_url());
    if (!begun) throw std::runtime_error(begun.error().error + ": " + begun.error().description);
    made.request = must(auth().requests().open(begun->id, owner()));
    const auto details = read_details(made.request.details).value();
    const auto client = must(auth().clients().find(made.request.client_id));
    made.offer = must(make_offer(server(), owner(), details, must(auth().client_access().held(owner(), made.request.client_id))));
    made.choices = all_of(made.offer, "notes");
    if (change) change(made.choices);
    made.review = must(make_review(server(), owner(),
                                   {client, made.request.redirect_uri, made.request.resource, made.request.details, details},
                                   made.offer, made.choices, auth().now()));
    return made;
  }
  std::string code_for(AuthorizeParameters asked, const std::function<void(Choices&)>& change = {}) {
    const Reviewed made = review(std::move(asked), change);
    const auto approved =
        must(auth().consents().approve(made.request, owner(), made.review, made.choices,
                                       must(auth().client_access().held(owner(), made.request.client_id)), "test"));
    return must(auth().consents().issue_code(approved));
  }
  static TokenRequest redeem(std::string code) {
    TokenRequest asked;
    asked.client_id = kClaude;
    asked.code = std::move(code);
    asked.redirect_uri = kClaudeBack;
    asked.verifier = kVerifier;
    asked.resource = server_url().mcp();
    return asked;
  }

 private:
  FakeDocuments* documents_ = nullptr;
  std::unique_ptr<AuthorizationServer> server_under_test_;
};

}  // namespace ladder::auth
