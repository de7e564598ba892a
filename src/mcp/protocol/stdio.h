// Reads bounded lines from a file descriptor. A line that is too long is skipped and reported. Not thread-safe.
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
  // Replaces `line` with the next line, without its line end (LF or CRLF). Text after the last line end counts as a line.
  Got next(std::string& line);

 private:
  void fill();  // reads more bytes, or the end; waits if the descriptor is non-blocking; a read error counts as the end

  int descriptor_;
  std::size_t max_bytes_;
  std::string piece_;        // buffer of one read
  std::string buffer_;       // unprocessed input
  std::size_t start_ = 0;    // start of the input that was not returned yet
  std::size_t scanned_ = 0;  // the input before this offset has no line end
  bool ended_ = false;
};

// Hosts may pass a non-blocking pipe (O_NONBLOCK), which returns EAGAIN instead of waiting, and signals cause EINTR. Neither is
// an end of the stream.

// Reports whether a failed read or write may be retried. Waits until the descriptor is ready for `events` if needed.
inline bool wait_after(int error, int descriptor, short events) {
  if (error == EINTR) return true;
  if (error != EAGAIN && error != EWOULDBLOCK) return false;
  pollfd wanted{descriptor, events, 0};
  while (::poll(&wanted, 1, -1) < 0) {
    if (errno != EINTR) return false;
  }
  return (wanted.revents & POLLNVAL) == 0;
}

// The active requests over stdio, so that notifications/cancelled can stop one: its work ends and its response is not sent.
// Responses are written under the same lock, so that none follows a cancellation. Thread-safe.
class InFlight {
 public:
  struct Request {
    std::optional<std::string> id;  // comparable; none if the client cannot cancel it
    std::stop_source stop;
    bool cancelled = false;
  };
  using Ticket = std::list<Request>::iterator;

  Ticket begin(std::optional<std::string> id);
  void cancel(std::string_view id);  // cancels every request with that id
  void cancel_all();
  // Ends the request. Runs `say`, unless the request was cancelled, while no cancellation can occur. Returns false if it was.
  bool finish(Ticket request, const std::function<void()>& say);
  // Runs `say`, unless the request was cancelled, while no cancellation can occur; the request continues. Returns false if it
  // was.
  bool during(Ticket request, const std::function<void()>& say);
  // Runs `say` while no other response is written.
  void alone(const std::function<void()>& say);

 private:
  Mutex mutex_;
  std::list<Request> requests_ LADDER_GUARDED_BY(mutex_);
};

// MCP over two pipes: one JSON message per line in each direction. Requests run concurrently, so that a cancellation is seen
// while work continues. Responses are sent when ready, each as one complete line.
//
// Threads take turns reading: the thread that reads a request lets another thread read and handles the request itself, so that
// a response needs no handover. One thread is always reserved for reading; further requests wait in a queue.
inline constexpr std::size_t kStdioThreads = 5;  // maximum, including the reading one
// Requests waiting for a thread. If the queue is full, reading stops until there is space (back-pressure).
inline constexpr std::size_t kStdioQueue = 64;
inline constexpr auto kDrainTime = std::chrono::seconds(2);  // time for running requests after the end of the input

struct StdioChannel {
  int input = 0;
  int output = 1;
  // Called from several threads, once per request, after the response was sent.
  std::function<void(const LogLine&, std::chrono::microseconds)> log;
  http::SpanSink* spans = nullptr;  // receives a span per request; null: disabled
};

// Runs until the input ends or the output is closed. `port` is used from several threads concurrently. If it can be watched,
// clients may subscribe (subscriptions.h); a subscriptions/listen request stays in flight until it is cancelled.
void serve_stdio(const Server& server, api::ResourcePort& port, const StdioChannel& channel);

}  // namespace ladder::mcp
