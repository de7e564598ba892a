#include "auth/passkeys.h"

#include "auth/body.h"
#include "auth/owners.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "crypto/random.h"
#include "crypto/signature.h"
#include "json/writer.h"

#include <algorithm>
#include <charconv>

namespace ladder::auth {
namespace {

constexpr std::size_t kHashBytes = 32;
constexpr std::size_t kHeadBytes = kHashBytes + 1 + 4;  // rpIdHash, flags, counter
constexpr std::uint8_t kPresent = 0x01, kVerified = 0x04, kHasCredential = 0x40;
constexpr std::size_t kAaguidBytes = 16;
constexpr std::size_t kMaxClientDataBytes = 8192;
constexpr Instant kChallengeLife = 10 * 60 * kSecond;
constexpr std::size_t kMaxPasskeys = 20;

std::unexpected<Error> no_passkey(const std::string& why) {
  return fail(Code::kAuthentication, "The passkey was not accepted: " + why + ".");
}

}  // namespace

std::string host_of_origin(std::string_view origin) {
  const auto slashes = origin.find("//");
  std::string_view rest = slashes == std::string_view::npos ? origin : origin.substr(slashes + 2);
  if (rest.starts_with("[")) return std::string(rest.substr(0, rest.find(']') + 1));
  return std::string(rest.substr(0, rest.find(':')));
}

Result<std::int64_t> check_ceremony(const Ceremony& ceremony, std::string_view type, std::string_view origin) {
  if (ceremony.client_data.size() > kMaxClientDataBytes) return no_passkey("the browser's data is too long");
  const Body data(ceremony.client_data);
  if (data.text("type") != type) return no_passkey("it was created for another purpose");
  if (!crypto::equal_in_constant_time(data.text("challenge"), ceremony.challenge) || ceremony.challenge.empty()) {
    return no_passkey("it does not match the challenge");
  }
  if (data.text("origin") != origin) return no_passkey("it was created on another page");
  if (data.flag("crossOrigin")) return no_passkey("it was created inside another page");
  const std::string& authenticator = ceremony.authenticator_data;
  if (authenticator.size() < kHeadBytes) return no_passkey("the authenticator's data is too short");
  const auto expected = crypto::sha256(host_of_origin(origin));
  if (!crypto::equal_in_constant_time(std::string_view(authenticator).substr(0, kHashBytes), crypto::view(expected))) {
    return no_passkey("it belongs to another address");
  }
  const auto flags = static_cast<std::uint8_t>(authenticator[kHashBytes]);
  if ((flags & kPresent) == 0) return no_passkey("the device did not confirm that you were present");
  if ((flags & kVerified) == 0) return no_passkey("the device did not check who you are");
  std::int64_t counter = 0;
  for (std::size_t i = kHashBytes + 1; i < kHeadBytes; ++i) {
    counter = counter << 8U | static_cast<unsigned char>(authenticator[i]);
  }
  return counter;
}

std::string new_credential_id(std::string_view data) {
  if (data.size() < kHeadBytes + kAaguidBytes + 2) return {};
  if ((static_cast<std::uint8_t>(data[kHashBytes]) & kHasCredential) == 0) return {};
  data.remove_prefix(kHeadBytes + kAaguidBytes);
  const std::size_t length =
      static_cast<std::size_t>(static_cast<unsigned char>(data[0])) << 8U | static_cast<unsigned char>(data[1]);
  if (data.size() < 2 + length) return {};
  return std::string(data.substr(2, length));
}

std::string Owners::passkey_challenge() const { return sealer_.seal_fresh("passkey", std::to_string(clock_.now())); }

// Marks a challenge as used; adding the item fails if it was used before. kAuthentication if the challenge was not
// issued here or is older than kChallengeLife.
Result<store::AuthItem> Owners::challenge_item(std::string_view challenge) const {
  const auto opened = sealer_.open("passkey", challenge);
  Instant made = 0;
  if (!opened || std::from_chars(opened->data(), opened->data() + opened->size(), made).ec != std::errc()) {
    return no_passkey("its challenge is not valid");
  }
  const Instant now = clock_.now();
  if (now - made > kChallengeLife) return no_passkey("it took longer than ten minutes; try again");
  return store::AuthItem{"challenge", hash_key(challenge), 0, "{}", now, made + kChallengeLife, 0};
}

Status Owners::put_passkey(store::OwnerNo owner, const std::string& name, const Ceremony& ceremony, std::string_view origin,
                           store::AuthChange& change) {
  LADDER_TRY(const std::int64_t counter, check_ceremony(ceremony, "webauthn.create", origin));
  if (!crypto::is_public_key(ceremony.algorithm, ceremony.public_key)) return no_passkey("its key type is not supported");
  if (base64url::encode(new_credential_id(ceremony.authenticator_data)) != ceremony.credential_id) {
    return no_passkey("its id does not match its data");
  }
  LADDER_TRY(auto challenge, challenge_item(ceremony.challenge));
  LADDER_TRY(const auto used, items_.find("challenge", challenge.key));
  if (used) return no_passkey("it was used already; try again");
  LADDER_TRY(const auto taken, items_.find("passkey", hash_key(ceremony.credential_id)));
  if (taken) return no_passkey("it is known already");
  LADDER_TRY(Credentials known, credentials(name));
  if (known.passkeys.size() >= kMaxPasskeys) return no_passkey("you have 20 already");
  const Instant now = clock_.now();
  known.passkeys.push_back({ceremony.credential_id, ceremony.public_key, ceremony.algorithm, counter, now, "Passkey"});
  json::Writer body;
  body.begin_object().member("name", name).end_object();
  change.puts.push_back(std::move(challenge));
  change.puts.push_back({"passkey", hash_key(ceremony.credential_id), owner, body.take(), now, std::nullopt, 0});
  change.puts.push_back(credentials_item(owner, name, known));
  return {};
}

Status Owners::add_passkey(const server::Access& owner, const Ceremony& ceremony, std::string_view origin) {
  store::AuthChange change;
  LADDER_CHECK(put_passkey(owner.owner(), owner.owner_name(), ceremony, origin, change));
  LADDER_TRY(const bool added, items_.apply(change));
  if (!added) return no_passkey("the way you sign in was changed at the same time; try again");
  return {};
}

Result<SignInResult> Owners::sign_in_with_passkey(const Ceremony& ceremony, std::string_view origin, const Visitor& visitor) {
  LADDER_TRY(const std::int64_t counter, check_ceremony(ceremony, "webauthn.get", origin));
  LADDER_TRY(auto challenge, challenge_item(ceremony.challenge));
  store::AuthChange use;
  use.puts.push_back(std::move(challenge));
  LADDER_TRY(const bool first, items_.apply(use));
  if (!first) return no_passkey("it was used already; try again");
  LADDER_TRY(const auto item, items_.find("passkey", hash_key(ceremony.credential_id)));
  if (!item) return no_passkey("it is not registered here");
  const std::string name = Body(item->body).text("name");
  LADDER_TRY(Credentials known, credentials(name));
  const auto key = std::ranges::find(known.passkeys, ceremony.credential_id, &Passkey::id);
  if (key == known.passkeys.end()) return no_passkey("it is not registered here");
  const std::string signed_bytes = ceremony.authenticator_data + std::string(crypto::view(crypto::sha256(ceremony.client_data)));
  if (!crypto::is_signature(key->algorithm, key->spki, signed_bytes, ceremony.signature)) {
    return no_passkey("its signature is not valid");
  }
  // A counter that does not increase indicates a cloned key; authenticators without a counter always send 0.
  if ((counter != 0 || key->counter != 0) && counter <= key->counter)
    return no_passkey("its counter went back: it may be a copy");
  key->counter = counter;
  if (counter != 0) LADDER_CHECK(keep_credentials(item->owner, name, known));
  return sign_in_as(item->owner, name, visitor);
}

Result<bool> Owners::remove_passkey(const server::Access& owner, std::string_view credential_id) {
  LADDER_TRY(Credentials known, credentials(owner.owner_name()));
  const auto removed = std::erase_if(known.passkeys, [&](const Passkey& key) { return key.id == credential_id; });
  if (removed == 0) return false;
  store::AuthChange change;
  change.puts.push_back(credentials_item(owner.owner(), owner.owner_name(), known));
  change.removes.emplace_back("passkey", hash_key(credential_id));
  LADDER_TRY(const bool removed_now, items_.apply(change));
  if (!removed_now) return fail(Code::kConflict, "The way you sign in was changed at the same time. Try again.");
  return true;
}

}  // namespace ladder::auth
