#include "rest/addresses.h"

#include "base/text/format.h"

namespace ladder::rest {

void Addresses::change(LiveOptions options) {
  while (options.public_url.ends_with('/')) options.public_url.pop_back();  // issuers and resources are compared as text
  auto changed = std::make_shared<const LiveOptions>(std::move(options));
  const MutexLock lock(mutex_);
  options_.swap(changed);
}

std::shared_ptr<const LiveOptions> Addresses::options() const {
  const MutexLock lock(mutex_);
  return options_;
}

std::string Addresses::public_url(const http::Request& request) const {
  if (const auto live = options(); !live->public_url.empty()) return live->public_url;
  return format("{}://{}", request.over_tls ? "https" : "http", request.headers.get("Host").value_or("localhost"));
}

std::optional<auth::ServerUrl> Addresses::server_url(const http::Request& request) const {
  if (!authorizes_) return std::nullopt;
  if (options()->public_url.empty()) {
    const auto host = http::parse_host(request.headers.get("Host").value_or(""));
    if (!host || !http::is_loopback(host->host)) return std::nullopt;
  }
  return auth::ServerUrl{public_url(request)};
}

}  // namespace ladder::rest
