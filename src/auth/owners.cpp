// Sessions, links, passphrases.
#include "auth/owners.h"

#include "auth/body.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/passphrase.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::auth {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr Instant kSeenStep = 5 * 60 * kSecond;  // minimum time between updates of a session's last use
constexpr Instant kThrottleLife = kDay;
constexpr std::int64_t kFreeFailures = 5;
constexpr std::int64_t kMaxWaitSeconds = 900;
constexpr std::size_t kMaxAgentBytes = 200;
constexpr std::size_t kIdBytes = 8;
constexpr int kTries = 5;  // for a change when the credentials are changed concurrently

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return out;
}

std::string session_id(std::string_view key) { return "ses_" + hex(key.substr(0, kIdBytes)); }

std::string cut(std::string_view text, std::size_t bytes) {
  if (!utf8::is_valid(text)) return {};
  while (text.size() > bytes || (!text.empty() && !utf8::is_valid(text))) text.remove_suffix(1);
  return std::string(text);
}

struct Attempts {
  std::int64_t failures = 0;
  Instant until = 0;
};

std::string attempts_json(const Attempts& attempts) {
  json::Writer out;
  out.begin_object().member("failures", attempts.failures).member("until", attempts.until).end_object();
  return out.take();
}

// Failures require a wait: 1, 2, 4 … seconds from the sixth failure on, per name and per address.
Instant wait_after(std::int64_t failures) {
  if (failures <= kFreeFailures) return 0;
  const std::int64_t doublings = std::min<std::int64_t>(failures - kFreeFailures - 1, 12);
  return std::min<std::int64_t>(std::int64_t{1} << doublings, kMaxWaitSeconds) * kSecond;
}

// A passkey has no name, so only the address is counted, and a client cannot lock out other owners.
std::vector<std::string> throttle_keys(std::string_view name, const Visitor& visitor) {
  std::vector<std::string> keys = {"address:" + visitor.address};
  if (!name.empty()) keys.push_back("name:" + hex(hash_key(name)));
  return keys;
}

std::unexpected<Error> wrong_name_or_passphrase() {
  return fail(Code::kAuthentication, "Name or passphrase is not right.", "passphrase");
}

std::unexpected<Error> invalid_link() {
  return fail(Code::kAuthentication,
              "This link was used already or has expired. On the computer that runs Ladder, run ladder owner link "
              "to create a new one.");
}

std::string session_body(const Session& session) {
  json::Writer out;
  out.begin_object().member("name", session.owner_name).member("seen", session.seen_at);
  out.member("confirmed", session.confirmed_at).member("address", session.visitor.address);
  out.member("agent", session.visitor.agent).end_object();
  return out.take();
}

}  // namespace

std::string Owners::form_token(std::string_view of) const { return base64url::encode(sealer_.keyed_hash("form", of)); }

Result<std::string> Owners::make_link(const server::Access& owner) {
  std::string secret = base64url::encode(crypto::random_bytes(kSecretBytes));
  json::Writer body;
  body.begin_object().member("name", owner.owner_name()).end_object();
  const Instant now = clock_.now();
  store::AuthChange change;
  change.puts.push_back({"link", hash_key(secret), owner.owner(), body.take(), now, now + kLinkLife, 0});
  LADDER_CHECK(items_.apply(change));
  return secret;
}

Result<std::string> Owners::link_owner(std::string_view token) {
  LADDER_TRY(const auto item, items_.find("link", hash_key(token)));
  if (!item || clock_.now() >= item->expires_at.value_or(0)) return invalid_link();
  return Body(item->body).text("name");
}

Result<SignInResult> Owners::use_link(std::string_view token, std::string_view new_passphrase, const Visitor& visitor) {
  std::string hash;
  if (!new_passphrase.empty()) {
    LADDER_CHECK(check_passphrase(new_passphrase));
    LADDER_CHECK(link_owner(token));  // hashing is expensive, so check the link first
    hash = crypto::hash_passphrase(new_passphrase);
  }
  return consume_link(token, visitor, [&](store::OwnerNo owner, const std::string& name, store::AuthChange& change) -> Status {
    if (hash.empty()) return {};
    LADDER_TRY(Credentials known, credentials(name));
    known.passphrase_hash = hash;
    change.puts.push_back(credentials_item(owner, name, known));
    return {};
  });
}

Result<SignInResult> Owners::use_link(std::string_view token, const Ceremony& ceremony, std::string_view origin,
                                      const Visitor& visitor) {
  return consume_link(token, visitor, [&](store::OwnerNo owner, const std::string& name, store::AuthChange& change) {
    return put_passkey(owner, name, ceremony, origin, change);
  });
}

