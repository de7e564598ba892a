#include "app/notify/notify_service.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

namespace ladder::app {
namespace {

constexpr auto kEvery = std::chrono::seconds(2);
constexpr auto kLookEvery = std::chrono::seconds(10);
constexpr Instant kAbandonedAfter = 600 * kSecond;  // longer than an attempt takes; its process was killed

void sleep(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

NotifyService::NotifyService(auth::AuthorizationServer& authorization, notify::NotifyStore& store, std::vector<Watch> watches,
                             std::string base)
    : authorization_(authorization),
      store_(store),
      watches_(std::move(watches)),
      base_(std::move(base)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

NotifyService::~NotifyService() {
  thread_.request_stop();
  thread_.join();
}

// A failure of the store is not reported here: the server reports it, and the next round tries again.
void NotifyService::work(const std::stop_token& stop) {
  for (; !stop.stop_requested(); sleep(kEvery, stop)) {
    if (!update_owners()) continue;
    std::int64_t waiting = 0, failing = 0;
    for (auto& [no, told] : told_) {
      tell(told, stop);
      waiting += told.waiting;
      failing += told.failing;
    }
    waiting_ = waiting;
    failing_ = failing;
  }
}

// Leaves out suspended owners.
Status NotifyService::update_owners() {
  LADDER_TRY(const auto owners, store_.owners());
  std::erase_if(told_, [&](const auto& told) { return std::ranges::find(owners, told.first) == owners.end(); });
  for (const store::OwnerNo no : owners) {
    auto owner = authorization_.server().accesses().local_owner(no);
    if (!owner) told_.erase(no);
    else told_.try_emplace(no, Told{*std::move(owner), notify::AccessWatch(authorization_)});
  }
  return {};
}

void NotifyService::tell(Told& told, const std::stop_token& stop) {
  const auto channels = store_.list(told.owner);
  if (!channels || channels->empty()) return;
  if (std::chrono::steady_clock::now() - told.looked_at >= kLookEvery) {
    told.looked_at = std::chrono::steady_clock::now();
    (void)look(told, *channels);
  }
  (void)send_due(told, *channels, stop);
}

Status NotifyService::look(Told& told, const std::vector<notify::Channel>& channels) {
  const Instant since = std::ranges::min(channels, {}, &notify::Channel::created_at).created_at;
  LADDER_TRY(std::vector<notify::Notice> notices, told.access_watch.look(told.owner, since));
  for (const Watch& watch : watches_) {
    LADDER_TRY(auto more, watch(told.owner));
    std::ranges::move(more, std::back_inserter(notices));
  }
  for (notify::Notice& notice : notices) {
    const bool is_wanted =
        std::ranges::any_of(channels, [&](const notify::Channel& one) { return one.events.contains(*notice.event); });
    if (is_wanted) LADDER_CHECK(store_.tell(told.owner, std::move(notice), channels));
  }
  std::int64_t failing = 0;
  for (const notify::Channel& channel : channels) {
    LADDER_TRY(const auto status, store_.status(told.owner, channel.name));
    failing += status.failures > 0 ? 1 : 0;
  }
  told.failing = failing;
  return {};
}

Status NotifyService::send_due(Told& told, const std::vector<notify::Channel>& channels, const std::stop_token& stop) {
  LADDER_TRY(auto messages, store_.waiting(told.owner));
  told.waiting = std::ssize(messages);
  std::set<std::string> failed;  // a channel that does not work now must not delay the others
  for (notify::Waiting& waiting : messages) {
    if (stop.stop_requested()) return {};
    const Instant now = store_.now();
    const auto channel = std::ranges::find(channels, waiting.channel, &notify::Channel::name);
    if (channel == channels.end() || (waiting.taken_at > 0 && now - waiting.taken_at >= kAbandonedAfter)) {
      LADDER_CHECK(store_.finish(waiting));
      continue;
    }
    if (waiting.taken_at > 0 || waiting.due_at > now || failed.contains(channel->name)) continue;
    LADDER_CHECK(send(told.owner, waiting, *channel, stop));
    if (waiting.due_at > now) failed.insert(channel->name);
  }
  return {};
}

// A message whose arrival is unknown is not sent again: the owner gets each message at most once.
Status NotifyService::send(const server::Access& owner, notify::Waiting& waiting, const notify::Channel& channel,
                           const std::stop_token& stop) {
  LADDER_TRY(const bool is_mine, store_.take(owner, waiting));
  if (!is_mine) return {};
  notify::Delivery delivery;
  if (const auto secret = store_.secret(owner, channel); !secret) delivery = {notify::Outcome::kRejected, secret.error()};
  else delivery = notify::deliver(channel, *secret, waiting.notice, base_, store_.now(), stop);
  if (delivery.outcome == notify::Outcome::kSent) {
    ++sent_;
    LADDER_CHECK(store_.finish(waiting));
    return store_.note(owner, channel.name, delivery, false);
  }
  if (delivery.outcome == notify::Outcome::kLater) {
    const bool is_stopping = stop.stop_requested();
    if (!is_stopping) ++failed_;
    LADDER_CHECK(store_.postpone(waiting, store_.now() + (is_stopping ? 0 : notify::wait_after(waiting.attempts))));
    return is_stopping ? Status{} : store_.note(owner, channel.name, delivery, false);
  }
  ++failed_;
  ++given_up_;
  LADDER_CHECK(store_.finish(waiting));
  return store_.note(owner, channel.name, delivery, true);
}

NotifyFigures NotifyService::figures() const { return {sent_, failed_, given_up_, waiting_, failing_}; }

}  // namespace ladder::app
