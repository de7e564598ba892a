// Passphrases: Argon2id by libsodium. A hash names its own parameters, so that they can grow: a hash of weaker ones still
// verifies and says that it is to be made anew. Two are computed at a time in a process, since each takes kPassphraseMemory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::crypto {

// About 80 ms on a machine of 2026: noticed by nobody who signs in, and dear for whoever guesses.
inline constexpr unsigned long long kPassphraseOperations = 2;
inline constexpr std::size_t kPassphraseMemory = 64 * 1024 * 1024;
inline constexpr std::size_t kMinPassphraseBytes = 12;
inline constexpr std::size_t kMaxPassphraseBytes = 1024;

std::string hash_passphrase(std::string_view passphrase);  // std::bad_alloc without the memory for it
bool is_passphrase(std::string_view hash, std::string_view passphrase);
bool is_weak_hash(std::string_view hash);  // of other parameters than today's

// A hash that no passphrase has: verifying against it takes the same time as against a real one.
const std::string& nobodys_hash();

}  // namespace ladder::crypto
