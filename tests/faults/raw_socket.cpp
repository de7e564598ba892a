#include "raw_socket.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <utility>

namespace ladder::faults {
namespace {

constexpr int kWriteTimeoutMs = 60'000;

}  // namespace

RawSocket::RawSocket(std::uint16_t port, int receive_buffer) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer > 0) ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
  refusal_ = errno;
  close();
}

RawSocket::RawSocket(RawSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), refusal_(std::exchange(other.refusal_, 0)) {}

RawSocket& RawSocket::operator=(RawSocket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(refusal_, other.refusal_);
  return *this;
}

std::uint16_t RawSocket::own_port() const {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.sin_port);
}

void RawSocket::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void RawSocket::end_output() { ::shutdown(descriptor_, SHUT_WR); }

void RawSocket::widen(int receive_buffer) {
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
}

std::size_t RawSocket::write_some(std::string_view bytes) {
  const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

bool RawSocket::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd entry{descriptor_, POLLOUT, 0};
    if (::poll(&entry, 1, kWriteTimeoutMs) <= 0) return false;
    const std::size_t sent = write_some(bytes);
    if (sent == 0) return false;
    bytes.remove_prefix(sent);
  }
  return true;
}

RawSocket::State RawSocket::read_some(std::string& into, std::chrono::milliseconds wait_limit) {
  pollfd entry{descriptor_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(wait_limit.count())) <= 0) return State::kNothing;
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got == 0) return State::kEnd;
  if (got < 0) return errno == EAGAIN || errno == EINTR ? State::kNothing : State::kReset;
  into.append(buffer.data(), static_cast<std::size_t>(got));
  return State::kBytes;
}

bool RawSocket::read_until(std::string& into, std::size_t bytes, std::chrono::milliseconds wait_limit) {
  while (into.size() < bytes) {
    if (read_some(into, wait_limit) != State::kBytes) return false;
  }
  return true;
}

std::set<std::uint16_t> clients_held_by(std::uint16_t server_port) {
  std::set<std::uint16_t> clients;
  std::ifstream connections("/proc/net/tcp");
  std::string line;
  std::getline(connections, line);  // skips the column names
  while (std::getline(connections, line)) {
    unsigned local = 0, remote = 0, state = 0;
    if (std::sscanf(line.c_str(), "%*u: %*x:%x %*x:%x %x", &local, &remote, &state) != 3 || local != server_port) continue;
    if (state == TCP_ESTABLISHED || state == TCP_CLOSE_WAIT) clients.insert(static_cast<std::uint16_t>(remote));
  }
  return clients;
}

std::size_t announced_length(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t at = head.find(kName);
  if (at == head.npos) return 0;
  std::size_t length = 0;
  std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  return length;
}

std::optional<RawAnswer> take_answer(std::string_view& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos || !bytes.starts_with("HTTP/1.1 ")) return std::nullopt;
  RawAnswer answer;
  answer.head = bytes.substr(0, end + 4);
  std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
  const std::size_t length = announced_length(answer.head);
  if (bytes.size() < end + 4 + length) return std::nullopt;
  answer.body = bytes.substr(end + 4, length);
  bytes.remove_prefix(end + 4 + length);
  return answer;
}

}  // namespace ladder::faults
