#include "mcp/protocol/stdio.h"

#include "api/resource_port.h"
#include "base/mutex.h"
#include "base/text/format.h"
#include "mcp/protocol/answer.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/subscriptions.h"

#include <poll.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <deque>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace ladder::mcp {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

void LineReader::fill() {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    scanned_ -= start_;
    start_ = 0;
    if (buffer_.empty() && buffer_.capacity() > 4 * kPieceBytes) buffer_.shrink_to_fit();  // frees the memory of a long line
  }
  piece_.resize(kPieceBytes);
  ssize_t got = ::read(descriptor_, piece_.data(), piece_.size());
  while (got < 0 && wait_after(errno, descriptor_, POLLIN)) got = ::read(descriptor_, piece_.data(), piece_.size());
  if (got > 0) buffer_.append(piece_, 0, static_cast<std::size_t>(got));
  else ended_ = true;
}

LineReader::Got LineReader::next(std::string& line) {
  line.clear();
  bool too_long = false;
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    const bool found = end != std::string::npos;
    const std::size_t length = (found ? end : buffer_.size()) - start_;
    if (length > max_bytes_) too_long = true;
    if (found || (ended_ && length > 0)) {
      line.assign(buffer_, start_, too_long ? 0 : length);
      start_ = scanned_ = found ? end + 1 : buffer_.size();
      if (line.ends_with('\r')) line.pop_back();
      return too_long ? Got::kTooLong : Got::kLine;
    }
    if (ended_) return too_long ? Got::kTooLong : Got::kEnd;
    scanned_ = buffer_.size();
    if (too_long) start_ = scanned_;  // its bytes are not kept
    fill();
  }
}

InFlight::Ticket InFlight::begin(std::optional<std::string> id) {
  const MutexLock lock(mutex_);
  return requests_.insert(requests_.end(), Request{std::move(id), {}, false});
}

void InFlight::cancel(std::string_view id) {
  const MutexLock lock(mutex_);
  for (Request& request : requests_) {
    if (request.id != id) continue;
    request.cancelled = true;
    request.stop.request_stop();
  }
}

void InFlight::cancel_all() {
  const MutexLock lock(mutex_);
  for (Request& request : requests_) {
    request.cancelled = true;
    request.stop.request_stop();
  }
}

bool InFlight::finish(Ticket request, const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  const bool wanted = !request->cancelled;
  if (wanted) say();
  requests_.erase(request);
  return wanted;
}

bool InFlight::during(Ticket request, const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  if (!request->cancelled) say();
  return !request->cancelled;
}

void InFlight::alone(const std::function<void()>& say) {
  const MutexLock lock(mutex_);
  say();
}

namespace {

class Stdio {
 public:
  Stdio(const Server& server, api::ResourcePort& port, const StdioChannel& channel)
      : server_(server), port_(port), channel_(channel), lines_(channel.input, kMaxLineBytes) {
    auto watch = port.watch();
    if (!watch) return;
    own_ = std::make_shared<Subscription>(std::move(watch), Subscription::Shape{});
    own_->speak([this](std::string message) {
      in_flight_.alone([&] { write(std::move(message)); });
      return !output_closed_;
    });
  }

