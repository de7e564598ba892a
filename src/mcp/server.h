// The protocol: one JSON-RPC message in, at most one out, in the modern era (2026-07-28) and the legacy one (2025-11-25,
// 2025-06-18, 2025-03-26), routed as docs/mcp.md says. Knows neither stdio nor HTTP: both feed it. Stateless and thread-safe.
#pragma once

#include "mcp/options.h"
#include "mcp/tool.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace ladder::mcp {

// What a transport knows beside the message. Over stdio there are no headers; there the first message decides the era.
struct Envelope {
  bool http = false;
  std::optional<std::string> protocol_version, method, name;  // MCP-Protocol-Version, Mcp-Method, Mcp-Name
  bool modern_so_far = false;                                 // stdio: the first message was modern
};

// One line of the log (R202), without arguments.
struct LogLine {
  std::string method, tool, request_id, outcome;
};

struct Reply {
  std::string body;  // JSON; empty: nothing is to be said (202 over HTTP)
  int http_status = 200;
  bool modern = false;
  LogLine log;
};

class Server {
 public:
  explicit Server(Options options);
  // `progress`, when given, takes notifications that belong to this request (JSON text each), before the reply.
  using Notify = std::function<void(std::string_view notification)>;
  Reply handle(std::string_view message, const Envelope& envelope, port::ResourcePort& port, std::stop_token stop,
               const Notify& progress = nullptr) const;
  const Options& options() const { return options_; }

 private:
  Options options_;
};

// What stdio needs to know of a message before it is worked on: whether it cancels another, and which id it has (as JSON text).
struct Glance {
  std::optional<std::string> id;
  std::optional<std::string> cancels;
};
Glance glance(std::string_view message);

}  // namespace ladder::mcp
