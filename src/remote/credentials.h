// The token a remote server is asked with. It may change while the program runs: others refresh it.
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <utility>

namespace ladder::remote {

// Thread-safe.
class Credentials {
 public:
  virtual ~Credentials() = default;
  virtual Result<std::string> token() = 0;  // kAuthentication when there is none any more
  // The server refused this one: another one, if there is one meanwhile.
  virtual std::optional<std::string> instead_of(const std::string& refused) = 0;
  // The grant it belongs to, when that is known; cursors are bound to it.
  virtual std::string grant_id() const = 0;
  virtual std::string origin() const = 0;  // where it is from, in words: "of the environment", "in FILE"
  // Where it is kept it is called a client's; for servers that do not say.
  virtual bool is_known_client(const std::string& /*token*/) { return false; }
};

// One that never changes.
class FixedToken final : public Credentials {
 public:
  explicit FixedToken(std::string token, std::string grant_id = {}) : token_(std::move(token)), grant_id_(std::move(grant_id)) {}
  Result<std::string> token() override { return token_; }
  std::optional<std::string> instead_of(const std::string&) override { return std::nullopt; }
  std::string grant_id() const override { return grant_id_; }
  std::string origin() const override { return "of the environment"; }

 private:
  std::string token_, grant_id_;
};

}  // namespace ladder::remote