  void run() {
    work();
    std::vector<std::thread> threads;  // none is added after the input has ended
    {
      const MutexLock lock(mutex_);
      threads.swap(threads_);
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  struct Job {
    std::unique_ptr<const Received> message;
    Envelope envelope;
    LogLine log;  // used if it is cancelled before it runs
    InFlight::Ticket ticket;
  };

  void work();
  std::optional<Job> read();  // returns the next request for the reading thread; nullopt at the end of the input
  std::optional<Job> take(std::string line);
  bool pass_on_reading();
  void enqueue(Job job);
  void run_job(Job job);
  bool listen(const Job& job, Reply& reply);
  void end_input();

  void refuse(const Fault& fault, const LogLine& about);
  void write(std::string text);
  void log(const std::vector<LogLine>& lines, std::chrono::steady_clock::time_point begin) const;

  const Server& server_;
  api::ResourcePort& port_;
  const StdioChannel& channel_;
  InFlight in_flight_;
  std::atomic<bool> output_closed_ = false;

  // Used by the reading thread.
  LineReader lines_;
  std::optional<Era> era_;
  std::string negotiated_;

  Mutex mutex_;
  Condition wake_;
  std::deque<Job> queue_ LADDER_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ LADDER_GUARDED_BY(mutex_);  // in addition to the thread that called run()
  std::size_t idle_ LADDER_GUARDED_BY(mutex_) = 0, busy_ LADDER_GUARDED_BY(mutex_) = 0;
  bool reading_ LADDER_GUARDED_BY(mutex_) = false, ended_ LADDER_GUARDED_BY(mutex_) = false;

  std::shared_ptr<Subscription> own_;  // of a legacy client; null if the port cannot be watched
  Subscriptions subscriptions_;        // the last member: its thread uses the others
};

void Stdio::work() {
  MutexLock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return !queue_.empty() || !reading_ || ended_; });
    --idle_;
    std::optional<Job> job;
    if (!queue_.empty()) {
      job = std::move(queue_.front());
      queue_.pop_front();
      ++busy_;
      if (queue_.size() + 1 == kStdioQueue) wake_.notify_all();  // the reader may wait for space
    } else if (ended_) {
      return;
    } else {
      reading_ = true;
      lock.unlock();
      job = read();
      lock.lock();
      if (!job) continue;
    }
    lock.unlock();
    run_job(*std::move(job));
    lock.lock();
    --busy_;
    if (ended_) wake_.notify_all();
  }
}

std::optional<Stdio::Job> Stdio::read() {
  std::string line;
  for (;;) {
    const LineReader::Got got = lines_.next(line);
    if (got == LineReader::Got::kTooLong) {
      refuse({kInvalidRequest, format("a line has more than {} bytes; it was skipped", kMaxLineBytes), {}, 0, {}},
             {"-", {}, {}, {}});
      continue;
    }
    if (got == LineReader::Got::kEnd || output_closed_) break;
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    std::optional<Job> job = take(std::move(line));
    if (!job) continue;
    if (pass_on_reading()) return job;
    enqueue(*std::move(job));
  }
  end_input();
  return std::nullopt;
}

// Turns a request into a job; handles all other messages directly.
std::optional<Stdio::Job> Stdio::take(std::string line) {
  auto message = std::make_unique<const Received>(std::move(line), kMaxLineBytes);
  Glance seen = glance(message->incoming());
  if (seen.cancels) {
    in_flight_.cancel(*seen.cancels);
    return std::nullopt;
  }
  if (seen.is_request && !era_) era_ = seen.settles;
  Envelope envelope;
  envelope.era = era_;
  envelope.negotiated = negotiated_;
  envelope.spans = channel_.spans;
  if (own_) envelope.subscriptions = &subscriptions_;
  if (era_ != Era::kModern) envelope.own = own_;
  if (!seen.is_request) {
    const auto begin = std::chrono::steady_clock::now();
    Reply reply = server_.handle(message->incoming(), envelope, port_, {});
    if (!reply.body.empty()) in_flight_.alone([&] { write(std::move(reply.body)); });
    log(reply.log, begin);
    return std::nullopt;
  }
  if (era_ == Era::kLegacy && !seen.negotiates.empty()) negotiated_ = seen.negotiates;
  LogLine about{std::move(seen.method), {}, std::move(seen.echo), {}};
  return Job{std::move(message), std::move(envelope), std::move(about), in_flight_.begin(std::move(seen.cancelled_by))};
}

// Reports whether another thread takes over reading.
bool Stdio::pass_on_reading() {
  const MutexLock lock(mutex_);
  if (idle_ == 0) {
    if (threads_.size() + 1 >= kStdioThreads) return false;
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // no more threads can be started; the existing ones continue
      return false;
    }
  }
  reading_ = false;
  ++busy_;
  wake_.notify_one();
  return true;
}

