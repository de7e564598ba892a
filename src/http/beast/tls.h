// TLS contexts of the server and the client: TLS 1.2 or later, with error messages that name the file and the fix.
#pragma once

#include "base/error/error.h"

#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace ladder::http {

// The caller owns the context. Returns kInvalidRequest if a file cannot be read, is not PEM, or the key does not match the
// certificate.
Result<ssl_ctx_st*> server_tls(const std::string& certificate_file, const std::string& key_file);
// An empty `ca_file` selects the system's certificates.
Result<ssl_ctx_st*> client_tls(const std::string& ca_file);

// Call before the client's handshake: requests this name, and accepts only a certificate for it or for this address.
bool expect_server(ssl_st* connection, const std::string& host, bool is_address);

}  // namespace ladder::http
