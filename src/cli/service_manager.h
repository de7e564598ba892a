// What a service manager that speaks systemd's protocols says and hears: sockets it hands over (LISTEN_FDS), notes on how the
// service is (NOTIFY_SOCKET), and a watchdog (WATCHDOG_USEC). Without these variables everything here does nothing.
#pragma once

#include "base/result.h"
#include "cli/settings.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

struct HandedSocket {
  int descriptor = -1;
  std::string address;  // it listens on
  std::uint16_t port = 0;
};

class ServiceManager {
 public:
  explicit ServiceManager(const Environment& environment);

  // The first socket, when there is one for this process. kInvalidRequest when there are more, or it is not of TCP.
  Result<std::optional<HandedSocket>> socket() const;

  void ready(std::string_view status) const;
  void reloading() const;  // then ready() again
  void stopping() const;
  void alive() const;  // to be called at least every watchdog_every()
  std::optional<std::chrono::microseconds> watchdog_every() const { return watchdog_every_; }

 private:
  void notify(const std::string& state) const;

  std::string notify_socket_;
  int sockets_ = 0;
  std::optional<std::chrono::microseconds> watchdog_every_;
};

}  // namespace ladder::cli
