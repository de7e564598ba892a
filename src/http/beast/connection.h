// One connection's life, without its socket: bytes in, requests to the application, bytes out, and when to give up. The socket,
// plain or TLS, is a derived class that moves bytes and calls back. Everything here runs on the connection's own I/O thread but
// what is handed to the workers, and that touches only what it was given.
//
//   kHandshake → kIdle → kHead → kBody → kWorking → kWriting → kIdle …        one request after the other, pipelined ones wait in
//   input_
//                  kWriting → kPulling → kWriting …                           a streamed body, piece by piece
//                  kPulling → kWaiting → kPulling …                           while its stream has nothing to say
//                  kWorking → kHeld → kWriting …                              told to come back, a moment later
//                  kWriting → kLingering → kClosed                            after a refusal in mid-request: let the answer be
//                  read
//
// While a worker works, reading goes on: more requests wait in input_ up to a bound. A connection that breaks stops the work. The
// end of the stream may mean either that the client has gone or that it only has nothing more to ask (shutdown(SHUT_WR)): the
// work goes on for half_closed_time and the answer is written; writing it fails where nobody is left.
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
  std::atomic<std::uint64_t> open = 0, total = 0, requests = 0;
  Mutex closed_mutex;
  Condition closed;  // told after each closed connection while draining
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Time = std::chrono::steady_clock::time_point;

  Connection(Site& site, std::string remote_address, bool over_tls);
  virtual ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin();                                                // the first request may come
  void begin_with_refusal(int status, std::string_view what);  // this connection only learns why it is not served
  void drain();                                                // graceful: close now when idle, else after the current answer
  void abort();                                                // close now, and let workers know
  void sweep(Time now);                                        // enforces the deadline of the current phase

  // How little would be lost if this connection were closed now; for a server that runs short of them.
  enum class Use : std::uint8_t { kSilent, kBetweenRequests, kSlowHead, kInUse };
  Use use(Time now) const;
  Time since() const { return since_; }  // when it came, had its last answer or began to ask

 protected:
  // The derived class implements these. One read and one write are outstanding at most; each ends in one call below.
  virtual void start_read() = 0;                                                  // → on_input or on_end
  virtual void start_write(std::string_view first, std::string_view second) = 0;  // some of both → on_written or on_write_failed
  virtual void end_output() = 0;      // tells the peer that nothing more comes, as far as that is possible
  virtual void close_in_order() = 0;  // sends what is due, then calls abort()
  virtual void close_socket() = 0;
  virtual void post(std::move_only_function<void()> task) = 0;  // runs it on this connection's thread; called from any
  virtual void forget() = 0;                                    // closed: leave the table of connections
  virtual std::string_view date() = 0;                          // the current Date header

  void on_input(std::string_view bytes);
  void on_end(bool in_order);  // the peer sends nothing more; not in order: the connection broke
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
  enum class Next : std::uint8_t { kRequest, kBody, kPiece };  // what follows when everything is written

  // A deadline that moves with progress, but not for a peer that moves a byte a minute.
  struct Pace {
    Time began{}, last{};
    std::uint64_t bytes = 0;
    void begin(Time now) { *this = {now, now, 0}; }
    void progress(Time now, std::uint64_t count) { last = now, bytes += count; }
    Time deadline(std::chrono::seconds span) const;
  };
  struct Exchange {  // what a worker is given
    Request request;
    Party party;
    bool ends_with_its_stream = false;
    std::stop_source gone;
  };
  struct Pull {  // a streamed body; in the hands of a worker or of the connection, never of both
    std::unique_ptr<BodyStream> stream;
    std::uint64_t left = 0;  // of the announced length
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
  bool fresh_ = true;     // no request has begun yet
  bool reading_ = false;  // a read is outstanding
  bool ended_ = false;    // the peer sends nothing more
  bool draining_ = false;
  bool close_ = false;   // after the current answer
  bool unread_ = false;  // the current request was refused before its end
  bool is_head_ = false, is_1_0_ = false;
  Next next_ = Next::kRequest;
  Time deadline_ = Time::max();
  Time since_;
  Time half_closed_until_ = Time::max();  // once the peer has ended its stream: when it is taken to be gone
  Pace pace_;
  RequestParser parser_;
  std::string input_;  // read but not parsed yet
  std::string out_head_, out_body_;
  std::size_t sent_ = 0;
  std::shared_ptr<Exchange> exchange_;  // with a worker, or of the answer being written
  std::shared_ptr<Pull> pull_;
  std::optional<Response> held_;  // what is said when the time has come
};

}  // namespace ladder::http
