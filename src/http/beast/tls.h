// TLS contexts of the server and the client: TLS 1.2 and later, errors that name the file and the remedy.
#pragma once

#include "base/error/error.h"

#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace ladder::http {

// The caller owns what it gets. kInvalidRequest when a file cannot be read, is not PEM, or the key is not the certificate's.
Result<ssl_ctx_st*> server_tls(const std::string& certificate_file, const std::string& key_file);
// `ca_file` empty: the system's certificates.
Result<ssl_ctx_st*> client_tls(const std::string& ca_file);

// Before the client's handshake: asks for this name and accepts a certificate for it, or for this address, only.
bool expect_server(ssl_st* connection, const std::string& host, bool is_address);

}  // namespace ladder::http
