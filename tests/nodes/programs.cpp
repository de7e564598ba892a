#include "programs.h"

#include "base/text/format.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ladder::nodes {
namespace {

const passwd* service_user() {
  if (::geteuid() != 0) return nullptr;
  const passwd* const user = ::getpwnam("postgres");
  if (user == nullptr) throw std::runtime_error("as root the tests need the user postgres");
  return user;
}

void give_to_services(const std::string& path) {
  const passwd* const user = service_user();
  if (user != nullptr && ::chown(path.c_str(), user->pw_uid, user->pw_gid) != 0) throw std::runtime_error("chown " + path);
}

std::vector<std::string> as_service(const std::string& log, const std::vector<std::string>& words) {
  std::vector<std::string> all = {"/usr/bin/setpriv"};
  if (service_user() != nullptr) all.insert(all.end(), {"--reuid=postgres", "--regid=postgres", "--clear-groups"});
  all.insert(all.end(), {"--pdeathsig", "TERM", "sh", "-c", "exec \"$@\" >>\"$0\" 2>&1", log});
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

}  // namespace

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

ServiceFolder::ServiceFolder() { give_to_services(folder_.path().string()); }

std::string ServiceFolder::put(std::string_view name, std::string_view text) const {
  std::string path = *this / name;
  std::ofstream(path) << text;
  ::chmod(path.c_str(), 0600);
  give_to_services(path);
  return path;
}

std::string shipped(const std::string& name, const Replacements& replacements) {
  std::string text = test_support::file_text(std::filesystem::path(LADDER_SOURCE_DIR) / "deploy" / name);
  for (const auto& [from, to] : replacements) {
    std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error(format("deploy/{} has no \"{}\"", name, from));
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  return text;
}

Service::Service(const ServiceFolder& folder, const std::string& name, const std::vector<std::string>& words,
                 const std::vector<std::string>& environment)
    : log_(folder / (name + ".log")), process_(as_service(log_, words), {.environment = environment}) {}

Service::~Service() {
  if (ended_) return;
  process_.kill(SIGTERM);
  process_.wait();
}

void Service::kill_at_once() {
  process_.kill(SIGKILL);
  process_.wait();
  ended_ = true;
}

std::string Service::log() const { return test_support::file_text(log_); }

std::string missing_programs(const std::vector<std::string>& paths) {
  std::string missing;
  for (const std::string& path : paths) {
    if (::access(path.c_str(), X_OK) != 0) missing += " " + path;
  }
  return missing;
}

}  // namespace ladder::nodes
