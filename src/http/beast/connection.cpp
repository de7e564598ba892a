#include "http/beast/connection.h"

#include "base/text/format.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

namespace ladder::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::uint64_t kMinBytesPerSecond = 1024;     // slower peers are disconnected, even if they send steadily
constexpr std::size_t kMaxPipelinedBytes = 64 * 1024;  // read ahead while a response is produced; beyond it the peer must wait
constexpr auto kLingerTime = std::chrono::seconds(2);  // to read an error response
// Delays a "too many requests" response, so that a client that retries immediately cannot keep a core busy.
constexpr auto kHoldTime = std::chrono::milliseconds(250);
// When connections run out, the server closes those that have been inactive for this long.
constexpr auto kRestTime = std::chrono::seconds(5), kSlowHeadTime = std::chrono::seconds(2);
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kFault = "internal server error; the operator's log contains it under this request id";

unsigned or_default(unsigned wanted, unsigned per_core) {
  return wanted != 0 ? wanted : std::max(1U, std::thread::hardware_concurrency()) * per_core;
}

// Turns exceptions, which are program faults or allocation failures, into a response.
Response serve(Application& application, Request& request) {
  try {
    return application.serve(request);
  } catch (const std::exception&) {
    return application.refuse(&request, 500, kFault);
  }
}

Result<bool> next_piece(BodyStream& stream, std::string& piece) {
  try {
    return stream.next(piece);
  } catch (const std::exception&) {
    return fail(Code::kInternal, "the body's stream failed");
  }
}

}  // namespace

Site::Site(const ServerOptions& with, Application& of)
    : options(with),
      application(of),
      workers(or_default(with.workers, 4), with.max_queue),
      urgent(std::max(1U, with.urgent_workers), with.max_queue) {}

Response Application::too_many_requests(const Request& request, std::chrono::seconds retry_after) {
  Response response = refuse(&request, 429, "too many requests in progress; try again later");
  response.headers.set("Retry-After", std::to_string(retry_after.count()));
  return response;
}

Connection::Time Connection::Pace::deadline(std::chrono::seconds span) const {
  return std::min(last + span, began + span + std::chrono::seconds(bytes / kMinBytesPerSecond));
}

Connection::Connection(Site& site, std::string remote_address, bool over_tls)
    : site_(site), remote_address_(std::move(remote_address)), over_tls_(over_tls), parser_(site.options.max_header_bytes) {
  since_ = SteadyClock::now();
  deadline_ = since_ + site_.options.header_time;
  site_.open.fetch_add(1);
  site_.total.fetch_add(1);
}

Connection::~Connection() {
  if (exchange_) exchange_->gone.request_stop();
}

void Connection::begin() {
  phase_ = Phase::kIdle;
  draining_ = site_.draining.load();
  want_input();
}

void Connection::reject_connection(int status, std::string_view what) { refuse(status, what, true); }

void Connection::drain() {
  draining_ = true;
  if (phase_ == Phase::kHandshake || phase_ == Phase::kIdle) abort();
  if (phase_ == Phase::kWaiting) pull();
}

void Connection::abort() {
  if (is_closed()) return;
  const auto self = shared_from_this();  // forget() may drop the last reference
  phase_ = Phase::kClosed;
  if (exchange_) exchange_->gone.request_stop();
  exchange_.reset();
  pull_.reset();
  held_.reset();
  close_socket();
  forget();
  site_.open.fetch_sub(1);
  if (site_.draining.load()) {
    const MutexLock lock(site_.closed_mutex);
    site_.closed.notify_all();
  }
}

void Connection::sweep(Time now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::kHead:
      return refuse(408, format("the request's head did not arrive within {} seconds", site_.options.header_time.count()), true);
    case Phase::kBody:
      return refuse(408, format("the request's body stalled or arrived at less than {} bytes per second", kMinBytesPerSecond),
                    true);
    case Phase::kHandshake:
    case Phase::kIdle:
    case Phase::kWriting:
    case Phase::kPulling:
    case Phase::kLingering:
      return abort();
    case Phase::kWaiting:
      if (now >= half_closed_until_) return abort();
      if (pull_->stream->is_ready()) pull();
      return;
    case Phase::kHeld:
      phase_ = Phase::kWorking;
      return answer(*std::exchange(held_, std::nullopt));
    case Phase::kWorking:  // the client has most likely disconnected
      deadline_ = Time::max();
      if (exchange_) exchange_->gone.request_stop();
      return;
    case Phase::kClosed:
      return;
  }
}

