#include "cli/flags/provider.h"

#include "base/text/format.h"
#include "cli/flags/credential_cache.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultCacheRoot = ".pdpp";

std::optional<std::string> first_of(const Context& context, const std::optional<std::string>& flag, const char* variable,
                                    const char* alias) {
  if (flag) return flag;
  if (auto value = context.environment(variable)) return value;
  return context.environment(alias);
}

}  // namespace

void ProviderFlags::declare(Arguments& arguments) {
  arguments.value("--provider-url", "URL", url_,
                  "read from this PDPP resource server instead of a store here (LADDER_PROVIDER_URL)");
  arguments.value("--provider-ca", "FILE", ca_file_,
                  "PEM certificates to trust for --provider-url; the system's unless given (LADDER_PROVIDER_CA)");
  arguments.value("--cache-root", "FOLDER", cache_root_,
                  "where tokens for other servers are kept; .pdpp unless given (LADDER_CACHE_ROOT)");
}

Result<std::optional<remote::Endpoint>> ProviderFlags::endpoint(const Context& context) const {
  const auto url = first_of(context, url_, "LADDER_PROVIDER_URL", "PDPP_PROVIDER_URL");
  if (!url) return std::nullopt;
  LADDER_TRY(auto endpoint, remote::parse_endpoint(*url));
  return endpoint;
}

std::optional<std::string> ProviderFlags::named_root(const Context& context) const {
  return first_of(context, cache_root_, "LADDER_CACHE_ROOT", "PDPP_CACHE_ROOT");
}

std::expected<std::shared_ptr<remote::Credentials>, CredentialProblem> ProviderFlags::credentials(
    const Context& context, const remote::Endpoint& endpoint, const std::string& token) const {
  if (!token.empty()) return std::make_shared<remote::FixedToken>(token);
  const std::string root = named_root(context).value_or(std::string(kDefaultCacheRoot));
  return CachedCredentials::open(credential_file(root, endpoint), Clock::system());
}

Result<Provider> ProviderFlags::open(const Context& context, const remote::Endpoint& endpoint,
                                     std::shared_ptr<remote::Credentials> credentials) const {
  const auto root = named_root(context);
  const auto key = std::make_shared<CursorKeyFile>(root.value_or(std::string(kDefaultCacheRoot)), root.has_value());
  remote::RemoteOptions options;
  options.endpoint = endpoint;
  options.credentials = std::move(credentials);
  options.cursor_key = key;
  options.ca_file = first_of(context, ca_file_, "LADDER_PROVIDER_CA", "PDPP_PROVIDER_CA").value_or("");
  LADDER_TRY(auto port, remote::RemotePort::create(options));
  return Provider{std::move(port), key->fence_key()};
}

}  // namespace ladder::cli
