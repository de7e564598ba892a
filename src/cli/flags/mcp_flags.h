// Flags that `ladder mcp` and `ladder serve` share: how the MCP server calls itself, how much it shows, where its spans go.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"
#include "cli/app/setting_table.h"
#include "mcp/protocol/options.h"

#include <optional>
#include <string>

namespace ladder::cli {

class McpFlags {
 public:
  void declare(Arguments& arguments);

  // Everything but the fence key, which is the store's. kInvalidRequest names the flag or variable that makes no sense.
  Result<mcp::Options> options(const Context& context) const;

  friend bool operator==(const McpFlags&, const McpFlags&) = default;

 private:
  std::optional<std::string> server_name_, input_schemas_, resource_links_;
};

// --otlp-endpoint: the collector that spans are sent to.
class OtlpFlags {
 public:
  void declare(Arguments& arguments) {
    arguments.value("--otlp-endpoint", "URL", endpoint_,
                    "send spans of requests and MCP calls to this OpenTelemetry collector, e.g. http://127.0.0.1:4318; "
                    "OTEL_EXPORTER_OTLP_ENDPOINT unless given");
  }

  // Empty: nowhere. OpenTelemetry's own variable counts where there is neither flag nor setting.
  std::string endpoint(const Environment& environment) const {
    return endpoint_ ? *endpoint_ : environment(kOtelVariable).value_or("");
  }

 private:
  std::optional<std::string> endpoint_;
};

}  // namespace ladder::cli
