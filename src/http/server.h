// The HTTP server: connections, limits and time; what to answer is the Application's business. One io_context per core, one sweep
// timer each for deadlines; short answers are made where the request arrived, longer ones on bounded workers (design D21).
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
  kHere,    // microseconds: on the I/O thread
  kWorker,  // may wait for a disk, a database or a scan
  kUrgent,  // on workers that nothing else can fill
};

// Called from many threads at once.
class Application {
 public:
  virtual ~Application() = default;
  // Decided from the head alone, before the body is read: the largest body this request may have; 0 when it takes none.
  virtual std::size_t body_limit(const Request& head) const = 0;
  // May take the body apart already, and keep what it read in `taken`.
  virtual Placement placement(Request& request) const = 0;
  // Of what is placed on workers: for whom it is, from memory alone.
  virtual Party party(const Request& /*request*/) const { return {}; }
  // Says whether a client of this request says by ending its stream that it wants no answer any more (MCP: cancelled). Elsewhere
  // it may have closed its half only, and is answered.
  virtual bool ends_with_its_stream(const Request& /*request*/) const { return false; }
  virtual Response serve(Request& request) = 0;
  // For faults that never reach `serve`: a malformed head, a body over its limit, a full worker queue, a timeout. Of a head that
  // was not read to its end `head` has the peer's address alone.
  virtual Response refuse(const Request* head, int status, std::string_view what) = 0;
  // For a client that has too much under way already: 429, or how its protocol says that.
  virtual Response hold_off(const Request& request, std::chrono::seconds retry_after);
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 7663;             // 0: any free one
  unsigned threads = 0;                  // 0: one per core
  unsigned workers = 0;                  // 0: four per core
  unsigned urgent_workers = 2;           // for kUrgent
  std::size_t max_queue = 1024;          // waiting for a worker; beyond it 503
  std::size_t max_connections = 10'000;  // fewer where the process may not have so many files
  std::size_t own_files = 160;           // kept free of connections, for the store and the log
  std::size_t max_header_bytes = 32 * 1024;
  std::chrono::seconds header_time{10};      // to send the head
  std::chrono::seconds body_time{60};        // without progress
  std::chrono::seconds idle_time{75};        // keep-alive
  std::chrono::seconds write_time{60};       // without progress
  std::chrono::seconds half_closed_time{5};  // work goes on for a client that sends nothing more
  std::chrono::seconds drain_time{10};       // graceful shutdown: in-flight answers may finish
  std::string certificate_file, key_file;    // both: TLS
  // A listening TCP socket that a service manager handed over, which the server closes; address and port are not used then.
  std::optional<int> socket = {};
};

// Connection counts for /metrics.
struct ServerCounters {
  std::uint64_t connections_open = 0, connections_total = 0, requests_total = 0, queue_length = 0;
  std::uint64_t workers_busy = 0, workers_idle = 0;
};

class Server {
 public:
  // Binds and starts; kInvalidRequest when the address is bad or taken, or the socket is not a listening one of TCP, saying which
  // process setting to change.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Application& application);
  virtual ~Server() = default;  // stops hard if still running

  virtual std::uint16_t port() const = 0;
  virtual ServerCounters counters() const = 0;
  // The time since the I/O thread that has been busy or blocked for longest last came round; under a second while all is well.
  virtual std::chrono::milliseconds longest_silence() const = 0;
  // Reads certificate and key again, for new connections; without TLS it does nothing. On an error the old ones stay in use.
  virtual Status reload_certificate() = 0;
  // Stops accepting, lets in-flight answers finish within drain_time, closes idle connections, then returns.
  virtual void stop() = 0;
};

}  // namespace ladder::http
