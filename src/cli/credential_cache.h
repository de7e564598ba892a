// The credential cache (contract mcp-adapter 8.3): one file per server, <cache root>/clients/<host>.json, that whoever connected
// wrote and refreshes. Read only here; it belongs to one person, and a file that others can read is refused.
#pragma once

#include "base/mutex.h"
#include "base/time.h"
#include "remote/credentials.h"
#include "remote/endpoint.h"

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

inline constexpr std::string_view kOwnerTokenPrefix = "ldr_o_";  // of Ladder's own owner tokens

struct Credential {
  std::string access_token;
  std::string grant_id;      // empty when the file does not say
  bool says_client = false;  // the file calls it a client's
};

enum class CredentialFault : std::uint8_t { kMissing, kExposed, kInvalid, kExpired, kOwner };

struct CredentialProblem {
  CredentialFault fault = CredentialFault::kMissing;
  std::string message;  // with the way out; never with the token
};

std::string credential_file(const std::string& cache_root, const remote::Endpoint& endpoint);
std::expected<Credential, CredentialProblem> read_credential(const std::string& file, Instant now);

// The token of the file, read again when the file changes and when the server refuses what it held.
class CachedCredentials final : public remote::Credentials {
 public:
  static std::expected<std::shared_ptr<CachedCredentials>, CredentialProblem> open(const std::string& file, const Clock& clock);

  Result<std::string> token() override;
  std::optional<std::string> instead_of(const std::string& refused) override;
  std::string grant_id() const override { return grant_id_; }
  std::string origin() const override { return "in " + file_; }
  bool is_known_client(const std::string& token) override;

 private:
  CachedCredentials(std::string file, const Clock& clock, Credential credential);
  void refresh() LADDER_REQUIRES(mutex_);  // what cannot be read is not taken

  const std::string file_;
  const Clock& clock_;
  const std::string grant_id_;
  Mutex mutex_;
  std::string token_ LADDER_GUARDED_BY(mutex_);
  bool says_client_ LADDER_GUARDED_BY(mutex_) = false;
  std::timespec read_at_ LADDER_GUARDED_BY(mutex_){};  // the file's time when it was read
};

}  // namespace ladder::cli