Result<SignInResult> Owners::consume_link(std::string_view token, const Visitor& visitor, const CredentialChange& set) {
  const std::string key = hash_key(token);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    LADDER_TRY(const auto item, items_.find("link", key));
    if (!item || clock_.now() >= item->expires_at.value_or(0)) return invalid_link();
    const std::string name = Body(item->body).text("name");
    store::AuthChange change;
    // The link is replaced before it is removed, so a second transaction sees another version and fails.
    change.puts.push_back(*item);
    change.removes.emplace_back("link", key);
    LADDER_CHECK(set(item->owner, name, change));
    auto opened = open_session(item->owner, name, visitor, std::move(change));
    if (opened || opened.error().code != Code::kConflict) return opened;
    // Either the link was used, which the next attempt reports, or the owner's credentials changed meanwhile.
  }
  return fail(Code::kConflict, "The way you sign in was changed at the same time. Open the link again.");
}

Result<SignInResult> Owners::open_session(store::OwnerNo owner, std::string_view name, const Visitor& visitor,
                                          store::AuthChange change) {
  SignInResult in;
  in.cookie = base64url::encode(crypto::random_bytes(kSecretBytes));
  const std::string key = hash_key(in.cookie);
  Session& session = in.session;
  session.id = session_id(key);
  session.owner = owner;
  session.owner_name = name;
  session.created_at = session.seen_at = session.confirmed_at = clock_.now();
  session.visitor = {visitor.address, cut(visitor.agent, kMaxAgentBytes)};
  session.form_token = form_token(key);
  change.puts.push_back({"session", key, owner, session_body(session), session.created_at, session.created_at + kSessionIdle, 0});
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return fail(Code::kConflict, "another request changed this at the same time; try again");
  return in;
}

Result<bool> Owners::is_throttled(std::string_view name, const Visitor& visitor, std::int64_t& retry_after) {
  Instant until = 0;
  for (const std::string& key : throttle_keys(name, visitor)) {
    LADDER_TRY(const auto item, items_.find("attempts", key));
    if (item) until = std::max(until, Body(item->body).number("until"));
  }
  const Instant left = until - clock_.now();
  retry_after = left > 0 ? (left + kSecond - 1) / kSecond : 0;
  return left > 0;
}

// Failure counters are stored, so they survive a restart. A lost race misses one failure.
Status Owners::note_failure(std::string_view name, const Visitor& visitor) {
  const Instant now = clock_.now();
  for (const std::string& key : throttle_keys(name, visitor)) {
    LADDER_TRY(const auto item, items_.find("attempts", key));
    const bool counts = item && now < item->expires_at.value_or(0);
    Attempts attempts;
    attempts.failures = (counts ? Body(item->body).number("failures") : 0) + 1;
    attempts.until = now + wait_after(attempts.failures);
    store::AuthChange change;
    change.puts.push_back({"attempts", key, 0, attempts_json(attempts), now, now + kThrottleLife, item ? item->version : 0});
    LADDER_CHECK(items_.apply(change));
  }
  return {};
}

Result<SignInResult> Owners::sign_in(std::string_view name, std::string_view passphrase, const Visitor& visitor) {
  std::int64_t wait = 0;
  LADDER_TRY(const bool throttled, is_throttled(name, visitor, wait));
  if (throttled) {
    Error error{Code::kRateLimited,
                format("Too many attempts. You can try again in {}.", wait == 1 ? "a second" : format("{} seconds", wait)),
                "passphrase"};
    error.details().retry_after_seconds = wait;
    return std::unexpected(std::move(error));
  }
  LADDER_TRY(const auto owner,
             name.size() <= kMaxNameBytes ? store_.find_owner(name) : Result<std::optional<store::OwnerRow>>(std::nullopt));
  Credentials known;
  if (owner) {
    LADDER_TRY(known, credentials(owner->name));
  }
  // Unknown names and owners without a passphrase take the same time.
  const bool usable = !known.passphrase_hash.empty() && passphrase.size() <= crypto::kMaxPassphraseBytes;
  const std::string& hash = usable ? known.passphrase_hash : crypto::dummy_hash();
  const bool right = crypto::is_passphrase(hash, passphrase) && usable;
  if (!right) {
    LADDER_CHECK(note_failure(name, visitor));
    return wrong_name_or_passphrase();
  }
  if (crypto::is_weak_hash(known.passphrase_hash)) {
    known.passphrase_hash = crypto::hash_passphrase(passphrase);
    (void)keep_credentials(owner->no, owner->name, known);  // on failure, retried at the next sign-in
  }
  return sign_in_as(owner->no, owner->name, visitor);
}

Result<SignInResult> Owners::sign_in_as(store::OwnerNo owner, std::string_view name, const Visitor& visitor) {
  store::AuthChange change;
  for (const std::string& key : throttle_keys(name, visitor)) change.removes.emplace_back("attempts", key);
  return open_session(owner, name, visitor, std::move(change));
}

