// Claude data exports: conversations.json, an array of conversations with their messages, and projects, as projects.json or as
// one file each in projects/.
#include "base/text/format.h"
#include "import/formats/claude/claude_content.h"
#include "import/formats/conversations.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;

constexpr std::int64_t kCheckpointEvery = 400;  // records
// The parent id of first messages in recent exports.
constexpr std::string_view kNoParent = "00000000-0000-4000-8000-000000000000";
constexpr std::array<std::string_view, 2> kIgnoredFiles = {"memories.json", "users.json"};

enum class Kept { kNothing, kConversations, kProjects, kOneProject, kCompanion };

bool has_any(const std::vector<std::string>& names, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(wanted, [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

// Returns the kind of a file, by its name only.
Kept kind_of(const Entry& entry) {
  if (is_file_or_part(entry.name(), "conversations")) return Kept::kConversations;
  if (is_file_or_part(entry.name(), "projects")) return Kept::kProjects;
  if (std::ranges::find(kIgnoredFiles, entry.name()) != kIgnoredFiles.end()) return Kept::kCompanion;
  if (entry.has_extension(".json") && last_component(entry.folder()) == "projects") return Kept::kOneProject;
  return Kept::kNothing;
}

bool fits(Kept kind, std::string_view head) {
  const char bracket = opening_bracket(head);
  const std::vector<std::string> names = first_member_names(head);
  if (!has_any(names, {"uuid"})) return false;
  if (kind == Kept::kConversations) return bracket == '[' && has_any(names, {"chat_messages", "created_at", "name", "summary"});
  return bracket == (kind == Kept::kProjects ? '[' : '{') &&
         has_any(names, {"docs", "prompt_template", "is_private", "is_starter_project"});
}

bool is_conversation(const Value& object) {
  const auto [uuid, messages] = members_of<2>(object, {"uuid", "chat_messages"});
  return uuid.kind == Kind::kString && messages.kind == Kind::kArray;
}

bool is_project(const Value& object) {
  const auto [uuid, docs, name, prompt] = members_of<4>(object, {"uuid", "docs", "name", "prompt_template"});
  return uuid.kind == Kind::kString && name.kind == Kind::kString && !(docs.text.empty() && prompt.text.empty());
}

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink) {}

  Status read(FilePosition from) {
    LADDER_CHECK(find_versions());
    for (std::size_t index = from.index; index < unit_.entries.size(); ++index) {
      LADDER_CHECK(read_file(index, index == from.index ? from.byte : 0));
      const Entry& entry = tree_.entries()[unit_.entries[index]];
      LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {index, std::max<std::int64_t>(entry.size, 1)})));
    }
    return {};
  }

 private:
  // A conversation may occur in several parts of one export.
  Status find_versions() {
    std::vector<EntryNo> parts;
    std::ranges::copy_if(unit_.entries, std::back_inserter(parts),
                         [&](EntryNo entry) { return kind_of(tree_.entries()[entry]) == Kept::kConversations; });
    return imports::find_versions(tree_, parts, {is_conversation, identity, message_ids}, versions_);
  }

  static ConversationKind::Identity identity(const Value& object) {
    const auto [uuid, updated] = members_of<2>(object, {"uuid", "updated_at"});
    return {has_text(uuid) ? text_of(uuid) : std::string(), instant_of(updated)};
  }

  static std::vector<std::string> message_ids(const Value& object) {
    std::vector<std::string> ids;
    const Value messages = member_of(object, "chat_messages");
    if (messages.kind != Kind::kArray) return ids;
    for (json::Elements message(messages.text); message.next();) {
      const Value uuid = member_of(message.value(), "uuid");
      if (has_text(uuid)) ids.push_back(text_of(uuid));
    }
    return ids;
  }

  Status read_file(std::size_t index, std::int64_t from) {
    const EntryNo entry = unit_.entries[index];
    const Kept kind = kind_of(tree_.entries()[entry]);
    const bool are_projects = kind == Kept::kProjects || kind == Kept::kOneProject;
    const auto take = [&](const JsonElement& element) -> Status {
      element_ = &element;
      LADDER_CHECK(are_projects ? project(element.value) : conversation(element.value));
      if (sent_ < kCheckpointEvery) return {};
      sent_ = 0;
      return sink_.checkpoint(position_text(tree_, unit_, {index, element.end}));
    };
    switch (kind) {
      case Kept::kNothing:
      case Kept::kConversations:
        return read_elements(tree_, entry, "conversation", is_conversation, from, sink_, take);
      case Kept::kProjects:
        return read_elements(tree_, entry, "project", is_project, from, sink_, take);
      case Kept::kOneProject:
        return from > 0 ? Status() : read_document(tree_, entry, "project", sink_, take);
      case Kept::kCompanion:
        return from > 0 ? Status() : sink_.skipped("conversations", "a file without conversations or projects");
    }
    return {};
  }

  Status conversation(const Value& object) {
    const auto [uuid, name, summary, created, updated, messages] =
        members_of<6>(object, {"uuid", "name", "summary", "created_at", "updated_at", "chat_messages"});
    if (!has_text(uuid)) return sink_.lost(element_->at, "not a conversation: it has no uuid");
    id_ = joined_key({text_of(uuid)});
    title_ = text_of(name);
    const std::optional<Instant> time = instant_of(created);
    const std::string whole = text_of(uuid);
    const Rank rank = versions_.is_duplicated(whole) ? rank_of(instant_of(updated), object.text) : Rank{};
    const bool taken = versions_.is_selected(whole, rank);
    std::int64_t count = 0, bad = 0;
    if (messages.kind == Kind::kArray) {
      for (json::Elements message(messages.text); message.next();) {
        const auto [own] = members_of<1>(message.value(), {"uuid"});
        if (has_text(own) ? !versions_.is_part_selected(whole, text_of(own), rank) : !taken) {
          ++count;
          continue;
        }
        LADDER_TRY(const bool sent, send_message(message.value(), count + 1));
        count += sent ? 1 : 0;
        bad += message.value().kind == Kind::kObject ? 0 : 1;
      }
    } else if (messages.kind != Kind::kNull) {
      LADDER_CHECK(sink_.lost(element_->place_of(messages), "the messages of a conversation are not a JSON array"));
    }
    if (!taken) return sink_.skipped("conversations", "an older version of the same conversation");
    json::Writer out;
    out.begin_object().member("id", id_).optional_member("title", title_).optional_member("summary", text_of(summary));
    optional_time_member(out, "created_at", time);
    optional_time_member(out, "updated_at", instant_of(updated));
    out.member("message_count", count);
    std::vector<std::string> problems;
    if (bad > 0) problems.push_back(format("{} messages could not be read", bad));
    if (element_->repaired) problems.emplace_back(kRepairedProblem);
    out.optional_member("problems", problems);
    out.end_object();
    return send("conversations", out.take(), element_->at, time);
  }

  // Returns false if the message has no content.
  Result<bool> send_message(const Value& object, std::int64_t number) {
    if (object.kind != Kind::kObject) {
      LADDER_CHECK(sink_.lost(element_->place_of(object), "a message that is not a JSON object"));
      return false;
    }
    const auto [uuid, sender, created, text, blocks, attachments, files, parent] =
        members_of<8>(object, {"uuid", "sender", "created_at", "text", "content", "attachments", "files", "parent_message_uuid"});
    const claude::Content content = claude::read_content(blocks, text);
    const std::string own = text_of(uuid), role = text_of(sender), before = text_of(parent);
    message_id_ = own.empty() ? joined_key({id_, std::to_string(number)}) : joined_key({own});
    sent_at_ = instant_of(created);
    names_.clear();
    attached_ = 0;
    LADDER_CHECK(send_attachments(attachments, "text"));
    LADDER_CHECK(send_attachments(files, "file"));
    if (content.is_blank() && attached_ == 0) {
      LADDER_CHECK(sink_.skipped("messages", "a message without content"));
      return false;
    }
    json::Writer out;
    out.begin_object().member("id", message_id_).member("conversation_id", id_).optional_member("conversation", title_);
    out.member("role", role.empty() ? "unknown" : role);
    optional_time_member(out, "sent_at", sent_at_);
    out.member("number", number).optional_member("answers", before == kNoParent ? "" : before);
    out.member("text", content.text).optional_member("thinking", content.thinking);
    out.optional_member("tool_text", content.tool_text);
    out.optional_member("tools", content.tools);
    out.member("attachment_count", attached_);
    out.optional_member("attachment_names", names_);
    if (!content.unknown.empty()) {
      out.key("content").begin_array();
      for (const Value& block : content.unknown) out.raw(compact(block.text));
      out.end_array();
    }
    out.end_object();
    LADDER_CHECK(send("messages", out.take(), element_->place_of(object), sent_at_));
    return true;
  }

  Status send_attachments(const Value& list, std::string_view kind) {
    if (list.kind != Kind::kArray) return {};
    for (json::Elements each(list.text); each.next();) {
      const Value& file = each.value();
      if (file.kind != Kind::kObject) {
        LADDER_CHECK(sink_.lost(element_->place_of(file), "an attachment that is not a JSON object"));
        continue;
      }
      const auto [name, type, size, text, file_kind] =
          members_of<5>(file, {"file_name", "file_type", "file_size", "extracted_content", "file_kind"});
      ++attached_;
      const std::string shown = text_of(name), own_type = text_of(type);
      if (!shown.empty()) names_.push_back(shown);
      json::Writer out;
      out.begin_object().member("id", joined_key({message_id_, std::to_string(attached_)})).member("message_id", message_id_);
      out.member("conversation_id", id_).optional_member("conversation", title_);
      optional_time_member(out, "sent_at", sent_at_);
      out.member("number", attached_).member("kind", has_text(text) ? "text" : kind).optional_member("file_name", shown);
      out.optional_member("file_type", own_type.empty() ? text_of(file_kind) : own_type);
      if (const std::int64_t bytes = integer_or(size, -1); bytes >= 0) out.member("size_bytes", bytes);
      out.optional_member("text", text_of(text)).end_object();
      LADDER_CHECK(send("attachments", out.take(), element_->place_of(file), sent_at_));
    }
    return {};
  }

  Status project(const Value& object) {
    const auto [uuid, name, description, prompt, created, updated, creator, is_private, docs] = members_of<9>(
        object, {"uuid", "name", "description", "prompt_template", "created_at", "updated_at", "creator", "is_private", "docs"});
    if (!has_text(uuid)) return sink_.lost(element_->at, "not a project: it has no uuid");
    id_ = joined_key({text_of(uuid)});
    title_ = text_of(name);
    std::int64_t count = 0;
    if (docs.kind == Kind::kArray) {
      for (json::Elements doc(docs.text); doc.next();) LADDER_CHECK(send_doc(doc.value(), ++count));
    }
    const std::optional<Instant> time = instant_of(created);
    json::Writer out;
    out.begin_object().member("id", id_).optional_member("name", title_).optional_member("description", text_of(description));
    out.optional_member("instructions", text_of(prompt));
    optional_time_member(out, "created_at", time);
    optional_time_member(out, "updated_at", instant_of(updated));
    out.optional_member("creator", text_of(creator, "full_name"));
    if (is_private.kind == Kind::kBool) out.member("private", is_true(is_private));
    out.member("doc_count", count).end_object();
    return send("projects", out.take(), element_->at, time);
  }

  Status send_doc(const Value& doc, std::int64_t number) {
    if (doc.kind != Kind::kObject) return sink_.lost(element_->place_of(doc), "a document that is not a JSON object");
    const auto [uuid, name, content, created] = members_of<4>(doc, {"uuid", "filename", "content", "created_at"});
    const std::string own = text_of(uuid);
    const std::optional<Instant> time = instant_of(created);
    json::Writer out;
    out.begin_object().member("id", own.empty() ? joined_key({id_, std::to_string(number)}) : joined_key({own}));
    out.member("project_id", id_).optional_member("project", title_).member("number", number);
    out.optional_member("file_name", text_of(name));
    optional_time_member(out, "created_at", time);
    out.member("text", text_of(content)).end_object();
    return send("project_docs", out.take(), element_->place_of(doc), time);
  }

  Status send(std::string_view stream, const std::string& data, const wire::FileLocation& at, std::optional<Instant> time) {
    ++sent_;
    return sink_.record({stream, data, at, time});
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  Versions versions_;
  std::int64_t sent_ = 0;  // since the last checkpoint
  const JsonElement* element_ = nullptr;
  std::string id_, title_;  // of the current conversation or project
  // State of the current message:
  std::string message_id_;
  std::optional<Instant> sent_at_;
  std::vector<std::string> names_;
  std::int64_t attached_ = 0;
};

