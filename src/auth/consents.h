// The owner's decisions about requests, and what they issue. Thread-safe.
#pragma once

#include "auth/auth_state.h"
#include "auth/consent.h"
#include "auth/requests.h"
#include "base/error/error.h"
#include "server/access/access.h"
#include "server/owner/grants.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr Instant kCodeLife = 60 * kSecond;
inline constexpr Instant kExchangeLife = 5 * 60 * kSecond;

class Consents {
 public:
  Consents(AuthState& state, Clients& clients, Requests& requests) : state_(state), clients_(clients), requests_(requests) {}

  // Issues the grants of the review and stores it as evidence. kConflict if the request was already decided.
  Result<AuthorizationRequest> approve(const AuthorizationRequest& request, const server::Access& owner, const Review& review,
                                       const Choices& choices, const std::vector<server::GrantSummary>& held,
                                       std::string_view by);
  Status undo(const AuthorizationRequest& request, const server::Access& owner);
  // Stores the review shown for a PDPP request, which approval must match. kConflict if the request was decided
  // meanwhile.
  Result<AuthorizationRequest> keep_review(const AuthorizationRequest& request, std::string review, std::string choices);
  // Issues the single code of an approved request.
  Result<std::string> issue_code(const AuthorizationRequest& request);
  // Issues the single exchange code of an approved PDPP request, which a user passes to the client manually.
  Result<std::string> issue_exchange(const AuthorizationRequest& request);

 private:
  AuthState& state_;
  Clients& clients_;
  Requests& requests_;
};

}  // namespace ladder::auth
