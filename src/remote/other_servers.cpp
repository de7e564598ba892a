#include "remote/other_servers.h"

#include "remote/redirect.h"

namespace ladder::remote {

Result<std::shared_ptr<http::Client>> OtherServers::client(const http::Origin& origin, http::Reach nearest) {
  const std::string address = address_of(origin);
  {
    const MutexLock lock(mutex_);
    if (last_ && origin_ == address && nearest_ == nearest) return last_;
  }
  http::ClientOptions options = options_;
  options.origin = address;
  options.nearest = nearest;
  LADDER_TRY(std::shared_ptr<http::Client> made, http::Client::create(options));
  const MutexLock lock(mutex_);
  origin_ = address;
  nearest_ = nearest;
  last_ = made;
  return made;
}

}  // namespace ladder::remote
