// Follows a server that sends a read of a blob on: to a signed URL, as a rule at another host (PDPP "blobs"). Whoever holds such
// a URL may read the blob, so nothing here repeats its path or its query.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "http/client.h"
#include "http/message/origin.h"

#include <expected>
#include <memory>
#include <string>

namespace ladder::remote {

inline constexpr int kMaxHops = 3;  // the signed URL, and storage that moves a bucket to another region or host

struct Hop {
  http::Origin origin;
  std::string target;  // path and query
};

bool sends_on(const http::ClientResponse& response);  // 302, 303, 307 or 308
bool same_origin(const http::Origin& a, const http::Origin& b);
std::string address_of(const http::Origin& origin);  // https://host[:port]

// The Location of `sender`'s answer, or in words why it is not followed: it has to be https, unless the sender itself was asked
// over http and names itself, or both are this machine. Absolute, or a path of the sender.
std::expected<Hop, std::string> next_hop(const http::Origin& sender, const http::ClientResponse& response);

// The nearest address that somebody at such an address may send on to: never nearer to this machine than itself, so that no
// server out there reads what only this machine or its network can reach.
http::AddressScope nearest_for(http::AddressScope sender);

// The servers that a server sends on to. A blob is read in pieces, all from one place: the client of the last one is kept, and
// with it the connection. Thread-safe.
class OtherServers {
 public:
  explicit OtherServers(http::ClientOptions options) : options_(std::move(options)) {}  // its origin is not looked at

  Result<std::shared_ptr<http::Client>> client(const http::Origin& origin, http::AddressScope nearest);

 private:
  const http::ClientOptions options_;
  Mutex mutex_;
  std::string origin_ LADDER_GUARDED_BY(mutex_);
  http::AddressScope nearest_ LADDER_GUARDED_BY(mutex_) = http::AddressScope::kPublic;
  std::shared_ptr<http::Client> last_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
