// Canonical record keys and the identity check of PDPP "record keys".
#include "model/record_id.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/writer.h"
#include "model/handle.h"
#include "model/quote.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ladder::model {
namespace {

// An escape takes at most six bytes per decoded byte, so longer raw text cannot decode to a valid key.
constexpr std::size_t kMaxRawBytes = 6 * limits::kMaxRecordKeyBytes;

std::unexpected<Error> refuse_key(std::string message, std::string param = "key") {
  return fail(Code::kInvalidRecordIdentity, std::move(message), std::move(param));
}

// A component as text: decodes strings, copies numbers and booleans. nullopt for other kinds and if it is too long.
std::optional<std::string> component(const json::Value& value) {
  if (value.text.size() > kMaxRawBytes + 2) return std::nullopt;
  switch (value.kind) {
    case json::Kind::kString:
      return json::decode_string(json::raw_content(value));
    case json::Kind::kNumber:
    case json::Kind::kBool:
      return std::string(value.text);
    case json::Kind::kNull:
    case json::Kind::kObject:
    case json::Kind::kArray:
    case json::Kind::kReference:
      return std::nullopt;
  }
  return std::nullopt;
}

std::unexpected<Error> refuse_component(const json::Value& value) {
  if (value.text.size() > kMaxRawBytes + 2) return refuse_key(format("the key is over {} bytes", limits::kMaxRecordKeyBytes));
  return refuse_key("a key is a string, number or boolean, or an array of those");
}

std::unexpected<Error> refuse_arity(std::size_t found, std::size_t arity) {
  return refuse_key(format("the key has {} part{}, but the stream's primary_key has {}", found, found == 1 ? "" : "s", arity));
}

}  // namespace

Result<std::string> canonical_key(const json::Value& key, std::size_t arity) {
  std::vector<std::string> parts;
  const auto add = [&](const json::Value& value) -> Status {
    std::optional<std::string> text = component(value);
    if (!text) return refuse_component(value);
    parts.push_back(*std::move(text));
    return {};
  };
  if (key.kind == json::Kind::kArray) {
    for (json::Elements each(key.text); each.next();) {
      if (parts.size() == arity)
        return refuse_key(format("the key has more parts than the stream's primary_key, which has {}", arity));
      LADDER_CHECK(add(each.value()));
    }
  } else {
    LADDER_CHECK(add(key));
  }
  if (parts.size() != arity) return refuse_arity(parts.size(), arity);
  std::string canonical = join_key(parts);
  if (canonical.empty()) return refuse_key("the key is empty; every record needs one");
  if (canonical.size() > limits::kMaxRecordKeyBytes) {
    return refuse_key(format("the key has {} bytes, more than the limit of {}", canonical.size(), limits::kMaxRecordKeyBytes));
  }
  return canonical;
}

std::vector<std::string> key_parts(std::string_view canonical, std::size_t arity) {
  if (arity <= 1) return {std::string(canonical)};
  std::vector<std::string> parts;
  if (canonical.size() > limits::kMaxRecordKeyBytes || !json::check(canonical, 1)) return {};
  const json::Value array = json::value_of(canonical);
  if (array.kind != json::Kind::kArray) return {};
  for (json::Elements each(array.text); each.next();) {
    if (each.value().kind != json::Kind::kString) return {};
    parts.push_back(json::decode_string(json::raw_content(each.value())));
  }
  if (parts.size() != arity) parts.clear();
  return parts;
}

std::string join_key(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts.front();
  json::Writer out;
  out.begin_array();
  for (const std::string& part : parts) out.string(part);
  out.end_array();
  return out.take();
}

Status check_identity(const std::vector<std::string>& primary_key, std::string_view canonical, const json::Value& data) {
  if (data.kind != json::Kind::kObject) return {};
  const std::vector<std::string> parts = key_parts(canonical, primary_key.size());
  if (parts.size() != primary_key.size()) return refuse_arity(parts.size(), primary_key.size());
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const std::string& field = primary_key[index];
    const std::optional<json::Value> value = json::member(data.text, field);
    if (!value) continue;
    const std::optional<std::string> text = component(*value);
    if (text && *text == parts[index]) continue;
    return refuse_key(format("data.{} differs from part {} of the key; make them equal", in_quotes(field), index + 1), field);
  }
  return {};
}

// Parses and formats record ids (PDPP "record ids").

