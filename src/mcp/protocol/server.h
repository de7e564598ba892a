// The protocol: one JSON-RPC message in, at most one out, in the modern era (2026-07-28) and the legacy one (2025-11-25,
// 2025-06-18, 2025-03-26), routed as docs/mcp.md says. Knows neither stdio nor HTTP: both feed it. Stateless and thread-safe.
//
//   message.h   JSON-RPC in           routing.h   which era, and the checks before the method     methods.h   what each method
//   says answer.h    JSON-RPC out          tool_registry.h   the tools and resources                         stdio.h
//   newline-delimited subscriptions.h   messages that nobody asked for one by one
#pragma once

#include "mcp/protocol/lists.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/options.h"
#include "mcp/protocol/subscriptions.h"
#include "mcp/protocol/tool_registry.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

// One line of the log (R202), without arguments. Method and tool are names that Ladder knows, or "-".
struct LogLine {
  std::string method, tool;
  std::string id;             // the request's, as JSON
  std::string outcome;        // ok, or a code
  std::string trace_id = {};  // empty when it is in no trace
};

struct Reply {
  std::string body;  // JSON; empty: nothing is to be said (202 over HTTP)
  int http_status = 200;
  std::vector<LogLine> log;  // a line per request; of notifications only when they are refused
  // The request stays open: the body is its first message, and the transport carries what the subscription says from now on, or
  // closes it.
  std::shared_ptr<Subscription> subscription = {};
};

class Server {
 public:
  Server(Options options, ToolRegistry registry);
  // `stop` ends long work of tools and reads; what is then answered belongs to nobody.
  Reply handle(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  // For whoever has the text alone.
  Reply handle(std::string_view text, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  const Options& options() const { return options_; }

 private:
  // One message's reply; nothing in it when nothing is to be said.
  Reply answer(const Message& message, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;
  Reply answer_array(const Incoming& incoming, const Envelope& envelope, api::ResourcePort& port,
                     const std::stop_token& stop) const;
  Reply run(const Message& request, Era era, const Envelope& envelope, api::ResourcePort& port, std::stop_token stop) const;

  Options options_;
  ToolRegistry registry_;
  Lists lists_;
};

// Facts that stdio needs of a message before it is worked on.
struct Glance {
  bool is_request = false;                  // it will be answered, and may take long; an array counts
  std::string method = "-", echo = {};      // of a single request: its method, if Ladder knows it, and its id as JSON
  std::optional<std::string> cancelled_by;  // the comparable id that cancels it; none when it can't be cancelled
  std::optional<std::string> cancels;       // the comparable id of what a notification cancels
  std::optional<Era> settles;               // the era, when this request is the first
  std::string negotiates = {};              // initialize: the version it settles
};
Glance glance(const Incoming& incoming);

}  // namespace ladder::mcp
