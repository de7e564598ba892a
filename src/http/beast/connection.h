// The state machine of one connection, without its socket: parses input, passes requests to the application, writes responses,
// and enforces timeouts. A derived class moves bytes over a plain or TLS socket and calls back. Everything runs on the
// connection's own I/O thread, except tasks for the workers, which access only their arguments.
//
//   kHandshake → kIdle → kHead → kBody → kWorking → kWriting → kIdle …        the next request; pipelined ones wait in input_
//                  kWriting → kPulling → kWriting …                           a streamed body, piece by piece
//                  kPulling → kWaiting → kPulling …                           while its stream has no data
//                  kWorking → kHeld → kWriting …                              a delayed "too many requests" response
//                  kWriting → kLingering → kClosed                            after an error before the end of the request
//
// Reading continues while a worker runs: further requests are buffered in input_ up to a limit. A broken connection cancels the
// work. The end of the stream may mean that the client has disconnected, or only that it sends no more requests
// (shutdown(SHUT_WR)). Work therefore continues for half_closed_time and the response is written; the write fails if the client
// is gone.
#pragma once

#include "base/mutex.h"
#include "http/beast/parsers.h"
#include "http/message/message.h"
#include "http/server.h"
#include "http/worker_pool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::http {

// The state that all connections of a server share.
struct Site {
  Site(const ServerOptions& with, Application& of);

  const ServerOptions options;
  Application& application;
  WorkerPool workers, urgent;
  std::atomic<bool> draining = false;
  std::atomic<bool> leaving = false;  // responses end their connections
  std::atomic<std::uint64_t> open = 0, total = 0, requests = 0;
  Mutex closed_mutex;
  Condition closed;  // notified after each closed connection while draining
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Connection(Site& site, std::string remote_address, bool over_tls);
  virtual ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin();                                               // waits for the first request
  void reject_connection(int status, std::string_view what);  // only sends the reason why the connection is refused
  void drain();                                               // graceful: closes now if idle, else after the current response
  void abort();                                               // closes now and cancels the work
  void sweep(Time now);                                       // enforces the deadline of the current phase

  // How much would be lost by closing this connection now; used when connections run out.
  enum class Use : std::uint8_t { kSilent, kBetweenRequests, kSlowHead, kInUse };
  Use use(Time now) const;
  Time since() const { return since_; }  // time of the connect, the last response or the start of the request

 protected:
  // Implemented by the derived class. At most one read and one write are outstanding; each ends in one of the calls below.
  virtual void start_read() = 0;                                                  // → on_input or on_end
  virtual void start_write(std::string_view first, std::string_view second) = 0;  // some of both → on_written or on_write_failed
  virtual void end_output() = 0;      // signals the end of the output to the peer, if possible
  virtual void close_in_order() = 0;  // sends pending output, then calls abort()
  virtual void close_socket() = 0;
  virtual void post(std::move_only_function<void()> task) = 0;  // runs it on this connection's thread; callable from any thread
  virtual void forget() = 0;                                    // removes the closed connection from the table
  virtual std::string_view date() = 0;                          // the current Date header

  void on_input(std::string_view bytes);
  void on_end(bool in_order);  // the peer sends no more data; not in order: the connection broke
  void on_written(std::size_t count);
  void on_write_failed() { abort(); }
  bool is_closed() const { return phase_ == Phase::kClosed; }

 private:
  enum class Phase : std::uint8_t {
    kHandshake,
    kIdle,
    kHead,
    kBody,
    kWorking,
    kHeld,
    kWriting,
    kPulling,
    kWaiting,
    kLingering,
    kClosed
  };
  enum class Next : std::uint8_t { kRequest, kBody, kPiece };  // what to read or send after the write

  // A deadline that moves with progress, but not for a peer that sends a byte a minute.
  struct Pace {
    Time began{}, last{};
    std::uint64_t bytes = 0;
    void begin(Time now) { *this = {now, now, 0}; }
    void progress(Time now, std::uint64_t count) { last = now, bytes += count; }
    Time deadline(std::chrono::seconds span) const;
  };
  struct Exchange {  // the data of a worker
    Request request;
    Party party;
    bool ends_with_its_stream = false;
    std::stop_source gone;
  };
  struct Pull {  // a streamed body; owned by either a worker or the connection
    std::unique_ptr<BodyStream> stream;
    std::uint64_t left = 0;  // remaining bytes of the announced length
    bool chunked = false, counted = false;
  };

  void want_input();
  bool takes_input() const;
  void consume_input();
  void consume(std::string_view& bytes);
  void on_head();
  void send_continue();
  void dispatch();
  void dispatch_to_worker(Placement placement);
  void hold(Response response);
  void refuse(int status, std::string_view what, bool close);
  void answer(Response response);
  HeadShape shape_of(const Response& response) const;
  void send(std::string head, std::string body, Next next);
  void write_more();
  void after_write();
  void pull();
  void on_piece(Result<bool> more, std::string piece);
  void finish_answer();
  void linger();

  Site& site_;
  const std::string remote_address_;
  const bool over_tls_;
  Phase phase_ = Phase::kHandshake;
  bool fresh_ = true;     // no request has started yet
  bool reading_ = false;  // a read is outstanding
  bool ended_ = false;    // the peer sends no more data
  bool draining_ = false;
  bool close_ = false;   // after the current response
  bool unread_ = false;  // the current request was rejected before its end
  bool is_head_ = false, is_1_0_ = false;
  Next next_ = Next::kRequest;
  Time deadline_ = Time::max();
  Time since_;
  Time half_closed_until_ = Time::max();  // once the peer has ended its stream: when to give up on it
  Pace pace_;
  RequestParser parser_;
  std::string input_;  // read but not parsed yet
  std::string out_head_, out_body_;
  std::size_t sent_ = 0;
  std::shared_ptr<Exchange> exchange_;  // used by a worker, or by the response being written
  std::shared_ptr<Pull> pull_;
  std::optional<Response> held_;  // the delayed response
};

}  // namespace ladder::http
