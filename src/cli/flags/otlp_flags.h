// --otlp-endpoint: the collector that spans are sent to, for `ladder serve` and `ladder mcp`.
#pragma once

#include "cli/app/command.h"

#include <optional>
#include <string>

namespace ladder::cli {

class OtlpFlags {
 public:
  void declare(Arguments& arguments) {
    arguments.value("--otlp-endpoint", "URL", endpoint_,
                    "send spans of requests and MCP calls to this OpenTelemetry collector, e.g. http://127.0.0.1:4318; "
                    "OTEL_EXPORTER_OTLP_ENDPOINT unless given");
  }

  // Empty: nowhere. OpenTelemetry's own variable counts where there is neither flag nor setting.
  std::string endpoint(const Environment& environment) const {
    return endpoint_ ? *endpoint_ : environment("OTEL_EXPORTER_OTLP_ENDPOINT").value_or("");
  }

 private:
  std::optional<std::string> endpoint_;
};

}  // namespace ladder::cli
