// Evaluates a grant for a request. Every function fails closed: unreadable data is hidden.
#include "base/limits.h"
#include "base/text/format.h"
#include "grant/grant.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::grant {
namespace {

using model::in_quotes;

bool within(const TimeConstraint& constraint, const json::Value& data) {
  if (data.kind != json::Kind::kObject) return false;
  const std::optional<json::Value> value = json::member(data.text, constraint.field);
  if (!value || value->kind != json::Kind::kString || value->text.size() > limits::kMaxTimeTextBytes) return false;
  const std::optional<Instant> time = parse_field_time(json::decode_string(json::raw_content(*value)));
  if (!time) return false;
  return (!constraint.since || *time >= *constraint.since) && (!constraint.until || *time < *constraint.until);
}

}  // namespace

bool StreamGrant::allows_field(std::string_view field) const { return std::ranges::find(fields, field) != fields.end(); }

bool StreamGrant::allows_instance(std::string_view connection_id) const {
  return std::ranges::find(instance_ids, connection_id) != instance_ids.end();
}

bool Grant::names_instance(std::string_view connection_id) const {
  return std::ranges::any_of(streams, [&](const StreamGrant& stream) { return stream.allows_instance(connection_id); });
}

const StreamGrant* Grant::stream(std::string_view name) const {
  const auto found = std::ranges::find(streams, name, &StreamGrant::name);
  return found == streams.end() ? nullptr : &*found;
}

Status check_access_status(const Grant& grant, const AccessStatus& access_status, Instant now) {
  if (access_status.grant_known && access_status.grant_revoked) {
    return fail(Code::kGrantRevoked, format("the owner has revoked grant {}; ask for a new one", in_quotes(grant.grant_id)));
  }
  if (!access_status.token_known || !access_status.grant_known) {
    return fail(Code::kAuthentication, "the token is invalid or was revoked; ask the owner for a new one");
  }
  if (grant.expires_at && now >= *grant.expires_at) {
    return fail(Code::kGrantExpired,
                format("grant {} expired at {}; ask for a new one", in_quotes(grant.grant_id), format_time(*grant.expires_at)));
  }
  if (access_status.token_expires_at && now >= *access_status.token_expires_at) {
    return fail(Code::kAuthentication, "the token has expired; ask the owner for a new one");
  }
  return {};
}

Result<const StreamGrant*> check_stream(const Grant& grant, std::string_view stream) {
  if (const StreamGrant* granted = grant.stream(stream)) return granted;
  return fail(Code::kStreamNotAllowed, format("stream {} is outside the grant or does not exist", in_quotes(stream)), "stream");
}

Status check_field(const StreamGrant& stream, const model::Stream& declared, std::string_view field) {
  if (declared.field(field) == nullptr) {
    return fail(Code::kUnknownField, format("stream {} declares no field {}", in_quotes(declared.name), in_quotes(field)),
                "field");
  }
  if (stream.allows_field(field)) return {};
  return fail(Code::kFieldNotGranted,
              format("field {} of stream {} is outside the grant", in_quotes(field), in_quotes(declared.name)), "field");
}

bool is_visible(const StreamGrant& stream, std::string_view key, const json::Value& data) {
  if (!stream.resources.empty() && std::ranges::find(stream.resources, key) == stream.resources.end()) return false;
  return !stream.time || within(*stream.time, data);
}

}  // namespace ladder::grant
