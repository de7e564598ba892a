// The grant: the access that an owner gave a client, as an immutable JSON body (PDPP "grants"), and the rules for
// applying it to a request. Pure values and functions. The caller passes in the access status of a grant (revoked,
// expired, consumed), since only the store knows it.
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

// The client's statement about deleting the data later; stored, but not enforced here.
struct Retention {
  std::string max_duration;  // ISO 8601
  std::string on_expiry;     // "delete" or "anonymize"
};

// The client's self-description shown to the owner; every member may be empty.
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
  bool names_instance(std::string_view connection_id) const;  // some stream covers the connection
};

// A closed object, version "0.1.0". kGrantInvalid; details().rule "source.grant.duplicate_stream_name",
// ".invalid_time_constraint", ".malformed", ".unknown_member", ".missing_member" or ".invalid_member". An empty
// `resources` is an error; it never means "everything".
Result<Grant> parse_grant(std::string_view json);
std::string to_json(const Grant& grant);  // parse_grant returns the same grant, to the microsecond

// --- creating a grant (PDPP "making a grant") ---

inline constexpr std::string_view kDefaultPurpose = "https://pdpp.dev/purpose/agent_context";

struct StreamSelection {
  std::string name;
  std::vector<std::string> instance_ids;  // already resolved by the caller; not empty
  std::vector<std::string> fields;        // empty: all declared fields
  std::optional<Instant> since, until;
  std::vector<std::string> resources;
};

struct Selection {
  std::vector<StreamSelection> streams;  // a single stream named "*" means every declared stream
  std::string purpose_code;              // an absolute URI; empty: https://pdpp.dev/purpose/agent_context
  std::string purpose_description;
  bool single_use = false;
  std::optional<Instant> expires_at;
};

// Resolves a selection against the declaration. Returns kInvalidRequest with the name at fault (kUnknownField and
// kStreamNotDeclared where they fit) for unknown streams and fields, field or record selection where the stream allows
// none, a time range without consent_time_field, since after until, or keys of wrong arity. Adds schema-required
// fields; without `fields` it grants all declared ones, sorted by name. A single-use grant expires at most 24 hours
// after `now`; an expiry in the past is an error.
Result<Grant> make_grant(const model::SourceDeclaration& declaration, const Selection& selection, std::string grant_id,
                         std::string subject_id, std::string client_id, Instant now);

// --- evaluating a grant ---

// The current state of a grant and its token in the store.
struct AccessStatus {
  bool token_known = false;  // the token exists and is not revoked
  std::optional<Instant> token_expires_at;
  bool grant_known = false;
  bool grant_revoked = false;
};

// kAuthentication for an invalid token or a missing grant, kGrantRevoked, kGrantExpired, or success. Expired means now
// >= expires_at. The state of the grant is checked before that of the token, since revoking a grant also revokes its
// tokens.
Status check_access_status(const Grant& grant, const AccessStatus& access_status, Instant now);

// Returns the stream within the grant, else kStreamNotAllowed. The error is the same whether the stream exists or not.
Result<const StreamGrant*> check_stream(const Grant& grant, std::string_view stream);
// kFieldNotGranted if the field is outside the stream's grant; kUnknownField if `declared` does not declare it.
Status check_field(const StreamGrant& stream, const model::Stream& declared, std::string_view field);

// Returns whether a record satisfies time constraint and resources. `data` is checked JSON (a stored row is fine). A
// constraint whose field is absent, not a string or not a time hides the record. The caller cannot distinguish hidden
// from missing records.
bool is_visible(const StreamGrant& stream, std::string_view key, const json::Value& data);

}  // namespace ladder::grant
