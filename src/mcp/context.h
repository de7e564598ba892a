// The options of the server, the context of a call, and the result of a tool.
#pragma once

#include "api/resource_port.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace ladder::mcp {

// The options of an MCP server, independent of the caller.
enum class InputSchemas : std::uint8_t { kFlat, kFull };  // kFull: read_record_field's oneOf as in the spec (design D1)
// Links to records in content[] (design D12). kLarge: if a fetch is truncated or contains binary data; kAll: in every truncated
// result of search, query_records and fetch.
enum class ResourceLinks : std::uint8_t { kOff, kLarge, kAll };

inline constexpr std::size_t kDefaultResultBytes = 40'000;  // of a serialized tool result (design D10)
inline constexpr std::size_t kLeastResultBytes = 4'096;

struct Options {
  std::string server_name = "ladder";
  std::string version;
  std::string provider_url;  // absolute, without a trailing slash; empty if there is none
  std::string notice;        // a message for the user, placed before the instructions
  std::string fence_key;     // 32 secret bytes, so that the author of a text cannot know its fence (design D13)
  InputSchemas input_schemas = InputSchemas::kFlat;
  ResourceLinks resource_links = ResourceLinks::kOff;
  std::size_t result_bytes = kDefaultResultBytes;
};

// The context of a call.
struct Context {
  api::ResourcePort& port;
  const Options& options;
  std::stop_token stop;
  std::string request_id;  // for structuredContent and the log; may be empty
};

struct ToolResult {
  std::string text;                // the one text item
  std::string structured;          // structuredContent, a JSON object; empty for errors
  std::string meta;                // members of _meta, a JSON object; empty if there are none
  std::vector<std::string> links;  // resource_link items after the text, each a JSON object; none by default
  bool is_error = false;
  std::string outcome = "ok";  // for the log: "ok", or the error code
};

}  // namespace ladder::mcp
