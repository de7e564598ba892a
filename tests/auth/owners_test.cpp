// How owners sign in, and when sign-in is refused.
#include "auth_fixture.h"
#include "crypto/passphrase.h"
#include "crypto/signature.h"

#include <algorithm>
#include <barrier>
#include <thread>

namespace ladder::auth {
namespace {

constexpr std::string_view kPassphrase = "four words nobody guesses";
const Visitor kBrowser{"192.0.2.1", "Browser"};

class OwnersSuite : public AuthSuite {
 protected:
  Owners& owners() { return auth().owners(); }
  void set_passphrase() { ASSERT_TRUE(owners().set_passphrase(owner(), kPassphrase)); }
};
LADDER_FOR_EVERY_ENGINE(OwnersSuite);

TEST_P(OwnersSuite, ALinkWorksOnceWithin15Minutes) {
  const std::string link = must(owners().make_link(owner()));
  EXPECT_EQ(must(owners().link_owner(link)), "local");
  const auto in = must(owners().use_link(link, kPassphrase, kBrowser));
  EXPECT_EQ(must(owners().find_session(in.cookie))->owner_name, "local");
  EXPECT_FALSE(owners().use_link(link, "", kBrowser));
  EXPECT_FALSE(owners().link_owner(link));
  EXPECT_TRUE(owners().sign_in("local", kPassphrase, kBrowser)) << "the passphrase was set";
  const std::string late = must(owners().make_link(owner()));
  clock().move(kLinkLife);
  EXPECT_FALSE(owners().use_link(late, "", kBrowser));
  EXPECT_FALSE(owners().use_link("guess", "", kBrowser));
}

// Several browsers use one link at once. Returns the number of the one that signed in.
template <typename Use>
int race(const Use& use) {
  constexpr int kRacers = 4;
  std::barrier start(kRacers);
  std::vector<int> winners(kRacers, 0);
  std::vector<std::thread> racers;
  for (int i = 0; i < kRacers; ++i) {
    racers.emplace_back([&, i] {
      start.arrive_and_wait();
      winners[static_cast<std::size_t>(i)] = use(i) ? 1 : 0;
    });
  }
  for (std::thread& racer : racers) racer.join();
  EXPECT_EQ(std::ranges::count(winners, 1), 1) << "a link lets one browser in";
  return static_cast<int>(std::ranges::find(winners, 1) - winners.begin());
}

TEST_P(OwnersSuite, OnlyTheWinnerOfALinkSetsThePassphrase) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    const std::string link = must(owners().make_link(owner()));
    const auto passphrase = [&](int racer) { return format("round {} of racer {} with a link", round, racer); };
    const int winner = race([&](int racer) { return owners().use_link(link, passphrase(racer), kBrowser).has_value(); });
    EXPECT_TRUE(crypto::is_passphrase(must(owners().credentials("local")).passphrase_hash, passphrase(winner)));
  }
}

TEST_P(OwnersSuite, OnlyTheWinnerOfALinkAddsAPasskey) {
  const std::string origin = "https://data.example";
  const auto made_by = [&](int racer) {
    Ceremony ceremony;
    ceremony.challenge = owners().passkey_challenge();
    const std::string id = format("passkey of racer {}", racer);
    ceremony.credential_id = base64url::encode(id);
    ceremony.client_data = format(R"({{"type":"webauthn.create","challenge":"{}","origin":"{}"}})", ceremony.challenge, origin);
    ceremony.authenticator_data = std::string(crypto::view(crypto::sha256("data.example"))) + '\x45' + std::string(4 + 16, '\0');
    ceremony.authenticator_data += '\0';
    ceremony.authenticator_data += static_cast<char>(id.size());
    ceremony.authenticator_data += id;
    ceremony.algorithm = crypto::kCoseEdDsa;
    ceremony.public_key = std::string("\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00", 12) + std::string(32, 'k');
    return ceremony;
  };
  const std::string link = must(owners().make_link(owner()));
  const auto refused = owners().use_link(link, made_by(9), "https://other.example", kBrowser);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(owners().link_owner(link)) << "a refused passkey leaves the link good";
  const int winner = race([&](int racer) { return owners().use_link(link, made_by(racer), origin, kBrowser).has_value(); });
  const auto passkeys = must(owners().credentials("local")).passkeys;
  ASSERT_EQ(passkeys.size(), 1U);
  EXPECT_EQ(passkeys.front().id, made_by(winner).credential_id);
  EXPECT_EQ(must(store().auth().count("passkey")), 1);
  EXPECT_EQ(owners().use_link(link, made_by(8), origin, kBrowser).error().code, Code::kAuthentication);
}

TEST_P(OwnersSuite, AWrongNameAndAWrongPassphraseLookAlike) {
  set_passphrase();
  const auto wrong = owners().sign_in("local", "four words nobody guessed", kBrowser);
  const auto nobody = owners().sign_in("nobody", kPassphrase, kBrowser);
  ASSERT_FALSE(wrong);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(wrong.error().message, nobody.error().message);
  EXPECT_EQ(wrong.error().code, nobody.error().code);
}

TEST_P(OwnersSuite, ShortPassphrasesAreRefused) {
  EXPECT_FALSE(owners().set_passphrase(owner(), "short"));
  EXPECT_FALSE(owners().set_passphrase(owner(), std::string(2000, 'x')));
}

