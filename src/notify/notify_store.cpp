#include "notify/notify_store.h"

#include "auth/body.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "crypto/hash.h"
#include "crypto/random.h"
#include "json/writer.h"
#include "store/store.h"

#include <algorithm>

namespace ladder::notify {
namespace {

constexpr std::string_view kChannelKind = "notify_channel", kStatusKind = "notify_status", kToldKind = "notify_told",
                           kMessageKind = "notify_message";
constexpr Instant kToldLife = 400 * kDay;  // longer than any event can be found again
constexpr std::size_t kIdBytes = 12, kShownName = 80;
constexpr int kTries = 5;

std::string key_of(const server::Access& owner, std::string_view name) { return format("{}\n{}", owner.owner(), name); }

std::string told_key(const server::Access& owner, std::string_view event_key) {
  return key_of(owner, base64url::encode(crypto::view(crypto::sha256(event_key))));
}

std::string purpose_of(const server::Access& owner, std::string_view name) {
  return format("notify-secret\n{}", key_of(owner, name));
}

Status require_owner(const server::Access& access) {
  if (access.is_owner()) return {};
  return fail(Code::kPermission, "only the owner manages the notifications");
}

std::unexpected<Error> changed_elsewhere(std::string_view name) {
  return fail(Code::kConflict, format("another process changed the channel {} at the same time; try again", name));
}

std::vector<crypto::SealKey> keys_of(const store::Store& store) {
  std::vector<crypto::SealKey> keys;
  for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
  return keys;
}

std::string new_id() { return base64url::encode(crypto::random_bytes(kIdBytes)); }

std::string to_body(const Waiting& waiting) {
  json::Writer out;
  out.begin_object().member("channel", waiting.channel).member("attempts", waiting.attempts).member("due_at", waiting.due_at);
  out.member("taken_at", waiting.taken_at).key("notice").raw(notify::to_body(waiting.notice));
  out.end_object();
  return out.take();
}

Waiting waiting_of(const store::AuthItem& item) {
  const auth::Body body(item.body);
  return {notice_of(body.raw("notice")), body.text("channel"),    body.number("attempts"),
          body.number("due_at"),         body.number("taken_at"), item};
}

}  // namespace

Instant wait_after(std::int64_t attempts) {
  constexpr Instant kFirst = 5 * kSecond, kLongest = 3600 * kSecond;
  Instant wait = kFirst;
  for (std::int64_t i = 1; i < attempts && wait < kLongest; ++i) wait *= 3;
  return std::min(wait, kLongest);
}

NotifyStore::NotifyStore(store::Store& store, const Clock& clock)
    : items_(store.auth()), clock_(clock), sealer_(keys_of(store)) {}

Result<std::vector<store::OwnerNo>> NotifyStore::owners() { return items_.owners_with(kChannelKind); }

Result<std::vector<Channel>> NotifyStore::list(const server::Access& owner) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto items, items_.list(kChannelKind, owner.owner()));
  std::vector<Channel> channels;
  for (const store::AuthItem& item : items) {
    channels.push_back(channel_of(std::string_view(item.key).substr(item.key.find('\n') + 1), item.body));
    channels.back().version = item.version;
  }
  return channels;
}

Result<Channel> NotifyStore::find(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kChannelKind, key_of(owner, name)));
  if (!item)
    return fail(Code::kNotFound,
                format("there is no channel '{}'; `ladder notify list` shows them", visible_label(name.substr(0, kShownName))),
                "name");
  Channel channel = channel_of(name, item->body);
  channel.version = item->version;
  return channel;
}

Status NotifyStore::replace(const server::Access& owner, const Channel& channel) {
  store::AuthChange change;
  change.puts.push_back({std::string(kChannelKind), key_of(owner, channel.name), owner.owner(), to_body(channel), clock_.now(),
                         std::nullopt, channel.version});
  LADDER_TRY(const bool done, items_.apply(change));
  return done ? Status{} : changed_elsewhere(channel.name);
}

Status NotifyStore::add(const server::Access& owner, Channel channel, std::string_view secret) {
  LADDER_CHECK(require_owner(owner));
  LADDER_CHECK(check(channel, secret));
  LADDER_TRY(const auto known, list(owner));
  if (std::ranges::find(known, channel.name, &Channel::name) != known.end())
    return fail(Code::kConflict, format("there is a channel '{0}' already; `ladder notify remove {0}` removes it", channel.name),
                "name");
  if (known.size() >= kMaxChannels)
    return fail(Code::kResourceLimit, format("there are {} channels already, which is the limit", kMaxChannels));
  channel.created_at = clock_.now();
  channel.version = 0;
  if (!secret.empty()) channel.sealed_secret = sealer_.seal_fresh(purpose_of(owner, channel.name), secret);
  return replace(owner, channel);
}

Status NotifyStore::set_events(const server::Access& owner, std::string_view name, const std::set<Event>& events) {
  LADDER_TRY(Channel channel, find(owner, name));
  channel.events = events;
  return replace(owner, channel);
}

