// OAuth errors: a registered error name, a description for the client's developers, and the HTTP status. Ladder's own
// errors are converted here. An unavailable store becomes temporarily_unavailable, never invalid_grant, because hosts
// discard their tokens on invalid_grant.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace ladder::auth {

struct OAuthError {
  int status = 400;
  std::string error;        // invalid_request, invalid_grant, …
  std::string description;  // printable ASCII
  std::int64_t retry_after = -1;
};

// Makes foreign text safe for a description: printable ASCII, truncated.
inline std::string printable(std::string_view text) {
  constexpr std::size_t kMaxShown = 200;
  std::string out(text.substr(0, kMaxShown));
  for (char& c : out) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') c = '?';
  }
  return out;
}

template <class T>
using OAuthResult = std::expected<T, OAuthError>;

inline std::unexpected<OAuthError> refuse(std::string error, std::string description, int status = 400) {
  return std::unexpected(OAuthError{status, std::move(error), std::move(description), -1});
}

inline OAuthError from_error(const Error& error) {
  constexpr std::int64_t kRetrySeconds = 2;
  switch (error.code) {
    case Code::kStoreUnavailable:
    case Code::kDeadline:
    case Code::kNotSetUp:
      return {503, "temporarily_unavailable", "the store does not respond; try again", kRetrySeconds};
    case Code::kRateLimited:
      return {429, "slow_down", error.message, error.more ? error.more->retry_after_seconds : kRetrySeconds};
    case Code::kInvalidRequest:
      return {400, "invalid_request", error.message, -1};
    default:
      return {500, "server_error", "an internal server error", -1};
  }
}

}  // namespace ladder::auth

// Unwraps a Result in a function that returns OAuthResult.
#define LADDER_OAUTH_TRY(declaration, expression) \
  LADDER_OAUTH_TRY_(declaration, expression, LADDER_CONCAT(ladder_oauth_try_, __LINE__))
#define LADDER_OAUTH_TRY_(declaration, expression, temporary)                              \
  auto temporary = (expression);                                                           \
  if (!temporary) return std::unexpected(::ladder::auth::from_error((temporary).error())); \
  declaration = *std::move(temporary)
