// The systemd service protocols: an inherited socket (LISTEN_FDS), state notifications (NOTIFY_SOCKET), a watchdog
// (WATCHDOG_USEC), and SIGHUP as a reload request. Without these variables nothing is sent.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/settings.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

// An inherited listening socket.
struct InheritedSocket {
  int descriptor = -1;
  std::string address;  // the address it is bound to
  std::uint16_t port = 0;
};

class ServiceManager {
 public:
  explicit ServiceManager(const Environment& environment);

  // Returns the first socket passed to this process, if any. Returns kInvalidRequest if there are several or it is not TCP.
  Result<std::optional<InheritedSocket>> socket() const;

  void ready(std::string_view status) const;
  void reloading() const;  // call ready() afterwards
  void stopping() const;
  void alive() const;  // call at least every watchdog_every()
  std::optional<std::chrono::microseconds> watchdog_every() const { return watchdog_every_; }

 private:
  void notify(const std::string& state) const;

  std::string notify_socket_;
  int sockets_ = 0;
  std::optional<std::chrono::microseconds> watchdog_every_;
};

// SIGHUP as a reload request, for `ladder serve`; it ends other commands. At most one instance may exist at a time.
class ReloadSignal {
 public:
  ReloadSignal();
  ~ReloadSignal();
  ReloadSignal(const ReloadSignal&) = delete;
  ReloadSignal& operator=(const ReloadSignal&) = delete;

  bool take() const;  // true if a signal arrived since the last call
};

}  // namespace ladder::cli
