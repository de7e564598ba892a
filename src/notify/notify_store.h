// The channels of an owner in the store, the messages that wait for delivery, and the events that were told already. Items change
// by compare-and-swap, so two processes never send a message twice. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "crypto/seal.h"
#include "notify/channel.h"
#include "server/access/access.h"
#include "store/auth_store.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::notify {

// A message that waits for its delivery through one channel.
struct Waiting {
  Notice notice;
  std::string channel;
  std::int64_t attempts = 0;
  Instant due_at = 0, taken_at = 0;  // taken_at: a process is sending it; 0: none
  store::AuthItem item = {};         // as stored
};

class NotifyStore {
 public:
  static constexpr std::size_t kMaxChannels = 16;
  static constexpr std::size_t kMaxWaiting = 200;  // messages of all channels; more are not stored, but counted

  NotifyStore(store::Store& store, const Clock& clock);

  // Every operation with an Access returns kPermission for a client's.
  Result<std::vector<store::OwnerNo>> owners();  // that have channels
  Result<std::vector<Channel>> list(const server::Access& owner);
  Result<Channel> find(const server::Access& owner, std::string_view name);  // kNotFound
  // Checks the channel and seals the secret. kConflict if there is a channel of this name.
  Status add(const server::Access& owner, Channel channel, std::string_view secret);
  Status set_events(const server::Access& owner, std::string_view name, const std::set<Event>& events);
  Status remove(const server::Access& owner, std::string_view name);                // kNotFound
  Result<std::string> secret(const server::Access& owner, const Channel& channel);  // kNotSetUp if the key has changed
  Result<ChannelStatus> status(const server::Access& owner, std::string_view name);
  // Notes the outcome of an attempt. `given_up`: there is no further one.
  Status note(const server::Access& owner, std::string_view name, const Delivery& delivery, bool given_up);

  Result<bool> is_known(const server::Access& owner, std::string_view event_key);
  // Stores the message for every channel that wants its event, and that the event was told. Returns false, and stores nothing,
  // if it was told already.
  Result<bool> tell(const server::Access& owner, Notice notice, const std::vector<Channel>& channels);

  Result<std::vector<Waiting>> waiting(const server::Access& owner);  // oldest first
  // Reserves the message for the caller; false if another process has it.
  Result<bool> take(const server::Access& owner, Waiting& waiting);
  Status finish(const Waiting& waiting);              // it was sent or given up
  Status postpone(Waiting& waiting, Instant due_at);  // another attempt later

  Instant now() const { return clock_.now(); }
  Notice test_notice() const;

 private:
  Status replace(const server::Access& owner, const Channel& channel);

  store::AuthStore& items_;
  const Clock& clock_;
  const crypto::Sealer sealer_;
};

// Returns the time to the next attempt: 5 seconds, three times as long each time, up to an hour.
Instant wait_after(std::int64_t attempts);
inline constexpr Instant kMessageLife = kDay;  // a message that could not be sent until then is given up

}  // namespace ladder::notify
