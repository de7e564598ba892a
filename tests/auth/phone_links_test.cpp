// Sign-in of a phone by a code of a signed-in browser, and everyone who must not get in by it.
#include "auth_fixture.h"

#include <algorithm>
#include <barrier>
#include <thread>

namespace ladder::auth {
namespace {

const Visitor kComputer{"192.0.2.1", "Computer"}, kPhone{"192.0.2.2", "Phone"};

class PhoneLinksSuite : public AuthSuite {
 protected:
  PhoneLinks& links() { return auth().phone_links(); }
  Session session() { return must(auth().owners().sign_in_as(owner().owner(), "local", kComputer)).session; }
};
LADDER_FOR_EVERY_ENGINE(PhoneLinksSuite);

TEST_P(PhoneLinksSuite, TheRightNumberSignsThePhoneInOnce) {
  const Session browser = session();
  const PhoneLink begun = must(links().begin(owner(), browser));
  EXPECT_EQ(must(links().find(begun.secret)).owner_name, "local");
  const auto taken = must(links().take(begun.secret, kPhone));
  EXPECT_FALSE(links().finish(taken.cookie, kPhone)) << "not confirmed yet";
  EXPECT_FALSE(links().find(begun.secret)) << "taken";
  EXPECT_FALSE(links().take(begun.secret, kPhone));
  const auto shown = must(links().current(owner(), browser));
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->choices.size(), 3U);
  EXPECT_NE(std::ranges::find(shown->choices, taken.link.number), shown->choices.end());
  EXPECT_EQ(shown->visitor.agent, "Phone");
  ASSERT_TRUE(links().confirm(owner(), browser, taken.link.number));
  const auto in = must(links().finish(taken.cookie, kPhone));
  EXPECT_EQ(must(auth().owners().find_session(in.cookie))->owner_name, "local");
  EXPECT_FALSE(links().finish(taken.cookie, kPhone)) << "once";
  EXPECT_FALSE(must(links().current(owner(), browser)));
}

TEST_P(PhoneLinksSuite, AWrongNumberEndsTheLink) {
  const Session browser = session();
  const PhoneLink begun = must(links().begin(owner(), browser));
  const auto taken = must(links().take(begun.secret, kPhone));
  const int wrong = *std::ranges::find_if(taken.link.choices, [&](int one) { return one != taken.link.number; });
  const Status refused = links().confirm(owner(), browser, wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kAuthentication);
  EXPECT_FALSE(links().confirm(owner(), browser, taken.link.number)) << "no second guess";
  EXPECT_FALSE(links().taken(taken.cookie));
  EXPECT_FALSE(links().finish(taken.cookie, kPhone));
}

TEST_P(PhoneLinksSuite, OnlyTheBrowserThatBeganConfirms) {
  const Session browser = session(), other = session();
  const PhoneLink begun = must(links().begin(owner(), browser));
  const auto taken = must(links().take(begun.secret, kPhone));
  EXPECT_FALSE(must(links().current(owner(), other)));
  EXPECT_FALSE(links().confirm(owner(), other, taken.link.number));
  EXPECT_TRUE(links().confirm(owner(), browser, taken.link.number));
}

TEST_P(PhoneLinksSuite, ALinkEndsWithTheSessionThatBeganIt) {
  const auto confirmed = [&] {
    const Session browser = session();
    const PhoneLink begun = must(links().begin(owner(), browser));
    const auto taken = must(links().take(begun.secret, kPhone));
    EXPECT_TRUE(links().confirm(owner(), browser, taken.link.number));
    return std::pair(browser.id, taken.cookie);
  };
  const auto [one, cookie] = confirmed();
  ASSERT_TRUE(must(auth().owners().end_session(owner(), one)));
  EXPECT_FALSE(links().finish(cookie, kPhone));
  const auto [all, other_cookie] = confirmed();
  must(auth().owners().end_all_sessions(owner()));
  EXPECT_FALSE(links().finish(other_cookie, kPhone));
  EXPECT_TRUE(must(auth().owners().sessions(owner())).empty());
}

TEST_P(PhoneLinksSuite, ALinkEndsAfterTwoMinutesOrWithTheNextOne) {
  const Session browser = session();
  const PhoneLink first = must(links().begin(owner(), browser));
  const PhoneLink second = must(links().begin(owner(), browser));
  EXPECT_FALSE(links().find(first.secret));
  const auto taken = must(links().take(second.secret, kPhone));
  ASSERT_TRUE(links().confirm(owner(), browser, taken.link.number));
  clock().move(kPhoneLinkLife);
  EXPECT_FALSE(links().finish(taken.cookie, kPhone));
  EXPECT_FALSE(links().take(second.secret, kPhone));
  EXPECT_FALSE(links().find("guess"));
  EXPECT_FALSE(links().taken("guess"));
}

TEST_P(PhoneLinksSuite, OneOfSeveralDevicesTakesTheLink) {
  const Session browser = session();
  const PhoneLink begun = must(links().begin(owner(), browser));
  constexpr int kRacers = 4;
  std::barrier start(kRacers);
  std::vector<int> winners(kRacers, 0);
  std::vector<std::thread> racers;
  for (int i = 0; i < kRacers; ++i) {
    racers.emplace_back([&, i] {
      start.arrive_and_wait();
      winners[static_cast<std::size_t>(i)] = links().take(begun.secret, kPhone) ? 1 : 0;
    });
  }
  for (std::thread& racer : racers) racer.join();
  EXPECT_EQ(std::ranges::count(winners, 1), 1);
}

TEST_P(PhoneLinksSuite, TheSecretIsNotReadableInTheStore) {
  const PhoneLink begun = must(links().begin(owner(), session()));
  const auto items = must(store().auth().list("phone_link", owner().owner()));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items.front().body.find(begun.secret), std::string::npos);
}

}  // namespace
}  // namespace ladder::auth
