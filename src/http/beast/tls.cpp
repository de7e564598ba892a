#include "http/beast/tls.h"

#include "base/text/format.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <memory>
#include <string_view>
#include <system_error>

namespace ladder::http {
namespace {

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};
using Context = std::unique_ptr<SSL_CTX, Free>;

// Returns the system's message for a file that cannot be opened, else OpenSSL's newest error. It clears the error queue, which
// the next call would otherwise see.
std::string reason() {
  const unsigned long first = ERR_peek_error(), code = ERR_peek_last_error();
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(first)) return std::generic_category().message(ERR_GET_REASON(first));
  const char* text = ERR_reason_error_string(code);
  return text != nullptr ? text : "unknown reason";
}

std::unexpected<Error> bad_file(std::string_view what, const std::string& file, std::string_view retry_hint,
                                std::string param = {}) {
  return fail(Code::kInvalidRequest, format("cannot use the TLS {} {}: {}; {}", what, file, reason(), retry_hint),
              std::move(param));
}

Result<Context> make(const SSL_METHOD* method) {
  ERR_clear_error();
  Context context(SSL_CTX_new(method));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1) {
    return fail(Code::kInternal, "OpenSSL could not create a TLS context: " + reason());
  }
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection releases its buffers, and a write may be retried from a moved buffer.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return context;
}

}  // namespace

Result<ssl_ctx_st*> server_tls(const std::string& certificate_file, const std::string& key_file) {
  if (certificate_file.empty() || key_file.empty()) {
    const bool has_key = certificate_file.empty();
    return fail(Code::kInvalidRequest,
                format("TLS needs a certificate and its key: also set --tls-{}", has_key ? "certificate" : "key"),
                has_key ? "--tls-key" : "--tls-certificate");
  }
  LADDER_TRY(Context context, make(TLS_server_method()));
  SSL_CTX_set_options(context.get(), SSL_OP_CIPHER_SERVER_PREFERENCE);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    return bad_file("certificate", certificate_file, "use a PEM file with the certificate first, followed by its chain",
                    "--tls-certificate");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return bad_file("key", key_file,
                    "use the PEM file of the certificate's private key, readable by this user and without a passphrase",
                    "--tls-key");
  }
  if (SSL_CTX_check_private_key(context.get()) != 1) {
    return bad_file("key", key_file, format("it does not belong to the certificate {}", certificate_file), "--tls-key");
  }
  return context.release();
}

Result<ssl_ctx_st*> client_tls(const std::string& ca_file) {
  LADDER_TRY(Context context, make(TLS_client_method()));
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (ca_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context.get()) != 1)
      return fail(Code::kInvalidRequest, "the system's certificates cannot be used: " + reason());
  } else if (SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) != 1) {
    return bad_file("authority file", ca_file, "use a PEM file of certificates to trust");
  }
  return context.release();
}

bool expect_server(ssl_st* connection, const std::string& host, bool is_address) {
  if (is_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(connection), host.c_str()) == 1;
  std::string name = host;  // the C API requires a mutable string; the macro SSL_set_tlsext_host_name contains a C cast
  return SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1 &&
         SSL_set1_host(connection, host.c_str()) == 1;
}

}  // namespace ladder::http
