// The names of clients in tables, so that programs that registered themselves can be told apart.
#pragma once

#include "auth/clients.h"
#include "base/error/error.h"

#include <map>
#include <string>

namespace ladder::cli {

class ClientNames {
 public:
  explicit ClientNames(auth::Clients& clients) : clients_(clients) {}

  // Returns "Claude Code (cli_5b86…)", or the id if the client has no name. Safe for a terminal.
  Result<std::string> text(const std::string& client_id);

 private:
  auth::Clients& clients_;
  std::map<std::string, std::string> known_;
};

}  // namespace ladder::cli
