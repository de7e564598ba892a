// A store opened for one command, and the resource server over it. session.cpp is the one file of cli/ that opens stores.
#pragma once

#include "auth/authorization.h"
#include "base/result.h"
#include "cli/settings.h"
#include "rs/resource_server.h"

#include <memory>
#include <string>
#include <string_view>

namespace ladder::cli {

class Session {
 public:
  // kNotSetUp when there is no usable store.
  static Result<std::unique_ptr<Session>> open(const Settings& settings);
  // Creates or migrates the store, and the owner in it.
  static Result<std::unique_ptr<Session>> create(const Settings& settings);

  rs::ResourceServer& server() { return server_; }
  auth::AuthorizationServer& authorization() { return authorization_; }
  std::string_view engine() const { return store_->engine(); }
  Result<rs::Access> owner() { return server_.owner_at_machine(owner_name_); }

 private:
  Session(std::unique_ptr<store::Store> store, std::string owner_name);

  std::unique_ptr<store::Store> store_;
  rs::ResourceServer server_;
  auth::AuthorizationServer authorization_;
  std::string owner_name_;
};

}  // namespace ladder::cli
