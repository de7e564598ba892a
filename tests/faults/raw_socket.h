// A connection that a test controls byte by byte; no operation waits longer than its limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ladder::faults {

class RawSocket {
 public:
  RawSocket() = default;
  explicit RawSocket(std::uint16_t port, int receive_buffer = 0);  // in bytes; 0: the system's default
  ~RawSocket() { close(); }
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  int refusal() const { return refusal_; }  // errno of a refused connection
  std::uint16_t own_port() const;

  std::size_t write_some(std::string_view bytes);  // writes what fits now; also returns 0 if the peer has closed
  bool write_all(std::string_view bytes);          // waits for the peer to accept it, up to a minute per piece
  void end_output();
  void widen(int receive_buffer);  // enlarges the receive buffer
  void close();

  enum class State { kBytes, kNothing, kEnd, kReset };
  // Appends the bytes that are available or arrive within the limit.
  State read_some(std::string& into, std::chrono::milliseconds wait_limit = {});
  // Reads until `into` has this many bytes; returns false if the connection ends or stalls first.
  bool read_until(std::string& into, std::size_t bytes, std::chrono::milliseconds wait_limit);

 private:
  int descriptor_ = -1;
  int refusal_ = 0;
};

// Returns the ports of all clients whose connections a server on this machine holds open, as the system reports them.
std::set<std::uint16_t> clients_held_by(std::uint16_t server_port);

struct RawAnswer {
  int status = 0;
  std::string head, body;
};
// Removes and returns one complete response with a Content-Length; nullopt if there is none.
std::optional<RawAnswer> take_answer(std::string_view& bytes);
// Returns the Content-Length of a header; 0 if there is none.
std::size_t announced_length(std::string_view head);

}  // namespace ladder::faults
