// `ladder serve` as a process, started as users start it, and a client of it. A thread reads its log all the time, so
// that a full pipe never blocks it.
#pragma once

#include "http/client.h"
#include "support/child_process.h"

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::faults {

using SteadyClock = std::chrono::steady_clock;
using Time = SteadyClock::time_point;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The factor by which a sanitized program may exceed the bounds of a release build.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int kSlower = 5;
#elif defined(__has_feature)
inline constexpr int kSlower = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ? 5 : 1;
#else
inline constexpr int kSlower = 1;
#endif

// How long a test waits for an event that must happen. It is no bound of the product: a busy machine may be slow.
inline constexpr milliseconds kWaitLimit = seconds(120);

// Waits until it holds, for at most kWaitLimit.
template <class Holds>
bool eventually(Holds holds) {
  for (const Time begin = SteadyClock::now(); !holds(); std::this_thread::sleep_for(milliseconds(5))) {
    if (SteadyClock::now() - begin > kWaitLimit) return false;
  }
  return true;
}

struct Answer {
  int status = 0;    // 0: no response, and `text` has the reason
  std::string code;  // the code in an error envelope
  std::string text;
  std::string retry_after;  // the Retry-After header
  Time sent, received;

  milliseconds took() const { return std::chrono::duration_cast<milliseconds>(received - sent); }
  bool is(int wanted_status, std::string_view wanted_code) const { return status == wanted_status && code == wanted_code; }
  std::string summary() const { return std::to_string(status) + " " + text.substr(0, 400); }
};

// Returns the code of a PDPP error envelope with every required member; empty if it is none.
std::string envelope_code(std::string_view body);

class Serving {
 public:
  explicit Serving(const std::string& location, milliseconds wait_limit = seconds(60), const std::vector<std::string>& flags = {},
                   const std::vector<std::string>& environment = {});
  ~Serving();  // stops it gracefully, and fails the test if that fails
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  std::uint16_t port() const { return port_; }
  pid_t pid() const { return process_.pid(); }
  const std::string& location() const { return location_; }

  // Safe to call from several threads.
  Answer send(std::string method, std::string target, const std::string& token, std::string body = {},
              const std::string& content_type = {}) const;
  Answer get(std::string target, const std::string& token) const { return send("GET", std::move(target), token); }

  std::vector<std::string> log() const;  // the lines so far

  void ask_to_end();                               // sends SIGTERM
  void kill_at_once() { process_.kill(SIGKILL); }  // the destructor then expects no graceful end, after wait()
  int wait();                                      // returns its exit code

 private:
  std::string location_;
  test_support::ChildProcess process_;
  std::uint16_t port_ = 0;
  std::unique_ptr<http::Client> client_;
  mutable std::mutex log_mutex_;
  std::vector<std::string> log_;
  std::thread log_reader_;
  bool ended_ = false;
};

}  // namespace ladder::faults
