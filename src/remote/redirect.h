// Follows the redirect of a blob read, usually to a signed URL at another host (PDPP "blobs"). A signed URL grants access to
// the blob, so its path and query never appear in a message.
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

bool is_redirect(const http::ClientResponse& response);  // 302, 303, 307 or 308
bool same_origin(const http::Origin& a, const http::Origin& b);
std::string address_of(const http::Origin& origin);  // https://host[:port]

// Returns the Location of `sender`'s response, or the reason why it is not followed. It must be https, unless the sender was
// contacted over http and names itself, or both are this machine. It may be absolute or a path of the sender.
std::expected<Hop, std::string> next_hop(const http::Origin& sender, const http::ClientResponse& response);

// Returns the closest address that a sender at `sender` may redirect to. It is never closer to this machine than the sender, so
// that no Internet server can read what only this machine or its network can reach.
http::AddressScope closest_allowed_scope(http::AddressScope sender);

// Clients for redirect targets. A blob is read in pieces from one place, so the last client is kept with its connection.
// Thread-safe.
class OtherServers {
 public:
  explicit OtherServers(http::ClientOptions options) : options_(std::move(options)) {}  // its origin is ignored

  Result<std::shared_ptr<http::Client>> client(const http::Origin& origin, http::AddressScope nearest);

 private:
  const http::ClientOptions options_;
  Mutex mutex_;
  std::string origin_ LADDER_GUARDED_BY(mutex_);
  http::AddressScope nearest_ LADDER_GUARDED_BY(mutex_) = http::AddressScope::kPublic;
  std::shared_ptr<http::Client> last_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
