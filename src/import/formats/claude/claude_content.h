// Separates the content blocks of a Claude message into answer, reasoning and tools.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <vector>

namespace ladder::imports::claude {

struct Content {
  std::string text;      // the text blocks; the message's own `text` if there are none
  std::string thinking;  // reasoning before the answer
  std::string tool_text;
  std::vector<std::string> tools;    // names without duplicates, in order
  std::vector<json::Value> unknown;  // blocks of unknown types

  bool is_blank() const { return text.empty() && thinking.empty() && tool_text.empty() && unknown.empty(); }
};

// `blocks` and `text` are members of a message; they may be null or of any type.
Content read_content(const json::Value& blocks, const json::Value& text);

}  // namespace ladder::imports::claude
