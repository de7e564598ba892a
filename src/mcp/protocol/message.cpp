#include "mcp/protocol/message.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "json/writer.h"

#include <cmath>

namespace ladder::mcp {
namespace {

using json::Kind;
using json::Value;

constexpr std::array<std::string_view, 6> kEnvelope = {"jsonrpc", "id", "method", "params", "result", "error"};

// 7, -1 and 1e3 are integers, 1.5 is not; a request id is a string or an integer.
bool is_whole(std::string_view number) {
  const auto value = parse_number<double>(number);
  return value && std::floor(*value) == *value;
}

bool can_be_echoed(const Value& id) {
  if (id.text.size() > kMaxIdBytes) return false;
  return id.kind == Kind::kString || (id.kind == Kind::kNumber && is_whole(id.text));
}

Message invalid(std::string_view id, std::string_view fault) {
  Message message;
  message.id = id;
  message.fault = fault;
  return message;
}

// Fills in params and _meta. Returns the problem, or "".
std::string_view take_params(const std::optional<Value>& params, Message& message) {
  if (is_null(params)) return {};
  if (params->kind != Kind::kObject) return "params is no object";
  message.params = params->text;
  const auto picked = pick<1>(message.params, {"_meta"});
  if (picked.twice) return "params._meta is repeated";
  const auto& meta = picked.values[0];
  if (is_null(meta)) return {};
  if (meta->kind != Kind::kObject) return "params._meta is no object";
  message.meta = meta->text;
  return {};
}

Message read_message(const Value& value) {
  if (value.kind != Kind::kObject) return invalid({}, "a message is an object");
  const auto [values, twice] = pick(value.text, kEnvelope);
  const auto& [version, id, method, params, result, error] = values;
  const std::string_view echo = id && can_be_echoed(*id) ? id->text : std::string_view();
  if (twice) return invalid({}, "a member of the message is repeated");
  if (string_of(version) != "2.0") return invalid(echo, "jsonrpc is not \"2.0\"");
  if (!method) {
    if (result.has_value() == error.has_value()) return invalid(echo, "method is missing");
    Message response;
    response.kind = MessageKind::kResponse;
    return response;
  }
  if (result || error) return invalid(echo, "it has a method and a result or error");
  if (method->kind != Kind::kString) return invalid(echo, "method is no string");
  if (id && echo.empty()) return invalid({}, "id must be a string or an integer of at most 256 bytes, not null");
  Message message;
  message.kind = id ? MessageKind::kRequest : MessageKind::kNotification;
  message.id = echo;
  message.method = json::decode_string(json::raw_content(*method));
  if (const std::string_view fault = take_params(params, message); !fault.empty()) return invalid(echo, fault);
  return message;
}

static_assert(kMaxIdBytes == 256, "the message about ids says so");

}  // namespace

Incoming read_incoming(std::string_view text, std::size_t max_bytes) {
  Incoming incoming;
  if (text.size() > max_bytes) {
    incoming.fault = format("the message has {} bytes; the limit is {}", text.size(), max_bytes);
    return incoming;
  }
  if (const auto facts = json::check(text, kMaxMessageDepth); !facts) {
    incoming.fault = format("the message is not JSON: {} (at byte {})", facts.error().what, facts.error().offset);
    return incoming;
  }
  const Value value = json::value_of(text);
  if (value.kind != Kind::kArray) {
    incoming.messages.push_back(read_message(value));
    return incoming;
  }
  incoming.is_array = true;
  for (json::Elements elements(value.text); elements.next(); ++incoming.count) {
    if (incoming.count < kMaxBatch) incoming.messages.push_back(read_message(elements.value()));
  }
  return incoming;
}

std::optional<std::string> string_of(const std::optional<Value>& value) {
  if (!value || value->kind != Kind::kString) return std::nullopt;
  return json::decode_string(json::raw_content(*value));
}

std::string comparable_id(std::string_view id) {
  if (!id.starts_with('"')) return std::string(id);
  std::string text;
  json::append_string(text, json::decode_string(id.substr(1, id.size() - 2)));
  return text;
}

}  // namespace ladder::mcp
