// Canonical record keys and the identity check of contract 3.2 and 3.3.
#include "model/record_key.h"

#include "base/format.h"
#include "base/limits.h"
#include "json/writer.h"
#include "model/quote.h"

#include <optional>

namespace ladder::model {
namespace {

// An escape writes one byte with six at most, so longer raw text cannot decode to a key within its bound.
constexpr std::size_t kMaxRawBytes = 6 * limits::kMaxRecordKeyBytes;

std::unexpected<Error> refuse(std::string message, std::string param = "key") {
  return fail(Code::kInvalidRecordIdentity, std::move(message), std::move(param));
}

// A component as text: strings decoded, numbers and booleans as they stand. nullopt for other kinds and for what is too long.
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
  if (value.text.size() > kMaxRawBytes + 2) return refuse(format("the key is over {} bytes", limits::kMaxRecordKeyBytes));
  return refuse("a key is a string, number or boolean, or an array of those");
}

std::unexpected<Error> refuse_arity(std::size_t found, std::size_t arity) {
  return refuse(format("the key has {} part{}, but the stream's primary_key has {}", found, found == 1 ? "" : "s", arity));
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
        return refuse(format("the key has more parts than the stream's primary_key, which has {}", arity));
      LADDER_CHECK(add(each.value()));
    }
  } else {
    LADDER_CHECK(add(key));
  }
  if (parts.size() != arity) return refuse_arity(parts.size(), arity);
  std::string canonical = join_key(parts);
  if (canonical.empty()) return refuse("the key is empty; every record needs one");
  if (canonical.size() > limits::kMaxRecordKeyBytes) {
    return refuse(format("the key has {} bytes; {} is the most", canonical.size(), limits::kMaxRecordKeyBytes));
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

Status check_identity(const Stream& stream, std::string_view canonical, const json::Value& data) {
  if (data.kind != json::Kind::kObject) return {};
  const std::vector<std::string> parts = key_parts(canonical, stream.primary_key.size());
  if (parts.size() != stream.primary_key.size()) return refuse_arity(parts.size(), stream.primary_key.size());
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const std::string& field = stream.primary_key[index];
    const std::optional<json::Value> value = json::member(data.text, field);
    if (!value) continue;
    const std::optional<std::string> text = component(*value);
    if (text && *text == parts[index]) continue;
    return refuse(format("data.{} disagrees with the key, of which it is part {}; make them equal", in_quotes(field), index + 1),
                  field);
  }
  return {};
}

}  // namespace ladder::model
