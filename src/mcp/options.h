// What one MCP server is told when it is made. The same for every request; nothing here depends on a caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ladder::mcp {

enum class InputSchemas : std::uint8_t { kFlat, kFull };   // kFull: read_record_field's oneOf as the seed has it (design D1)
enum class ResourceLinks : std::uint8_t { kOff, kLarge };  // kLarge: a link when a fetch is cut or holds binary (design D12)

inline constexpr std::size_t kDefaultResultBytes = 40'000;  // of a serialized tool result (design D10)
inline constexpr std::size_t kLeastResultBytes = 4'096;

struct Options {
  std::string server_name = "ladder";
  std::string version;
  std::string provider_url;  // absolute, without a slash at its end; empty when nobody can open it
  std::string notice;        // what a host's person has to know first; stands in front of the instructions
  std::string fence_key;     // 32 secret bytes: whoever wrote a text can't know its fence (design D13)
  InputSchemas input_schemas = InputSchemas::kFlat;
  ResourceLinks resource_links = ResourceLinks::kOff;
  std::size_t result_bytes = kDefaultResultBytes;
};

}  // namespace ladder::mcp
