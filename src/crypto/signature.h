// Signatures of passkeys: ECDSA over P-256 with SHA-256 (COSE −7), Ed25519 (−8), RSA PKCS#1 v1.5 with SHA-256 (−257).
#pragma once

#include <cstdint>
#include <string_view>

namespace ladder::crypto {

inline constexpr std::int64_t kCoseEs256 = -7;
inline constexpr std::int64_t kCoseEdDsa = -8;
inline constexpr std::int64_t kCoseRs256 = -257;

// Returns whether the key (SubjectPublicKeyInfo, DER) is valid for that algorithm and strong enough.
bool is_public_key(std::int64_t cose_algorithm, std::string_view spki);
bool is_signature(std::int64_t cose_algorithm, std::string_view spki, std::string_view message, std::string_view signature);

}  // namespace ladder::crypto