namespace {

constexpr std::string_view kForm = "{connection_id}/{stream}:{record_id}";

std::unexpected<Error> refuse(std::string_view param, std::string message) {
  return fail(Code::kInvalidId, std::move(message), std::string(param));
}

// Returns whether the text does not break a line or hide or reorder the surrounding text.
bool is_displayable(std::string_view name) {
  for (std::size_t at = 0; at < name.size();) {
    if (name[at] >= ' ' && name[at] < '\x7F') ++at;  // the usual case
    else if (is_deceptive(utf8::next(name, at))) return false;
  }
  return true;
}

bool has_colon(std::string_view name) { return name.find(':') != std::string_view::npos; }

bool fits_grammar(const RecordRef& ref) {
  const auto plain = [](std::string_view part) { return is_safe_name(part) && is_displayable(part); };
  const bool connection_fits = ref.connection_id.empty() || (plain(ref.connection_id) && !has_colon(ref.connection_id));
  return connection_fits && plain(ref.stream) && !has_colon(ref.stream) && plain(ref.record_id);
}

// Returns whether only the key does not fit: then the key is escaped, and the id stays short.
bool fits_but_for_key(const RecordRef& ref) {
  const auto plain = [](std::string_view part) { return is_safe_name(part) && is_displayable(part) && !has_colon(part); };
  const std::string& key = ref.record_id;
  const bool nameable =
      !key.empty() && key != "." && key != ".." && key.size() <= limits::kMaxRecordKeyBytes && utf8::is_valid(key);
  return nameable && plain(ref.connection_id) && plain(ref.stream);
}

Status check_segment(std::string_view param, std::string_view segment, std::string_view value) {
  if (is_safe_name(value)) return {};
  if (value.empty()) return refuse(param, format("the {} is empty; an id has the form {}", segment, kForm));
  if (value.size() > limits::kMaxRecordKeyBytes) {
    return refuse(param, format("the {} is over {} bytes", segment, limits::kMaxRecordKeyBytes));
  }
  return refuse(param,
                format("the {} {} holds \"/\", \"\\\" or \"..\" (or is \".\"), which an id cannot contain; use the record's "
                       "pdpp://record/ id instead",
                       segment, in_quotes(value)));
}

Status check_segments(const RecordRef& ref, bool needs_connection, bool is_id) {
  const auto param = [&](std::string_view name) { return is_id ? std::string_view("id") : name; };
  if (needs_connection) LADDER_CHECK(check_segment(param("connection_id"), "connection_id", ref.connection_id));
  LADDER_CHECK(check_segment(param("stream"), "stream", ref.stream));
  return check_segment(param("record_id"), "record_id", ref.record_id);
}

Status check_equal(std::string_view name, const std::optional<std::string>& given, const std::string& inside) {
  if (!given || *given == inside) return {};
  return refuse(
      name, format("{} is {}, but the id says {}; omit {} or make them equal", name, in_quotes(*given), in_quotes(inside), name));
}

Result<RecordRef> from_triple(const IdentityArguments& arguments) {
  const std::pair<std::string_view, const std::optional<std::string>*> parts[] = {
      {"connection_id", &arguments.connection_id}, {"stream", &arguments.stream}, {"record_id", &arguments.record_id}};
  for (const auto& [name, value] : parts) {
    if (*value) continue;
    return refuse(name, format("{} is missing: give id ({}), or connection_id, stream and record_id together", name, kForm));
  }
  for (const auto& [name, value] : parts) {
    if (!utf8::is_valid(**value)) return refuse(name, format("{} is not valid UTF-8", name));
  }
  RecordRef ref{*arguments.connection_id, *arguments.stream, *arguments.record_id};
  LADDER_CHECK(check_segments(ref, true, false));
  return ref;
}

}  // namespace

bool is_safe_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kMaxRecordKeyBytes && name != "." &&
         name.find_first_of("/\\") == std::string_view::npos && name.find("..") == std::string_view::npos;
}

