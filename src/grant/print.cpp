// Writing a grant body, in the member order of the contract.
#include "grant/grant.h"
#include "json/writer.h"

namespace ladder::grant {
namespace {

// Milliseconds as everywhere, and microseconds where there are some: a bound that moved would be another grant.
std::string exact_time(Instant instant) {
  constexpr Instant kMillisecond = kSecond / 1000;
  Instant rest = instant % kMillisecond;
  if (rest < 0) rest += kMillisecond;
  std::string text = format_time(instant - rest);
  if (rest == 0) return text;
  std::string digits = std::to_string(rest);
  digits.insert(0, 3 - digits.size(), '0');
  text.insert(text.size() - 1, digits);
  return text;
}

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_time(json::Writer& out, std::string_view name, const std::optional<Instant>& time) {
  if (time) out.member(name, std::string_view(exact_time(*time)));
}

void write_stream(json::Writer& out, const StreamGrant& stream) {
  out.begin_object().member("name", std::string_view(stream.name));
  write_texts(out, "instance_ids", stream.instance_ids);
  write_texts(out, "fields", stream.fields);
  if (stream.time) {
    out.key("time_constraint").begin_object().member("field", std::string_view(stream.time->field));
    write_time(out, "since", stream.time->since);
    write_time(out, "until", stream.time->until);
    out.end_object();
  }
  if (!stream.resources.empty()) write_texts(out, "resources", stream.resources);
  out.end_object();
}

void write_client(json::Writer& out, const Grant& grant) {
  out.key("client").begin_object().member("client_id", std::string_view(grant.client_id));
  if (grant.client_display) {
    out.key("client_display").begin_object();
    out.optional_member("name", grant.client_display->name);
    out.optional_member("uri", grant.client_display->uri);
    out.optional_member("logo_uri", grant.client_display->logo_uri);
    out.optional_member("policy_uri", grant.client_display->policy_uri);
    out.optional_member("tos_uri", grant.client_display->tos_uri);
    out.end_object();
  }
  out.end_object();
}

}  // namespace

std::string to_json(const Grant& grant) {
  json::Writer out;
  out.begin_object().member("version", "0.1.0").member("grant_id", std::string_view(grant.grant_id));
  out.member("issued_at", std::string_view(exact_time(grant.issued_at)));
  out.key("subject").begin_object().member("id", std::string_view(grant.subject_id)).end_object();
  write_client(out, grant);
  out.key("source").begin_object().member("kind", std::string_view(grant.source_kind));
  out.member("id", std::string_view(grant.source_id)).end_object();
  out.key("source_declaration").begin_object().member("version", std::string_view(grant.declaration_version)).end_object();
  out.member("purpose_code", std::string_view(grant.purpose_code));
  out.optional_member("purpose_description", grant.purpose_description);
  out.member("access_mode", grant.single_use ? "single_use" : "continuous");
  out.optional_member("selection_preset", grant.selection_preset);
  out.key("streams").begin_array();
  for (const StreamGrant& stream : grant.streams) write_stream(out, stream);
  out.end_array();
  if (grant.retention) {
    out.key("retention").begin_object().member("max_duration", std::string_view(grant.retention->max_duration));
    out.member("on_expiry", std::string_view(grant.retention->on_expiry)).end_object();
  }
  out.key("expires_at");
  if (grant.expires_at) {
    out.string(exact_time(*grant.expires_at));
  } else {
    out.null();
  }
  out.end_object();
  return out.take();
}

}  // namespace ladder::grant
