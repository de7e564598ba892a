#include "mcp/http/posted_message.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::mcp {

void take_message(http::Request& request) {
  if (request.body.size() > kMaxBytesReadAhead) return;
  request.taken = std::make_shared<const Received>(std::move(request.body), kMaxHttpMessageBytes);
  request.body.clear();
}

std::shared_ptr<const Received> message_of(const http::Request& request) {
  if (request.taken) return std::static_pointer_cast<const Received>(request.taken);
  return std::make_shared<const Received>(request.body, kMaxHttpMessageBytes);
}

const Incoming* known_message(const http::Request& request) {
  return request.taken ? &std::static_pointer_cast<const Received>(request.taken)->incoming() : nullptr;
}

std::optional<WindowCall> window_call(const Incoming& incoming) {
  if (incoming.is_array || incoming.messages.size() != 1) return std::nullopt;
  const Message& message = incoming.messages.front();
  if (message.kind != MessageKind::kRequest || message.method != "tools/call") return std::nullopt;
  const auto call = pick<2>(message.params, {"name", "arguments"});
  const auto& [name, arguments] = call.values;
  if (call.twice || string_of(name) != "read_record_field") return std::nullopt;
  if (!arguments || arguments->kind != json::Kind::kObject) return std::nullopt;
  const auto given = pick<2>(arguments->text, {"q", "cursor"});
  const auto& [q, cursor] = given.values;
  if (given.twice || !is_null(q)) return std::nullopt;
  if (is_null(cursor)) return WindowCall{};
  auto text = string_of(cursor);
  if (!text || text->empty()) return std::nullopt;
  return WindowCall{*std::move(text)};
}

bool reads_records(const Incoming& incoming) {
  constexpr std::array<std::string_view, 3> kReads = {"tools/call", "resources/read", "completion/complete"};
  return std::ranges::any_of(incoming.messages,
                             [&](const Message& message) { return std::ranges::find(kReads, message.method) != kReads.end(); });
}

}  // namespace ladder::mcp
