// Messages of Facebook, Messenger and Instagram (JSON): threads in numbered files, and the single files of
// end-to-end encrypted chats. The files of one thread are read as one.
#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/chats/chat_records.h"
#include "import/formats/format.h"
#include "import/formats/meta/meta_text.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/json/json_members.h"
#include "import/json/json_stream.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;
using meta::text_in;

constexpr std::array kSections = {"inbox",        "archived_threads", "filtered_threads", "message_requests",
                                  "e2ee_cutover", "legacy_threads"};

// Returns N of "message_N.json"; 0 for other names.
std::int64_t part_number(std::string_view name) {
  constexpr std::string_view kBegin = "message_", kEnd = ".json";
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return 0;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  return is_digits(name) ? parse_number(name).value_or(0) : 0;
}

// One thread: the entries of its files in order.
struct Thread {
  std::string id, title;
  std::vector<EntryNo> entries;
  bool is_encrypted = false;  // the other form, with other names of members
};

std::string thread_id(std::string_view folder) {
  const std::string_view name = last_component(folder);
  const std::size_t line = name.rfind('_');
  return std::string(line == std::string_view::npos || line + 1 == name.size() ? name : name.substr(line + 1));
}

class Reader {
 public:
  Reader(Tree& tree, const Thread& thread, Sink& sink) : tree_(tree), thread_(thread), sink_(sink) {
    chat_.id = thread.id;
    chat_.kind = thread.is_encrypted ? "encrypted" : std::string(parent_name());
  }

  Status run() {
    for (const EntryNo entry : thread_.entries) LADDER_CHECK(read_head(entry));
    if (chat_.title.empty()) chat_.title = joined_members();
    for (const EntryNo entry : thread_.entries) LADDER_CHECK(read_messages(entry));
    return chats::send(sink_, chat_, {tree_.entries()[thread_.entries.front()].path, -1});
  }

 private:
  std::string_view parent_name() const {
    return last_component(parent_folder(tree_.entries()[thread_.entries.front()].folder()));
  }

  std::string joined_members() const {
    std::string all;
    for (const std::string& each : chat_.members) all += (all.empty() ? "" : ", ") + each;
    return all;
  }

  // The title comes after the messages. Problems are reported by the second pass.
  Status read_head(EntryNo entry) {
    JsonHandler handler;
    handler.decide = [](const JsonPath& path) {
      if (path.empty()) return JsonWalk::kEnter;
      const bool is_head = path[0] == "participants" || path[0] == "title" || path[0] == "threadName";
      return is_head ? JsonWalk::kTake : JsonWalk::kSkip;
    };
    handler.take = [this](const JsonPath& path, const Value& value, std::int64_t) -> Status {
      if (path[0] != "participants") {
        chat_.title = text_in(value);
        return {};
      }
      if (value.kind != Kind::kArray) return {};
      for (json::Elements each(value.text); each.next();) {
        const std::string name = each.value().kind == Kind::kObject ? text_in(each.value(), "name") : text_in(each.value());
        if (!name.empty() && std::ranges::find(chat_.members, name) == chat_.members.end()) chat_.members.push_back(name);
      }
      return {};
    };
    NullSink quiet;
    return stream_json(tree_, entry, "message", handler, quiet);
  }

  Status read_messages(EntryNo entry) {
    JsonHandler handler;
    handler.decide = [](const JsonPath& path) { return toward(path, {"messages", ""}); };
    handler.take = [&](const JsonPath&, const Value& value, std::int64_t offset) {
      return message(value, entry, {tree_.entries()[entry].path, offset});
    };
    return stream_json(tree_, entry, "message", handler, sink_);
  }

  Status message(const Value& value, EntryNo entry, const wire::FileLocation& place) {
    const auto [sender, sender2, ms, ms2, content, content2, unsent, unsent2, share, reactions, sticker, duration] =
        members_of<12>(value, {"sender_name", "senderName", "timestamp_ms", "timestamp", "content", "text", "is_unsent",
                               "isUnsent", "share", "reactions", "sticker", "call_duration"});
    const std::int64_t time = integer_or(ms, integer_or(ms2, -1));
    if (value.kind != Kind::kObject || time < 0) return sink_.lost(place, "not a message: it has no time");
    chats::Message message;
    message.chat_id = chat_.id;
    message.chat = chat_.title;
    message.author = has_text(sender) ? text_in(sender) : text_in(sender2);
    constexpr std::int64_t kLatest = 253'402'300'799'000;  // the year 9999
    if (time <= kLatest) message.sent_at = time * 1000;
    message.text = has_text(content) ? text_in(content) : text_in(content2);
    message.is_deleted = is_true(unsent) || is_true(unsent2);
    const std::string link = text_of(share, "link"), said = text_in(share, "share_text");
    if (!link.empty()) message.links.push_back(link);
    if (!said.empty() && message.text.find(said) == std::string::npos) message.text += (message.text.empty() ? "" : "\n") + said;
    if (duration.kind == Kind::kNumber) {
      message.is_notice = true;
      if (message.text.empty()) message.text = "A call";
      message.text += format(" ({} s)", integer_or(duration, 0));
    }
    // Links are left out of the id: their parameters change from export to export.
    message.id =
        ids_.next({chat_.id, std::to_string(time), message.author, has_text(content) ? text_of(content) : text_of(content2)});
    add_reactions(reactions, message);
    for (const std::string_view list : {"photos", "videos", "audio_files", "gifs", "files", "media"}) {
      const Value files = member_of(value, list);
      if (files.kind != Kind::kArray) continue;
      for (json::Elements each(files.text); each.next();) add_file(each.value(), entry, message);
    }
    if (sticker.kind == Kind::kObject) add_file(sticker, entry, message);
    chat_.count(message);
    return chats::send(sink_, tree_, message, place);
  }

