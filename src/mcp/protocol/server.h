// The protocol: takes one JSON-RPC message and returns at most one, in the modern era (2026-07-28) and the legacy era
// (2025-11-25, 2025-06-18, 2025-03-26), as described in docs/reference/mcp.md. Independent of stdio and HTTP, which call it.
// Stateless and thread-safe.
//
//   message.h         parses JSON-RPC messages
//   routing.h         determines the era, and checks before the method
//   methods.h         the methods
//   answer.h          serializes JSON-RPC responses
//   tool_registry.h   the tools and resources
//   stdio.h           newline-delimited messages; http/transport.h is the HTTP transport
//   subscriptions.h   messages initiated by the server
#pragma once

#include "mcp/context.h"
#include "mcp/protocol/lists.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/subscriptions.h"
#include "mcp/protocol/tool_registry.h"
#include "mcp/protocol/versions.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

// A log line (R202), without arguments. Method and tool are known names, or "-".
struct LogLine {
  std::string method, tool;
  std::string id;             // the request id, as JSON
  std::string outcome;        // "ok", or a code
  std::string trace_id = {};  // empty if it is not part of a trace
};

struct Reply {
  std::string body;  // JSON; empty: no response (202 over HTTP)
  int http_status = 200;
  std::vector<LogLine> log;  // a line per request; notifications are logged only if they are rejected
  // The request stays open: the body is its first message, and the transport sends the subscription's further messages or
  // closes it.
  std::shared_ptr<Subscription> subscription = {};
};

class Server {
 public:
  Server(Options options, ToolRegistry registry);
  // `stop` cancels long reads; the response is then discarded.
  Reply handle(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  // Parses the text first.
  Reply handle(std::string_view text, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  const Options& options() const { return options_; }

 private:
  // Returns the reply to one message; empty if there is no response.
  Reply answer(const Message& message, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  Reply answer_array(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port,
                     const std::stop_token& stop) const;
  Reply run(const Message& request, Era era, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;

  Options options_;
  ToolRegistry registry_;
  Lists lists_;
};

// The facts that stdio needs about a message before it is handled.
struct Glance {
  bool is_request = false;                  // it gets a response and may take long; a batch counts
  std::string method = "-", echo = {};      // for a single request: its method, if known, and its id as JSON
  std::optional<std::string> cancelled_by;  // the comparable id that cancels it; none if it cannot be cancelled
  std::optional<std::string> cancels;       // the comparable id that a notification cancels
  std::optional<Era> settles;               // the era, if this is the first request
  std::string negotiates = {};              // initialize: the negotiated version
};
Glance glance(const Incoming& incoming);

}  // namespace ladder::mcp