TEST_P(OwnersSuite, EasyPassphrasesAreRefused) {
  for (const char* easy : {"aaaaaaaaaaaa", "abababababab", "abcdefghijkl", "lkjihgfedcba", "123456789012", "qwertyuiopas",
                           "Password1234", "passwordpassword", "correct horse battery staple", "hunter2hunter2",
                           "letmein letmein 123", "1q1q1q1q1q1q1q", "welcome admin 123", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz1"}) {
    const auto refused = owners().set_passphrase(owner(), easy);
    ASSERT_FALSE(refused) << easy;
    EXPECT_EQ(refused.error().code, Code::kInvalidRequest) << easy;
    const std::string link = must(owners().make_link(owner()));
    EXPECT_FALSE(owners().use_link(link, easy, kBrowser)) << easy;
    EXPECT_TRUE(owners().link_owner(link)) << "a refused passphrase leaves the link good";
  }
  for (const char* good : {"four words nobody guesses", "tin moth ladder quartz", "xK7#pq9!mVd2", "my dog eats password soup",
                           "\xC3\xA4rger \xC3\xBC"
                           "ber k\xC3\xB6nige",
                           "\xE8\x8A\xB1\xE9\xB3\xA5\xE9\xA2\xA8\xE6\x9C\x88\xE5\xB1\xB1"}) {
    EXPECT_TRUE(check_passphrase(good)) << good;
  }
  EXPECT_FALSE(check_passphrase("four words nobody guesses", "four words nobody guessed")) << "it is typed twice";
}

TEST_P(OwnersSuite, FailuresSlowDownEvenAfterARestart) {
  set_passphrase();
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(owners().sign_in("local", "wrong passphrase", kBrowser));
  const auto held = owners().sign_in("local", kPassphrase, kBrowser);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().code, Code::kRateLimited) << "whatever the passphrase";
  EXPECT_GE(held.error().more->retry_after_seconds, 1);
  AuthorizationServer restarted(server(), store(), std::make_unique<FakeDocuments>(), clock());
  EXPECT_EQ(restarted.owners().sign_in("local", kPassphrase, kBrowser).error().code, Code::kRateLimited);
  const auto elsewhere = owners().sign_in("local", kPassphrase, {"192.0.2.9", ""});
  EXPECT_EQ(elsewhere.error().code, Code::kRateLimited) << "the name is slowed down, too";
  clock().move(2 * kSecond);
  EXPECT_TRUE(owners().sign_in("local", kPassphrase, kBrowser));
}

TEST_P(OwnersSuite, SessionsExpireAndCanBeEnded) {
  set_passphrase();
  const auto first = must(owners().sign_in("local", kPassphrase, kBrowser));
  const auto second = must(owners().sign_in("local", kPassphrase, kBrowser));
  EXPECT_EQ(must(owners().sessions(owner())).size(), 2U);
  EXPECT_NE(first.session.form_token, second.session.form_token);
  EXPECT_TRUE(must(owners().end_session(owner(), first.session.id)));
  EXPECT_FALSE(must(owners().end_session(owner(), first.session.id)));
  EXPECT_FALSE(must(owners().find_session(first.cookie)));
  clock().move(kSessionIdle - kSecond);
  EXPECT_TRUE(must(owners().find_session(second.cookie))) << "used again, so it continues";
  clock().move(kSessionIdle - kSecond);
  EXPECT_TRUE(must(owners().find_session(second.cookie)));
  clock().move(kSessionIdle + kSecond);
  EXPECT_FALSE(must(owners().find_session(second.cookie)));
  const auto third = must(owners().sign_in("local", kPassphrase, kBrowser));
  ASSERT_TRUE(owners().sign_out(third.cookie));
  EXPECT_FALSE(must(owners().find_session(third.cookie)));
  EXPECT_FALSE(must(owners().find_session("")));
  EXPECT_FALSE(must(owners().find_session("not a cookie of ours")));
}

TEST_P(OwnersSuite, ASessionLastsAtMost30Days) {
  set_passphrase();
  const auto in = must(owners().sign_in("local", kPassphrase, kBrowser));
  for (Instant passed = 0; passed < kSessionLife; passed += kSessionIdle / 2) {
    EXPECT_TRUE(must(owners().find_session(in.cookie))) << passed / kDay;
    clock().move(kSessionIdle / 2);
  }
  EXPECT_FALSE(must(owners().find_session(in.cookie)));
}

TEST_P(OwnersSuite, ARegisteredClientOutlivesARestartAndExpiresUnused) {
  const auto made = auth().clients().add(R"({"redirect_uris":["https://app.example/back"],"client_name":"App"})", "192.0.2.1");
  ASSERT_TRUE(made);
  AuthorizationServer restarted(server(), store(), std::make_unique<FakeDocuments>(), clock());
  EXPECT_EQ(must(restarted.clients().find(made->client.client_id)).name, "App");
  clock().move(kUnusedClientLife);
  EXPECT_FALSE(auth().clients().find(made->client.client_id));
}

TEST_P(OwnersSuite, ADocumentIsKeptWhileItCannotBeFetched) {
  EXPECT_EQ(must(auth().clients().find(kClaude)).name, "Claude");
  EXPECT_EQ(must(auth().clients().find(kClaude)).name, "Claude");
  EXPECT_EQ(documents().fetches, 1) << "fresh";
  documents().documents.clear();
  clock().move(2 * 60 * kSecond);
  const auto kept = must(auth().clients().find(kClaude));
  EXPECT_EQ(kept.name, "Claude");
  EXPECT_NE(kept.fetch_fault.find("404"), std::string::npos);
}

}  // namespace
}  // namespace ladder::auth
