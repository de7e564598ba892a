// Slack workspace exports: lists of users and channels, and a folder per channel with one file of messages per day. The lists
// are read first and kept in memory, so that messages can be shown with the names of users and channels.
#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/slack/slack_text.h"
#include "import/formats/slack/slack_workspace.h"
#include "import/io/sink.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;
using slack::ChannelMatch;
using slack::Workspace;

struct ListFile {
  std::string_view name, kind;
};
constexpr std::array<std::string_view, 2> kUserLists = {"users.json", "org_users.json"};
constexpr std::array<ListFile, 4> kChannelLists = {
    {{"channels.json", "channel"}, {"groups.json", "group"}, {"dms.json", "direct"}, {"mpims.json", "group_direct"}}};
// Other files next to the lists, which are not read.
constexpr std::array<std::string_view, 4> kIgnoredFiles = {"canvases.json", "file_conversations.json", "integration_logs.json",
                                                           "lists.json"};

bool is_user_list(std::string_view name) { return std::ranges::find(kUserLists, name) != kUserLists.end(); }

std::string_view channel_kind(std::string_view name) {
  const auto found = std::ranges::find(kChannelLists, name, &ListFile::name);
  return found == kChannelLists.end() ? std::string_view() : found->kind;
}

// "2024-02-29.json"
bool is_day(std::string_view name) {
  constexpr std::string_view kShape = "dddd-dd-dd.json";
  return name.size() == kShape.size() &&
         std::ranges::equal(name, kShape, [](char c, char shape) { return shape == 'd' ? c >= '0' && c <= '9' : c == shape; });
}

bool is_user(const Value& object) {
  const auto [id, name, profile] = members_of<3>(object, {"id", "name", "profile"});
  return has_text(id) && (has_text(name) || profile.kind == Kind::kObject);
}

bool is_channel(const Value& object) {
  const auto [id, name, members] = members_of<3>(object, {"id", "name", "members"});
  return has_text(id) && (has_text(name) || members.kind == Kind::kArray);
}

