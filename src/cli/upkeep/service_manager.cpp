// Implements the protocols directly (sd_notify(3), sd_listen_fds(3), sd_watchdog_enabled(3)); they are small, so no library is
// needed.
#include "cli/upkeep/service_manager.h"

#include "base/text/format.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace ladder::cli {
namespace {

constexpr int kFirstSocket = 3;  // SD_LISTEN_FDS_START

std::int64_t number_in(const std::optional<std::string>& text) {
  std::int64_t number = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

std::atomic<bool> reload_requested = false;

extern "C" void on_reload(int) { reload_requested.store(true, std::memory_order_relaxed); }

}  // namespace

ServiceManager::ServiceManager(const Environment& environment) : notify_socket_(environment("NOTIFY_SOCKET").value_or("")) {
  const auto own = static_cast<std::int64_t>(::getpid());
  if (number_in(environment("LISTEN_PID")) == own) sockets_ = static_cast<int>(number_in(environment("LISTEN_FDS")));
  const auto watched = environment("WATCHDOG_PID");
  const std::int64_t within = number_in(environment("WATCHDOG_USEC"));
  // Half of the interval, as sd_watchdog_enabled(3) recommends.
  if (within > 0 && (!watched || number_in(watched) == own)) watchdog_every_ = std::chrono::microseconds(within / 2);
}

Result<std::optional<InheritedSocket>> ServiceManager::socket() const {
  if (sockets_ == 0) return std::nullopt;
  if (sockets_ > 1) return fail(Code::kInvalidRequest, format("{} sockets were passed, but serve accepts one", sockets_));
  ::fcntl(kFirstSocket, F_SETFD, FD_CLOEXEC);
  InheritedSocket inherited{kFirstSocket, {}, 0};
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* address = nullptr;
  if (::getsockname(kFirstSocket, reinterpret_cast<sockaddr*>(&name), &size) == 0) {
    if (name.ss_family == AF_INET) {
      const auto& four = reinterpret_cast<const sockaddr_in&>(name);
      address = &four.sin_addr;
      inherited.port = ntohs(four.sin_port);
    } else if (name.ss_family == AF_INET6) {
      const auto& six = reinterpret_cast<const sockaddr_in6&>(name);
      address = &six.sin6_addr;
      inherited.port = ntohs(six.sin6_port);
    }
  }
  if (address == nullptr || ::inet_ntop(name.ss_family, address, text.data(), text.size()) == nullptr)
    return fail(Code::kInvalidRequest, "the inherited socket is not a TCP socket: check ListenStream= in its unit");
  inherited.address = text.data();
  return inherited;
}

void ServiceManager::notify(const std::string& state) const {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (notify_socket_.empty() || notify_socket_.size() >= sizeof name.sun_path) return;
  std::memcpy(name.sun_path, notify_socket_.data(), notify_socket_.size());
  if (name.sun_path[0] == '@') name.sun_path[0] = '\0';  // the abstract namespace
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + notify_socket_.size());
  // A manager that does not read must not block the service.
  static_cast<void>(
      ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&name), size));
  ::close(socket);
}

void ServiceManager::ready(std::string_view status) const { notify(format("READY=1\nSTATUS={}\n", status)); }

void ServiceManager::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  notify(format("RELOADING=1\nMONOTONIC_USEC={}\n", std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::stopping() const { notify("STOPPING=1\n"); }
void ServiceManager::alive() const { notify("WATCHDOG=1\n"); }

ReloadSignal::ReloadSignal() {
  reload_requested = false;
  struct sigaction action{};
  action.sa_handler = on_reload;  // without SA_RESTART, so that a blocked poll() returns at once
  ::sigaction(SIGHUP, &action, nullptr);
}

ReloadSignal::~ReloadSignal() { std::signal(SIGHUP, SIG_DFL); }

bool ReloadSignal::take() const { return reload_requested.exchange(false, std::memory_order_relaxed); }

}  // namespace ladder::cli
