// MCP over two pipes: one JSON message a line, both ways. Requests run beside each other, so that a cancellation is seen while
// work goes on; replies come as they are ready, each as one whole line.
//
// Threads take turns at reading: whoever read a request lets another go on reading and works on it itself, so that a reply needs
// no hand-over. One thread is always left to read; requests beyond the others wait in a queue.
#pragma once

#include "mcp/server.h"

#include <chrono>
#include <cstddef>
#include <functional>

namespace ladder::mcp {

inline constexpr std::size_t kStdioThreads = 5;  // at most; one of them reads
// Requests that wait for a thread; beyond it calls are told to come back (rate_limit_exceeded).
inline constexpr std::size_t kStdioQueue = 64;
inline constexpr int kStdioRetryAfterS = 2;
inline constexpr auto kDrainTime = std::chrono::seconds(2);  // what runs at the end of the input may still finish

struct StdioChannel {
  int input = 0;
  int output = 1;
  // Called from several threads, once a request, after it was answered.
  std::function<void(const LogLine&, std::chrono::microseconds)> log;
};

// Until the input ends, or nobody takes the output any more. `port` is used from several threads at once.
void serve_stdio(const Server& server, port::ResourcePort& port, const StdioChannel& channel);

}  // namespace ladder::mcp
