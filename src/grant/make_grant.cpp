// Creates a grant from an owner's selection (PDPP "making a grant") and a declaration.
#include "base/limits.h"
#include "base/text/format.h"
#include "grant/grant.h"
#include "model/quote.h"
#include "model/record_id.h"
#include "model/uri.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ladder::grant {
namespace {

using model::in_quotes;

std::unexpected<Error> refuse(std::string_view param, std::string message, std::string_view rule = {}) {
  Error error{Code::kInvalidRequest, std::move(message), std::string(param)};
  if (!rule.empty()) error.details().rule = rule;
  return std::unexpected(std::move(error));
}

// Appends a name unless it is present.
void add_once(std::vector<std::string>& to, const std::string& name) {
  if (std::ranges::find(to, name) == to.end()) to.push_back(name);
}

std::string names_of(const model::SourceDeclaration& declaration) {
  std::string out;
  for (const model::Stream& stream : declaration.streams) out += format("{}{}", out.empty() ? "" : ", ", stream.name);
  return out;
}

Result<std::vector<std::string>> resolve_fields(const model::Stream& declared, const StreamSelection& selected) {
  std::vector<std::string> out;
  if (selected.fields.empty()) {
    for (const model::Field& field : declared.fields) out.push_back(field.name);
    std::ranges::sort(out);
    return out;
  }
  if (!declared.select_fields) {
    return refuse("fields",
                  format("stream {} can only be granted with all its fields; omit the field names", in_quotes(declared.name)));
  }
  for (const std::string& name : selected.fields) {
    if (declared.field(name) == nullptr) {
      return fail(Code::kUnknownField,
                  format("stream {} declares no field {}; correct the name", in_quotes(declared.name), in_quotes(name)),
                  "fields");
    }
    add_once(out, name);
  }
  for (const model::Field& field : declared.fields) {
    if (field.required) add_once(out, field.name);
  }
  return out;
}

Result<std::optional<TimeConstraint>> resolve_time(const model::Stream& declared, const StreamSelection& selected) {
  if (!selected.since && !selected.until) return std::nullopt;
  if (selected.since && selected.until && *selected.since > *selected.until) {
    return refuse("since", format("stream {}: since is after until; swap them", in_quotes(declared.name)),
                  "source.selection.invalid_time_range");
  }
  const model::Field* field = declared.field(declared.consent_time_field);
  if (field == nullptr) {
    return refuse("since",
                  format("stream {} declares no consent_time_field, so it cannot be granted by time; omit since and until",
                         in_quotes(declared.name)));
  }
  // Only RFC 3339 text can be in a time range, so such a grant would silently hide everything.
  if (field->type != model::FieldType::kString && field->type != model::FieldType::kAny) {
    return refuse("since",
                  format("stream {}: its consent_time_field {} is not declared as text, so it cannot be granted by time; "
                         "omit since and until",
                         in_quotes(declared.name), in_quotes(field->name)));
  }
  return TimeConstraint{field->name, selected.since, selected.until};
}

Status check_resource(const model::Stream& declared, const std::string& key) {
  const std::size_t arity = declared.primary_key.size();
  if (key.empty()) return refuse("resources", format("stream {}: a record key is empty", in_quotes(declared.name)));
  if (key.size() > limits::kMaxRecordKeyBytes) {
    return refuse("resources",
                  format("stream {}: a record key is over {} bytes", in_quotes(declared.name), limits::kMaxRecordKeyBytes));
  }
  const std::vector<std::string> parts = model::key_parts(key, arity);
  if (parts.size() == arity && model::join_key(parts) == key) return {};
  return refuse("resources",
                format("stream {}: {} is not a valid key; its keys have {} parts, written as a JSON array of strings without "
                       "spaces, e.g. [\"a\",\"b\"]",
                       in_quotes(declared.name), in_quotes(key), arity));
}

Result<std::vector<std::string>> resolve_resources(const model::Stream& declared, const StreamSelection& selected) {
  if (!selected.resources.empty() && !declared.select_resources) {
    return refuse("resources",
                  format("stream {} cannot be granted record by record; omit the record keys", in_quotes(declared.name)));
  }
  std::vector<std::string> out;
  std::set<std::string_view> seen;  // there may be very many
  for (const std::string& key : selected.resources) {
    LADDER_CHECK(check_resource(declared, key));
    if (seen.insert(key).second) out.push_back(key);
  }
  return out;
}

Result<StreamGrant> resolve_stream(const model::Stream& declared, const StreamSelection& selected) {
  StreamGrant out;
  out.name = declared.name;
  for (const std::string& id : selected.instance_ids) {
    if (id.empty()) return refuse("connection_id", format("stream {}: a connection id is empty", in_quotes(declared.name)));
    add_once(out.instance_ids, id);
  }
  if (out.instance_ids.empty()) {
    return refuse("connection_id", format("stream {}: no connection is selected; name at least one", in_quotes(declared.name)));
  }
  LADDER_TRY(out.fields, resolve_fields(declared, selected));
  if (out.fields.empty())
    return refuse("fields", format("stream {} declares no fields, so there is nothing to grant", in_quotes(declared.name)));
  LADDER_TRY(out.time, resolve_time(declared, selected));
  LADDER_TRY(out.resources, resolve_resources(declared, selected));
  return out;
}

Result<std::vector<StreamGrant>> resolve_streams(const model::SourceDeclaration& declaration, const Selection& selection) {
  std::vector<StreamGrant> out;
  for (const StreamSelection& selected : selection.streams) {
    if (selected.name == "*") {
      if (selection.streams.size() != 1) {
        return refuse("streams", "\"*\" means every stream, so it must be the only one; remove it or the others",
                      "source.selection.wildcard_must_be_only_stream");
      }
      for (const model::Stream& declared : declaration.streams) {
        LADDER_TRY(StreamGrant granted, resolve_stream(declared, selected));
        out.push_back(std::move(granted));
      }
      return out;
    }
    const model::Stream* declared = declaration.stream(selected.name);
    if (declared == nullptr) {
      return fail(Code::kStreamNotDeclared,
                  format("source {} declares no stream {}; it has: {}", in_quotes(declaration.source_id),
                         in_quotes(selected.name), names_of(declaration)),
                  "streams");
    }
    if (std::ranges::find(out, selected.name, &StreamGrant::name) != out.end()) {
      return refuse("streams", format("stream {} is selected twice; put it into one selection", in_quotes(selected.name)),
                    "source.selection.duplicate_stream_name");
    }
    LADDER_TRY(StreamGrant granted, resolve_stream(*declared, selected));
    out.push_back(std::move(granted));
  }
  if (out.empty()) return refuse("streams", "no stream is selected; name at least one");
  return out;
}

std::optional<Instant> expiry(const Selection& selection, Instant now) {
  if (!selection.single_use) return selection.expires_at;
  const Instant latest = now + kDay;
  return std::min(selection.expires_at.value_or(latest), latest);
}

}  // namespace

