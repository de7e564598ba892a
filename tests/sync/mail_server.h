// A Dovecot for a test, a second session that changes its mailboxes, and a proxy that cuts connections.
#pragma once

#include "support/child_process.h"
#include "support/scratch_folder.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ladder::sync_tests {

inline constexpr const char* kPassword = "correct-horse-battery";

std::uint16_t free_port();

// A server program that ends with this object, also if the test is killed.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> words);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

 private:
  std::unique_ptr<class InputPipe> input_;
  pid_t process_ = -1;
};

class MailServer {
 public:
  // An empty text announces all capabilities that Dovecot has.
  explicit MailServer(const std::string& capabilities = "");
  ~MailServer();

  std::uint16_t port() const { return port_; }
  std::uint16_t tls_port() const { return tls_port_; }
  std::string certificate() const { return (folder_.path() / "dovecot" / "tls.pem").string(); }

 private:
  test_support::ScratchFolder folder_;
  std::uint16_t port_, tls_port_;
  std::unique_ptr<ServerProcess> process_;
};

// A session of the account's owner. Every command must succeed.
class MailSession {
 public:
  MailSession(const MailServer& server, std::string_view user);
  ~MailSession();

  std::vector<std::string> command(std::string_view text);  // returns the responses
  void append(std::string_view mailbox, std::string_view message);
  // Appends a message with these numbers in its subject, its Message-ID and its text ("word12").
  void append_numbered(std::string_view mailbox, int first, int last);

 private:
  std::string line();
  void send(std::string_view text);

  int socket_ = -1;
  std::string received_;
  int tag_ = 0;
};

std::string numbered_message(int number);

// Passes connections on to a port, and cuts the first ones after a number of bytes from the server.
class CutProxy {
 public:
  CutProxy(std::uint16_t to, std::size_t bytes, int cuts);
  ~CutProxy();
  std::uint16_t port() const { return port_; }
  int cuts() const { return cut_; }

 private:
  void serve();
  void pass(int client);

  const std::uint16_t to_;
  const std::size_t bytes_;
  const int cuts_;
  std::atomic<int> cut_ = 0;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

}  // namespace ladder::sync_tests
