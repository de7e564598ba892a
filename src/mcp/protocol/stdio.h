// Lines from a file descriptor, each bounded: one that is too long is skipped to its end and told as such. Not thread-safe.
#pragma once

#include "base/mutex.h"
#include "mcp/protocol/server.h"

#include <poll.h>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::mcp {

class LineReader {
 public:
  LineReader(int descriptor, std::size_t max_bytes) : descriptor_(descriptor), max_bytes_(max_bytes) {}

  enum class Got : std::uint8_t { kLine, kTooLong, kEnd };
  // Replaces `line` by the next one, without its line end (LF or CRLF). What stands behind the last line end is a line, too.
  Got next(std::string& line);

 private:
  void fill();  // more bytes, or the end; waits where the descriptor does not; a read that fails is the end

  int descriptor_;
  std::size_t max_bytes_;
  std::string piece_;        // what one read takes
  std::string buffer_;       // what was read
  std::size_t start_ = 0;    // of what was not handed out yet
  std::size_t scanned_ = 0;  // up to where there is no line end
  bool ended_ = false;
};

// Hosts hand over pipes as they have them: a descriptor that does not block (O_NONBLOCK) answers EAGAIN where others wait, and so
// do signals with EINTR. Neither is an end.

// Says whether a read or write that failed so may be tried again. Waits until the descriptor is ready for `events` where it has
// to.
inline bool wait_after(int error, int descriptor, short events) {
  if (error == EINTR) return true;
  if (error != EAGAIN && error != EWOULDBLOCK) return false;
  pollfd wanted{descriptor, events, 0};
  while (::poll(&wanted, 1, -1) < 0) {
    if (errno != EINTR) return false;
  }
  return (wanted.revents & POLLNVAL) == 0;
}

// The requests that are being worked on over stdio, so that notifications/cancelled can stop one: its work ends, and nothing more
// is said about it. Writing is done under the same lock, so that no reply follows a cancellation. Thread-safe.
class InFlight {
 public:
  struct Request {
    std::optional<std::string> id;  // comparable; none: can't be cancelled by a client
    std::stop_source stop;
    bool cancelled = false;
  };
  using Ticket = std::list<Request>::iterator;

  Ticket begin(std::optional<std::string> id);
  void cancel(std::string_view id);  // every request of that id
  void cancel_all();
  // Ends the request; `say` runs, unless it was cancelled, while no cancellation can come in between. False when it was.
  bool finish(Ticket request, const std::function<void()>& say);
  // Runs, unless the request was cancelled, while no cancellation can come in between; the request goes on. False when it was.
  bool during(Ticket request, const std::function<void()>& say);
  // Runs while no other reply is being written.
  void alone(const std::function<void()>& say);

 private:
  Mutex mutex_;
  std::list<Request> requests_ LADDER_GUARDED_BY(mutex_);
};

// MCP over two pipes: one JSON message a line, both ways. Requests run beside each other, so that a cancellation is seen while
// work goes on; replies come as they are ready, each as one whole line.
//
// Threads take turns at reading: whoever read a request lets another go on reading and works on it itself, so that a reply needs
// no hand-over. One thread is always left to read; requests beyond the others wait in a queue.
inline constexpr std::size_t kStdioThreads = 5;  // at most; one of them reads
// Requests that wait for a thread. When the queue is full, reading stops until there is room (back-pressure).
inline constexpr std::size_t kStdioQueue = 64;
inline constexpr auto kDrainTime = std::chrono::seconds(2);  // what runs at the end of the input may still finish

struct StdioChannel {
  int input = 0;
  int output = 1;
  // Called from several threads, once a request, after it was answered.
  std::function<void(const LogLine&, std::chrono::microseconds)> log;
  trace::SpanSink* spans = nullptr;  // takes a span of every request; null: nobody does
};

// Until the input ends, or nobody takes the output any more. `port` is used from several threads at once. Where it can be
// watched, clients may subscribe (subscriptions.h); a subscriptions/listen stays in flight until it is cancelled.
void serve_stdio(const Server& server, api::ResourcePort& port, const StdioChannel& channel);

}  // namespace ladder::mcp