// Blocks while the queue is full. No further line is read until then, so that a client's writes block instead of failing.
void Stdio::enqueue(Job job) {
  MutexLock lock(mutex_);
  wake_.wait(lock, [&]() LADDER_REQUIRES(mutex_) { return queue_.size() < kStdioQueue; });
  queue_.push_back(std::move(job));
  wake_.notify_one();
}

void Stdio::run_job(Job job) {
  const auto begin = std::chrono::steady_clock::now();
  Reply reply{{}, 0, {job.log}};
  const std::stop_token stop = job.ticket->stop.get_token();
  if (!stop.stop_requested()) reply = server_.handle(job.message->incoming(), job.envelope, port_, stop);
  const bool listens = reply.subscription != nullptr;
  const bool said = listens ? listen(job, reply) : in_flight_.finish(job.ticket, [&] { write(std::move(reply.body)); });
  if (!said) {
    for (LogLine& line : reply.log) line.outcome = "cancelled";
  }
  log(reply.log, begin);
  if (output_closed_) in_flight_.cancel_all();
}

// Keeps a listen request in flight while its subscription is open, so that no message follows its cancellation.
class OpenListen {
 public:
  OpenListen(InFlight& in_flight, InFlight::Ticket ticket, const Subscription& subscription)
      : in_flight_(in_flight),
        ticket_(ticket),
        on_cancel_(ticket->stop.get_token(), [closing = subscription.closing()] { *closing = true; }) {}
  ~OpenListen() {
    in_flight_.finish(ticket_, [] {});
  }
  OpenListen(const OpenListen&) = delete;
  OpenListen& operator=(const OpenListen&) = delete;

 private:
  InFlight& in_flight_;
  InFlight::Ticket ticket_;
  std::stop_callback<std::function<void()>> on_cancel_;
};

// Returns false if it was cancelled before it started.
bool Stdio::listen(const Job& job, Reply& reply) {
  const auto open = std::make_shared<OpenListen>(in_flight_, job.ticket, *reply.subscription);
  const bool said = in_flight_.during(job.ticket, [&] { write(std::move(reply.body)); });
  if (!said) reply.subscription->close();
  reply.subscription->speak([this, open, ticket = job.ticket](std::string message) {
    return in_flight_.during(ticket, [&] { write(std::move(message)); }) && !output_closed_;
  });
  return said;
}

// Running requests get a short time to finish; then they are stopped.
void Stdio::end_input() {
  subscriptions_.end_all();
  MutexLock lock(mutex_);
  ended_ = true;
  wake_.notify_all();
  if (wake_.wait_for(lock, kDrainTime, [&]() LADDER_REQUIRES(mutex_) { return queue_.empty() && busy_ == 0; })) return;
  lock.unlock();
  in_flight_.cancel_all();
}

void Stdio::refuse(const Fault& fault, const LogLine& about) {
  in_flight_.alone([&] { write(error_body(about.id, fault)); });
  log({{about.method, about.tool, about.id, std::string(outcome_word(fault.code))}}, std::chrono::steady_clock::now());
}

// Writes a line at once. If the output is closed, running work is stopped and reading ends.
void Stdio::write(std::string text) {
  if (text.empty()) return;  // a batch of notifications
  text += '\n';
  std::string_view left = text;
  while (!left.empty() && !output_closed_) {
    const ssize_t written = ::write(channel_.output, left.data(), left.size());
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
    else if (!wait_after(errno, channel_.output, POLLOUT)) output_closed_ = true;
  }
}

void Stdio::log(const std::vector<LogLine>& lines, std::chrono::steady_clock::time_point begin) const {
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  for (const LogLine& line : lines) channel_.log(line, took);
}

}  // namespace

void serve_stdio(const Server& server, api::ResourcePort& port, const StdioChannel& channel) {
  Stdio(server, port, channel).run();
}

}  // namespace ladder::mcp
