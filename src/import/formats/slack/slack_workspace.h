// The lists of a Slack export, held in memory while its messages are read: who the users are, what the channels are called, and
// which channels a folder may hold.
#pragma once

#include "base/time/time.h"
#include "import/formats/slack/slack_text.h"
#include "json/scan/scan.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ladder::imports::slack {

struct Channel {
  std::string id, name, kind;
  std::optional<Instant> created;
  std::unordered_set<std::string> members;
};

// The channel and thread of a message.
struct Home {
  const Channel* channel = nullptr;
  bool uncertain = false;  // other channels could be it as well
};

class Workspace final : public Names {
 public:
  // Each takes an object of a list and gives the record for its stream; "" when it is no such thing.
  std::string add_user(const json::Value& user);
  std::string add_channel(const json::Value& channel, std::string_view kind);
  // A folder that no list names: a channel of its own, and its record; "" when the folder is known.
  std::string add_unknown(std::string_view folder);

  std::string user(std::string_view id) const override;
  std::string channel(std::string_view id) const override;

  // Folders are called as channels were when they were exported, so that two of them may have had one name. Then the message
  // decides: it is not older than its channel, and its author is a member.
  Home home_of(std::string_view folder, std::optional<Instant> sent, std::string_view user_id) const;

 private:
  const std::vector<std::size_t>* channels_in(std::string_view folder) const;

  std::unordered_map<std::string, std::string> users_;  // id → name
  std::vector<Channel> channels_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_folder_, by_old_name_;
};

// How Slack shows a person, by the members of a user or of the profile in a message; "" when they say nothing.
std::string shown_name(const json::Value& user);

}  // namespace ladder::imports::slack