Status NotifyStore::remove(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(find(owner, name));
  store::AuthChange change;
  change.removes = {{std::string(kChannelKind), key_of(owner, name)}, {std::string(kStatusKind), key_of(owner, name)}};
  LADDER_TRY(const auto messages, waiting(owner));
  for (const Waiting& one : messages) {
    if (one.channel == name) change.removes.emplace_back(kMessageKind, one.item.key);
  }
  LADDER_CHECK(items_.apply(change));
  return {};
}

Result<std::string> NotifyStore::secret(const server::Access& owner, const Channel& channel) {
  LADDER_CHECK(require_owner(owner));
  if (channel.sealed_secret.empty()) return std::string();
  auto opened = sealer_.open(purpose_of(owner, channel.name), channel.sealed_secret);
  if (opened) return opened;
  return fail(Code::kNotSetUp,
              format("the password of the channel {} cannot be decrypted with the keys of this store; remove the "
                     "channel and add it again",
                     channel.name));
}

Result<ChannelStatus> NotifyStore::status(const server::Access& owner, std::string_view name) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kStatusKind, key_of(owner, name)));
  if (!item) return ChannelStatus{};
  ChannelStatus status = status_of(item->body);
  status.version = item->version;
  return status;
}

Status NotifyStore::note(const server::Access& owner, std::string_view name, const Delivery& delivery, bool given_up) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    LADDER_TRY(ChannelStatus status, this->status(owner, name));
    const Instant now = clock_.now();
    if (delivery.outcome == Outcome::kSent) {
      status.sent_at = now;
      status.failures = 0;
      status.error_code.clear();
      status.error.clear();
    } else {
      status.failed_at = now;
      ++status.failures;
      status.error_code = delivery.error.wire();
      status.error = delivery.error.message;
    }
    status.lost += given_up ? 1 : 0;
    store::AuthChange change;
    change.puts.push_back({std::string(kStatusKind), key_of(owner, name), owner.owner(), notify::to_body(status), now,
                           std::nullopt, status.version});
    LADDER_TRY(const bool done, items_.apply(change));
    if (done) return {};
  }
  return changed_elsewhere(name);
}

Result<bool> NotifyStore::is_known(const server::Access& owner, std::string_view event_key) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kToldKind, told_key(owner, event_key)));
  return item.has_value();
}

Result<bool> NotifyStore::tell(const server::Access& owner, Notice notice, const std::vector<Channel>& channels) {
  LADDER_TRY(const bool known, is_known(owner, notice.key));
  if (known) return false;
  const Instant now = clock_.now();
  LADDER_TRY(const auto stored, waiting(owner));
  std::size_t count = stored.size();
  notice.id = new_id();
  store::AuthChange change;
  change.puts.push_back({std::string(kToldKind), told_key(owner, notice.key), owner.owner(), "{}", now, now + kToldLife, 0});
  std::vector<std::string> lost;
  for (const Channel& channel : channels) {
    if (notice.event && !channel.events.contains(*notice.event)) continue;
    if (++count > kMaxWaiting) {
      lost.push_back(channel.name);
      continue;
    }
    const Waiting message{notice, channel.name, 0, now, 0, {}};
    change.puts.push_back({std::string(kMessageKind), key_of(owner, format("{}\n{}", notice.id, channel.name)), owner.owner(),
                           to_body(message), now, now + kMessageLife, 0});
  }
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return false;
  for (const std::string& name : lost) {
    const Error full{Code::kResourceLimit, format("{} messages wait already, which is the limit", kMaxWaiting)};
    LADDER_CHECK(note(owner, name, {Outcome::kRejected, full}, true));
  }
  return true;
}

Result<std::vector<Waiting>> NotifyStore::waiting(const server::Access& owner) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto items, items_.list(kMessageKind, owner.owner()));
  std::vector<Waiting> all;
  for (const store::AuthItem& item : items) {
    if (clock_.now() < item.expires_at.value_or(0)) all.push_back(waiting_of(item));
  }
  return all;
}

Result<bool> NotifyStore::take(const server::Access& owner, Waiting& waiting) {
  LADDER_CHECK(require_owner(owner));
  waiting.taken_at = clock_.now();
  ++waiting.attempts;
  waiting.item.body = to_body(waiting);
  store::AuthChange change;
  change.puts.push_back(waiting.item);
  LADDER_TRY(const bool done, items_.apply(change));
  if (done) ++waiting.item.version;
  return done;
}

Status NotifyStore::finish(const Waiting& waiting) {
  store::AuthChange change;
  change.removes.emplace_back(kMessageKind, waiting.item.key);
  LADDER_CHECK(items_.apply(change));
  return {};
}

Status NotifyStore::postpone(Waiting& waiting, Instant due_at) {
  waiting.taken_at = 0;
  waiting.due_at = due_at;
  waiting.item.body = to_body(waiting);
  store::AuthChange change;
  change.puts.push_back(waiting.item);
  LADDER_CHECK(items_.apply(change));
  return {};
}

Notice NotifyStore::test_notice() const {
  return {new_id(),
          std::nullopt,
          "",
          "this is a test",
          "This is a test. Notifications from your Ladder arrive here.",
          "/settings/notifications",
          clock_.now()};
}

}  // namespace ladder::notify