Connection::Use Connection::use(Time now) const {
  if (phase_ == Phase::kHandshake || (phase_ == Phase::kIdle && fresh_)) return Use::kSilent;
  if (phase_ == Phase::kIdle && now - since_ > kRestTime) return Use::kBetweenRequests;
  return phase_ == Phase::kHead && now - since_ > kSlowHeadTime ? Use::kSlowHead : Use::kInUse;
}

// --- reading ---

void Connection::want_input() {
  if (reading_ || ended_ || is_closed()) return;
  reading_ = true;
  start_read();
}

void Connection::on_input(std::string_view bytes) {
  reading_ = false;
  switch (phase_) {
    case Phase::kClosed:
    case Phase::kHandshake:
      return;
    case Phase::kLingering:
      return want_input();
    case Phase::kWorking:
    case Phase::kHeld:
    case Phase::kWriting:
    case Phase::kPulling:
    case Phase::kWaiting:
      if (takes_input()) input_.append(bytes);
      if (input_.size() < kMaxPipelinedBytes) want_input();
      return;
    case Phase::kIdle:
    case Phase::kHead:
    case Phase::kBody:
      break;
  }
  if (phase_ == Phase::kBody)
    pace_.progress(SteadyClock::now(), bytes.size()), deadline_ = pace_.deadline(site_.options.body_time);
  if (!input_.empty()) {
    input_.append(bytes);
    return consume_input();
  }
  consume(bytes);
  if (takes_input()) input_.assign(bytes);
}

// Reports whether input belongs to the current request or to one that will be served.
bool Connection::takes_input() const {
  if (is_closed() || unread_) return false;
  const bool in_request = phase_ == Phase::kHead || phase_ == Phase::kBody || (phase_ == Phase::kWriting && next_ == Next::kBody);
  return in_request || !close_;
}

void Connection::consume_input() {
  std::string_view bytes = input_;
  consume(bytes);
  if (is_closed()) return;
  input_.erase(0, takes_input() ? input_.size() - bytes.size() : input_.size());
  if (input_.empty()) std::string().swap(input_);  // an idle connection holds no buffer
}

// Parses and consumes bytes until a request is complete or rejected, or more bytes are needed.
void Connection::consume(std::string_view& bytes) {
  while (phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody) {
    if (phase_ == Phase::kIdle) {
      bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));  // empty lines between requests
      if (bytes.empty()) break;
      phase_ = Phase::kHead;
      if (!fresh_) deadline_ = SteadyClock::now() + site_.options.header_time;
      fresh_ = false;
      since_ = SteadyClock::now();
      is_head_ = is_1_0_ = false;
    }
    if (bytes.empty()) break;
    const auto step = parser_.put(bytes);
    if (step == RequestParser::Step::kMore) break;
    if (step == RequestParser::Step::kHead) {
      on_head();
    } else if (step == RequestParser::Step::kDone) {
      dispatch();
    } else {
      refuse(parser_.fault_status(), parser_.fault(), true);
    }
  }
  if (ended_ && (phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody)) return abort();
  const bool writes_continue = phase_ == Phase::kWriting && next_ == Next::kBody;
  if (phase_ != Phase::kWriting || writes_continue) want_input();
}

void Connection::on_head() {
  Request& request = parser_.request();
  request.remote_address = remote_address_;
  request.over_tls = over_tls_;
  is_head_ = request.method == "HEAD";
  is_1_0_ = parser_.is_http_1_0();
  close_ = !parser_.keep_alive();
  if (!parser_.has_body()) return dispatch();
  std::size_t limit = 0;
  try {
    limit = site_.application.body_limit(request);
  } catch (const std::exception&) {
    return refuse(500, kFault, true);
  }
  if (limit == 0 || parser_.announced_length() > limit) {
    return refuse(413, limit == 0 ? "this route takes no body" : format("the request's body is larger than {} bytes", limit),
                  true);
  }
  parser_.allow_body(limit);
  phase_ = Phase::kBody;
  pace_.begin(SteadyClock::now());
  deadline_ = pace_.deadline(site_.options.body_time);
  if (parser_.expects_continue()) send_continue();
}

void Connection::send_continue() { send(std::string(kContinue), {}, Next::kBody); }

