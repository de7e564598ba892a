// A connection that does exactly what it is told, byte by byte; nothing of it waits longer than it is asked to.
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
  explicit RawSocket(std::uint16_t port, int receive_buffer = 0);  // of so many bytes; 0: the system's
  ~RawSocket() { close(); }
  RawSocket(RawSocket&& other) noexcept;
  RawSocket& operator=(RawSocket&& other) noexcept;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  int refusal() const { return refusal_; }  // errno of a connection that was not taken
  std::uint16_t own_port() const;

  std::size_t write_some(std::string_view bytes);  // what fits now; 0 also when the peer has gone
  bool write_all(std::string_view bytes);          // waits for the peer to take it, a minute a piece
  void end_output();
  void widen(int receive_buffer);  // from now on
  void close();

  enum class State { kBytes, kNothing, kEnd, kReset };
  // Appends what is there, or comes within the time.
  State read_some(std::string& into, std::chrono::milliseconds wait_limit = {});
  // Reads until there are so many bytes in all; false when the connection ends or stands still before.
  bool read_until(std::string& into, std::size_t bytes, std::chrono::milliseconds wait_limit);

 private:
  int descriptor_ = -1;
  int refusal_ = 0;
};

// The ports of all clients whose connections a server of this machine holds open, by what the system knows of them.
std::set<std::uint16_t> clients_held_by(std::uint16_t server_port);

struct RawAnswer {
  int status = 0;
  std::string head, body;
};
// Takes one whole answer with a Content-Length off the front; nullopt when there is none.
std::optional<RawAnswer> take_answer(std::string_view& bytes);
// The length that a head announces; 0 when none.
std::size_t announced_length(std::string_view head);

}  // namespace ladder::faults
