// Passkeys (Web Authentication, level 2) without attestation. Pure functions on data from the browser.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::auth {

// The response of navigator.credentials.create or .get, decoded from base64url.
struct Ceremony {
  std::string challenge;      // base64url, as issued
  std::string credential_id;  // base64url, from the browser
  std::string client_data;    // JSON
  std::string authenticator_data;
  std::string public_key;  // of a new passkey: SubjectPublicKeyInfo
  std::int64_t algorithm = 0;
  std::string signature;  // when signing in
};

// Checks the type, challenge, origin, host hash, and the flags "present" and "verified"; returns the counter.
// kAuthentication with the reason.
Result<std::int64_t> check_ceremony(const Ceremony& ceremony, std::string_view type, std::string_view origin);

// Returns the credential id from the authenticator data of a new passkey; empty if there is none.
std::string new_credential_id(std::string_view authenticator_data);

// Returns "example.org" for "https://example.org:8443".
std::string host_of_origin(std::string_view origin);

}  // namespace ladder::auth
