#include "remote/refusal.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"
#include "http/message/message.h"
#include "remote/answer.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr int kTooManyRequests = 429;
constexpr std::int64_t kMaxMessageChars = 1'000;
constexpr std::size_t kMaxChoices = 100;
constexpr std::size_t kMaxChoiceBytes = 8'192;  // of all choices
constexpr std::size_t kMaxHintBytes = 1'024;    // of a name; longer ones are not Ladder's
constexpr std::size_t kMaxIdBytes = 200;        // of a request id
constexpr std::int64_t kMaxRetryAfterSeconds = 86'400;

// A fault of the other server is temporary for the caller, who may try again.
Code code_of(int status) {
  if (status == 504) return Code::kRsTimeout;
  if (status >= 500 || status == 408 || status == 425) return Code::kStoreUnavailable;
  return status >= 400 ? http::nearest_code(status) : Code::kRsProtocol;
}

// The reference implementation's gate uses other names, and status 401, for errors that the specification defines as 403 and
// 404 (PDPP "the reference implementation" and "tokens"), although another token would not help.
constexpr std::pair<std::string_view, Code> kOtherNames[] = {{"context.stream_not_allowed", Code::kStreamNotAllowed},
                                                             {"context.instance_mismatch", Code::kConnectionNotFound}};

// Returns an id for the log; rejects text that an agent could read as words.
std::string plain_id(std::string_view id) {
  const bool is_plain = std::ranges::all_of(id, [](char c) { return c > ' ' && c < '\x7f'; });
  return is_plain && id.size() <= kMaxIdBytes ? std::string(id) : std::string();
}

std::string short_hint(const Object& from, std::initializer_list<std::string_view> names) {
  std::string found = from.hint(names);
  return found.size() <= kMaxHintBytes ? found : std::string();
}

std::optional<Code> known_code(std::string_view wire) {
  const auto found = std::ranges::find(all_codes(), wire, &CodeInfo::wire);
  return found == all_codes().end() ? std::nullopt : std::optional(found->code);
}

void read_choices(const Object& envelope, ErrorDetails& details) {
  std::size_t bytes = 0;
  for (const Object& choice : envelope.list_if_any("available_connections").objects()) {
    ConnectionChoice made;
    made.connection_id = short_hint(choice, {"connection_id", "connector_instance_id"});
    made.connector_key = short_hint(choice, {"connector_key", "connector_id"});
    made.stream = short_hint(choice, {"stream"});
    made.display_name = short_hint(choice, {"display_name"});
    bytes += made.connection_id.size() + made.connector_key.size() + made.stream.size() + made.display_name.size();
    if (bytes > kMaxChoiceBytes || details.available_connections.size() == kMaxChoices) return;
    if (made.display_name == made.connection_id) made.display_name.clear();  // no name was set
    if (!made.connection_id.empty()) details.available_connections.push_back(std::move(made));
  }
  for (const Object& source : envelope.list_if_any("available_sources").objects()) {  // a Ladder extension
    const auto found =
        std::ranges::find(details.available_connections, short_hint(source, {"connection_id"}), &ConnectionChoice::connection_id);
    if (found == details.available_connections.end()) continue;
    found->connector_key = short_hint(source, {"connector_key"});
    found->stream = short_hint(source, {"stream"});
  }
}

void read_details(const Object& envelope, Error& error) {
  ErrorDetails found;
  found.rule = short_hint(envelope, {"rule"});
  found.record = short_hint(envelope, {"record"});
  found.field_path = short_hint(envelope, {"field_path"});
  found.digest = short_hint(envelope, {"digest"});
  found.request_id = plain_id(envelope.hint("request_id"));
  found.size_chars = envelope.integer_or("size_chars", -1);
  found.resume_offset_chars = envelope.integer_or("resume_offset_chars", -1);
  read_choices(envelope, found);
  const bool any = !found.rule.empty() || !found.record.empty() || !found.field_path.empty() || !found.digest.empty() ||
                   !found.request_id.empty() || found.size_chars >= 0 || found.resume_offset_chars >= 0 ||
                   !found.available_connections.empty();
  if (any) error.details() = std::move(found);
}

