// The methods that are answered, each in the eras that have it.
#pragma once

#include "mcp/protocol/answer.h"
#include "mcp/protocol/lists.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/options.h"
#include "mcp/protocol/subscriptions.h"
#include "mcp/protocol/tool_registry.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace ladder::mcp {

// One request on its way through a method.
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
  std::string tool = {};     // tools/call: the tool, when there is one of that name
  std::string outcome = {};  // ok, the code of a tool's error, or the word of a fault
  // subscriptions/listen: what goes on, and the message that it begins with instead of a result.
  std::shared_ptr<Subscription> subscription = {};
  std::string acknowledgement = {};
};

// The parts of the transport that a method uses.
enum class Needs : std::uint8_t { kNothing, kSubscriptions, kOwnSubscription };

struct Method {
  std::string_view name;
  bool legacy, modern;
  Answer (*answer)(const Call&);
  Needs needs = Needs::kNothing;
};

// Null when that era has no such method, or the transport lacks what it needs.
const Method* find_method(std::string_view name, Era era, const Envelope& envelope);
// A method or notification that the protocol knows, in any era: such a name may stand in a log, an invented one could carry
// anything there.
bool is_known_method(std::string_view name);

}  // namespace ladder::mcp
