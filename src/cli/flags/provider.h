// Another resource server as the source of data: its address by flag or variable, and its token from LADDER_TOKEN or the cache.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "cli/app/command.h"
#include "remote/exchange.h"
#include "remote/remote_port.h"
#include "remote/window_cursors.h"

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

// The credential cache (PDPP "credential cache"): one file per server, <cache root>/clients/<host>.json, that whoever connected
// wrote and refreshes. Read only here; it belongs to one person, and a file that others can read is refused.

inline constexpr std::string_view kOwnerTokenPrefix = "ldr_o_";  // of Ladder's own owner tokens

struct Credential {
  std::string access_token;
  std::string grant_id;      // empty when the file does not say
  bool says_client = false;  // the file calls it a client's
};

enum class CredentialFault : std::uint8_t { kMissing, kExposed, kInvalid, kExpired, kOwner };

struct CredentialProblem {
  CredentialFault fault = CredentialFault::kMissing;
  std::string message;  // with the remedy; never with the token
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

// The key that seals window cursors of servers which seal none (design D6): <cache root>/cursor.key, beside the credentials, for
// its owner alone. Made when the first cursor is sealed, never at the start.
class CursorKeyFile final : public remote::CursorKey {
 public:
  // `may_make`: the folder was named by somebody; without it a key is kept only where the folder is already.
  CursorKeyFile(std::string cache_root, bool may_make) : cache_root_(std::move(cache_root)), may_make_(may_make) {}

  // Without a file, a key of this process: its cursors then end with it.
  const crypto::Sealer& sealer() override;
  const crypto::Sealer* if_there() override;

  // 32 bytes for fences; the same at every start once there is a file.
  std::string fence_key() const;

 private:
  std::string path() const { return cache_root_ + "/cursor.key"; }
  std::optional<std::string> read() const;  // nullopt also for a file that others can read
  std::optional<std::string> make() const;

  const std::string cache_root_;
  const bool may_make_;
  Mutex mutex_;
  std::optional<crypto::Sealer> sealer_ LADDER_GUARDED_BY(mutex_);
};

// Another server, ready to be asked.
struct Provider {
  std::unique_ptr<remote::RemotePort> port;
  std::string fence_key;
};

// --provider-url: MCP over the data of another resource server, with the token of LADDER_TOKEN or of the credential cache.
class ProviderFlags {
 public:
  void declare(Arguments& arguments);

  // The server's address: the flag, then LADDER_PROVIDER_URL, then PDPP_PROVIDER_URL; nullopt: this machine's store.
  Result<std::optional<remote::Endpoint>> endpoint(const Context& context) const;

  // `token`, or the cache's when it is empty.
  std::expected<std::shared_ptr<remote::Credentials>, CredentialProblem> credentials(const Context& context,
                                                                                     const remote::Endpoint& endpoint,
                                                                                     const std::string& token) const;

  // Connects to nothing and writes nothing.
  Result<Provider> open(const Context& context, const remote::Endpoint& endpoint,
                        std::shared_ptr<remote::Credentials> credentials) const;

 private:
  std::optional<std::string> named_root(const Context& context) const;  // of the cache

  std::optional<std::string> url_, ca_file_, cache_root_;
};

}  // namespace ladder::cli
