// The flags shared by `ladder mcp` and `ladder serve`: the MCP server's name, the size of its results, and the span collector.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/command.h"
#include "cli/invocation/setting_table.h"
#include "mcp/context.h"

#include <optional>
#include <string>

namespace ladder::cli {

class McpFlags {
 public:
  void declare(Arguments& arguments);

  // Returns all options except the fence key, which is in the store. kInvalidRequest names the invalid flag or variable.
  Result<mcp::Options> options(const Context& context) const;

  friend bool operator==(const McpFlags&, const McpFlags&) = default;

 private:
  std::optional<std::string> server_name_, input_schemas_, resource_links_;
};

// --otlp-endpoint: the collector that receives spans.
class OtlpFlags {
 public:
  void declare(Arguments& arguments) {
    arguments.value("--otlp-endpoint", "URL", endpoint_,
                    "send spans of requests and MCP calls to this OpenTelemetry collector, e.g. http://127.0.0.1:4318; "
                    "OTEL_EXPORTER_OTLP_ENDPOINT unless given");
  }

  // Returns an empty string if spans are disabled. OpenTelemetry's own variable is used if there is neither a flag nor a
  // setting.
  std::string endpoint(const Environment& environment) const {
    return endpoint_ ? *endpoint_ : environment(kOtelVariable).value_or("");
  }

 private:
  std::optional<std::string> endpoint_;
};

}  // namespace ladder::cli
