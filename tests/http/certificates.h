// Test certificates, created by OpenSSL at run time and valid for an hour.
#pragma once

#include <filesystem>
#include <string>

namespace ladder::http::tests {

struct Certificate {
  std::filesystem::path certificate_file, key_file;
};

// Creates a self-signed certificate that is its own authority. `names` is a subjectAltName, e.g.
// "DNS:localhost,IP:127.0.0.1".
Certificate make_certificate(const std::filesystem::path& folder, const std::string& stem, const std::string& names);

}  // namespace ladder::http::tests
