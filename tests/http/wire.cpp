#include "http/wire.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <algorithm>

namespace ladder::http::tests {
namespace {

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Wire::Wire(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Wire::~Wire() { close(); }

void Wire::close(bool reset) {
  if (socket_ < 0) return;
  const linger now{1, 0};
  if (reset) ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(socket_);
  socket_ = -1;
}

void Wire::shutdown_output() { ::shutdown(socket_, SHUT_WR); }

bool Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Wire::fill(std::chrono::milliseconds wait_limit) {
  pollfd entry{socket_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(wait_limit.count())) <= 0) return false;
  char buffer[65536];
  const auto got = ::recv(socket_, buffer, sizeof buffer, 0);
  if (got <= 0) return false;
  pending_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

bool Wire::need(std::size_t bytes, std::chrono::milliseconds wait_limit) {
  while (pending_.size() < bytes) {
    if (!fill(wait_limit)) return false;
  }
  return true;
}

bool Wire::read_chunks(std::string& body, std::chrono::milliseconds wait_limit) {
  for (;;) {
    auto end = pending_.find("\r\n");
    while (end == std::string::npos) {
      if (!fill(wait_limit)) return false;
      end = pending_.find("\r\n");
    }
    const auto size = std::stoul(pending_.substr(0, end), nullptr, 16);
    if (!need(end + 2 + size + 2, wait_limit)) return false;
    body += pending_.substr(end + 2, size);
    pending_.erase(0, end + 2 + size + 2);
    if (size == 0) return true;
  }
}

std::optional<Answer> Wire::receive(bool to_head, std::chrono::seconds wait_limit) {
  auto end = pending_.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!fill(wait_limit)) return std::nullopt;
    end = pending_.find("\r\n\r\n");
  }
  Answer answer;
  answer.raw_head = pending_.substr(0, end + 4);
  pending_.erase(0, end + 4);
  if (!answer.raw_head.starts_with("HTTP/1.1 ")) return std::nullopt;
  answer.status = std::stoi(answer.raw_head.substr(9, 3));
  for (std::size_t at = answer.raw_head.find("\r\n") + 2; at < answer.raw_head.size() - 2;) {
    const auto line_end = answer.raw_head.find("\r\n", at);
    const auto colon = answer.raw_head.find(": ", at);
    answer.headers[lowered(answer.raw_head.substr(at, colon - at))] = answer.raw_head.substr(colon + 2, line_end - colon - 2);
    at = line_end + 2;
  }
  if (to_head || answer.status == 100 || answer.status == 204 || answer.status == 304) return answer;
  if (answer.headers.contains("content-length")) {
    const auto length = std::stoul(answer.headers["content-length"]);
    if (!need(length, wait_limit)) return std::nullopt;
    answer.body = pending_.substr(0, length);
    pending_.erase(0, length);
  } else if (answer.headers.contains("transfer-encoding")) {
    if (!read_chunks(answer.body, wait_limit)) return std::nullopt;
  } else {
    while (fill(wait_limit)) {
    }
    answer.body.swap(pending_);
  }
  return answer;
}

std::optional<Answer> Wire::ask(std::string_view request, bool to_head) {
  return send(request) ? receive(to_head) : std::nullopt;
}

bool Wire::closes(std::chrono::milliseconds wait_limit) {
  if (!pending_.empty()) return false;
  pollfd entry{socket_, POLLIN, 0};
  if (::poll(&entry, 1, static_cast<int>(wait_limit.count())) <= 0) return false;
  char byte = 0;
  return ::recv(socket_, &byte, 1, 0) <= 0;
}

}  // namespace ladder::http::tests
