// Telegram Desktop's JSON export of one chat or of the account, with the files next to it.
#include "base/text/format.h"
#include "import/formats/chats/chat_records.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/formats/telegram/telegram_json.h"
#include "import/json/json_members.h"
#include "import/json/json_stream.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;

constexpr std::array kFileFolders = {
    "chats",   "photos",           "video_files", "animations", "stickers", "voice_messages", "round_video_messages",
    "files",   "profile_pictures", "stories",     "css",        "js",       "images",         "lists",
    "contacts"};

constexpr std::array kChatTypes = {"saved_messages",  "replies",       "verification_codes", "personal_chat",
                                   "bot_chat",        "private_group", "private_supergroup", "public_supergroup",
                                   "private_channel", "public_channel"};

// Ids are unique within a family only.
std::string_view family_of(std::string_view type) {
  if (type == "private_group") return "chat";
  return type.ends_with("supergroup") || type.ends_with("channel") ? "channel" : "user";
}

// Text is a string, or an array of strings and of objects with a text.
std::string plain_text(const Value& value) {
  if (value.kind != Kind::kArray) return text_of(value);
  std::string text;
  for (json::Elements each(value.text); each.next();) {
    text += each.value().kind == Kind::kObject ? text_of(each.value(), "text") : text_of(each.value());
  }
  return text;
}

void add_links(const Value& entities, std::vector<std::string>& links) {
  if (entities.kind != Kind::kArray) return;
  for (json::Elements each(entities.text); each.next();) {
    const auto [type, text, href] = members_of<3>(each.value(), {"type", "text", "href"});
    std::string link = text_of(type) == "link" ? text_of(text) : text_of(type) == "text_link" ? text_of(href) : std::string();
    if (!link.empty() && std::ranges::find(links, link) == links.end()) links.push_back(std::move(link));
  }
}

void add_poll(const Value& poll, std::string& text) {
  if (poll.kind != Kind::kObject) return;
  const auto [question, answers] = members_of<2>(poll, {"question", "answers"});
  text += (text.empty() ? "" : "\n") + plain_text(question);
  if (answers.kind != Kind::kArray) return;
  for (json::Elements each(answers.text); each.next();) text += "\n- " + plain_text(member_of(each.value(), "text"));
}

std::vector<chats::Reaction> reactions_of(const Value& list) {
  std::vector<chats::Reaction> found;
  if (list.kind != Kind::kArray) return found;
  for (json::Elements each(list.text); each.next();) {
    const auto [type, emoji, count, recent] = members_of<4>(each.value(), {"type", "emoji", "count", "recent"});
    chats::Reaction reaction{has_text(emoji) ? text_of(emoji) : text_of(type), integer_or(count, 1), {}};
    if (recent.kind == Kind::kArray) {
      for (json::Elements one(recent.text); one.next();) {
        if (std::string from = text_of(one.value(), "from"); !from.empty()) reaction.by.push_back(std::move(from));
      }
    }
    found.push_back(std::move(reaction));
  }
  return found;
}

