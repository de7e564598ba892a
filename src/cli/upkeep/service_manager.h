// The protocols of systemd as a service sees them: a socket that is handed over (LISTEN_FDS), notifications on its state
// (NOTIFY_SOCKET), a watchdog (WATCHDOG_USEC), and SIGHUP as the request to reload. Without the variables nothing is sent.
#pragma once

#include "base/error/error.h"
#include "cli/app/settings.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

// A listening socket that was handed over.
struct InheritedSocket {
  int descriptor = -1;
  std::string address;  // it is bound to
  std::uint16_t port = 0;
};

class ServiceManager {
 public:
  explicit ServiceManager(const Environment& environment);

  // The first socket, when there is one for this process. kInvalidRequest when there are more, or it is not of TCP.
  Result<std::optional<InheritedSocket>> socket() const;

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

// SIGHUP as a request to reload, for `ladder serve`; any other command is ended by it. At most one object at a time.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  bool take() const;  // whether one has arrived since the last call
};

}  // namespace ladder::cli
