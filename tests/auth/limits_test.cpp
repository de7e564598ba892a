// Rate limits for unauthenticated requests and code guesses, and the response to a client whose document is rejected.
#include "auth_fixture.h"

namespace ladder::auth {
namespace {

class LimitsSuite : public AuthSuite {};
LADDER_FOR_EVERY_ENGINE(LimitsSuite);

TEST_P(LimitsSuite, OneAddressCannotUseUpAllSlots) {
  AuthorizeParameters asked = ask();
  asked.address = "192.0.2.7";
  int kept = 0;
  for (; kept < 1'000 && auth().begin(asked, server_url()); ++kept) {
  }
  EXPECT_EQ(kept, 300);
  const auto held_off = auth().begin(asked, server_url());
  ASSERT_FALSE(held_off);
  EXPECT_EQ(held_off.error().error, "temporarily_unavailable");
  asked.address = "192.0.2.8";
  EXPECT_TRUE(auth().begin(asked, server_url()));
  asked.address = "owner:1";
  EXPECT_TRUE(auth().begin(asked, server_url())) << "a signed-in owner is counted separately";
  asked.address = "192.0.2.7";
  clock().move(2 * kSecond);
  EXPECT_TRUE(auth().begin(asked, server_url())) << "others at that address wait for seconds, not for an hour";
  EXPECT_FALSE(auth().begin(asked, server_url()));
  clock().move(60 * kSecond);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(auth().begin(asked, server_url()));
  EXPECT_FALSE(auth().begin(asked, server_url()));
}

TEST_P(LimitsSuite, CodesCannotBeGuessed) {
  const auto device = auth().begin_device(ask(), server_url());
  ASSERT_TRUE(device);
  int wrong = 0;
  for (; wrong < 100 && auth().find_by_code("BBBB-2222", "owner:1").error().code == Code::kNotFound; ++wrong) {
  }
  EXPECT_EQ(wrong, 10);
  const auto held_off = auth().find_by_code(device->user_code, "owner:1");
  ASSERT_FALSE(held_off) << "whatever the code";
  EXPECT_EQ(held_off.error().code, Code::kRateLimited);
  EXPECT_GE(held_off.error().more->retry_after_seconds, 1);
  EXPECT_TRUE(auth().find_by_code(device->user_code, "owner:2")) << "other owners are not held off";
  EXPECT_TRUE(auth().find_by_code(device->user_code)) << "nor is the owner at the machine";
  clock().move(60 * kSecond);
  EXPECT_TRUE(auth().find_by_code(device->user_code, "owner:1"));
}

TEST_P(LimitsSuite, ARefusedDocumentSaysWhy) {
  const std::string url = "https://client.example/about.json";
  AuthorizeParameters asked = ask();
  asked.client_id = url;
  const auto refused_with = [&](const std::string& document) {
    documents().documents[url] = document;
    const auto page = auth().begin(asked, server_url());
    const auto device = auth().begin_device(asked, server_url());
    EXPECT_EQ(page.error().error, "invalid_client");
    EXPECT_EQ(device.error().error, "invalid_client");
    EXPECT_EQ(device.error().description, page.error().description) << "every way to ask says the same";
    return page.error().description;
  };
  const auto says = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(says, refused_with("[]"), "not one JSON object");
  EXPECT_PRED2(says, refused_with(R"({"client_id":"https://other.example/x"})"), "another client_id");
  const std::string head = R"({"client_id":")" + url + "\"";
  EXPECT_PRED2(says, refused_with(head + "}"), "has no redirect_uris");
  EXPECT_PRED2(says, refused_with(head + R"(,"redirect_uris":["http://far.example/back"]})"), "http://far.example/back");
  documents().documents.erase(url);
  EXPECT_PRED2(says, auth().begin(asked, server_url()).error().description, "status 404");
  asked.client_id = "http://client.example/about.json";
  EXPECT_PRED2(says, auth().begin(asked, server_url()).error().description, "not https");
}

}  // namespace
}  // namespace ladder::auth
