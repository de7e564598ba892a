// Sign-in of a second device by a code that the first one shows.
//
//   1  a signed-in browser begins, and shows a link with a secret as a QR code; it is valid for two minutes
//   2  the first device that opens the link and continues takes it; it gets a cookie of its own and shows a number
//   3  the browser that began shows three numbers, and the owner chooses the one on the phone; a wrong one ends the link
//   4  the device exchanges its cookie for a session, once
//
// Someone who photographs the code can take the link first. Then the owner's phone shows no number, and the number of the other
// device is one of three that the owner does not know. Thread-safe.
#pragma once

#include "auth/owners.h"
#include "base/error/error.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "store/auth_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kPhoneLinkLife = 2 * 60 * kSecond;

struct PhoneLink {
  enum class State : std::uint8_t { kOpen, kTaken, kConfirmed };
  State state = State::kOpen;
  std::string secret;  // of the link
  std::string owner_name;
  std::string session;       // id of the session that began it
  int number = 0;            // shown on the device that took it
  std::vector<int> choices;  // three, in a random order
  Visitor visitor;           // the device that took it
  Instant expires_at = 0;
};

class PhoneLinks {
 public:
  PhoneLinks(store::AuthStore& items, Owners& owners, const crypto::Sealer& sealer, const Clock& clock)
      : items_(items), owners_(owners), sealer_(sealer), clock_(clock) {}

  // Begins a link for the owner's session, and ends an earlier one.
  Result<PhoneLink> begin(const server::Access& owner, const Session& session);
  Result<std::optional<PhoneLink>> current(const server::Access& owner, const Session& session);
  // Confirms the device that shows `number`. kConflict if the link was not taken or has ended; kAuthentication, and the link
  // ends, if the number is another one.
  Status confirm(const server::Access& owner, const Session& session, int number);
  Status cancel(const server::Access& owner);

  // For the other device. The errors are kAuthentication: the link is unknown, has expired or belongs to another device.
  Result<PhoneLink> find(std::string_view secret);  // an open link
  struct Taken {
    std::string cookie;  // shown once
    PhoneLink link;
  };
  Result<Taken> take(std::string_view secret, const Visitor& visitor);
  Result<PhoneLink> taken(std::string_view cookie);
  // Opens the session of a confirmed link, once, while the session that began it lasts.
  Result<SignInResult> finish(std::string_view cookie, const Visitor& visitor);

 private:
  Result<std::optional<store::AuthItem>> item_of(const server::Access& owner, const Session& session);
  Result<store::AuthItem> taken_item(std::string_view cookie);
  PhoneLink link_of(const store::AuthItem& item) const;
  std::string to_body(const PhoneLink& link, std::string_view key, std::string_view taker) const;

  store::AuthStore& items_;
  Owners& owners_;
  const crypto::Sealer& sealer_;
  const Clock& clock_;
};

}  // namespace ladder::auth
