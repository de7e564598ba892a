#include "auth/oauth_error.h"

namespace ladder::auth {

OAuthError from_error(const Error& error) {
  constexpr std::int64_t kRetrySeconds = 2;
  switch (error.code) {
    case Code::kStoreUnavailable:
    case Code::kDeadline:
    case Code::kNotSetUp:
      return {503, "temporarily_unavailable", "the store does not answer; try again", kRetrySeconds};
    case Code::kRateLimited:
      return {429, "slow_down", error.message, error.more ? error.more->retry_after_seconds : kRetrySeconds};
    case Code::kInvalidRequest:
      return {400, "invalid_request", error.message, -1};
    default:
      return {500, "server_error", "a fault of the server", -1};
  }
}

}  // namespace ladder::auth