Session Owners::session_of(const store::AuthItem& item) const {
  const Body body(item.body);
  Session session;
  session.id = session_id(item.key);
  session.owner = item.owner;
  session.owner_name = body.text("name");
  session.created_at = item.created_at;
  session.seen_at = body.number("seen");
  session.confirmed_at = body.number("confirmed");
  session.visitor = {body.text("address"), body.text("agent")};
  session.form_token = form_token(item.key);
  return session;
}

Result<std::optional<Session>> Owners::find_session(std::string_view cookie) {
  const auto secret = base64url::decode(cookie);
  if (!secret || secret->size() != kSecretBytes) return std::nullopt;
  LADDER_TRY(auto item, items_.find("session", hash_key(cookie)));
  const Instant now = clock_.now();
  if (!item || now >= item->expires_at.value_or(0)) return std::nullopt;
  Session session = session_of(*item);
  if (now - session.seen_at < kSeenStep) return session;
  session.seen_at = now;
  item->body = session_body(session);
  item->expires_at = std::min(now + kSessionIdle, item->created_at + kSessionLife);
  store::AuthChange change;
  change.puts.push_back(*item);
  (void)items_.apply(change);  // on conflict, a later request updates it
  return session;
}

Result<std::vector<Session>> Owners::sessions(const server::Access& owner) {
  LADDER_TRY(const auto items, items_.list("session", owner.owner()));
  std::vector<Session> all;
  const Instant now = clock_.now();
  for (const store::AuthItem& item : items) {
    if (now < item.expires_at.value_or(0)) all.push_back(session_of(item));
  }
  return all;
}

Result<bool> Owners::has_session(store::OwnerNo owner, std::string_view id) {
  LADDER_TRY(const auto items, items_.list("session", owner));
  const Instant now = clock_.now();
  return std::ranges::any_of(
      items, [&](const store::AuthItem& item) { return now < item.expires_at.value_or(0) && session_id(item.key) == id; });
}

Result<bool> Owners::end_session(const server::Access& owner, std::string_view id) {
  LADDER_TRY(const auto items, items_.list("session", owner.owner()));
  const auto found = std::ranges::find_if(items, [&](const store::AuthItem& item) { return session_id(item.key) == id; });
  if (found == items.end()) return false;
  store::AuthChange change;
  change.removes.emplace_back("session", found->key);
  LADDER_CHECK(items_.apply(change));
  return true;
}

Result<std::int64_t> Owners::end_all_sessions(const server::Access& owner) {
  LADDER_TRY(const auto items, items_.list("session", owner.owner()));
  store::AuthChange change;
  for (const store::AuthItem& item : items) change.removes.emplace_back("session", item.key);
  if (!change.removes.empty()) LADDER_CHECK(items_.apply(change));
  return std::ssize(items);
}

Status Owners::sign_out(std::string_view cookie) {
  store::AuthChange change;
  change.removes.emplace_back("session", hash_key(cookie));
  LADDER_CHECK(items_.apply(change));
  return {};
}

Status Owners::set_passphrase(const server::Access& owner, std::string_view passphrase) {
  LADDER_CHECK(check_passphrase(passphrase));
  LADDER_TRY(Credentials known, credentials(owner.owner_name()));
  known.passphrase_hash = crypto::hash_passphrase(passphrase);
  return keep_credentials(owner.owner(), owner.owner_name(), known);
}

Result<Credentials> Owners::credentials(std::string_view name) {
  Credentials known;
  LADDER_TRY(const auto item, items_.find("credentials", name));
  if (!item) return known;
  const Body body(item->body);
  known.version = item->version;
  known.passphrase_hash = body.text("passphrase");
  for (const Body& key : body.objects("passkeys")) {
    known.passkeys.push_back({key.text("id"), base64url::decode(key.text("spki")).value_or(""), key.number("algorithm"),
                              key.number("counter"), key.number("created"), key.text("label")});
  }
  return known;
}

store::AuthItem Owners::credentials_item(store::OwnerNo owner, std::string_view name, const Credentials& credentials) const {
  json::Writer out;
  out.begin_object().optional_member("passphrase", credentials.passphrase_hash).key("passkeys").begin_array();
  for (const Passkey& key : credentials.passkeys) {
    out.begin_object().member("id", key.id).member("spki", base64url::encode(key.spki)).member("algorithm", key.algorithm);
    out.member("counter", key.counter).member("created", key.created_at).member("label", key.label).end_object();
  }
  out.end_array().end_object();
  return {"credentials", std::string(name), owner, out.take(), clock_.now(), std::nullopt, credentials.version};
}

Status Owners::keep_credentials(store::OwnerNo owner, std::string_view name, const Credentials& credentials) {
  store::AuthChange change;
  change.puts.push_back(credentials_item(owner, name, credentials));
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return fail(Code::kConflict, "The way you sign in was changed at the same time. Try again.");
  return {};
}

}  // namespace ladder::auth
