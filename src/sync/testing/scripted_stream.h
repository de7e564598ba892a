// A mail server for tests that answers from a script.
#pragma once

#include "http/stream.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::sync::imap {

// Answers each line of the client with the text of a function. TAG in it is replaced by the tag of the line.
class ScriptedStream final : public http::Stream {
 public:
  using Answer = std::function<std::string(const std::string& line)>;
  ScriptedStream(std::string greeting, Answer answer, std::vector<std::string>& sent)
      : waiting_(std::move(greeting)), answer_(std::move(answer)), sent_(sent) {}

  std::expected<void, http::ClientError> connect(const http::WaitLimit&, std::optional<http::AddressScope>) override {
    return {};
  }
  std::expected<void, http::ClientError> start_tls(const http::WaitLimit&, const std::string&) override {
    sent_.emplace_back("(TLS)");
    return {};
  }
  std::expected<void, http::ClientError> write(const http::WaitLimit&, std::string_view bytes) override {
    std::string line(bytes.substr(0, bytes.find("\r\n")));
    const std::size_t space = line.find(' ');
    const bool has_tag =
        line.starts_with('L') && space != std::string::npos && line.size() > 1 && line[1] >= '0' && line[1] <= '9';
    if (has_tag) tag_ = line.substr(0, space);
    sent_.push_back(has_tag ? line.substr(space + 1) : line);
    std::string answer = answer_(sent_.back());
    for (std::size_t at = answer.find("TAG"); at != std::string::npos; at = answer.find("TAG")) answer.replace(at, 3, tag_);
    waiting_ += answer;
    return {};
  }
  std::expected<void, http::ClientError> read(const http::WaitLimit&, std::string& into) override {
    if (waiting_.empty())
      return std::unexpected(http::ClientError{http::ClientFault::kUnreachable, "the server closed the connection"});
    into += std::exchange(waiting_, {});
    return {};
  }
  std::expected<bool, http::ClientError> poll(const http::WaitLimit& limit, std::string& into) override {
    if (waiting_.empty()) return false;
    if (const auto done = read(limit, into); !done) return std::unexpected(done.error());
    return true;
  }
  http::AddressScope scope() const override { return http::AddressScope::kLoopback; }

 private:
  std::string waiting_, tag_;
  Answer answer_;
  std::vector<std::string>& sent_;
};

}  // namespace ladder::sync::imap
