// The users and channels of a Slack export, in memory while its messages are read, and the channels that each folder may
// contain.
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

// The channel of a message.
struct ChannelMatch {
  const Channel* channel = nullptr;
  bool uncertain = false;  // other channels are possible too
};

class Workspace final : public Names {
 public:
  // Adds an object of a list and returns the record for its stream; "" if the object is invalid.
  std::string add_user(const json::Value& user);
  std::string add_channel(const json::Value& channel, std::string_view kind);
  // Adds a channel for a folder that no list names, and returns its record; "" if the folder is known.
  std::string add_unknown(std::string_view folder);

  std::string user(std::string_view id) const override;
  std::string channel(std::string_view id) const override;

  // A folder has the name of its channel at the time of the export, so two channels may share a folder. The message then
  // decides: it is not older than its channel, and its author is a member.
  ChannelMatch find_channel(std::string_view folder, std::optional<Instant> sent, std::string_view user_id) const;

 private:
  const std::vector<std::size_t>* channels_in(std::string_view folder) const;

  std::unordered_map<std::string, std::string> users_;  // id → name
  std::vector<Channel> channels_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_folder_, by_old_name_;
};

// Returns the display name of a person, from a user or from the profile in a message; "" if there is none.
std::string shown_name(const json::Value& user);

}  // namespace ladder::imports::slack
