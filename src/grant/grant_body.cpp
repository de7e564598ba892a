// Parses a grant body (PDPP "grants"). Anything that could widen the grant if misread is an error.
#include "base/limits.h"
#include "base/text/format.h"
#include "grant/grant.h"
#include "json/parse.h"
#include "json/writer.h"
#include "model/closed_object.h"
#include "model/quote.h"
#include "model/uri.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>
#include <utility>

namespace ladder::grant {
namespace {

using model::ClosedObject;
using model::Faults;
using model::in_quotes;

constexpr std::size_t kGrantDepth = 16;

std::string read_uri(Faults& faults, ClosedObject& object, std::string_view name) {
  std::string uri = object.text(name);
  if (!uri.empty() && !model::is_absolute_uri(uri)) {
    faults.add("invalid_member", object.pointer(name), format("{} is not an absolute URI", in_quotes(uri)));
  }
  return uri;
}

// An offset can move a time out of the years 0000 to 9999 of UTC. Grants are stored as text, which cannot represent
// such a time.
bool can_be_written(Instant time) {
  const std::optional<Instant> shown = parse_time(format_time(time));
  return shown && time >= *shown && time - *shown < kSecond / 1000;
}

// Reads a time member; reports `rule` if it is invalid.
std::optional<Instant> read_time(Faults& faults, ClosedObject& object, std::string_view name, std::string_view rule) {
  const boost::json::value* value = object.optional(name);
  if (value == nullptr) return std::nullopt;
  const boost::json::string* text = value->if_string();
  const std::optional<Instant> time = text == nullptr ? std::nullopt : parse_time({text->data(), text->size()});
  if (!time) {
    faults.add(rule, object.pointer(name), format("\"{}\" is not an RFC 3339 time", name));
  } else if (!can_be_written(*time)) {
    faults.add(rule, object.pointer(name),
               format("\"{}\" is outside the years 0000 to 9999 of UTC; use a time within them", name));
  }
  return time;
}

std::optional<TimeConstraint> read_time_constraint(Faults& faults, ClosedObject& stream) {
  constexpr std::string_view kRule = "invalid_time_constraint";
  const boost::json::value* value = stream.optional("time_constraint");
  if (value == nullptr) return std::nullopt;
  ClosedObject object(faults, value, stream.pointer("time_constraint"), {"field", "since", "until"});
  TimeConstraint out;
  out.field = object.text("field");
  out.since = read_time(faults, object, "since", kRule);
  out.until = read_time(faults, object, "until", kRule);
  if (!out.since && !out.until) faults.add(kRule, object.pointer(), "a time constraint needs since, until or both");
  if (out.since && out.until && *out.since > *out.until) faults.add(kRule, object.pointer(), "since is after until");
  return out;
}

StreamGrant read_stream(Faults& faults, const boost::json::value& value, const std::string& pointer) {
  ClosedObject object(faults, &value, pointer, {"name", "instance_ids", "fields", "time_constraint", "resources"});
  StreamGrant out;
  out.name = object.text("name");
  if (out.name == "*") faults.add("invalid_member", object.pointer("name"), "a grant names its streams; \"*\" is for requests");
  out.instance_ids = object.texts("instance_ids");
  out.fields = object.texts("fields");
  out.time = read_time_constraint(faults, object);
  out.resources = object.optional_texts("resources");
  return out;
}

void read_streams(Faults& faults, ClosedObject& root, Grant& out) {
  std::set<std::string> names;
  root.each("streams", [&](const boost::json::value& value, const std::string& pointer) {
    out.streams.push_back(read_stream(faults, value, pointer));
    const std::string& name = out.streams.back().name;
    if (!names.insert(name).second) {
      faults.add("duplicate_stream_name", model::child_pointer(pointer, "name"),
                 format("stream {} appears twice", in_quotes(name)));
    }
  });
}

void read_client(Faults& faults, ClosedObject& root, Grant& out) {
  ClosedObject client(faults, root.required("client"), root.pointer("client"), {"client_id", "client_display"});
  out.client_id = client.text("client_id");
  const boost::json::value* value = client.optional("client_display");
  if (value == nullptr) return;
  ClosedObject display(faults, value, client.pointer("client_display"), {"name", "uri", "logo_uri", "policy_uri", "tos_uri"});
  out.client_display =
      ClientDisplay{display.optional_text("name"), display.optional_text("uri"), display.optional_text("logo_uri"),
                    display.optional_text("policy_uri"), display.optional_text("tos_uri")};
}

void read_retention(Faults& faults, ClosedObject& root, Grant& out) {
  const boost::json::value* value = root.optional("retention");
  if (value == nullptr) return;
  ClosedObject object(faults, value, root.pointer("retention"), {"max_duration", "on_expiry"});
  out.retention = Retention{object.text("max_duration"), object.choice("on_expiry", {"delete", "anonymize"})};
}

Grant read_grant(Faults& faults, const boost::json::value& tree) {
  Grant out;
  ClosedObject root(faults, &tree, "",
                    {"version", "grant_id", "issued_at", "subject", "client", "source", "source_declaration", "purpose_code",
                     "purpose_description", "access_mode", "selection_preset", "streams", "retention", "expires_at"});
  root.choice("version", {"0.1.0"});
  out.grant_id = root.text("grant_id");
  root.required("issued_at");
  out.issued_at = read_time(faults, root, "issued_at", "invalid_member").value_or(0);
  ClosedObject subject(faults, root.required("subject"), root.pointer("subject"), {"id"});
  out.subject_id = subject.text("id");
  read_client(faults, root, out);
  ClosedObject source(faults, root.required("source"), root.pointer("source"), {"kind", "id"});
  out.source_kind = source.choice("kind", {"connector", "provider_native"});
  out.source_id = read_uri(faults, source, "id");
  ClosedObject declaration(faults, root.required("source_declaration"), root.pointer("source_declaration"), {"version"});
  out.declaration_version = declaration.text("version");
  out.purpose_code = read_uri(faults, root, "purpose_code");
  out.purpose_description = root.optional_text("purpose_description");
  out.single_use = root.choice("access_mode", {"single_use", "continuous"}) == "single_use";
  out.selection_preset = root.optional_text("selection_preset");
  read_streams(faults, root, out);
  read_retention(faults, root, out);
  if (const boost::json::value* expires = root.optional("expires_at"); expires != nullptr && !expires->is_null()) {
    out.expires_at = read_time(faults, root, "expires_at", "invalid_member");
  }
  return out;
}

}  // namespace

Result<Grant> parse_grant(std::string_view json) {
  Faults faults(Code::kGrantInvalid, "source.grant");
  const Result<boost::json::value> tree = json::parse(json, limits::kMaxDeclarationBytes, kGrantDepth);
  if (!tree) {
    faults.add("malformed", "", format("the grant is not a JSON document: {}", tree.error().message));
    LADDER_CHECK(faults.status());
  }
  faults.set_subject("the grant");
  Grant out = read_grant(faults, *tree);
  LADDER_CHECK(faults.status());
  return out;
}

// Writes a grant body, in the member order of the contract.

namespace {

// Milliseconds, or microseconds if necessary: rounding a bound would change the grant.
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

void write_time(json::Writer& out, std::string_view name, const std::optional<Instant>& time) {
  if (time) out.member(name, std::string_view(exact_time(*time)));
}

void write_stream(json::Writer& out, const StreamGrant& stream) {
  out.begin_object().member("name", std::string_view(stream.name));
  out.member("instance_ids", stream.instance_ids);
  out.member("fields", stream.fields);
  if (stream.time) {
    out.key("time_constraint").begin_object().member("field", std::string_view(stream.time->field));
    write_time(out, "since", stream.time->since);
    write_time(out, "until", stream.time->until);
    out.end_object();
  }
  out.optional_member("resources", stream.resources);
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
