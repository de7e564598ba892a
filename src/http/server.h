// The HTTP server: connections, limits and timeouts; the Application produces the responses. There is one io_context per core,
// each with one timer for deadlines. Short requests are served on the I/O thread, longer ones on a bounded number of workers
// (design D21).
#pragma once

#include "base/error/error.h"
#include "http/fair_queue.h"
#include "http/message/message.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ladder::http {

enum class Placement : std::uint8_t {
  kHere,    // takes microseconds: on the I/O thread
  kWorker,  // may wait for a disk, a database or a scan
  kUrgent,  // on workers reserved for urgent work
};

// Called concurrently from many threads.
class Application {
 public:
  virtual ~Application() = default;
  // Returns the maximum body size of this request, from its head alone and before the body is read; 0 if no body is allowed.
  virtual std::size_t body_limit(const Request& head) const = 0;
  // May already parse the body, and keep the result in `taken`.
  virtual Placement placement(Request& request) const = 0;
  // Returns the party of a request that runs on a worker, without I/O.
  virtual Party party(const Request& /*request*/) const { return {}; }
  // Reports whether a client that ends its stream cancels this request (MCP). Otherwise the client may have closed only its
  // sending side, and gets a response.
  virtual bool ends_with_its_stream(const Request& /*request*/) const { return false; }
  virtual Response serve(Request& request) = 0;
  // Builds the response to errors that never reach `serve`: a malformed head, an oversized body, a full worker queue, a
  // timeout. If the head was incomplete, `head` contains only the peer's address.
  virtual Response refuse(const Request* head, int status, std::string_view what) = 0;
  // Builds the response for a client with too many active requests: 429, or its protocol's equivalent.
  virtual Response too_many_requests(const Request& request, std::chrono::seconds retry_after);
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7663;             // 0: any free port
  unsigned threads = 0;                  // 0: one per core
  unsigned workers = 0;                  // 0: four per core
  unsigned urgent_workers = 2;           // for kUrgent
  std::size_t max_queue = 1024;          // requests waiting for a worker; beyond it 503
  std::size_t max_connections = 10'000;  // fewer if the process's file limit is lower
  std::size_t own_files = 160;           // files reserved for the store and the log
  std::size_t max_header_bytes = 32 * 1024;
  std::chrono::seconds header_time{10};      // to send the head
  std::chrono::seconds body_time{60};        // without progress
  std::chrono::seconds idle_time{75};        // keep-alive
  std::chrono::seconds write_time{60};       // without progress
  std::chrono::seconds half_closed_time{5};  // how long work continues for a client that closed its sending side
  std::chrono::seconds drain_time{10};       // graceful shutdown: active responses may finish
  std::string certificate_file, key_file;    // both: TLS
  // A listening TCP socket inherited from a service manager, which the server closes; address and port are then ignored.
  std::optional<int> socket = {};
};

// Connection counts for /metrics.
struct ServerCounters {
  std::uint64_t connections_open = 0, connections_total = 0, requests_total = 0, queue_length = 0;
  std::uint64_t workers_busy = 0, workers_idle = 0;
  std::uint64_t queue_owners = 0, queue_longest = 0;  // owners with waiting requests, and the most requests of one owner
};

class Server {
 public:
  // Binds and starts. Returns kInvalidRequest with the setting to change if the address is invalid or in use, or the socket is
  // not a listening TCP socket.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Application& application);
  virtual ~Server() = default;  // stops immediately if still running

  virtual std::uint16_t port() const = 0;
  virtual ServerCounters counters() const = 0;
  // Returns the longest time since any I/O thread completed a loop; under a second in normal operation.
  virtual std::chrono::milliseconds longest_silence() const = 0;
  // Reloads certificate and key for new connections; does nothing without TLS. On an error the old ones stay in use.
  virtual Status reload_certificate() = 0;
  // Every response from now on ends its connection, so that clients and load balancers move to other servers.
  virtual void end_connections() = 0;
  // Stops accepting, lets active responses finish within drain_time, closes idle connections, then returns.
  virtual void stop() = 0;
};

}  // namespace ladder::http
