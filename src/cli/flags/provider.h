// --provider-url: MCP over the data of another resource server, with the token of LADDER_TOKEN or of the credential cache.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"
#include "cli/flags/credential_cache.h"
#include "remote/remote_port.h"

#include <expected>
#include <memory>
#include <optional>
#include <string>

namespace ladder::cli {

// Another server, ready to be asked.
struct Provider {
  std::unique_ptr<remote::RemotePort> port;
  std::string fence_key;
};

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
