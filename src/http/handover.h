// What a service manager does with a running server: hands it a socket that listens already, and has it read its certificate
// again.
#pragma once

#include "base/result.h"
#include "http/server.h"

#include <memory>

namespace ladder::http {

// As Server::start, on a listening TCP socket, which the server closes; address and port of the options are not used.
// kInvalidRequest when it is no such socket.
Result<std::unique_ptr<Server>> start_on_socket(int socket, const ServerOptions& options, Application& application);

// Reads the files of certificate and key again, for new connections; without TLS there is nothing to do. On an error the server
// goes on with what it has. Takes a server that Server::start or start_on_socket made.
Status reload_certificate(Server& server);

}  // namespace ladder::http
