// The mail server and the HTTP server of tests/support/notify_servers.py, and what arrived there.
#pragma once

#include "support/child_process.h"
#include "support/scratch_folder.h"

#include <boost/json/value.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::notify_tests {

inline constexpr const char* kPassword = "correct-horse-battery";

class NotifyServers {
 public:
  NotifyServers();

  std::string port(std::string_view kind) const;  // "plain", "starttls", "tls", "http", "https"
  std::string certificate() const;
  // Changes how all servers answer: "", "down", "reject", "redirect", "silent".
  void behave(std::string_view how) const;
  std::vector<boost::json::value> arrived() const;
  // Waits until at least `count` messages arrived, and returns all of them.
  std::vector<boost::json::value> wait_for(std::size_t count, std::chrono::seconds limit = std::chrono::seconds(90)) const;

 private:
  test_support::ScratchFolder folder_;
  test_support::ChildProcess process_;
  boost::json::value ports_;
};

}  // namespace ladder::notify_tests
