// The scene that all parts of the MCP benchmark share: a SQLite store of short and long notes, a client's token, and
// the requests.
#pragma once

#include "scene.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

enum class Wire : std::uint8_t { kLegacy, kModern };

struct ToolRequest {
  std::string tool;
  std::string arguments;  // a JSON object
  std::string message(Wire wire, int id = 1) const;
};

class McpScene {
 public:
  McpScene();  // sets token and store in the environment of child processes and removes other settings

  const ScratchLocation& place() const { return place_; }
  const std::string& token() const { return token_; }

  static std::vector<ToolRequest> windows();       // 4,096 chars at random offsets of values of 100,000
  static std::vector<std::string> window_paths();  // the same windows over REST
  static std::vector<ToolRequest> searches();      // words that a dozen notes contain
  static std::string long_note();                  // the key of one of the long values

 private:
  ScratchLocation place_;
  std::string token_;
};

}  // namespace ladder::bench
