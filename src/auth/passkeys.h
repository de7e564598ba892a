// Passkeys (Web Authentication, level 2), as far as a server without attestation needs them. Pure rules over what the browser
// sends.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::auth {

// The answer of navigator.credentials.create or .get; decoded from base64url.
struct Ceremony {
  std::string challenge;      // base64url, as it was given out
  std::string credential_id;  // base64url, as the browser names it
  std::string client_data;    // JSON
  std::string authenticator_data;
  std::string public_key;  // of a new one: SubjectPublicKeyInfo
  std::int64_t algorithm = 0;
  std::string signature;  // of a use
};

// Checks type, challenge, origin, the hash of the host and the flags "present" and "verified"; returns the counter.
// kAuthentication with the reason.
Result<std::int64_t> check_ceremony(const Ceremony& ceremony, std::string_view type, std::string_view origin);

// The id of the credential inside authenticator data of a new one; empty when there is none.
std::string new_credential_id(std::string_view authenticator_data);

// "example.org" of "https://example.org:8443".
std::string host_of_origin(std::string_view origin);

}  // namespace ladder::auth
