// Repeated requests: what a new consent changes, what it keeps, and an unchanged request.
#include "auth_fixture.h"

#include <algorithm>
#include <set>

namespace ladder::auth {
namespace {

class DifferenceSuite : public AuthSuite {
 protected:
  DifferenceSuite() {
    put("n1", text_member("title", "First") + "," + text_member("secret", "s") + "," +
                  text_member("updated_at", "2026-10-01T00:00:00Z"));
  }
  void give(const std::function<void(Choices&)>& change) { (void)code_for(ask(), change); }
  std::vector<server::GrantSummary> held() { return must(auth().client_access().held(owner(), kClaude)); }
  // Returns one line per change: "+ Notes: Notes: secret".
  std::vector<std::string> lines(const std::function<void(Choices&)>& change, bool replaces) {
    const Reviewed made = review(ask(), change);
    std::vector<std::string> text;
    for (const Change& one : difference(made.offer, held(), made.review, replaces)) {
      const char* mark = one.kind == Change::Kind::kSame ? "=" : one.kind == Change::Kind::kMore ? "+" : "-";
      text.push_back(std::string(mark) + " " + (one.of.empty() ? "" : one.of + ": ") + one.what);
    }
    return text;
  }
  static bool has(const std::vector<std::string>& lines, std::string_view begin, std::string_view part) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.starts_with(begin) && line.find(part) != std::string::npos; });
  }
};
LADDER_FOR_EVERY_ENGINE(DifferenceSuite);

TEST_P(DifferenceSuite, AnAdditionalFieldIsNamed) {
  give([](Choices& c) { c.streams.front().fields = {"title"}; });
  const auto found = lines([](Choices& c) { c.streams.front().fields = {"title", "secret"}; }, true);
  EXPECT_TRUE(has(found, "+ ", "Secret")) << found.front();
  EXPECT_FALSE(has(found, "-", ""));
  EXPECT_TRUE(has(found, "= until", "")) << "the same end";
}

TEST_P(DifferenceSuite, AMissingFieldEndsOnlyWithTheOldGrant) {
  give([](Choices& c) { c.streams.front().fields = {"title", "secret"}; });
  const auto narrower = [](Choices& c) { c.streams.front().fields = {"title"}; };
  EXPECT_TRUE(has(lines(narrower, true), "- ", "Secret"));
  EXPECT_FALSE(has(lines(narrower, false), "-", ""));
}

TEST_P(DifferenceSuite, TimesAndEndsAreCompared) {
  give([](Choices& c) { c.period = "12m"; });
  EXPECT_TRUE(has(lines([](Choices& c) { c.period = "all"; }, true), "+ ", "of all time"));
  EXPECT_TRUE(has(lines([](Choices& c) { c.period = "30d"; }, true), "- ", "since"));
  EXPECT_TRUE(has(lines([](Choices& c) { c.duration = "end"; }, true), "+ until you revoke it", "it was until"));
  EXPECT_TRUE(has(lines([](Choices& c) { c.duration = "1d"; }, true), "- until", "it was until"));
}

TEST_P(DifferenceSuite, AnUnchangedRequestChangesNothing) {
  give([](Choices& c) {
    c.streams.front().fields = {"title"};
    c.period = "12m";
    c.duration = "1y";
  });
  clock().move(3 * kDay);
  const auto before = held();
  const Offer offer = must(make_offer(server(), owner(), {}, before));
  const Choices same = held_choices(offer, before);
  const auto found = lines([&](Choices& c) { c = same; }, true);
  for (const std::string& line : found) EXPECT_TRUE(line.starts_with("= ")) << line;
  give([&](Choices& c) { c = same; });
  const auto after = held();
  ASSERT_EQ(after.size(), 1U);
  const auto fields = [](const server::GrantSummary& one) {
    return std::set<std::string>(one.grant.streams.front().fields.begin(), one.grant.streams.front().fields.end());
  };
  EXPECT_EQ(fields(after.front()), fields(before.front()));
  EXPECT_EQ(after.front().grant.streams.front().time->since, before.front().grant.streams.front().time->since);
  EXPECT_EQ(after.front().grant.expires_at, before.front().grant.expires_at);
}

TEST_P(DifferenceSuite, AnUnreplacedGrantContinues) {
  const auto first = auth().tokens().redeem_code(
      redeem(code_for(ask(), [](Choices& c) { c.streams.front().fields = {"title"}; })), server_url());
  const auto second = auth().tokens().redeem_code(redeem(code_for(ask(),
                                                                  [](Choices& c) {
                                                                    c.streams.front().fields = {"secret"};
                                                                    c.replaces = false;
                                                                  })),
                                                  server_url());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->grant_ids.size(), 1U) << "a key opens one of them, so that no stream is granted twice by it";
  EXPECT_TRUE(server().accesses().authenticate(first->access_token));
  EXPECT_TRUE(server().accesses().authenticate(second->access_token));
}

TEST_P(DifferenceSuite, RequestingMoreKeepsWhatItHas) {
  give([](Choices& c) {
    c.streams.front().fields = {"title"};
    c.period = "12m";
  });
  const auto details = read_details(R"([{"type":"https://pdpp.dev/data-access","source":{"id":"https://sources.example/notes"},
    "purpose_code":"https://pdpp.dev/purpose/agent_context","access_mode":"continuous","streams":[
      {"name":"notes","fields":["secret"]},{"name":"diary"}]}])");
  ASSERT_TRUE(details);
  const auto before = held();
  const Offer offer = must(make_offer(server(), owner(), *details, before));
  const auto found = lines([&](Choices& c) { c = wider_choices(offer, before); }, true);
  EXPECT_TRUE(has(found, "+ ", "Secret"));
  EXPECT_TRUE(std::ranges::none_of(found, [](const std::string& line) { return line.starts_with("-"); }));
  EXPECT_EQ(std::ranges::count_if(found, [](const std::string& line) { return line.starts_with("+"); }), 2) << "secret, diary";
}

TEST_P(DifferenceSuite, ADeviceIsNeverNamedByAnAddress) {
  const auto device = auth().requests().begin_device(ask(), server_url());
  ASSERT_TRUE(device);
  const auto request = must(auth().requests().open(device->request_id, owner()));
  EXPECT_EQ(requester_name(request), "a device with the code " + device->user_code);
  EXPECT_EQ(trust_of(request), Trust::kCodeHolder);
}

}  // namespace
}  // namespace ladder::auth