// The clock of the exporting computer, without a zone, is all that exports before 2021 have.
std::optional<Instant> time_of(const Value& unix_time, const Value& date, std::string* date_text) {
  if (const auto time = seconds_of(unix_time)) return time;
  const std::string text = text_of(date);
  const auto local = parse_field_time(text);
  if (date_text != nullptr) *date_text = text;
  return local;
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), number_(entry), entry_(tree.entries()[entry]), sink_(sink) {}

  Status run() {
    auto bytes = tree_.open(number_);
    if (!bytes) return sink_.lost({entry_.path, -1}, bytes.error().message);
    telegram::JsonBytes corrected(**bytes);
    JsonHandler handler;
    handler.decide = [this](const JsonPath& path) { return decide(path); };
    handler.take = [this](const JsonPath& path, const Value& value, std::int64_t offset) { return take(path, value, offset); };
    handler.leave = [this](const JsonPath& path) { return leave(path); };
    handler.repair = telegram::with_quoted_paths;
    return stream_json(corrected, entry_.path, "message", handler, sink_);
  }

 private:
  // A chat is the whole file, or an element of one of two lists.
  static std::size_t chat_depth(const JsonPath& path) {
    const bool is_list =
        path.size() >= 3 && (path[0] == "chats" || path[0] == "left_chats") && path[1] == "list" && path[2].empty();
    return is_list ? 3 : 0;
  }

  JsonWalk decide(const JsonPath& path) {
    const std::size_t depth = chat_depth(path);
    if (path.size() == depth) {
      chat_ = {};
      type_.clear();
      id_.clear();
    }
    if (path.size() < 3 && !path.empty() && (path[0] == "chats" || path[0] == "left_chats")) return JsonWalk::kEnter;
    if (path.size() == depth) return JsonWalk::kEnter;
    const std::string& name = path[depth];
    if (path.size() == depth + 1) {
      if (name == "messages") return JsonWalk::kEnter;
      const bool is_head = name == "name" || name == "type" || name == "id" || (depth == 0 && name == "personal_information");
      return is_head ? JsonWalk::kTake : JsonWalk::kSkip;
    }
    return name == "messages" && path.size() == depth + 2 ? JsonWalk::kTake : JsonWalk::kSkip;
  }

  Status take(const JsonPath& path, const Value& value, std::int64_t offset) {
    const std::size_t depth = chat_depth(path);
    if (path.size() == depth + 2) return message(value, {entry_.path, std::min(offset, entry_.size)});
    const std::string& name = path[depth];
    if (name == "name") chat_.title = text_of(value);
    else if (name == "type") type_ = text_of(value);
    else if (name == "id") id_ = text_of(value);
    else if (const std::string id = text_of(value, "user_id"); !id.empty()) owner_ = "user" + id;
    chat_.kind = type_;
    std::ranges::replace(chat_.kind, '_', ' ');
    chat_.id = format("{}{}", family_of(type_), id_.empty() ? digest_id({type_, chat_.title}) : id_);
    return {};
  }

  Status leave(const JsonPath& path) {
    if (path.size() != chat_depth(path) || chat_.kind.empty()) return {};
    if (chat_.title.empty()) chat_.title = name_of_chat();
    return chats::send(sink_, std::exchange(chat_, {}), {entry_.path, -1});
  }

  std::string name_of_chat() const {
    if (!chat_.title.empty()) return chat_.title;
    if (type_ == "saved_messages") return "Saved messages";
    if (type_ == "replies") return "Replies";
    return type_ == "verification_codes" ? "Verification codes" : "Deleted account";
  }

  Status message(const Value& value, const wire::FileLocation& place) {
    const auto [id, type, date, date_unix, edited, edited_unix, from, from_id, actor, actor_id, action, text, entities] =
        members_of<13>(value, {"id", "type", "date", "date_unixtime", "edited", "edited_unixtime", "from", "from_id", "actor",
                               "actor_id", "action", "text", "text_entities"});
    const std::string number = text_of(id), kind = text_of(type);
    if (value.kind != Kind::kObject || number.empty()) return sink_.lost(place, "not a message: it has no id");
    if (kind == "unsupported") return sink_.skipped("messages", "a message of a kind that Telegram does not export");
    chats::Message message;
    message.id = joined_key({chat_.id, number});
    message.chat_id = chat_.id;
    message.chat = name_of_chat();
    message.is_notice = kind == "service";
    message.author_id = text_of(message.is_notice ? actor_id : from_id);
    message.author = text_of(message.is_notice ? actor : from);
    if (message.author.empty() && !message.is_notice)
      message.author = message.author_id.empty() ? std::string() : "Deleted account";
    if (!owner_.empty() && !message.author_id.empty()) message.from_owner = message.author_id == owner_;
    message.sent_at = time_of(date_unix, date, &message.date_text);
    message.edited_at = time_of(edited_unix, edited, nullptr);
    message.text = plain_text(entities.kind == Kind::kArray ? entities : text);
    add_links(entities.kind == Kind::kArray ? entities : text, message.links);
    if (message.is_notice) {
      std::string what = text_of(action);
      std::ranges::replace(what, '_', ' ');
      for (const std::string_view detail : {"title", "members"}) {
        const Value more = member_of(value, detail);
        const std::string words = more.kind == Kind::kArray ? names_in(more) : text_of(more);
        if (!words.empty()) what += ": " + words;
      }
      message.text = message.text.empty() ? what : what + "\n" + message.text;
    }
    add_details(value, message);
    chat_.count(message);
    return chats::send(sink_, tree_, message, place);
  }

  static std::string names_in(const Value& list) {
    std::string names;
    for (json::Elements each(list.text); each.next();) {
      if (const std::string name = text_of(each.value()); !name.empty()) names += (names.empty() ? "" : ", ") + name;
    }
    return names;
  }

  void add_details(const Value& value, chats::Message& message) {
    const auto [reply, reply_peer, forwarded, poll, reactions, photo, file, file_name, sticker, location, place_name, contact] =
        members_of<12>(value, {"reply_to_message_id", "reply_to_peer_id", "forwarded_from", "poll", "reactions", "photo", "file",
                               "file_name", "sticker_emoji", "location_information", "place_name", "contact_information"});
    const std::string replied = text_of(reply), peer = text_of(reply_peer);
    if (!replied.empty()) message.reply_to = joined_key({peer.empty() ? chat_.id : peer, replied});
    message.forwarded_from = text_of(forwarded);
    add_poll(poll, message.text);
    message.reactions = reactions_of(reactions);
    if (message.text.empty()) message.text = text_of(sticker);
    if (location.kind == Kind::kObject) {
      const std::string where = format("{}, {}", text_of(location, "latitude"), text_of(location, "longitude"));
      message.text +=
          (message.text.empty() ? "" : "\n") + (has_text(place_name) ? text_of(place_name) + " (" + where + ")" : where);
    }
    if (contact.kind == Kind::kObject) {
      message.text += format("{}{} {} {}", message.text.empty() ? "" : "\n", text_of(contact, "first_name"),
                             text_of(contact, "last_name"), text_of(contact, "phone_number"));
    }
    add_file(photo, {}, message);
    add_file(file, text_of(file_name), message);
  }

  // The path may be a sentence in parentheses: the file was not downloaded.
  void add_file(const Value& value, std::string name, chats::Message& message) {
    const std::string path = text_of(value);
    if (path.empty()) return;
    const bool is_missing = path.starts_with('(');
    if (name.empty()) name = is_missing ? "a file that was not exported" : std::string(last_component(path));
    message.files.push_back({std::move(name), is_missing ? std::nullopt : tree_.find(entry_.sibling(path))});
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  Sink& sink_;
  std::string type_, id_, owner_;
  chats::Chat chat_;
};

