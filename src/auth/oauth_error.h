// Refusals of OAuth: a name of its closed lists, a sentence for the makers of the client, and the status of HTTP. Ladder's own
// errors become these at the border: a store that does not answer is temporarily_unavailable, never invalid_grant, since hosts
// drop their tokens at that word.
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <expected>
#include <string>

namespace ladder::auth {

struct OAuthError {
  int status = 400;
  std::string error;        // invalid_request, invalid_grant, …
  std::string description;  // printable ASCII
  std::int64_t retry_after = -1;
};

template <class T>
using OAuthResult = std::expected<T, OAuthError>;

inline std::unexpected<OAuthError> refuse(std::string error, std::string description, int status = 400) {
  return std::unexpected(OAuthError{status, std::move(error), std::move(description), -1});
}

OAuthError from_error(const Error& error);

}  // namespace ladder::auth

// Unwraps a Result of Ladder's own inside a function that answers with OAuthResult.
#define LADDER_OAUTH_TRY(declaration, expression) \
  LADDER_OAUTH_TRY_(declaration, expression, LADDER_CONCAT(ladder_oauth_try_, __LINE__))
#define LADDER_OAUTH_TRY_(declaration, expression, temporary)                              \
  auto temporary = (expression);                                                           \
  if (!temporary) return std::unexpected(::ladder::auth::from_error((temporary).error())); \
  declaration = *std::move(temporary)
