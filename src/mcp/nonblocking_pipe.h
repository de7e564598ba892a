// Hosts hand over pipes as they have them: a descriptor that does not block (O_NONBLOCK) answers EAGAIN where others wait, and so
// do signals with EINTR. Neither is an end.
#pragma once

#include <poll.h>

#include <cerrno>

namespace ladder::mcp {

// Whether a read or write that failed so may be tried again. Waits until the descriptor is ready for `events` where it has to.
inline bool wait_after(int error, int descriptor, short events) {
  if (error == EINTR) return true;
  if (error != EAGAIN && error != EWOULDBLOCK) return false;
  pollfd wanted{descriptor, events, 0};
  while (::poll(&wanted, 1, -1) < 0) {
    if (errno != EINTR) return false;
  }
  return (wanted.revents & POLLNVAL) == 0;
}

}  // namespace ladder::mcp