// Returns the user id in the head of an account's export; "" if the owner did not export it.
std::string user_id_in(std::string_view head) {
  constexpr std::string_view kName = "\"user_id\"", kBetween = ": \t\r\n";
  const std::size_t owner = head.find("\"personal_information\"");
  const std::size_t name = owner == std::string_view::npos ? owner : head.find(kName, owner);
  if (name == std::string_view::npos) return {};
  head.remove_prefix(name + kName.size());
  head.remove_prefix(std::min(head.find_first_not_of(kBetween), head.size()));
  return std::string(head.substr(0, head.find_first_not_of("0123456789")));
}

bool has_all(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted) {
  return std::ranges::all_of(wanted, [&](std::string_view each) { return std::ranges::find(names, each) != names.end(); });
}

class Telegram final : public Format {
 public:
  std::string_view name() const override { return "telegram"; }
  std::string_view summary() const override { return "Telegram Desktop's export (JSON) of one chat or of the account"; }
  Result<std::string> declaration(const Request&) const override { return chats::declaration_for("telegram", "Telegram"); }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (!entry.has_extension(".json")) continue;
      const bool is_named = lower_ascii(entry.name()).find("result") != std::string::npos ||
                            entry.path.find("Export_") != std::string::npos || tree.name().find("Export_") != std::string::npos;
      if (!is_named && !request.forced) continue;
      const std::string_view head = tree.head(i);
      const std::vector<std::string> names = first_member_names(head);
      const bool is_account = has_all(names, {"about", "personal_information"}) || has_all(names, {"about", "chats"});
      const bool is_chat = has_all(names, {"name", "type", "id", "messages"}) && has_chat_type(head);
      if (!is_account && !is_chat && !request.forced) continue;
      Unit unit;
      unit.confidence = Confidence::kCertain;
      unit.what = is_account ? "a Telegram account" : "a Telegram chat";
      // Numbers of messages are unique in an account only.
      if (is_account) unit.account = user_id_in(head);
      unit.part = entry.path;
      unit.entries = {i};
      take_files(tree, entry, unit);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) {
      const Entry& each = tree.entries()[entry];
      const bool is_inside = unit.part != each.path;
      if (!is_inside) LADDER_CHECK(Reader(tree, entry, sink).run());
    }
    return sink.finish();
  }

 private:
  static bool has_chat_type(std::string_view head) {
    return std::ranges::any_of(
        kChatTypes, [&](std::string_view type) { return head.find(format("\"{}\"", type)) != std::string_view::npos; });
  }

  // The files of the messages, and the same messages as HTML.
  static void take_files(const Tree& tree, const Entry& result, Unit& unit) {
    const std::string folder(result.folder());
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      std::string_view path = tree.entries()[i].path;
      if (!folder.empty()) {
        if (!path.starts_with(folder + "/")) continue;
        path.remove_prefix(folder.size() + 1);
      }
      const std::size_t slash = path.find('/');
      const bool is_page = slash == std::string_view::npos && path.ends_with(".html") &&
                           (path.starts_with("messages") || path == "export_results.html");
      const bool is_file =
          slash != std::string_view::npos && std::ranges::find(kFileFolders, path.substr(0, slash)) != kFileFolders.end();
      if (is_page || is_file) unit.entries.push_back(i);
    }
    std::ranges::sort(unit.entries);
  }
};

}  // namespace

const Format& telegram_format() {
  static const Telegram format;
  return format;
}

}  // namespace ladder::imports
