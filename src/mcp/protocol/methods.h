// The supported methods and the eras of each.
#pragma once

#include "mcp/protocol/answer.h"
#include "mcp/protocol/lists.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/subscriptions.h"
#include "mcp/protocol/tool_registry.h"
#include "mcp/protocol/versions.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace ladder::mcp {

// A request and the results of handling it.
struct Call {
  const Message& request;
  Era era;
  const ToolRegistry& registry;
  const Lists& lists;
  const Context& context;
  const Envelope& envelope;
};

struct Answer {
  std::variant<Success, Fault> said;
  std::string tool = {};     // tools/call: the tool, if it exists
  std::string outcome = {};  // "ok", the code of a tool error, or the outcome of a protocol error
  // subscriptions/listen: the subscription, whose first message replaces the result.
  std::shared_ptr<Subscription> subscription = {};
  std::string acknowledgement = {};
};

// The transport features that a method requires.
enum class Needs : std::uint8_t { kNothing, kSubscriptions, kOwnSubscription };

struct Method {
  std::string_view name;
  bool legacy, modern;
  Answer (*answer)(const Call&);
  Needs needs = Needs::kNothing;
};

// Returns null if the era has no such method or the transport lacks a required feature.
const Method* find_method(std::string_view name, Era era, const Envelope& envelope);
// Reports whether the protocol defines the method or notification in any era. Only such names may be logged, since a client
// could put any text there.
bool is_known_method(std::string_view name);

}  // namespace ladder::mcp