  static void add_reactions(const Value& list, chats::Message& message) {
    if (list.kind != Kind::kArray) return;
    for (json::Elements each(list.text); each.next();) {
      const std::string name = text_in(each.value(), "reaction"), actor = text_in(each.value(), "actor");
      if (name.empty()) continue;
      const auto found = std::ranges::find(message.reactions, name, &chats::Reaction::name);
      chats::Reaction& reaction =
          found == message.reactions.end() ? message.reactions.emplace_back(chats::Reaction{name, 0, {}}) : *found;
      ++reaction.count;
      if (!actor.empty()) reaction.by.push_back(actor);
    }
  }

  // Paths start at the folder `messages`, at the root of the export, or next to the file.
  void add_file(const Value& file, EntryNo entry, chats::Message& message) {
    std::string uri = text_in(file, "uri");
    if (uri.empty()) return;
    chats::Message::File found{std::string(last_component(uri)), std::nullopt};
    if (uri.starts_with("./")) uri.erase(0, 2);
    if (uri.find("://") == std::string::npos) {
      const Entry& home = tree_.entries()[entry];
      found.entry = tree_.find(uri);
      if (!found.entry) found.entry = tree_.find(home.sibling(uri));
      for (std::string_view folder = home.folder(); !found.entry && !folder.empty(); folder = parent_folder(folder)) {
        found.entry = tree_.find(format("{}/{}", folder, uri));
      }
    }
    message.files.push_back(std::move(found));
  }

  Tree& tree_;
  const Thread& thread_;
  Sink& sink_;
  chats::Chat chat_;
  DerivedIds ids_;
};

bool is_thread_file(Tree& tree, EntryNo entry) {
  const Entry& file = tree.entries()[entry];
  if (part_number(file.name()) == 0) return false;
  const std::string_view section = last_component(parent_folder(file.folder()));
  if (std::ranges::find(kSections, section) != kSections.end()) return true;
  const std::vector<std::string> names = first_member_names(tree.head(entry));
  return !names.empty() && names.front() == "participants";
}

// The name ends with a number, and the members differ from those of threads.
bool is_encrypted_chat(Tree& tree, EntryNo entry) {
  const std::string_view stem = without_extension(tree.entries()[entry].name());
  if (!is_digits(stem.substr(std::min(stem.rfind('_'), stem.size() - 1) + 1))) return false;
  const std::string_view head = tree.head(entry);
  if (head.find("\"threadName\"") == std::string_view::npos && head.find("\"participants\"") == std::string_view::npos)
    return false;
  const std::vector<std::string> names = first_member_names(head);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  return has("participants") && has("threadName");
}

// The threads of the entries, in order of their folders.
std::vector<Thread> threads_of(Tree& tree, const std::vector<EntryNo>& entries) {
  std::map<std::string, Thread> found;
  for (const EntryNo entry : entries) {
    const Entry& file = tree.entries()[entry];
    if (!file.has_extension(".json")) continue;
    const bool is_part = is_thread_file(tree, entry);
    if (!is_part && !is_encrypted_chat(tree, entry)) continue;
    Thread& thread = found[is_part ? std::string(file.folder()) : file.path];
    thread.is_encrypted = !is_part;
    // The number of an encrypted chat's file changes with every export.
    const std::string_view stem = without_extension(file.name());
    thread.id = is_part ? thread_id(file.folder()) : digest_id({"encrypted", stem.substr(0, stem.rfind('_'))});
    thread.entries.push_back(entry);
  }
  std::vector<Thread> threads;
  for (auto& [folder, thread] : found) {
    std::ranges::stable_sort(thread.entries, {}, [&](EntryNo entry) { return part_number(tree.entries()[entry].name()); });
    threads.push_back(std::move(thread));
  }
  return threads;
}

class Meta final : public Format {
 public:
  std::string_view name() const override { return "meta"; }
  std::string_view summary() const override { return "messages of Facebook, Messenger and Instagram (JSON)"; }
  Result<std::string> declaration(const Request&) const override {
    return chats::declaration_for("meta", "Facebook and Instagram");
  }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      if (!tree.entries()[i].has_extension(".json")) continue;
      if (is_thread_file(tree, i) || is_encrypted_chat(tree, i)) unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    const std::vector<Thread> threads = threads_of(tree, unit.entries);
    unit.confidence = Confidence::kCertain;
    unit.what = format("{} {} of Facebook, Messenger or Instagram", threads.size(), threads.size() == 1 ? "chat" : "chats");
    unit.part = "messages";
    // The folder of a thread also contains its photos and files.
    std::set<std::string> folders;
    for (const EntryNo entry : unit.entries) folders.insert(std::string(tree.entries()[entry].folder()));
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const bool is_file = !entry.has_extension(".json") && folders.contains(std::string(parent_folder(entry.folder()))) &&
                           !parent_folder(entry.folder()).empty();
      if (is_file) unit.entries.push_back(i);
    }
    std::ranges::sort(unit.entries);
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const Thread& thread : threads_of(tree, unit.entries)) LADDER_CHECK(Reader(tree, thread, sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& meta_format() {
  static const Meta format;
  return format;
}

}  // namespace ladder::imports
