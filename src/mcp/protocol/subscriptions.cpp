#include "mcp/protocol/subscriptions.h"

#include "base/text/format.h"
#include "json/writer.h"
#include "model/handle.h"
#include "model/quote.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace ladder::mcp {

Result<api::WatchTarget> watch_target(std::string_view uri) {
  if (uri.starts_with(model::kStreamUriPrefix)) {
    LADDER_TRY(std::string name, model::percent_decode(uri.substr(model::kStreamUriPrefix.size())));
    if (!model::is_safe_name(name)) {
      return fail(Code::kInvalidHandle, format("{} is no stream's name", model::in_quotes(name)), "uri");
    }
    return api::WatchTarget{std::move(name)};
  }
  if (uri.starts_with(model::kRecordUriPrefix)) {
    LADDER_TRY(model::RecordRef record, model::decode_record_handle(uri.substr(model::kRecordUriPrefix.size())));
    return api::WatchTarget{std::move(record.stream), std::move(record.connection_id), std::move(record.record_id)};
  }
  return fail(Code::kNotFound,
              format("{} cannot be watched; pdpp://stream/{{name}} and pdpp://record/{{handle}} can", model::in_quotes(uri)),
              "uri");
}

Status Subscription::add(const std::string& uri) {
  LADDER_TRY(const api::WatchTarget target, watch_target(uri));
  const MutexLock lock(mutex_);
  if (is_over()) return fail(Code::kGrantRevoked, "the token's grants are no longer valid; ask the owner for a new one");
  if (!uris_.contains(uri) && uris_.size() >= kMaxWatchedResources) {
    return fail(Code::kResourceLimit, format("at most {} resources are watched at a time", kMaxWatchedResources), "uri");
  }
  LADDER_CHECK(watch_->add(uri, target));
  uris_.insert(uri);
  return {};
}

void Subscription::remove(const std::string& uri) {
  const MutexLock lock(mutex_);
  watch_->remove(uri);
  uris_.erase(uri);
}

void Subscription::speak(Say say) {
  const MutexLock lock(mutex_);
  say_ = std::move(say);
  if (end_waits_) finish();
}

void Subscription::look() {
  const MutexLock lock(mutex_);
  // A legacy client without subscriptions gets no messages, so this skips the check.
  if (is_over() || !say_ || (uris_.empty() && shape_.id.empty())) return;
  const auto report = watch_->look();
  if (!report) return;  // the store is busy or unavailable; the next check reports the change
  if (report->scope_changed && shape_.list_changes) say(notification("notifications/resources/list_changed", {}));
  for (const std::string& uri : report->changed) say(notification("notifications/resources/updated", uri));
  if (report->ended) finish();
}

void Subscription::end() {
  const MutexLock lock(mutex_);
  if (!is_over()) finish();
}

void Subscription::say(std::string message) {
  if (!is_over() && say_ && !say_(std::move(message))) close();
}

void Subscription::finish() {
  end_waits_ = !say_;
  if (end_waits_) return;
  if (!shape_.final_message.empty()) say(shape_.final_message);
  close();
}

std::string Subscription::notification(std::string_view method, std::string_view uri) const {
  json::Writer out;
  out.begin_object().member("jsonrpc", "2.0").member("method", method);
  if (!uri.empty() || !shape_.id.empty()) {
    out.key("params").begin_object().optional_member("uri", uri);
    if (!shape_.id.empty()) out.key("_meta").begin_object().key(kSubscriptionIdKey).raw(shape_.id).end_object();
    out.end_object();
  }
  out.end_object();
  return out.take();
}

Subscriptions::~Subscriptions() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
    wake_.notify_all();
  }
  if (thread.joinable()) thread.join();
}

Status Subscriptions::open(const std::string& client, std::shared_ptr<Subscription> subscription) {
  std::vector<Entry> ended;  // destroyed without the lock
  const MutexLock lock(mutex_);
  ended = drop_ended();
  if (std::ranges::find(entries_, subscription, &Entry::subscription) != entries_.end()) return {};
  const auto own = std::ranges::count(entries_, client, &Entry::client);
  if (entries_.size() >= kMaxSubscriptions || std::cmp_greater_equal(own, kMaxSubscriptionsOfClient)) {
    return fail(Code::kRateLimited, format("at most {} subscriptions of a client are open at a time; end one of them first",
                                           kMaxSubscriptionsOfClient));
  }
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      return fail(Code::kRateLimited, "no thread is available; try again later");
    }
  }
  entries_.push_back({client, std::move(subscription)});
  wake_.notify_all();
  return {};
}

void Subscriptions::end_all() {
  std::vector<Entry> all;
  {
    const MutexLock lock(mutex_);
    all.swap(entries_);
  }
  for (const Entry& entry : all) entry.subscription->end();
}

std::vector<Subscriptions::Entry> Subscriptions::drop_ended() {
  const auto ended = std::ranges::stable_partition(entries_, [](const Entry& entry) { return !entry.subscription->is_over(); });
  std::vector<Entry> dropped(std::make_move_iterator(ended.begin()), std::make_move_iterator(ended.end()));
  entries_.erase(ended.begin(), ended.end());
  return dropped;
}

void Subscriptions::run() {
  for (;;) {
    std::vector<Entry> due;
    {
      MutexLock lock(mutex_);
      wake_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return stopping_ || !entries_.empty(); });
      wake_.wait_for(lock, interval_, [&]() LADDER_REQUIRES(mutex_) { return stopping_; });
      if (stopping_) return;
      due = entries_;
    }
    for (const Entry& entry : due) {
      try {
        entry.subscription->look();
      } catch (const std::exception&) {  // a bug or out of memory: the other subscriptions are still checked
        entry.subscription->close();
      }
    }
    due.clear();
    std::vector<Entry> ended;  // destroyed without the lock
    const MutexLock lock(mutex_);
    ended = drop_ended();
  }
}

}  // namespace ladder::mcp
