#include "cli/upkeep/service_manager.h"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <map>

namespace ladder::cli {
namespace {

Environment environment_of(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

// The manager's end of NOTIFY_SOCKET.
class NotifySocket {
 public:
  explicit NotifySocket(std::string name) : name_(std::move(name)), socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name_.data(), name_.size());
    if (name_.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    bound_ = ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) == 0;
  }
  ~NotifySocket() {
    ::close(socket_);
    if (name_.front() != '@') ::unlink(name_.c_str());
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  bool bound() const { return bound_; }
  std::string next() const {
    std::array<char, 512> buffer{};
    const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

 private:
  std::string name_;
  int socket_;
  bool bound_ = false;
};

TEST(ServiceManager, NotifiesByPathAndByAbstractName) {
  const std::string path = std::filesystem::temp_directory_path() / ("ladder-notify-" + std::to_string(::getpid()));
  for (const std::string& name : {path, "@ladder-notify-" + std::to_string(::getpid())}) {
    const NotifySocket manager(name);
    ASSERT_TRUE(manager.bound()) << name;
    const ServiceManager service(environment_of({{"NOTIFY_SOCKET", name}}));
    service.ready("serving");
    EXPECT_EQ(manager.next(), "READY=1\nSTATUS=serving\n");
    service.alive();
    EXPECT_EQ(manager.next(), "WATCHDOG=1\n");
    service.reloading();
    EXPECT_TRUE(manager.next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    service.stopping();
    EXPECT_EQ(manager.next(), "STOPPING=1\n");
  }
}

TEST(ServiceManager, DoesNothingWithoutAManager) {
  const ServiceManager service(environment_of({}));
  service.ready("serving");
  EXPECT_EQ(service.watchdog_every(), std::nullopt);
  const auto socket = service.socket();
  ASSERT_TRUE(socket);
  EXPECT_FALSE(*socket);
}

TEST(ServiceManager, IgnoresVariablesOfAnotherProcess) {
  const ServiceManager other(
      environment_of({{"LISTEN_PID", "1"}, {"LISTEN_FDS", "1"}, {"WATCHDOG_PID", "1"}, {"WATCHDOG_USEC", "9"}}));
  ASSERT_TRUE(other.socket());
  EXPECT_FALSE(*other.socket());
  EXPECT_EQ(other.watchdog_every(), std::nullopt);
  const std::string own = std::to_string(::getpid());
  const ServiceManager ours(environment_of({{"WATCHDOG_PID", own}, {"WATCHDOG_USEC", "60000000"}}));
  EXPECT_EQ(ours.watchdog_every(), std::chrono::seconds(30));
  const ServiceManager two(environment_of({{"LISTEN_PID", own}, {"LISTEN_FDS", "2"}}));
  EXPECT_FALSE(two.socket());
}

}  // namespace
}  // namespace ladder::cli
