// All parts of the MCP benchmark share a scene: a store on SQLite of short and long notes, a client's token, and the requests.
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
  McpScene();  // the token, the store and no settings of this machine's stand in the environment of what is started from now on

  const Place& place() const { return place_; }
  const std::string& token() const { return token_; }

  static std::vector<ToolRequest> windows();       // 4,096 chars anywhere in values of 100,000
  static std::vector<std::string> window_paths();  // the same over REST
  static std::vector<ToolRequest> searches();      // words that a dozen notes have
  static std::string long_note();                  // the key of one of the long values

 private:
  Place place_;
  std::string token_;
};

}  // namespace ladder::bench
