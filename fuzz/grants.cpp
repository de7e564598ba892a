// Grant bodies. First line: the data of a record. The rest: a grant. An accepted grant round-trips to the microsecond,
// and its evaluation never allows what its body does not name.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "grant/grant.h"

#include <algorithm>

namespace ladder::fuzz {
namespace {

using grant::Grant;
using grant::StreamGrant;

void check_refusal(const Error& error) {
  FUZZ_CHECK(error.code == Code::kGrantInvalid && error.more && error.more->rule.starts_with("source.grant."));
  FUZZ_CHECK(!error.message.empty() && utf8::is_valid(error.message));
}

bool same_time(const std::optional<grant::TimeConstraint>& a, const std::optional<grant::TimeConstraint>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || (a->field == b->field && a->since == b->since && a->until == b->until);
}

bool same_stream(const StreamGrant& a, const StreamGrant& b) {
  return a.name == b.name && a.instance_ids == b.instance_ids && a.fields == b.fields && a.resources == b.resources &&
         same_time(a.time, b.time);
}

void check_round_trip(const Grant& grant) {
  const std::string text = grant::to_json(grant);
  const auto again = grant::parse_grant(text);
  FUZZ_CHECK(again.has_value());
  FUZZ_CHECK(grant::to_json(*again) == text);
  FUZZ_CHECK(again->issued_at == grant.issued_at && again->expires_at == grant.expires_at);
  FUZZ_CHECK(again->grant_id == grant.grant_id && again->subject_id == grant.subject_id && again->client_id == grant.client_id);
  FUZZ_CHECK(again->source_id == grant.source_id && again->single_use == grant.single_use);
  FUZZ_CHECK(std::ranges::equal(again->streams, grant.streams, same_stream));
}

void check_stream(const Grant& grant, const StreamGrant& stream) {
  FUZZ_CHECK(!stream.name.empty() && stream.name != "*" && grant.stream(stream.name) == &stream);
  FUZZ_CHECK(grant::check_stream(grant, stream.name) == &stream);
  FUZZ_CHECK(!stream.fields.empty() && !stream.instance_ids.empty());
  for (const std::string& field : stream.fields) {
    const std::string other = field + "x";
    FUZZ_CHECK(stream.allows_field(field));
    FUZZ_CHECK(stream.allows_field(other) == (std::ranges::count(stream.fields, other) > 0));
  }
  for (const std::string& id : stream.instance_ids) FUZZ_CHECK(stream.allows_instance(id));
  FUZZ_CHECK(!stream.allows_field("") && !stream.allows_instance(""));
  if (stream.time) FUZZ_CHECK(stream.time->since || stream.time->until);
}

void check_access_status(const Grant& grant) {
  const Instant now = grant.expires_at.value_or(0);
  const grant::AccessStatus good{.token_known = true, .token_expires_at = {}, .grant_known = true, .grant_revoked = false};
  FUZZ_CHECK(grant::check_access_status(grant, good, now).has_value() == !grant.expires_at.has_value());
  grant::AccessStatus revoked = good;
  revoked.grant_revoked = true;
  FUZZ_CHECK(!grant::check_access_status(grant, revoked, now - 1));
}

// A record is visible exactly if it is in the time range and among the named records.
void check_visible(const StreamGrant& stream, const json::Value& data) {
  for (const std::string& key : {std::string("n1"), stream.resources.empty() ? std::string() : stream.resources.front()}) {
    bool expected = stream.resources.empty() || std::ranges::count(stream.resources, key) > 0;
    if (stream.time) {
      const auto value = json::member(data.text, stream.time->field);
      const bool is_text = value && value->kind == json::Kind::kString && value->text.size() <= limits::kMaxTimeTextBytes;
      const auto time = is_text ? parse_time(json::decode_string(json::raw_content(*value))) : std::nullopt;
      expected = expected && time && (!stream.time->since || *time >= *stream.time->since) &&
                 (!stream.time->until || *time < *stream.time->until);
    }
    FUZZ_CHECK(grant::is_visible(stream, key, data) == expected);
  }
}

}  // namespace

void run(std::string_view input) {
  const std::string_view line = take_line(input);
  const auto grant = grant::parse_grant(input);
  if (!grant) return check_refusal(grant.error());
  check_round_trip(*grant);
  check_access_status(*grant);
  const bool has_data = json::check(line, limits::kMaxJsonDepth) && json::value_of(line).kind == json::Kind::kObject;
  for (const StreamGrant& stream : grant->streams) {
    check_stream(*grant, stream);
    if (has_data) check_visible(stream, json::value_of(line));
  }
}

}  // namespace ladder::fuzz
