#include "remote/remote_port.h"

namespace ladder::remote {

Result<std::unique_ptr<RemotePort>> RemotePort::create(const RemoteOptions& options) {
  http::ClientOptions client_options;
  client_options.timeout = options.timeout;
  client_options.max_body_bytes = options.max_body_bytes;
  client_options.ca_file = options.ca_file;
  LADDER_TRY(Exchange exchange, Exchange::create(options.endpoint, std::move(client_options), options.credentials));
  auto key = options.cursor_key ? options.cursor_key : std::make_shared<PassingKey>();
  return std::unique_ptr<RemotePort>(new RemotePort(std::move(exchange), std::move(key)));
}

RemotePort::RemotePort(Exchange exchange, std::shared_ptr<CursorKey> key)
    : exchange_(std::move(exchange)),
      key_(std::move(key)),
      cursors_(*key_, exchange_.endpoint().url, exchange_.credentials().grant_id()) {}

}  // namespace ladder::remote
