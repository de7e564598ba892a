// MCP flags that `ladder mcp` and `ladder serve` share: how the server calls itself and how much it shows.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"
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

}  // namespace ladder::cli