class Claude final : public Format {
 public:
  std::string_view name() const override { return "claude"; }
  std::string_view summary() const override { return "Claude's data export: conversations, attachments and projects"; }

  // Returns one unit per folder; the files of projects/ belong to the parent folder.
  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::map<std::string_view, Unit> folders;
    std::map<std::string_view, std::vector<EntryNo>> companions;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const Kept kind = kind_of(entry);
      if (kind == Kept::kCompanion) companions[entry.folder()].push_back(i);
      if (kind == Kept::kNothing || kind == Kept::kCompanion) continue;
      if (!fits(kind, tree.head(i)) && !request.forced) continue;
      folders[home_of(entry, kind)].entries.push_back(i);
    }
    std::vector<Unit> units;
    for (auto& [folder, unit] : folders) {
      unit.confidence = Confidence::kCertain;
      unit.what = "a Claude export";
      unit.part = folder;
      std::ranges::copy(companions[folder], std::back_inserter(unit.entries));
      std::ranges::sort(unit.entries);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const override {
    return Reader(tree, unit, sink).read(parse_position(tree, unit, position));
  }

 private:
  static std::string_view home_of(const Entry& entry, Kept kind) {
    return kind == Kept::kOneProject ? parent_folder(entry.folder()) : entry.folder();
  }
};

}  // namespace

const Format& claude_format() {
  static const Claude format;
  return format;
}

}  // namespace ladder::imports
