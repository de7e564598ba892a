#include "mail_server.h"

#include "base/text/format.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace ladder::sync_tests {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// Returns a listening socket on a free port.
int listen_anywhere(std::uint16_t& port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no free port");
  port = ntohs(address.sin_port);
  return listener;
}

int connect_to(std::uint16_t port) {
  const int connected = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (connect(connected, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return connected;
  close(connected);
  throw std::runtime_error("cannot connect to the mail server");
}

}  // namespace

std::uint16_t free_port() {
  std::uint16_t port = 0;
  close(listen_anywhere(port));
  return port;
}

// The server ends when this closes, also if the test is killed.
class InputPipe {
 public:
  InputPipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  ~InputPipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int read_end() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
};

ServerProcess::ServerProcess(std::vector<std::string> words) : input_(std::make_unique<InputPipe>()) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input_->read_end(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  if (posix_spawn(&process_, words[0].c_str(), &files, nullptr, pointers.data(), environ) != 0)
    throw std::runtime_error(words[0] + " cannot be started");
  posix_spawn_file_actions_destroy(&files);
}

ServerProcess::~ServerProcess() {
  kill(process_, SIGTERM);
  input_.reset();
  waitpid(process_, nullptr, 0);
}

MailServer::MailServer(const std::string& capabilities) : port_(free_port()), tls_port_(free_port()) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_exec, std::filesystem::perm_options::add);
  process_ = std::make_unique<ServerProcess>(
      std::vector<std::string>{LADDER_SOURCE_DIR "/tests/support/dovecot", (folder_.path() / "dovecot").string(),
                               std::to_string(port_), std::to_string(tls_port_), kPassword, capabilities});
  for (int tries = 0; tries < 200; ++tries) {
    try {
      const MailSession session(*this, "starting");
      return;
    } catch (const std::runtime_error&) {
      usleep(50'000);
    }
  }
  throw std::runtime_error("dovecot does not answer; is the package dovecot-imapd installed?");
}

MailServer::~MailServer() = default;

MailSession::MailSession(const MailServer& server, std::string_view user) : socket_(connect_to(server.port())) {
  line();
  command(format("LOGIN {} {}", user, kPassword));
}

MailSession::~MailSession() { close(socket_); }

void MailSession::send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) throw std::runtime_error("the mail server closed the session");
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string MailSession::line() {
  for (;;) {
    const std::size_t end = received_.find("\r\n");
    if (end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 2);
      return line;
    }
    std::array<char, 4096> piece{};
    const ssize_t count = recv(socket_, piece.data(), piece.size(), 0);
    if (count <= 0) throw std::runtime_error("the mail server closed the session");
    received_.append(piece.data(), static_cast<std::size_t>(count));
  }
}

std::vector<std::string> MailSession::command(std::string_view text) {
  const std::string tag = format("t{} ", ++tag_);
  send(tag + std::string(text) + "\r\n");
  std::vector<std::string> lines;
  for (;;) {
    lines.push_back(line());
    if (!lines.back().starts_with(tag)) continue;
    if (!lines.back().starts_with(tag + "OK")) throw std::runtime_error(format("{}: {}", text, lines.back()));
    return lines;
  }
}

void MailSession::append(std::string_view mailbox, std::string_view message) {
  command(format("APPEND {} {{{}+}}\r\n{}", mailbox, message.size(), message));
}

std::string numbered_message(int number) {
  return format(
      "From: Ann <ann@example.org>\r\nTo: Ben <ben@example.org>\r\nSubject: Number {0}\r\nMessage-ID: <n{0}@example.org>\r\n"
      "Date: Mon, 05 Jan 2026 10:{1:02}:{2:02} +0000\r\n\r\nThe text has word{0} in it.\r\n",
      number, number / 60 % 60, number % 60);
}

void MailSession::append_numbered(std::string_view mailbox, int first, int last) {
  for (int number = first; number <= last; ++number) append(mailbox, numbered_message(number));
}

CutProxy::CutProxy(std::uint16_t to, std::size_t bytes, int cuts)
    : to_(to), bytes_(bytes), cuts_(cuts), listener_(listen_anywhere(port_)), thread_([this] { serve(); }) {}

CutProxy::~CutProxy() {
  over_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void CutProxy::serve() {
  while (!over_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    pass(client);
    close(client);
  }
}

void CutProxy::pass(int client) {
  int server = -1;
  try {
    server = connect_to(to_);
  } catch (const std::runtime_error&) {
    return;  // the server is not running, and the client sees a closed connection
  }
  std::size_t left = cut_ < cuts_ ? bytes_ : SIZE_MAX;
  std::array<char, 4096> piece{};
  while (!over_ && left > 0) {
    std::array<pollfd, 2> both = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(both.data(), both.size(), 100) <= 0) continue;
    const bool is_answer = both[1].revents != 0;
    const ssize_t count =
        recv(is_answer ? server : client, piece.data(), std::min(piece.size(), is_answer ? left : piece.size()), 0);
    if (count <= 0) break;
    if (is_answer) left -= static_cast<std::size_t>(count);
    if (send(is_answer ? client : server, piece.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) != count) break;
  }
  if (left == 0) ++cut_;
  close(server);
}

}  // namespace ladder::sync_tests
