#include "http/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace ladder::http::tests {
namespace {

void require(bool holds) {
  if (!holds) throw std::runtime_error("OpenSSL could not make the test's certificate");
}

template <class Write>
void write_file(const std::filesystem::path& path, Write write) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  require(file != nullptr && write(file.get()) == 1);
}

}  // namespace

Certificate make_certificate(const std::filesystem::path& folder, const std::string& stem, const std::string& names) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(X509_new(), X509_free);
  require(key && certificate);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_NAME* name = X509_get_subject_name(certificate.get());
  const unsigned char common_name[] = "Ladder test";
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0) == 1);
  require(X509_set_issuer_name(certificate.get(), name) == 1 && X509_set_pubkey(certificate.get(), key.get()) == 1);
  const std::unique_ptr<X509_EXTENSION, void (*)(X509_EXTENSION*)> alternatives(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()), X509_EXTENSION_free);
  require(alternatives && X509_add_ext(certificate.get(), alternatives.get(), -1) == 1);
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);

  const Certificate made{folder / (stem + ".pem"), folder / (stem + ".key")};
  write_file(made.certificate_file, [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write_file(made.key_file,
             [&](std::FILE* file) { return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  return made;
}

}  // namespace ladder::http::tests
