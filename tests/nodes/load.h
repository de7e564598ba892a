// Clients that read, search and write through one address without a pause, and record every failed request and every
// acknowledged write.
#pragma once

#include "http/client.h"
#include "serving.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ladder::nodes {

using faults::milliseconds;
using faults::SteadyClock;
using faults::Time;

struct Failure {
  Time sent, received;
  int status = 0;  // 0: no response
  std::string code, text;
  bool write = false;

  std::string summary() const;
};

class Load {
 public:
  // The client may read the notes n0 to n9; the owner writes others.
  Load(std::uint16_t port, std::string client_token, std::string owner_token, int readers, int writers);
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void stop();
  std::uint64_t good() const { return good_; }
  std::vector<Failure> failures() const;                                          // so far
  const std::vector<std::string>& acknowledged() const { return acknowledged_; }  // after stop()
  // Waits until this many further requests have succeeded; false if that takes too long.
  bool advances(std::uint64_t requests) const;

 private:
  void read(int thread);
  void write(int thread);
  bool exchange(const http::ClientRequest& request, std::string_view wanted, bool write);

  std::string client_token_, owner_token_;
  std::unique_ptr<http::Client> client_;
  std::atomic<bool> stop_ = false;
  std::atomic<std::uint64_t> good_ = 0;
  mutable std::mutex mutex_;
  std::vector<Failure> failures_;
  std::vector<std::string> acknowledged_;
  std::vector<std::thread> threads_;
};

}  // namespace ladder::nodes
