// The options that may change at run time, and the addresses of this server that follow from them. Thread-safe.
#pragma once

#include "auth/authorization.h"
#include "base/mutex.h"
#include "http/message/message.h"
#include "http/message/network.h"
#include "http/middleware/access_log.h"
#include "http/middleware/host_check.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::rest {

struct LiveOptions {
  http::HostRule hosts = {};
  std::vector<std::string> allowed_origins = {};
  std::vector<http::Network> trusted_proxies = {};
  std::string public_url = {};  // e.g. https://data.example; empty: from the Host header of a trusted request
  http::LogFormat log_format = http::LogFormat::kJson;
};

class Addresses {
 public:
  Addresses(LiveOptions options, bool authorizes) : authorizes_(authorizes) { change(std::move(options)); }

  void change(LiveOptions options);  // takes effect with the next request
  std::shared_ptr<const LiveOptions> options() const;

  std::string public_url(const http::Request& request) const;
  // Returns the address that clients use for this server; nothing if it is uncertain, or the server does not authorize clients.
  std::optional<auth::ServerUrl> server_url(const http::Request& request) const;

 private:
  const bool authorizes_;  // this server is also the authorization server
  mutable Mutex mutex_;
  std::shared_ptr<const LiveOptions> options_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rest
