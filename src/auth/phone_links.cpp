#include "auth/phone_links.h"

#include "auth/body.h"
#include "base/text/base64.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <algorithm>
#include <cstdlib>

namespace ladder::auth {
namespace {

constexpr std::string_view kKind = "phone_link", kTakerKind = "phone_link_taker", kPurpose = "phone-link";
constexpr std::size_t kSecretBytes = 24, kChoices = 3, kMaxAgent = 200;
constexpr int kFirstNumber = 10, kNumbers = 90;

std::unexpected<Error> over() {
  return fail(Code::kAuthentication,
              "This code was used already or has expired. Show a new one on your computer, under Settings, Your phone.");
}

int random_number() {
  // 256 is not a multiple of 90, so the values above the largest multiple are drawn again.
  for (;;) {
    const auto byte = static_cast<unsigned char>(crypto::random_bytes(1).front());
    if (byte < 2 * kNumbers) return kFirstNumber + byte % kNumbers;
  }
}

std::string shown_agent(std::string_view agent) {
  std::string shown(agent.substr(0, kMaxAgent));
  while (!shown.empty() && !utf8::is_valid(shown)) shown.pop_back();
  return shown;
}

std::vector<int> three_numbers() {
  std::vector<int> numbers;
  while (numbers.size() < kChoices) {
    const int next = random_number();
    if (std::ranges::find(numbers, next) == numbers.end()) numbers.push_back(next);
  }
  return numbers;
}

}  // namespace

// The secret is stored sealed, so that the page can show the code again.
std::string PhoneLinks::to_body(const PhoneLink& link, std::string_view key, std::string_view taker) const {
  json::Writer out;
  out.begin_object().member("name", link.owner_name).member("session", link.session);
  out.member("state", link.state == PhoneLink::State::kOpen    ? "open"
                      : link.state == PhoneLink::State::kTaken ? "taken"
                                                               : "confirmed");
  out.member("secret", sealer_.seal_fresh(std::string(kPurpose) + "\n" + base64url::encode(key), link.secret));
  out.optional_member("taker", base64url::encode(taker)).member("number", link.number).key("choices").begin_array();
  for (const int choice : link.choices) out.string(std::to_string(choice));
  out.end_array().member("address", link.visitor.address).member("agent", link.visitor.agent).end_object();
  return out.take();
}

PhoneLink PhoneLinks::link_of(const store::AuthItem& item) const {
  const Body body(item.body);
  PhoneLink link;
  const std::string state = body.text("state");
  link.state = state == "open"    ? PhoneLink::State::kOpen
               : state == "taken" ? PhoneLink::State::kTaken
                                  : PhoneLink::State::kConfirmed;
  link.secret = sealer_.open(std::string(kPurpose) + "\n" + base64url::encode(item.key), body.text("secret")).value_or("");
  link.owner_name = body.text("name");
  link.session = body.text("session");
  link.number = static_cast<int>(body.number("number"));
  for (const std::string& choice : body.texts("choices")) link.choices.push_back(std::atoi(choice.c_str()));
  link.visitor = {body.text("address"), body.text("agent")};
  link.expires_at = item.expires_at.value_or(0);
  return link;
}

Result<PhoneLink> PhoneLinks::begin(const server::Access& owner, const Session& session) {
  LADDER_CHECK(cancel(owner));
  PhoneLink link;
  link.secret = base64url::encode(crypto::random_bytes(kSecretBytes));
  link.owner_name = session.owner_name;
  link.session = session.id;
  const Instant now = clock_.now();
  link.expires_at = now + kPhoneLinkLife;
  const std::string key = hash_key(link.secret);
  store::AuthChange change;
  change.puts.push_back({std::string(kKind), key, owner.owner(), to_body(link, key, ""), now, link.expires_at, 0});
  LADDER_CHECK(items_.apply(change));
  return link;
}

Result<std::optional<store::AuthItem>> PhoneLinks::item_of(const server::Access& owner, const Session& session) {
  if (!owner.is_owner()) return fail(Code::kPermission, "only the owner signs in a phone");
  LADDER_TRY(const auto items, items_.list(kKind, owner.owner()));
  for (const store::AuthItem& item : items) {
    if (clock_.now() < item.expires_at.value_or(0) && Body(item.body).text("session") == session.id) return item;
  }
  return std::nullopt;
}

Result<std::optional<PhoneLink>> PhoneLinks::current(const server::Access& owner, const Session& session) {
  LADDER_TRY(const auto item, item_of(owner, session));
  if (!item) return std::nullopt;
  return link_of(*item);
}

Status PhoneLinks::confirm(const server::Access& owner, const Session& session, int number) {
  LADDER_TRY(auto item, item_of(owner, session));
  if (!item) return fail(Code::kConflict, "The code has expired. Show a new one.");
  PhoneLink link = link_of(*item);
  if (link.state != PhoneLink::State::kTaken) return fail(Code::kConflict, "No phone waits for this. Scan the code first.");
  if (link.number != number) {
    LADDER_CHECK(cancel(owner));
    return fail(
        Code::kAuthentication,
        "That is not the number on the phone, so the sign-in was canceled. If you did not scan the code, someone else did: "
        "they got no access.");
  }
  link.state = PhoneLink::State::kConfirmed;
  item->body = to_body(link, item->key, base64url::decode(Body(item->body).text("taker")).value_or(""));
  store::AuthChange change;
  change.puts.push_back(*item);
  LADDER_TRY(const bool done, items_.apply(change));
  return done ? Status{} : fail(Code::kConflict, "The code was used at the same time. Show a new one.");
}

Status PhoneLinks::cancel(const server::Access& owner) {
  if (!owner.is_owner()) return fail(Code::kPermission, "only the owner signs in a phone");
  LADDER_TRY(const auto items, items_.list(kKind, owner.owner()));
  store::AuthChange change;
  for (const store::AuthItem& item : items) {
    change.removes.emplace_back(kKind, item.key);
    if (const auto taker = base64url::decode(Body(item.body).text("taker")); taker && !taker->empty())
      change.removes.emplace_back(kTakerKind, *taker);
  }
  if (!change.removes.empty()) LADDER_CHECK(items_.apply(change));
  return {};
}

Result<PhoneLink> PhoneLinks::find(std::string_view secret) {
  LADDER_TRY(const auto item, items_.find(kKind, hash_key(secret)));
  if (!item || clock_.now() >= item->expires_at.value_or(0)) return over();
  PhoneLink link = link_of(*item);
  if (link.state != PhoneLink::State::kOpen) return over();
  return link;
}

Result<PhoneLinks::Taken> PhoneLinks::take(std::string_view secret, const Visitor& visitor) {
  LADDER_TRY(auto item, items_.find(kKind, hash_key(secret)));
  if (!item || clock_.now() >= item->expires_at.value_or(0)) return over();
  Taken taken{base64url::encode(crypto::random_bytes(kSecretBytes)), link_of(*item)};
  PhoneLink& link = taken.link;
  if (link.state != PhoneLink::State::kOpen) return over();
  link.state = PhoneLink::State::kTaken;
  link.choices = three_numbers();
  link.number = link.choices[static_cast<std::size_t>(random_number()) % kChoices];
  link.visitor = {visitor.address, shown_agent(visitor.agent)};
  const std::string taker = hash_key(taken.cookie);
  item->body = to_body(link, item->key, taker);
  json::Writer pointer;
  pointer.begin_object().member("link", base64url::encode(item->key)).end_object();
  store::AuthChange change;
  change.puts.push_back(*item);
  change.puts.push_back({std::string(kTakerKind), taker, item->owner, pointer.take(), clock_.now(), item->expires_at, 0});
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return over();
  return taken;
}

Result<store::AuthItem> PhoneLinks::taken_item(std::string_view cookie) {
  const std::string taker = hash_key(cookie);
  LADDER_TRY(const auto pointer, items_.find(kTakerKind, taker));
  if (!pointer) return over();
  LADDER_TRY(const auto item, items_.find(kKind, base64url::decode(Body(pointer->body).text("link")).value_or("")));
  const bool is_its = item && Body(item->body).text("taker") == base64url::encode(taker);
  if (!is_its || clock_.now() >= item->expires_at.value_or(0)) return over();
  return *item;
}

Result<PhoneLink> PhoneLinks::taken(std::string_view cookie) {
  LADDER_TRY(const store::AuthItem item, taken_item(cookie));
  return link_of(item);
}

Result<SignInResult> PhoneLinks::finish(std::string_view cookie, const Visitor& visitor) {
  LADDER_TRY(const store::AuthItem item, taken_item(cookie));
  const PhoneLink link = link_of(item);
  if (link.state != PhoneLink::State::kConfirmed) return over();
  // The owner may have ended the session that began it, because it was not theirs.
  LADDER_TRY(const bool is_open, owners_.has_session(item.owner, link.session));
  if (!is_open) return over();
  store::AuthChange change;
  // The link is replaced before it is removed, so a second transaction sees another version and fails.
  change.puts.push_back(item);
  change.removes = {{std::string(kKind), item.key}, {std::string(kTakerKind), hash_key(cookie)}};
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return over();
  return owners_.sign_in_as(item.owner, link.owner_name, visitor);
}

}  // namespace ladder::auth