void Connection::on_end(bool in_order) {
  reading_ = false;
  ended_ = true;
  switch (phase_) {
    case Phase::kClosed:
      return;
    case Phase::kWorking:
    case Phase::kPulling:
      if (!in_order) return abort();
      if (exchange_ && exchange_->ends_with_its_stream) exchange_->gone.request_stop();
      deadline_ = half_closed_until_ = SteadyClock::now() + site_.options.half_closed_time;
      return;  // a client that only closed its sending side still gets its response
    case Phase::kWaiting:
      if (!in_order || (exchange_ && exchange_->ends_with_its_stream)) return abort();
      half_closed_until_ = SteadyClock::now() + site_.options.half_closed_time;
      return;
    case Phase::kHeld:
    case Phase::kWriting:
      if (!in_order) return abort();
      half_closed_until_ = SteadyClock::now() + site_.options.half_closed_time;
      return;
    case Phase::kHandshake:
    case Phase::kIdle:
    case Phase::kHead:
    case Phase::kBody:
    case Phase::kLingering:
      return abort();
  }
}

// --- responses ---

void Connection::dispatch() {
  site_.requests.fetch_add(1, std::memory_order_relaxed);
  deadline_ = half_closed_until_;
  parser_.request().arrived = SteadyClock::now();
  Placement placement = Placement::kWorker;
  try {
    placement = site_.application.placement(parser_.request());
  } catch (const std::exception&) {
    return refuse(500, kFault, false);
  }
  if (placement != Placement::kHere) return dispatch_to_worker(placement);
  phase_ = Phase::kWorking;
  answer(serve(site_.application, parser_.request()));
}

void Connection::dispatch_to_worker(Placement placement) {
  phase_ = Phase::kWorking;
  exchange_ = std::make_shared<Exchange>();
  exchange_->request = std::move(parser_.request());
  exchange_->request.gone = exchange_->gone.get_token();
  Admission admission;
  try {
    exchange_->party = site_.application.party(exchange_->request);  // urgent work takes turns as well
    exchange_->ends_with_its_stream = site_.application.ends_with_its_stream(exchange_->request);
    WorkerPool& pool = placement == Placement::kUrgent ? site_.urgent : site_.workers;
    admission =
        pool.submit(exchange_->party, [self = shared_from_this(), exchange = exchange_, &application = site_.application] {
          Response response = serve(application, exchange->request);
          self->post([self, exchange, response = std::move(response)]() mutable {
            if (!self->is_closed()) self->answer(std::move(response));
          });
        });
    if (admission.entry == Entry::kTooMany) {
      return hold(site_.application.too_many_requests(exchange_->request, admission.retry_after));
    }
  } catch (const std::exception&) {
    return refuse(500, kFault, false);
  }
  if (!admission) refuse(503, "too many requests are waiting for a worker; try again in a moment", false);
}

void Connection::hold(Response response) {
  phase_ = Phase::kHeld;
  held_ = std::move(response);
  deadline_ = SteadyClock::now() + kHoldTime;
  want_input();  // detects a client that disconnects
}

void Connection::refuse(int status, std::string_view what, bool close) {
  if (close) close_ = unread_ = true;
  phase_ = Phase::kWorking;
  Request unread;
  unread.remote_address = remote_address_;
  unread.over_tls = over_tls_;
  const Request* head = exchange_ ? &exchange_->request : parser_.has_head() ? &parser_.request() : &unread;
  Response response;
  try {
    response = site_.application.refuse(head, status, what);
  } catch (const std::exception&) {
    return abort();
  }
  if (status == 503 && !response.headers.get("Retry-After")) response.headers.set("Retry-After", "1");
  answer(std::move(response));
}

HeadShape Connection::shape_of(const Response& response) const {
  HeadShape shape;
  const bool without_body = response.status == 204 || response.status == 304;
  if (without_body) {
    shape.framing = Framing::kNone;
  } else if (!response.stream) {
    shape.length = is_head_ && response.body.empty() && response.content_length ? *response.content_length : response.body.size();
  } else if (response.content_length) {
    shape.length = *response.content_length;
  } else {
    shape.framing = is_1_0_ ? Framing::kUntilClose : Framing::kChunked;
  }
  const bool close = close_ || draining_ || site_.leaving.load(std::memory_order_relaxed) ||
                     (shape.framing == Framing::kUntilClose && !is_head_);
  shape.persistence = close ? Persistence::kClose : is_1_0_ ? Persistence::kKeepAliveSaid : Persistence::kKeepAlive;
  return shape;
}

void Connection::answer(Response response) {
  if (!headers_are_sound(response.headers)) {
    const Request* head = exchange_ ? &exchange_->request : parser_.has_head() ? &parser_.request() : nullptr;
    response = site_.application.refuse(head, 500, kFault);  // the rest of an invalid head is omitted
  }
  if (const auto wish = response.headers.get("Connection"); wish && *wish == "close") close_ = true;
  const HeadShape shape = shape_of(response);
  if (shape.persistence == Persistence::kClose) close_ = true;
  std::string head = response_head(response.status, response.headers, shape, date());
  if (is_head_ || shape.framing == Framing::kNone) return send(std::move(head), {}, Next::kRequest);
  if (!response.stream) return send(std::move(head), std::move(response.body), Next::kRequest);
  pull_ = std::make_shared<Pull>();
  pull_->stream = std::move(response.stream);
  pull_->left = shape.length;
  pull_->counted = shape.framing == Framing::kLength;
  pull_->chunked = shape.framing == Framing::kChunked;
  send(std::move(head), {}, Next::kPiece);
}

