// A plain socket client for the tests: it writes exactly the given bytes and parses responses without the product's
// parser.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::http::tests {

// How long a test waits for an event that must happen. A busy machine may be slow, so a test proves that an event is
// early by its order among other events, not by this limit.
inline constexpr std::chrono::seconds kWaitLimit{60};

struct Answer {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string raw_head;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class Wire {
 public:
  explicit Wire(std::uint16_t port);
  ~Wire();
  Wire(Wire&& other) noexcept : socket_(other.socket_), pending_(std::move(other.pending_)) { other.socket_ = -1; }
  Wire(const Wire&) = delete;

  bool connected() const { return socket_ >= 0; }
  bool send(std::string_view bytes);  // returns false if the peer has closed
  // Returns the next response; nullopt if the connection ends before a complete one, or nothing arrives within
  // `wait_limit`.
  std::optional<Answer> receive(bool to_head = false, std::chrono::seconds wait_limit = kWaitLimit);
  std::optional<Answer> ask(std::string_view request, bool to_head = false);
  // Returns true if the peer closes within `wait_limit` without sending more.
  bool closes(std::chrono::milliseconds wait_limit = kWaitLimit);
  void shutdown_output();
  void close(bool reset = false);

 private:
  bool fill(std::chrono::milliseconds wait_limit);
  bool need(std::size_t bytes, std::chrono::milliseconds wait_limit);
  bool read_chunks(std::string& body, std::chrono::milliseconds wait_limit);

  int socket_ = -1;
  std::string pending_;
};

}  // namespace ladder::http::tests
