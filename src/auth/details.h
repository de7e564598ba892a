// Parses PDPP's authorization_details (RFC 9396) strictly. Each entry requests one source.
#pragma once

#include "auth/oauth_error.h"
#include "base/time/time.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

inline constexpr std::string_view kDetailsType = "https://pdpp.dev/data-access";
inline constexpr std::string_view kTrainingPurpose = "https://pdpp.dev/purpose/ai_training";

struct RequestedStream {
  std::string name;  // or "*"
  bool required = true;
  std::vector<std::string> fields;  // empty: all
  std::string view;                 // alternative to fields
  std::optional<Instant> since, until;
  std::vector<std::string> connection_ids;
  std::vector<std::string> records;
};

struct RequestedSource {
  std::string source;  // its URI, or its key in this store
  std::string purpose_code, purpose_description;
  bool single_use = false;
  std::string retention;  // as sent: "P30D, then delete"
  std::vector<RequestedStream> streams;
  std::vector<std::string> commitments;  // the client's own claims
};

bool same_terms(const RequestedSource& a, const RequestedSource& b);  // equal access mode and purpose

// Returns invalid_authorization_details on error. An empty text has no entries.
OAuthResult<std::vector<RequestedSource>> read_details(std::string_view json);

}  // namespace ladder::auth