void Connection::send(std::string head, std::string body, Next next) {
  out_head_ = std::move(head);
  out_body_ = std::move(body);
  sent_ = 0;
  next_ = next;
  phase_ = Phase::kWriting;
  pace_.begin(SteadyClock::now());
  write_more();
}

void Connection::write_more() {
  deadline_ = pace_.deadline(site_.options.write_time);
  std::string_view first = out_head_, second = out_body_;
  const std::size_t of_first = std::min(sent_, first.size());
  first.remove_prefix(of_first);
  second.remove_prefix(sent_ - of_first);
  start_write(first, second);
}

void Connection::on_written(std::size_t count) {
  if (is_closed()) return;
  sent_ += count;
  pace_.progress(SteadyClock::now(), count);
  if (ended_) half_closed_until_ = SteadyClock::now() + site_.options.half_closed_time;  // the client may still be connected
  if (sent_ < out_head_.size() + out_body_.size()) return write_more();
  std::string().swap(out_head_);
  std::string().swap(out_body_);
  after_write();
}

void Connection::after_write() {
  if (next_ == Next::kPiece) return pull();
  if (next_ == Next::kRequest) return finish_answer();
  phase_ = Phase::kBody;  // 100 Continue has been sent
  pace_.begin(SteadyClock::now());
  deadline_ = pace_.deadline(site_.options.body_time);
  if (!input_.empty()) return consume_input();
  if (ended_) return abort();
  want_input();
}

// --- streamed bodies ---

void Connection::pull() {
  phase_ = Phase::kPulling;
  deadline_ = half_closed_until_;  // otherwise the application sets the deadline
  want_input();
  if (is_closed()) return;
  if (draining_) pull_->stream->finish_soon();
  if (!pull_->stream->is_ready()) {
    phase_ = Phase::kWaiting;
    deadline_ = Time::min();  // polls again at every sweep
    return;
  }
  Party party = exchange_ ? exchange_->party : Party();
  party.weight = Weight::kLight;  // producing a piece is short
  site_.workers.submit_always(party, [self = shared_from_this(), pull = pull_] {
    std::string piece;
    auto more = next_piece(*pull->stream, piece);
    if (!more || !*more) pull->stream.reset();  // releases its resources here, not on the I/O thread
    self->post([self, pull, more = std::move(more), piece = std::move(piece)]() mutable {
      if (!self->is_closed()) self->on_piece(std::move(more), std::move(piece));
    });
  });
}

void Connection::on_piece(Result<bool> more, std::string piece) {
  if (!more) return abort();
  if (!*more) {
    if (pull_->counted && pull_->left > 0) return abort();  // shorter than announced: the client must not take it as complete
    const bool chunked = pull_->chunked;
    pull_.reset();
    if (!chunked) return finish_answer();
    return send("0\r\n\r\n", {}, Next::kRequest);
  }
  if (piece.empty()) return pull();
  if (pull_->counted) {
    if (piece.size() > pull_->left) return abort();
    pull_->left -= piece.size();
  }
  if (!pull_->chunked) return send({}, std::move(piece), Next::kPiece);
  std::string size = format("{:x}\r\n", piece.size());
  piece += "\r\n";
  send(std::move(size), std::move(piece), Next::kPiece);
}

// --- the end of a response ---

void Connection::finish_answer() {
  exchange_.reset();
  pull_.reset();
  if (close_ || draining_) {
    if (unread_) return linger();
    phase_ = Phase::kLingering;
    deadline_ = SteadyClock::now() + kLingerTime;
    return close_in_order();
  }
  parser_.restart();
  phase_ = Phase::kIdle;
  since_ = SteadyClock::now();
  deadline_ = since_ + site_.options.idle_time;
  if (!input_.empty()) return consume_input();
  if (ended_) return abort();
  want_input();
}

// Closing with unread bytes resets the connection, and the reset can overtake the response.
void Connection::linger() {
  phase_ = Phase::kLingering;
  deadline_ = SteadyClock::now() + kLingerTime;
  if (ended_) return close_in_order();
  end_output();
  want_input();
}

}  // namespace ladder::http
