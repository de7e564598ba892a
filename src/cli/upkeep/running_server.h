// A server that runs already, as another process or on another machine.
#pragma once

#include "base/error/error.h"

#include <string>

namespace ladder::cli {

struct ServerState {
  bool ready = false;  // it is a Ladder, and its store is available
  std::string text;    // for people
};

// Asks the server at an address. The error is about the address or the certificates, not about the server.
Result<ServerState> ask_server(const std::string& url, const std::string& ca_file = {});

// Opens an address in the user's browser. Returns false if there is none, as in a session over SSH.
bool open_in_browser(const std::string& url);

}  // namespace ladder::cli
