// PDPP's own consent endpoints: a request pushed in JSON, reviewed, approved or denied by the owner's session, or
// handed over by a code.
#include "oauth_fixture.h"

namespace ladder::wire {
namespace {

class ConsentApi : public OAuth {
 protected:
  static std::string details(std::string_view fields = R"(["title"])", std::string_view purpose = "agent_context") {
    return format(R"([{{"type":"https://pdpp.dev/data-access","source":{{"id":"https://sources.example/notes"}},)"
                  R"("purpose_code":"https://pdpp.dev/purpose/{}","access_mode":"continuous",)"
                  R"("streams":[{{"name":"notes","fields":{}}}]}}])",
                  purpose, fields);
  }
  // Pushes a PDPP request and returns its request_uri.
  std::string pushed(const std::string& asked) {
    const std::string client = registered(R"({"client_name":"A program","token_endpoint_auth_method":"none"})");
    const Answer answer = json("/oauth/par", R"({"client_id":")" + client + R"(","authorization_details":)" + asked + "}");
    EXPECT_EQ(answer.status, 201) << answer.text;
    EXPECT_EQ(answer.string("/authorization_url"), base() + "/consent?request_uri=" + answer.string("/request_uri"));
    EXPECT_TRUE(answer.string("/request_uri").starts_with("urn:pdpp:pending-consent:"));
    return answer.string("/request_uri");
  }
  Answer json(const std::string& target, const std::string& body) {
    return send("POST", target, "", body, headers({{"Content-Type", "application/json"}}));
  }
  Answer decide_by(const std::string& target, const std::string& uri, const std::string& more = "") {
    const std::string csrf = hidden(open("/clients"), "csrf");
    return send("POST", target, "", R"({"request_uri":")" + uri + "\"" + more + "}",
                headers({{"Content-Type", "application/json"}, {"Origin", base()}, {"Cookie", cookie_}, {"X-CSRF-Token", csrf}}));
  }
};
LADDER_FOR_EVERY_ENGINE(ConsentApi);

TEST_P(ConsentApi, AReviewedRequestIsApprovedAndRead) {
  sign_in();
  const std::string uri = pushed(details());
  const Answer review = decide_by("/consent/review", uri);
  ASSERT_EQ(review.status, 200) << review.text;
  EXPECT_EQ(review.string("/request_uri"), uri);
  EXPECT_FALSE(review.at("/batch").as_bool());
  const std::string revision = review.string("/approval_review_revision");
  EXPECT_TRUE(revision.starts_with("reference.approval-review.v1:sha256:")) << revision;
  EXPECT_EQ(review.string("/approval_review/resolved_streams/0/name"), "notes");
  EXPECT_EQ(review.string("/approval_review/access_mode"), "continuous");
  expect_error(decide_by("/consent/approve", uri, R"(,"approval_review_revision":"guess")"), 400, "invalid_request",
               "approval_review_revision");
  expect_error(decide_by("/consent/approve", uri, R"(,"approval_review_revision":"x","ai_training_consented":true)"), 400,
               "invalid_request", "ai_training_consented");
  const Answer approved = decide_by("/consent/approve", uri, R"(,"approval_review_revision":")" + revision + "\"");
  ASSERT_EQ(approved.status, 200) << approved.text;
  EXPECT_EQ(approved.string("/grant_id"), approved.string("/grant/grant_id"));
  const Answer page = get("/v1/streams/notes/records", approved.string("/token"));
  ASSERT_EQ(page.status, 200) << page.text;
  EXPECT_FALSE(page.has("/data/0/data/secret"));
  expect_error(decide_by("/consent/approve", uri, R"(,"approval_review_revision":")" + revision + "\""), 409,
               "approval_conflict");
}

TEST_P(ConsentApi, ChangesAfterTheReviewNeedAnotherReview) {
  sign_in();
  const std::string uri = pushed(details());
  const std::string revision = decide_by("/consent/review", uri).string("/approval_review_revision");
  put("n2", text_member("title", "New") + "," + text_member("updated_at", "2026-10-05T00:00:00Z"));
  expect_error(decide_by("/consent/approve", uri, R"(,"approval_review_revision":")" + revision + "\""), 400, "invalid_request",
               "approval_review_revision");
  EXPECT_TRUE(must(server().grants().list(owner())).empty());
}

TEST_P(ConsentApi, AReviewMayNarrowAndTrainingNeedsExplicitConsent) {
  sign_in();
  const std::string uri = pushed(details(R"(["title","secret"])", "ai_training"));
  expect_error(decide_by("/consent/review", uri), 400, "invalid_request", "ai_training_consented");
  const Answer review = decide_by("/consent/review", uri,
                                  R"(,"ai_training_consented":true,"source_narrowing":{"0":{"fields":{"notes":["title"]}}})");
  ASSERT_EQ(review.status, 200) << review.text;
  EXPECT_EQ(review.text.find("\"secret\""), std::string::npos) << review.text;
  EXPECT_TRUE(review.at("/approval_review/ai_training_consented").as_bool());
}

TEST_P(ConsentApi, DenialIsFinalAndOthersCannotDecide) {
  const std::string uri = pushed(details());
  expect_error(json("/consent/deny", R"({"request_uri":")" + uri + "\"}"), 401, "authentication_error");
  sign_in();
  const auto from = [&](const std::string& origin) {
    return send(
        "POST", "/consent/deny", "", R"({"request_uri":")" + uri + "\"}",
        headers({{"Content-Type", "application/json"}, {"Origin", origin}, {"Cookie", cookie_}, {"X-CSRF-Token", "guess"}}));
  };
  expect_error(from(base()), 403, "permission_error");
  expect_error(from("https://evil.example"), 403, "permission_error");
  EXPECT_EQ(decide_by("/consent/deny", uri).string("/status"), "denied");
  expect_error(decide_by("/consent/review", uri), 409, "approval_conflict");
  expect_error(decide_by("/consent/review", "urn:pdpp:pending-consent:unknown"), 404, "not_found");
}

TEST_P(ConsentApi, AHandedOverCodeWorksOnce) {
  sign_in();
  const std::string uri = pushed(details());
  const std::string request = uri.substr(std::string_view("urn:pdpp:pending-consent:").size());
  const Answer preview = decide(request, "preview");
  const Answer allowed = decide(request, "allow", hidden(preview, "shown"));
  ASSERT_EQ(allowed.status, 303) << allowed.text;
  const Answer connected = open(allowed.header("Location"));
  const Answer shown = submit("/consent/continue", encoded({{"csrf", hidden(connected, "csrf")}, {"request", request}}));
  const auto at = shown.text.find("cex_");
  ASSERT_NE(at, std::string::npos) << shown.text;
  const std::string code = shown.text.substr(at, 68);
  const Answer token = json("/consent/exchange", R"({"code":")" + code + "\"}");
  ASSERT_EQ(token.status, 200) << token.text;
  EXPECT_EQ(get("/v1/streams/notes/records", token.string("/token")).status, 200);
  EXPECT_EQ(json("/consent/exchange", R"({"code":")" + code + "\"}").status, 410);
  EXPECT_EQ(json("/consent/exchange", R"({"code":"cex_unknown"})").status, 404);
}

}  // namespace
}  // namespace ladder::wire
