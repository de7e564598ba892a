#include "import/formats/slack/slack_workspace.h"

#include "base/text/format.h"
#include "import/formats/record_members.h"
#include "import/json/json_members.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::imports::slack {
namespace {

using json::Kind;
using json::Value;

std::string first_of(std::initializer_list<Value> values) {
  for (const Value& value : values) {
    if (has_text(value)) return text_of(value);
  }
  return {};
}

std::vector<std::string> texts_of(const Value& list) {
  std::vector<std::string> texts;
  if (list.kind != Kind::kArray) return texts;
  for (json::Elements each(list.text); each.next();) texts.push_back(text_of(each.value()));
  return texts;
}

}  // namespace

std::string shown_name(const Value& user) {
  const auto [profile, real_name, name, own_display] = members_of<4>(user, {"profile", "real_name", "name", "display_name"});
  const auto [display, profile_real] = members_of<2>(profile, {"display_name", "real_name"});
  return first_of({display, own_display, profile_real, real_name, name});
}

std::string Workspace::add_user(const Value& user) {
  const auto [id, handle, real_name, profile, zone, updated, bot, deleted, team] =
      members_of<9>(user, {"id", "name", "real_name", "profile", "tz", "updated", "is_bot", "deleted", "team_id"});
  const std::string own = text_of(id);
  if (own.empty()) return {};
  std::string name = shown_name(user);
  if (name.empty()) name = own;
  users_[own] = name;
  const auto [email, title, full_name] = members_of<3>(profile, {"email", "title", "real_name"});
  json::Writer out;
  out.begin_object().member("id", joined_key({own})).member("name", name).optional_member("handle", text_of(handle));
  out.optional_member("real_name", first_of({full_name, real_name})).optional_member("email", text_of(email));
  out.optional_member("title", text_of(title)).optional_member("time_zone", text_of(zone));
  if (const auto time = seconds_of(updated)) out.member("updated_at", format_time(*time));
  if (bot.kind == Kind::kBool) out.member("bot", is_true(bot));
  if (deleted.kind == Kind::kBool) out.member("deleted", is_true(deleted));
  out.optional_member("team_id", text_of(team)).end_object();
  return out.take();
}

std::string Workspace::add_channel(const Value& object, std::string_view kind) {
  const auto [id, name, created, creator, topic, purpose, members, archived, old_names] =
      members_of<9>(object, {"id", "name", "created", "creator", "topic", "purpose", "members", "is_archived", "previous_names"});
  Channel channel;
  channel.id = text_of(id);
  if (channel.id.empty()) return {};
  channel.kind = kind;
  channel.name = text_of(name);
  channel.created = seconds_of(created);
  const std::vector<std::string> member_ids = texts_of(members);
  channel.members.insert(member_ids.begin(), member_ids.end());
  const std::size_t number = channels_.size();
  if (!by_id_.emplace(channel.id, number).second) return {};  // the same channel in a second list
  by_folder_[channel.name.empty() ? channel.id : channel.name].push_back(number);
  if (!channel.name.empty() && channel.name != channel.id) by_old_name_[channel.id].push_back(number);
  for (const std::string& old : texts_of(old_names)) by_old_name_[old].push_back(number);
  if (channel.name.empty()) {
    for (const std::string& member : member_ids) {
      const std::string known = user(member);
      channel.name += (channel.name.empty() ? "" : ", ") + (known.empty() ? member : known);
    }
    if (channel.name.empty()) channel.name = channel.id;
  }
  json::Writer out;
  out.begin_object().member("id", joined_key({channel.id})).member("name", channel.name).member("kind", kind);
  optional_time_member(out, "created_at", channel.created);
  out.optional_member("creator_id", text_of(creator)).optional_member("creator", user(text_of(creator)));
  out.optional_member("topic", plain_text(text_of(topic, "value"), *this));
  out.optional_member("purpose", plain_text(text_of(purpose, "value"), *this));
  if (members.kind == Kind::kArray) {
    out.member("member_ids", member_ids);
    out.member("member_count", member_ids.size());
  }
  if (archived.kind == Kind::kBool) out.member("archived", is_true(archived));
  out.end_object();
  channels_.push_back(std::move(channel));
  return out.take();
}

std::string Workspace::add_unknown(std::string_view folder) {
  if (channels_in(folder)) return {};
  Channel channel;
  channel.id = format("folder:{}", folder);
  channel.name = folder;
  channel.kind = "unknown";
  json::Writer out;
  out.begin_object()
      .member("id", joined_key({channel.id}))
      .member("name", channel.name)
      .member("kind", channel.kind)
      .end_object();
  by_id_.emplace(channel.id, channels_.size());
  by_folder_[std::string(folder)].push_back(channels_.size());
  channels_.push_back(std::move(channel));
  return out.take();
}

std::string Workspace::user(std::string_view id) const {
  const auto found = users_.find(std::string(id));
  return found == users_.end() ? std::string() : found->second;
}

std::string Workspace::channel(std::string_view id) const {
  const auto found = by_id_.find(std::string(id));
  return found == by_id_.end() ? std::string() : channels_[found->second].name;
}

const std::vector<std::size_t>* Workspace::channels_in(std::string_view folder) const {
  for (const auto* names : {&by_folder_, &by_old_name_}) {
    if (const auto found = names->find(folder); found != names->end()) return &found->second;
  }
  return nullptr;
}

ChannelMatch Workspace::find_channel(std::string_view folder, std::optional<Instant> sent, std::string_view user_id) const {
  const std::vector<std::size_t>* possible = channels_in(folder);
  if (!possible) return {};
  std::vector<const Channel*> left;
  for (const std::size_t number : *possible) left.push_back(&channels_[number]);
  std::ranges::sort(left, {}, [](const Channel* channel) { return channel->id; });
  const auto narrow = [&](const auto& fits) {
    std::vector<const Channel*> fewer;
    std::ranges::copy_if(left, std::back_inserter(fewer), fits);
    if (!fewer.empty()) left = std::move(fewer);
  };
  if (left.size() > 1) narrow([&](const Channel* channel) { return !sent || !channel->created || *channel->created <= *sent; });
  if (left.size() > 1) narrow([&](const Channel* channel) { return channel->members.contains(std::string(user_id)); });
  return {left.front(), left.size() > 1};
}

}  // namespace ladder::imports::slack
