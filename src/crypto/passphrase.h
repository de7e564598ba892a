// Passphrases: Argon2id from libsodium. A hash contains its own parameters, so that they can be increased: a hash with
// weaker ones still verifies, and is_weak_hash() says to replace it. A process computes at most two at a time, since
// each takes kPassphraseMemory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::crypto {

// About 80 ms on a machine of 2026: not noticeable at sign-in, but expensive for an attacker who guesses.
inline constexpr unsigned long long kPassphraseOperations = 2;
inline constexpr std::size_t kPassphraseMemory = 64 * 1024 * 1024;
inline constexpr std::size_t kMinPassphraseBytes = 12;
inline constexpr std::size_t kMaxPassphraseBytes = 1024;

std::string hash_passphrase(std::string_view passphrase);  // throws std::bad_alloc without that memory
bool is_passphrase(std::string_view hash, std::string_view passphrase);
bool is_weak_hash(std::string_view hash);  // its parameters are not the current ones

// A hash that no passphrase matches; verifying against it takes as long as against a real one.
const std::string& dummy_hash();

}  // namespace ladder::crypto