Result<RecordRef> parse_record_id(std::string_view text) {
  if (text.starts_with(kRecordUriPrefix)) return decode_record_handle(text.substr(kRecordUriPrefix.size()));
  if (text.empty()) return refuse("id", format("the id is empty; it has the form {}", kForm));
  if (text.size() > limits::kMaxHandleBytes) return refuse("id", format("the id is over {} bytes", limits::kMaxHandleBytes));
  if (!utf8::is_valid(text)) return refuse("id", "the id is not valid UTF-8");
  if (text.starts_with("pdpp://")) {
    return refuse("id", format("{} is not a record id; only pdpp://record/ URIs name a record", in_quotes(text)));
  }
  const std::size_t slash = text.find('/');
  const bool is_self_contained = slash != std::string_view::npos;
  const std::string_view rest = is_self_contained ? text.substr(slash + 1) : text;
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos) {
    return refuse("id", format("{} has no \":\" between stream and record_id; an id has the form {}", in_quotes(text), kForm));
  }
  RecordRef ref;
  if (is_self_contained) ref.connection_id = text.substr(0, slash);
  ref.stream = rest.substr(0, colon);
  ref.record_id = rest.substr(colon + 1);
  if (is_self_contained && ref.record_id.starts_with('/')) {
    const auto key = unescaped_key(std::string_view(ref.record_id).substr(1));
    if (key) {
      ref.record_id = *key;
      if (fits_but_for_key(ref)) return ref;
      ref.record_id = rest.substr(colon + 1);
    }
  }
  LADDER_CHECK(check_segments(ref, is_self_contained, true));
  return ref;
}

std::string format_record_id(const RecordRef& ref) {
  if (!fits_grammar(ref)) {
    if (fits_but_for_key(ref)) {
      std::string id = ref.connection_id + "/" + ref.stream + ":/" + escaped_key(ref.record_id);
      if (id.size() <= limits::kMaxHandleBytes) return id;
    }
    return std::string(kRecordUriPrefix) + encode_record_handle(ref);
  }
  std::string id;
  id.reserve(ref.connection_id.size() + ref.stream.size() + ref.record_id.size() + 2);
  if (!ref.connection_id.empty()) id.append(ref.connection_id).append("/");
  return id.append(ref.stream).append(":").append(ref.record_id);
}

Result<RecordRef> resolve_identity(const IdentityArguments& arguments) {
  if (!arguments.id) return from_triple(arguments);
  if (arguments.connection_id && arguments.stream && arguments.record_id) {
    return refuse("id", "id and the complete connection_id, stream and record_id cannot be combined; send one of the two");
  }
  LADDER_TRY(RecordRef ref, parse_record_id(*arguments.id));
  if (arguments.connection_id) {
    if (ref.connection_id.empty()) {
      if (!utf8::is_valid(*arguments.connection_id)) return refuse("connection_id", "connection_id is not valid UTF-8");
      LADDER_CHECK(check_segment("connection_id", "connection_id", *arguments.connection_id));
      ref.connection_id = *arguments.connection_id;
    } else if (ref.connection_id != *arguments.connection_id) {
      return fail(Code::kConflictingConnection,
                  format("the id names connection {}, but connection_id is {}; omit connection_id or make them equal",
                         in_quotes(ref.connection_id), in_quotes(*arguments.connection_id)),
                  "connection_id");
    }
  }
  LADDER_CHECK(check_equal("stream", arguments.stream, ref.stream));
  LADDER_CHECK(check_equal("record_id", arguments.record_id, ref.record_id));
  if (ref.connection_id.empty()) {
    return refuse("id",
                  format("the id {} names no connection; write it as {}, or add connection_id", in_quotes(*arguments.id), kForm));
  }
  return ref;
}

namespace {

bool needs_no_escape(std::string_view key) {
  if (!is_safe_name(key)) return false;
  for (std::size_t at = 0; at < key.size();) {
    if (is_deceptive(utf8::next(key, at))) return false;
  }
  return true;
}

}  // namespace

bool is_deceptive(char32_t c) {
  const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
  const bool is_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  const bool is_tag = c >= 0xE0000 && c <= 0xE007F;
  return is_control || is_direction || is_tag;
}

std::string escaped_key(std::string_view key) {
  std::string out;
  char32_t before = 0;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t from = at;
    const char32_t c = utf8::next(key, at);
    const bool escapes = c == '/' || c == '\\' || c == '%' || (c == '.' && before == '.') || is_deceptive(c);
    for (const char byte : key.substr(from, at - from)) {
      if (escapes) out += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      else out += byte;
    }
    before = c;
  }
  return out;
}

std::optional<std::string> unescaped_key(std::string_view text) {
  const auto key = percent_decode(text);
  if (!key || escaped_key(*key) != text || needs_no_escape(*key)) return std::nullopt;
  return *key;
}

}  // namespace ladder::model