bool is_message(const Value& object) {
  const auto [type, ts] = members_of<2>(object, {"type", "ts"});
  return text_of(type) == "message" && !text_of(ts).empty();
}

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink) {}

  Status read(FilePosition from, bool from_the_beginning) {
    LADDER_CHECK(read_lists(from_the_beginning));
    for (std::size_t index = from.index; index < unit_.entries.size(); ++index) {
      const Entry& entry = tree_.entries()[unit_.entries[index]];
      if (!is_day(entry.name())) continue;
      LADDER_CHECK(read_day(unit_.entries[index], index == from.index ? from.byte : 0));
      LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {index, std::max<std::int64_t>(entry.size, 1)})));
    }
    return {};
  }

 private:
  // Users are read before channels, because channels refer to them. Problems in the lists are reported only at the start.
  Status read_lists(bool send) {
    for (const EntryNo entry : unit_.entries) {
      if (!is_user_list(tree_.entries()[entry].name())) continue;
      LADDER_CHECK(
          read_list(entry, "user", "users", is_user, send, [&](const Value& user) { return workspace_.add_user(user); }));
    }
    for (const EntryNo entry : unit_.entries) {
      const std::string_view kind = channel_kind(tree_.entries()[entry].name());
      if (kind.empty()) continue;
      LADDER_CHECK(read_list(entry, "channel", "channels", is_channel, send,
                             [&](const Value& channel) { return workspace_.add_channel(channel, kind); }));
    }
    for (const EntryNo entry : unit_.entries) {
      const std::string_view name = tree_.entries()[entry].name();
      const bool unread = !is_day(name) && !is_user_list(name) && channel_kind(name).empty();
      if (send && unread) LADDER_CHECK(sink_.skipped("messages", "a file without messages"));
    }
    return {};
  }

  template <class Add>
  Status read_list(EntryNo entry, std::string_view kind, std::string_view stream, SalvagedElements::Accepts accepts, bool send,
                   const Add& add) {
    NullSink quiet;  // its losses have already been reported
    return read_elements(tree_, entry, kind, accepts, 0, send ? sink_ : quiet, [&](const JsonElement& element) -> Status {
      const bool is_one = element.value.kind == Kind::kObject && has_text(member_of(element.value, "id"));
      const std::string record = is_one ? add(element.value) : std::string();
      if (!send) return {};
      if (!is_one) return sink_.lost(element.at, format("not a {}: it has no id", kind));
      if (record.empty()) return sink_.skipped(stream, format("a {} that is already in another list", kind));
      return sink_.record({stream, record, element.at, std::nullopt});
    });
  }

  Status read_day(EntryNo entry, std::int64_t from) {
    folder_ = last_component(tree_.entries()[entry].folder());
    if (const std::string record = workspace_.add_unknown(folder_); !record.empty()) {
      LADDER_CHECK(sink_.record({"channels", record, {tree_.entries()[entry].path, -1}, std::nullopt}));
    }
    seen_.clear();
    return read_elements(tree_, entry, "message", is_message, from, sink_,
                         [&](const JsonElement& element) { return message(element); });
  }

  // Returns the author: from the list of users, otherwise from the message itself.
  std::string author_of(const Value& object, const std::string& user_id) const {
    if (std::string name = workspace_.user(user_id); !name.empty()) return name;
    const auto [profile, user_name, bot_profile, bot_id] =
        members_of<4>(object, {"user_profile", "username", "bot_profile", "bot_id"});
    for (const std::string& name :
         {slack::shown_name(profile), text_of(user_name), text_of(bot_profile, "name"), user_id, text_of(bot_id)}) {
      if (!name.empty()) return name;
    }
    return "unknown";
  }

  Status message(const JsonElement& element) {
    const Value& object = element.value;
    const auto [own_ts, user, subtype, text, blocks, attachments, thread_ts, replies, edited] =
        members_of<9>(object, {"ts", "user", "subtype", "text", "blocks", "attachments", "thread_ts", "reply_count", "edited"});
    const auto [reactions, files, file] = members_of<3>(object, {"reactions", "files", "file"});
    const std::string ts = text_of(own_ts), user_id = text_of(user), thread = text_of(thread_ts), kind = text_of(subtype);
    if (object.kind != Kind::kObject || ts.empty()) return sink_.lost(element.at, "not a message: it has no ts");
    const std::optional<Instant> time = seconds_of(own_ts);
    const ChannelMatch home = workspace_.find_channel(folder_, time, user_id);
    const std::string id = joined_key({home.channel->id, ts});
    if (!seen_.insert(id).second) return sink_.skipped("messages", "a message with the same channel and ts as an earlier one");
    const std::string plain = slack::message_text(text, blocks, workspace_),
                      below = slack::attachments_text(attachments, workspace_);
    json::Writer out;
    out.begin_object()
        .member("id", id)
        .member("channel_id", joined_key({home.channel->id}))
        .member("channel", home.channel->name);
    out.member("ts", ts);
    optional_time_member(out, "sent_at", time);
    out.optional_member("user_id", user_id).member("author", author_of(object, user_id));
    out.member("kind", kind.empty() ? "message" : kind).member("text", plain).optional_member("attachment_text", below);
    if (!thread.empty()) out.member("thread_id", joined_key({home.channel->id, thread})).member("is_reply", thread != ts);
    if (const std::int64_t count = integer_or(replies, -1); count >= 0) out.member("reply_count", count);
    optional_time_member(out, "edited_at", seconds_of(member_of(edited, "ts")));
    write_reactions(out, reactions);
    const std::int64_t file_count = write_files(out, files.kind == Kind::kNull ? file : files);
    if (home.uncertain) out.member("channel_uncertain", true);
    out.end_object();
    if (plain.empty() && below.empty() && file_count == 0) return sink_.skipped("messages", "a message without text or files");
    return sink_.record({"messages", out.take(), element.at, time});
  }

  void write_reactions(json::Writer& out, const Value& reactions) const {
    std::int64_t total = 0;
    if (reactions.kind == Kind::kArray) {
      out.key("reactions").begin_array();
      for (json::Elements each(reactions.text); each.next();) {
        const auto [name, users, count] = members_of<3>(each.value(), {"name", "users", "count"});
        std::vector<std::string> by;
        if (users.kind == Kind::kArray) {
          for (json::Elements user(users.text); user.next();) {
            const std::string id = text_of(user.value()), known = workspace_.user(id);
            by.push_back(known.empty() ? id : known);
          }
        }
        const std::int64_t own =
            std::clamp<std::int64_t>(integer_or(count, static_cast<std::int64_t>(by.size())), 0, 1'000'000'000);
        total += own;
        out.begin_object().member("name", text_of(name)).member("count", own);
        out.member("by", by);
        out.end_object();
      }
      out.end_array();
    }
    out.member("reaction_count", total);
  }

  // Returns the number of files. Old exports have one `file`, newer ones a list of `files`.
  static std::int64_t write_files(json::Writer& out, const Value& files) {
    std::vector<Value> list;
    if (files.kind == Kind::kObject) list.push_back(files);
    if (files.kind == Kind::kArray) {
      for (json::Elements each(files.text); each.next();) {
        if (each.value().kind == Kind::kObject) list.push_back(each.value());
      }
    }
    std::string names;
    if (!list.empty()) out.key("files").begin_array();
    for (const Value& file : list) {
      const auto [id, name, title, type, size, address, link, mode] =
          members_of<8>(file, {"id", "name", "title", "mimetype", "size", "url_private", "permalink", "mode"});
      std::string shown = text_of(name).empty() ? text_of(title) : text_of(name);
      if (shown.empty()) shown = text_of(mode) == "tombstone" ? "a file that was deleted" : text_of(id);
      const std::string url = slack::without_token(text_of(address).empty() ? text_of(link) : text_of(address));
      out.begin_object().optional_member("id", text_of(id)).member("name", shown).optional_member("mime_type", text_of(type));
      if (const std::int64_t bytes = integer_or(size, -1); bytes >= 0) out.member("size_bytes", bytes);
      out.optional_member("url", url).end_object();
      names += (names.empty() ? "" : "\n") + shown;
      // The title is searchable too, unless it only repeats the name.
      const std::string called = text_of(title);
      if (!called.empty() && !shown.starts_with(called)) names += "\n" + called;
    }
    if (!list.empty()) out.end_array().optional_member("file_names", names);
    out.member("file_count", list.size());
    return static_cast<std::int64_t>(list.size());
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  Workspace workspace_;
  // State of the current file:
  std::string folder_;
  std::set<std::string> seen_;
};

class Slack final : public Format {
 public:
  std::string_view name() const override { return "slack"; }
  std::string_view summary() const override { return "a Slack workspace's export: channels, people, messages, threads"; }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::map<std::string_view, Found> homes;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (is_day(entry.name()) && !entry.folder().empty()) {
        Found& home = homes[parent_folder(entry.folder())];
        home.entries.push_back(i);
        home.folders.insert(entry.folder());
      } else if (is_user_list(entry.name()) || !channel_kind(entry.name()).empty()) {
        Found& home = homes[entry.folder()];
        home.entries.push_back(i);
        (is_user_list(entry.name()) ? home.users : home.channels).push_back(i);
      } else if (std::ranges::find(kIgnoredFiles, entry.name()) != kIgnoredFiles.end()) {
        homes[entry.folder()].entries.push_back(i);
      }
    }
    std::vector<Unit> units;
    for (auto& [folder, home] : homes) {
      if (!is_export(tree, home) && !(request.forced && !home.folders.empty())) continue;
      Unit unit;
      unit.confidence = Confidence::kCertain;
      unit.what = format("a Slack export of {} {}", home.folders.size(), home.folders.size() == 1 ? "channel" : "channels");
      unit.account = team_of(tree, home);
      unit.part = folder;
      unit.entries = std::move(home.entries);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const override {
    const FilePosition from = parse_position(tree, unit, position);
    return Reader(tree, unit, sink).read(from, from.index == 0 && from.byte == 0);
  }

 private:
  struct Found {
    std::vector<EntryNo> entries, users, channels;
    std::set<std::string_view> folders;
  };

  // Requires lists of the right kind, next to messages or the other list.
  static bool is_export(Tree& tree, const Found& home) {
    std::size_t fitting = 0;
    for (const auto* lists : {&home.users, &home.channels}) {
      for (const EntryNo list : *lists) {
        const std::vector<std::string> names = first_member_names(tree.head(list));
        const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
        if (has("id") && (has("name") || has("members") || has("team_id") || has("created"))) {
          ++fitting;
          break;
        }
      }
    }
    return fitting == 2 || (fitting == 1 && !home.folders.empty());
  }

  // Returns Slack's id of the workspace, which is the same in every export.
  static std::string team_of(Tree& tree, const Found& home) {
    for (const EntryNo list : home.users) {
      const std::string_view head = tree.head(list);
      constexpr std::string_view kMember = "\"team_id\"";
      std::size_t at = head.find(kMember);
      if (at == std::string_view::npos) continue;
      at = head.find('"', at + kMember.size());
      const std::size_t end = at == std::string_view::npos ? at : head.find('"', at + 1);
      if (end != std::string_view::npos && end > at + 1) return plain_id(head.substr(at + 1, end - at - 1));
    }
    return {};
  }

  // Returns the id if it consists of letters and digits, otherwise "".
  static std::string plain_id(std::string_view id) {
    const bool plain = id.size() <= 64 && std::ranges::all_of(id, [](char c) {
                         return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
                       });
    return plain ? std::string(id) : std::string();
  }
};

}  // namespace

const Format& slack_format() {
  static const Slack format;
  return format;
}

}  // namespace ladder::imports
