// Claude data exports: conversations.json, an array of conversations with their messages, and projects, as projects.json or as
// one file each in projects/.
#include "base/text/format.h"
#include "import/formats/claude/claude_content.h"
#include "import/formats/format.h"
#include "import/formats/versions.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::imports::claude {

const char* claude_declaration();

}  // namespace ladder::imports::claude

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

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Returns the kind of a file, by its name only.
Kept kind_of(const Entry& entry) {
  if (is_file_or_part(entry.name(), "conversations")) return Kept::kConversations;
  if (is_file_or_part(entry.name(), "projects")) return Kept::kProjects;
  if (std::ranges::find(kIgnoredFiles, entry.name()) != kIgnoredFiles.end()) return Kept::kCompanion;
  if (entry.has_extension(".json") && last_part(entry.folder()) == "projects") return Kept::kOneProject;
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

void write_time(json::Writer& out, std::string_view name, std::optional<Instant> time) {
  if (time) out.member(name, format_time(*time));
}

void write_names(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  out.key(name).begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
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
    if (parts.size() < 2) return {};
    for (const EntryNo entry : parts) {
      LADDER_CHECK(scan_elements(tree_, entry, is_conversation, [&](const JsonElement& element) -> Status {
        const auto [uuid, updated] = members_of<2>(element.value, {"uuid", "updated_at"});
        if (has_text(uuid)) versions_.add(text_of(uuid), rank_of(instant_of(updated), element.value.text));
        return {};
      }));
    }
    for (std::size_t i = 0; versions_.has_duplicates() && i < parts.size(); ++i) {
      LADDER_CHECK(scan_elements(tree_, parts[i], is_conversation, [&](const JsonElement& element) -> Status {
        const auto [uuid, updated, messages] = members_of<3>(element.value, {"uuid", "updated_at", "chat_messages"});
        if (!versions_.is_duplicated(text_of(uuid)) || messages.kind != Kind::kArray) return {};
        const Rank rank = rank_of(instant_of(updated), element.value.text);
        for (json::Elements message(messages.text); message.next();) {
          const auto [own] = members_of<1>(message.value(), {"uuid"});
          if (has_text(own)) versions_.add_part(text_of(uuid), text_of(own), rank);
        }
        return {};
      }));
    }
    return {};
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
    write_time(out, "created_at", time);
    write_time(out, "updated_at", instant_of(updated));
    out.member("message_count", count);
    std::vector<std::string> problems;
    if (bad > 0) problems.push_back(format("{} messages could not be read", bad));
    if (element_->repaired)
      problems.emplace_back("it was not valid UTF-8 and was read as Windows-1252, or with replacement characters");
    write_names(out, "problems", problems);
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
    write_time(out, "sent_at", sent_at_);
    out.member("number", number).optional_member("answers", before == kNoParent ? "" : before);
    out.member("text", content.text).optional_member("thinking", content.thinking);
    out.optional_member("tool_text", content.tool_text);
    write_names(out, "tools", content.tools);
    out.member("attachment_count", attached_);
    write_names(out, "attachment_names", names_);
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
      write_time(out, "sent_at", sent_at_);
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
    write_time(out, "created_at", time);
    write_time(out, "updated_at", instant_of(updated));
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
    write_time(out, "created_at", time);
    out.member("text", text_of(content)).end_object();
    return send("project_docs", out.take(), element_->place_of(doc), time);
  }

  Status send(std::string_view stream, const std::string& data, const imports::wire::FileLocation& at,
              std::optional<Instant> time) {
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
  Result<std::string> declaration(const Request&) const override { return std::string(claude::claude_declaration()); }

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
    if (kind != Kept::kOneProject) return entry.folder();
    const std::string_view folder = entry.folder();
    const std::size_t slash = folder.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : folder.substr(0, slash);
  }
};

}  // namespace

const Format& claude_format() {
  static const Claude format;
  return format;
}

}  // namespace ladder::imports

