// The grant: what an owner allowed a client, as an immutable JSON body (PDPP "grants"), and what it says about a request. Pure
// values and rules; The access status of a grant (revoked, expired, consumed) is passed in, since only the store knows it.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"
#include "model/field_path.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::grant {

struct TimeConstraint {
  std::string field;
  std::optional<Instant> since;  // inclusive
  std::optional<Instant> until;  // exclusive
};

struct StreamGrant {
  std::string name;
  std::vector<std::string> instance_ids;
  std::vector<std::string> fields;
  std::optional<TimeConstraint> time;
  std::vector<std::string> resources;  // canonical keys; empty means every record

  bool allows_field(std::string_view field) const;
  bool allows_instance(std::string_view connection_id) const;
};

// The client's statement of what it does with the data after a while; carried along, never enforced here.
struct Retention {
  std::string max_duration;  // ISO 8601
  std::string on_expiry;     // "delete" or "anonymize"
};

// How the client showed itself to the owner; every member may be empty.
struct ClientDisplay {
  std::string name, uri, logo_uri, policy_uri, tos_uri;
};

struct Grant {
  std::string grant_id;
  Instant issued_at = 0;
  std::string subject_id;
  std::string client_id;
  std::string source_kind, source_id;
  std::string declaration_version;
  std::string purpose_code, purpose_description;
  bool single_use = false;
  std::vector<StreamGrant> streams;
  std::optional<Instant> expires_at;
  std::string selection_preset;  // empty when there is none
  std::optional<Retention> retention;
  std::optional<ClientDisplay> client_display;

  const StreamGrant* stream(std::string_view name) const;
};

// Closed object, version "0.1.0". kGrantInvalid; details().rule "source.grant.duplicate_stream_name", ".invalid_time_constraint",
// ".malformed", ".unknown_member", ".missing_member" or ".invalid_member". An empty `resources` is refused, never "everything".
Result<Grant> parse_grant(std::string_view json);
std::string to_json(const Grant& grant);  // parse_grant gives the same grant back, to the microsecond

// --- making one (PDPP "making a grant") ---

inline constexpr std::string_view kDefaultPurpose = "https://pdpp.dev/purpose/agent_context";

struct StreamSelection {
  std::string name;
  std::vector<std::string> instance_ids;  // already resolved by the caller; not empty
  std::vector<std::string> fields;        // empty: all declared fields
  std::optional<Instant> since, until;
  std::vector<std::string> resources;
};

struct Selection {
  std::vector<StreamSelection> streams;  // one named "*", alone, stands for every declared stream
  std::string purpose_code;              // an absolute URI; empty: https://pdpp.dev/purpose/agent_context
  std::string purpose_description;
  bool single_use = false;
  std::optional<Instant> expires_at;
};

// Resolves a selection against the declaration: unknown streams and fields, field or record selection where the stream allows
// none, a time range without consent_time_field, since after until, keys of wrong arity: kInvalidRequest with the name of the
// thing (kUnknownField, kStreamNotDeclared where they fit). Schema-required fields are added; without `fields` all declared ones
// are granted, sorted by name. A single-use grant expires 24 hours after `now` at the latest; an expiry that has passed is
// refused.
Result<Grant> make_grant(const model::SourceDeclaration& declaration, const Selection& selection, std::string grant_id,
                         std::string subject_id, std::string client_id, Instant now);

// --- evaluating one ---

// The state of a grant and its token in the store right now.
struct AccessStatus {
  bool token_known = false;  // the token exists and is not revoked
  std::optional<Instant> token_expires_at;
  bool grant_known = false;
  bool grant_revoked = false;
};

// kAuthentication for a dead token or one whose grant is gone, kGrantRevoked, kGrantExpired, or fine. Expired means
// now >= expires_at. What happened to the grant is told before what happened to its token, since revoking a grant kills its
// tokens.
Status check_access_status(const Grant& grant, const AccessStatus& access_status, Instant now);

// The stream within the grant, else kStreamNotAllowed. The same error whether the stream exists or not.
Result<const StreamGrant*> check_stream(const Grant& grant, std::string_view stream);
// The field within the stream's grant, else kFieldNotGranted. `declared` tells kUnknownField for a name that is not declared.
Status check_field(const StreamGrant& stream, const model::Stream& declared, std::string_view field);

// Says whether a record lies within time constraint and resources. `data` is checked JSON (a stored row is fine); a constraint
// whose field is absent, not a string or no time hides the record. Hidden and missing look alike to the caller.
bool is_visible(const StreamGrant& stream, std::string_view key, const json::Value& data);

}  // namespace ladder::grant