std::string bounded(const std::string& message) {
  return utf8::count(message) <= kMaxMessageChars ? message : std::string(utf8::slice(message, 0, kMaxMessageChars)) + "…";
}

void set_code(Error& error, int status, const std::string& wire) {
  if (const auto known = known_code(wire)) {
    error.code = *known;
    return;
  }
  const auto* const other = std::ranges::find(kOtherNames, wire, &std::pair<std::string_view, Code>::first);
  error.code = other != std::end(kOtherNames) ? other->second : code_of(status);
  error.details().rule = wire;
}

// Reads Retry-After in seconds, and the request id if the body has none.
void read_headers(const http::ClientResponse& response, Error& error) {
  const auto seconds = parse_number(http::trimmed(response.headers.get("Retry-After").value_or("")));
  if (seconds && *seconds >= 0) error.details().retry_after_seconds = std::min(*seconds, kMaxRetryAfterSeconds);
  if (error.more && !error.more->request_id.empty()) return;
  if (std::string id = request_id_of(response); !id.empty()) error.details().request_id = std::move(id);
}

Error read_refusal(const http::ClientResponse& response, std::string_view server, std::string_view operation) {
  const int status = response.status;
  Error error{code_of(status), format("{} rejected {} with HTTP status {} without a reason", server, operation, status)};
  auto answer = Answer::parse(response.body);
  const std::optional<Object> body_found = answer ? std::optional(answer->object()) : std::nullopt;
  if (!body_found || body_found->members().empty()) {
    error.details().rule = format("http_{}", status);
    return error;
  }
  const Object& body = *body_found;
  const json::Value* const inside = body.find("error");
  if (inside && inside->kind == json::Kind::kString) {  // OAuth's format
    const std::string message = body.hint({"error_description", "message"});
    if (!message.empty()) error.message = bounded(message);
    set_code(error, status, plain_text(*inside));
    return error;
  }
  const Object envelope = inside && inside->kind == json::Kind::kObject ? body.at("error", *inside) : body;
  if (const std::string message = envelope.hint("message"); !message.empty()) error.message = bounded(message);
  error.param = short_hint(envelope, {"param"});
  read_details(envelope, error);
  const std::string wire = short_hint(envelope, {"code", "type"});
  set_code(error, status, wire.empty() ? format("http_{}", status) : wire);
  return error;
}

}  // namespace

Error refusal_of(const http::ClientResponse& response, std::string_view server, std::string_view operation) {
  Error error = read_refusal(response, server, operation);
  read_headers(response, error);
  return error;
}

std::string request_id_of(const http::ClientResponse& response) {
  for (const char* const name : {"Request-Id", "X-Request-Id"}) {
    std::string id = plain_id(http::trimmed(response.headers.get(name).value_or("")));
    if (!id.empty()) return id;
  }
  return {};
}

Error redirect_target_error(int status, std::string_view server, std::string_view elsewhere, std::string_view operation) {
  const Code nearest = status == kTooManyRequests ? Code::kStoreUnavailable : code_of(status);
  const bool is_busy = nearest == Code::kStoreUnavailable || nearest == Code::kRsTimeout;
  Error error{
      is_busy ? nearest : Code::kRsProtocol,
      format("{} redirects a read of {} to {}, which rejected it with HTTP status {}; ", server, operation, elsewhere, status)};
  error.message += is_busy ? "try again later"
                           : "such addresses are valid for about a minute: read it again for a new one; if that is rejected too, "
                             "the clocks or keys of the two servers disagree";
  error.details().rule = format("http_{}", status);
  return error;
}

}  // namespace ladder::remote