namespace ladder::imports::claude {

const char* claude_declaration() {
  return R"({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:claude"},
  "declaration_version": "4",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "Claude"},
  "selection_presets": [
    {"id": "titles", "label": "What you talked about and when, without what was said", "streams": [{"name": "conversations", "view": "titles"}]},
    {"id": "conversations", "label": "All conversations with every message and attachment", "streams": [{"name": "conversations"}, {"name": "messages"}, {"name": "attachments"}]},
    {"id": "projects", "label": "Projects with their instructions and documents", "streams": [{"name": "projects"}, {"name": "project_docs"}]}],
  "streams": [
    {"name": "conversations", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "updated_at", "consent_time_field": "created_at",
     "description": "One record per conversation with Claude. The export does not say which project a conversation belongs to.",
     "display": {"label": "Your Claude conversations", "detail": "Their titles and summaries, when they began and were last changed, and how long they are."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Claude's id of the conversation"},
       "title": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "The title"},
       "summary": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "Claude's own summary of it"},
       "created_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it began"},
       "updated_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "description": "When it was last changed"},
       "message_count": {"type": "integer", "description": "How many messages it has"},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What was wrong with it in the export"}}},
     "views": [{"id": "titles", "label": "Without the summary", "fields": ["id", "title", "created_at", "updated_at", "message_count"]}],
     "relationships": [{"name": "messages", "stream": "messages", "foreign_key": "conversation_id", "cardinality": "has_many"},
                       {"name": "attachments", "stream": "attachments", "foreign_key": "conversation_id", "cardinality": "has_many"}],
     "query": {"search": {"lexical_fields": ["title", "summary"]},
               "range_filters": {"created_at": ["gte", "gt", "lte", "lt"], "updated_at": ["gte", "gt", "lte", "lt"], "message_count": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by_time": ["created_at", "updated_at"], "sum": ["message_count"],
                                "min": ["created_at", "updated_at", "message_count"], "max": ["created_at", "updated_at", "message_count"]},
               "expand": [{"name": "messages", "default_limit": 20, "max_limit": 100}, {"name": "attachments", "default_limit": 10, "max_limit": 100}]}},
    {"name": "messages", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "One record per message, yours or Claude's.",
     "display": {"label": "What you and Claude wrote", "detail": "Your questions and the answers word for word, with Claude's reasoning and what tools were asked and gave back."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Claude's id of the message"},
       "conversation_id": {"type": "string", "x_pdpp_belongs_to": "conversation", "description": "The id of the conversation"},
       "conversation": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "context", "description": "The conversation's title"},
       "role": {"type": "string", "x_pdpp_type": "person", "x_pdpp_role": "actor", "description": "Who wrote it: human or assistant"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When; absent when the export does not say"},
       "number": {"type": "integer", "description": "Its place in the conversation, from 1"},
       "answers": {"type": "string", "description": "The id of the message before it, where the export says so"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What it says"},
       "thinking": {"type": "string", "x_pdpp_type": "text", "description": "Claude's reasoning before the answer"},
       "tool_text": {"type": "string", "x_pdpp_type": "text", "description": "What tools were asked and gave back; documents that Claude wrote stand here"},
       "tools": {"type": "array", "items": {"type": "string"}, "description": "The names of the tools"},
       "attachment_count": {"type": "integer", "x_pdpp_role": "attachments", "description": "How many pasted texts and files came with it"},
       "attachment_names": {"type": "array", "items": {"type": "string"}, "description": "Their names"},
       "content": {"type": "array", "description": "Content blocks of a kind that is not known, as the export has them"}}},
     "views": [{"id": "who_and_when", "label": "Who wrote when, without the text", "fields": ["id", "conversation_id", "role", "sent_at", "number", "attachment_count"]}],
     "relationships": [{"name": "conversation", "stream": "conversations", "foreign_key": "conversation_id", "cardinality": "has_one"},
                       {"name": "attachments", "stream": "attachments", "foreign_key": "message_id", "cardinality": "has_many"}],
     "query": {"search": {"lexical_fields": ["text", "conversation", "tool_text", "thinking"]},
               "range_filters": {"sent_at": ["gte", "gt", "lte", "lt"], "number": ["gte", "gt", "lte", "lt"], "attachment_count": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "count_distinct": ["conversation_id"], "group_by": ["role", "conversation_id"], "group_by_time": ["sent_at"],
                                "sum": ["attachment_count"], "min": ["sent_at"], "max": ["sent_at"]},
               "expand": [{"name": "conversation"}, {"name": "attachments", "default_limit": 10, "max_limit": 100}]}},
    {"name": "attachments", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "description": "One record per text or file that was given along with a message. Long pastes are kept here, not in the message.",
     "display": {"label": "Texts and files you gave to Claude", "detail": "Names, and the text that Claude read out of them. The files themselves are not in the export."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string"},
       "message_id": {"type": "string", "description": "The id of the message it came with"},
       "conversation_id": {"type": "string", "x_pdpp_belongs_to": "conversation", "description": "The id of the conversation"},
       "conversation": {"type": "string", "x_pdpp_role": "context", "description": "The conversation's title"},
       "sent_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When the message was sent"},
       "number": {"type": "integer", "description": "Its place among those of the message, from 1"},
       "kind": {"type": "string", "enum": ["text", "file"], "description": "text: its text was read out; file: only its name is in the export"},
       "file_name": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "Its name; pasted texts have none"},
       "file_type": {"type": "string", "description": "What kind of file it is, as the export says"},
       "size_bytes": {"type": "integer", "description": "How large the file was"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "The text in it"}}},
     "relationships": [{"name": "message", "stream": "messages", "foreign_key": "message_id", "cardinality": "has_one"}],
     "query": {"search": {"lexical_fields": ["file_name", "text", "conversation"]},
               "range_filters": {"sent_at": ["gte", "gt", "lte", "lt"], "size_bytes": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["kind", "file_type", "conversation_id"], "group_by_time": ["sent_at"], "sum": ["size_bytes"],
                                "min": ["sent_at", "size_bytes"], "max": ["sent_at", "size_bytes"]},
               "expand": [{"name": "message"}]}},
    {"name": "projects", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "updated_at", "consent_time_field": "created_at",
     "description": "One record per project.",
     "display": {"label": "Your Claude projects", "detail": "Names, descriptions, and the instructions that you gave Claude for them."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Claude's id of the project"},
       "name": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "The name"},
       "description": {"type": "string", "x_pdpp_type": "text", "description": "What it is about"},
       "instructions": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What Claude is told in every conversation of it"},
       "created_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it was made"},
       "updated_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "description": "When it was last changed"},
       "creator": {"type": "string", "x_pdpp_type": "person", "x_pdpp_role": "actor", "description": "Who made it"},
       "private": {"type": "boolean", "description": "Not shared with others"},
       "doc_count": {"type": "integer", "description": "How many documents it has"}}},
     "relationships": [{"name": "docs", "stream": "project_docs", "foreign_key": "project_id", "cardinality": "has_many"}],
     "query": {"search": {"lexical_fields": ["name", "description", "instructions"]},
               "range_filters": {"created_at": ["gte", "gt", "lte", "lt"], "updated_at": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["private", "creator"], "group_by_time": ["created_at", "updated_at"]},
               "expand": [{"name": "docs", "default_limit": 10, "max_limit": 100}]}},
    {"name": "project_docs", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "created_at", "consent_time_field": "created_at",
     "description": "One record per document of a project.",
     "display": {"label": "Documents of your Claude projects", "detail": "The full text of what you put into projects for Claude to know."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Claude's id of the document"},
       "project_id": {"type": "string", "x_pdpp_belongs_to": "project", "description": "The id of the project"},
       "project": {"type": "string", "x_pdpp_role": "context", "description": "The project's name"},
       "number": {"type": "integer", "description": "Its place among the project's documents, from 1"},
       "file_name": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-title", "description": "Its name"},
       "created_at": {"type": "string", "format": "date-time", "x_pdpp_type": "timestamp", "x_pdpp_role": "event-time", "description": "When it was added"},
       "text": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "Its text"}}},
     "relationships": [{"name": "project", "stream": "projects", "foreign_key": "project_id", "cardinality": "has_one"}],
     "query": {"search": {"lexical_fields": ["file_name", "text", "project"]},
               "range_filters": {"created_at": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["project_id", "project"], "group_by_time": ["created_at"]},
               "expand": [{"name": "project"}]}}
  ]
})";
}

}  // namespace ladder::imports::claude
