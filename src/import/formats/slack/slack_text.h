// Slack's ways of writing a message, made into plain text with names: mark-up (<@U1>, <#C1|name>, <url|label>, &amp;), blocks
// and attachments.
#pragma once

#include "json/scan/scan.h"

#include <string>
#include <string_view>

namespace ladder::imports::slack {

// Resolves the ids in messages to names.
class Names {
 public:
  virtual ~Names() = default;
  virtual std::string user(std::string_view id) const = 0;     // "" when unknown
  virtual std::string channel(std::string_view id) const = 0;  // the same
};

std::string plain_text(std::string_view mark_up, const Names& names);

// All text of an array of blocks, a line or more each; "" for anything else.
std::string blocks_text(const json::Value& blocks, const Names& names);

// `text`, and what only the blocks say.
std::string message_text(const json::Value& text, const json::Value& blocks, const Names& names);

// Previews of links and reports of apps.
std::string attachments_text(const json::Value& attachments, const Names& names);

// An address without what opens it to everybody who has it: the access tokens of exports.
std::string without_token(std::string_view url);

}  // namespace ladder::imports::slack
