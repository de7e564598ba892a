// The servers that a server sends on to. A blob is read in pieces, all from one place: the client of the last one is kept, and
// with it the connection. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "http/client.h"
#include "http/origin.h"

#include <memory>

namespace ladder::remote {

class OtherServers {
 public:
  explicit OtherServers(http::ClientOptions options) : options_(std::move(options)) {}  // its origin is not looked at

  Result<std::shared_ptr<http::Client>> client(const http::Origin& origin, http::Reach nearest);

 private:
  const http::ClientOptions options_;
  Mutex mutex_;
  std::string origin_ LADDER_GUARDED_BY(mutex_);
  http::Reach nearest_ LADDER_GUARDED_BY(mutex_) = http::Reach::kPublic;
  std::shared_ptr<http::Client> last_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::remote
