// Another resource server as the data source: its address from a flag or variable, its token from LADDER_TOKEN or the cache.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "cli/invocation/command.h"
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

// The credential cache (PDPP "credential cache") has one file per server, <cache root>/clients/<host>.json. The program that
// connected writes and refreshes it; Ladder only reads it. A file that other users can read is refused.

inline constexpr std::string_view kOwnerTokenPrefix = "ldr_o_";  // the prefix of Ladder's own owner tokens

struct Credential {
  std::string access_token;
  std::string grant_id;           // empty if the file does not contain it
  bool marked_as_client = false;  // the file identifies a client
};

enum class CredentialFault : std::uint8_t { kMissing, kExposed, kInvalid, kExpired, kOwner };

struct CredentialProblem {
  CredentialFault fault = CredentialFault::kMissing;
  std::string message;  // includes the remedy, never the token
};

std::string credential_file(const std::string& cache_root, const remote::Endpoint& endpoint);
std::expected<Credential, CredentialProblem> read_credential(const std::string& file, Instant now);

// The token from the file. The file is read again when it changes and when the server rejects the token.
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
  void refresh() LADDER_REQUIRES(mutex_);  // ignores a file that it cannot read

  const std::string file_;
  const Clock& clock_;
  const std::string grant_id_;
  Mutex mutex_;
  std::string token_ LADDER_GUARDED_BY(mutex_);
  bool marked_as_client_ LADDER_GUARDED_BY(mutex_) = false;
  std::timespec read_at_ LADDER_GUARDED_BY(mutex_){};  // the file's modification time at the last read
};

// The key that seals window cursors for servers that do not seal their own (design D6): <cache root>/cursor.key, next to the
// credentials and readable by its owner only. It is created when the first cursor is sealed, never at startup.
class CursorKeyFile final : public remote::CursorKey {
 public:
  // `may_make`: the user named the folder. Otherwise a key is created only if the folder exists.
  CursorKeyFile(std::string cache_root, bool may_make) : cache_root_(std::move(cache_root)), may_make_(may_make) {}

  // Without a file, returns a key of this process, and its cursors are invalid after it ends.
  const crypto::Sealer& sealer() override;
  const crypto::Sealer* if_there() override;

  // Returns 32 bytes for fences; stable across starts once the file exists.
  std::string fence_key() const;

 private:
  std::string path() const { return cache_root_ + "/cursor.key"; }
  std::optional<std::string> read() const;  // also nullopt for a file that others can read
  std::optional<std::string> make() const;

  const std::string cache_root_;
  const bool may_make_;
  Mutex mutex_;
  std::optional<crypto::Sealer> sealer_ LADDER_GUARDED_BY(mutex_);
};

// A connection to another server.
struct Provider {
  std::unique_ptr<remote::RemotePort> port;
  std::string fence_key;
};

// --provider-url: serves MCP over another resource server, with the token from LADDER_TOKEN or the credential cache.
class ProviderFlags {
 public:
  void declare(Arguments& arguments);

  // Returns the server's address from the flag, then LADDER_PROVIDER_URL, then PDPP_PROVIDER_URL; nullopt selects the local
  // store.
  Result<std::optional<remote::Endpoint>> endpoint(const Context& context) const;

  // Uses `token`, or the cached token if it is empty.
  std::expected<std::shared_ptr<remote::Credentials>, CredentialProblem> credentials(const Context& context,
                                                                                     const remote::Endpoint& endpoint,
                                                                                     const std::string& token) const;

  // Neither connects nor writes.
  Result<Provider> open(const Context& context, const remote::Endpoint& endpoint,
                        std::shared_ptr<remote::Credentials> credentials) const;

 private:
  std::optional<std::string> named_root(const Context& context) const;  // the cache root

  std::optional<std::string> url_, ca_file_, cache_root_;
};

}  // namespace ladder::cli
