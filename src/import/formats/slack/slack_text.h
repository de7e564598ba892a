// Converts Slack messages to plain text with names: markup (<@U1>, <#C1|name>, <url|label>, &amp;), blocks and attachments.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <string_view>

namespace ladder::imports::slack {

// Resolves the ids in messages to names.
class Names {
 public:
  virtual ~Names() = default;
  virtual std::string user(std::string_view id) const = 0;     // "" if unknown
  virtual std::string channel(std::string_view id) const = 0;  // "" if unknown
};

std::string plain_text(std::string_view mark_up, const Names& names);

// Returns all text of an array of blocks, at least one line each; "" for anything else.
std::string blocks_text(const json::Value& blocks, const Names& names);

// Returns `text`, and any text that only the blocks contain.
std::string message_text(const json::Value& text, const json::Value& blocks, const Names& names);

// Returns link previews and messages of apps.
std::string attachments_text(const json::Value& attachments, const Names& names);

// Removes the access token from a URL of an export. The token would let anyone open the file.
std::string without_token(std::string_view url);

}  // namespace ladder::imports::slack