Result<Grant> make_grant(const model::SourceDeclaration& declaration, const Selection& selection, std::string grant_id,
                         std::string subject_id, std::string client_id, Instant now) {
  Grant out;
  out.purpose_code = selection.purpose_code.empty() ? kDefaultPurpose : selection.purpose_code;
  if (!model::is_absolute_uri(out.purpose_code)) {
    return refuse("purpose_code", format("the purpose {} is not an absolute URI; use one such as {}", in_quotes(out.purpose_code),
                                         kDefaultPurpose));
  }
  if (client_id.empty()) return refuse("client_id", "the client has no name; give one");
  if (selection.expires_at && *selection.expires_at <= now) {
    return refuse("expires_at", format("the grant would expire at {}, which has passed; choose a later time",
                                       format_time(*selection.expires_at)));
  }
  LADDER_TRY(out.streams, resolve_streams(declaration, selection));
  out.grant_id = std::move(grant_id);
  out.issued_at = now;
  out.subject_id = std::move(subject_id);
  out.client_id = std::move(client_id);
  out.source_kind = declaration.source_kind;
  out.source_id = declaration.source_id;
  out.declaration_version = declaration.version;
  out.purpose_description = selection.purpose_description;
  out.single_use = selection.single_use;
  out.expires_at = expiry(selection, now);
  return out;
}

}  // namespace ladder::grant
