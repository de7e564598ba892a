// ChatGPT data exports: conversations.json, an array of conversations, or conversations-000.json etc. in large exports. Reads
// one conversation at a time; each is a tree of messages (chatgpt_tree.h).
#include "base/text/format.h"
#include "import/formats/chatgpt/chatgpt_content.h"
#include "import/formats/chatgpt/chatgpt_tree.h"
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

using chatgpt::kNoNode;
using chatgpt::MessageTree;
using chatgpt::Node;
using json::Kind;
using json::Value;

constexpr std::int64_t kCheckpointEvery = 400;  // records

// Other files of an export that contain nothing new or are not read.
constexpr std::array<std::string_view, 7> kIgnoredFiles = {
    "chat.html", "export_manifest.json", "message_feedback.json", "model_comparisons.json", "shared_conversations.json",
    "user.json", "user_settings.json"};

bool is_ignored(std::string_view name) { return std::ranges::find(kIgnoredFiles, name) != kIgnoredFiles.end(); }

bool is_conversation(const Value& object) {
  const auto [mapping, title, id, current] = members_of<4>(object, {"mapping", "title", "conversation_id", "current_node"});
  return mapping.kind == Kind::kObject && !(title.text.empty() && id.text.empty() && current.text.empty());
}

bool looks_like_conversations(std::string_view head) {
  if (opening_bracket(head) != '[') return false;
  const std::vector<std::string> names = first_member_names(head);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  return has("mapping") || has("current_node") || (has("title") && (has("create_time") || has("update_time")));
}

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink) {}

  Status read(FilePosition from) {
    LADDER_CHECK(find_versions());
    for (std::size_t index = from.index; index < unit_.entries.size(); ++index) {
      const EntryNo entry = unit_.entries[index];
      if (is_ignored(tree_.entries()[entry].name())) {
        LADDER_CHECK(sink_.skipped("conversations", "a file without messages"));
        continue;
      }
      const std::int64_t first = index == from.index ? from.byte : 0;
      const auto take = [&](const JsonElement& element) -> Status {
        element_ = &element;
        LADDER_CHECK(conversation(element.value));
        if (sent_ < kCheckpointEvery) return {};
        sent_ = 0;
        return sink_.checkpoint(position_text(tree_, unit_, {index, element.end}));
      };
      LADDER_CHECK(read_elements(tree_, entry, "conversation", is_conversation, first, sink_, take));
      LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {index, tree_.entries()[entry].size})));
    }
    return {};
  }

 private:
  // A conversation may occur in several parts of one export.
  Status find_versions() {
    std::vector<EntryNo> parts;
    std::ranges::copy_if(unit_.entries, std::back_inserter(parts),
                         [&](EntryNo entry) { return !is_ignored(tree_.entries()[entry].name()); });
    return imports::find_versions(tree_, parts, {is_conversation, identity, message_ids}, versions_);
  }

  static ConversationKind::Identity identity(const Value& object) {
    const auto [id, conversation_id, updated, mapping] =
        members_of<4>(object, {"id", "conversation_id", "update_time", "mapping"});
    std::string text = text_of(conversation_id);
    if (text.empty()) text = text_of(id);
    if (text.empty() && mapping.kind == Kind::kObject) text = first_name(mapping);
    return {std::move(text), seconds_of(updated)};
  }

  static std::vector<std::string> message_ids(const Value& object) {
    const auto [mapping, current_node] = members_of<2>(object, {"mapping", "current_node"});
    const MessageTree tree = chatgpt::read_tree(mapping, text_of(current_node));
    std::vector<std::string> ids;
    ids.reserve(tree.order.size());
    for (const std::size_t node : tree.order) ids.push_back(tree.nodes[node].id);
    return ids;
  }

  Status conversation(const Value& object) {
    const auto [id, conversation_id, title, created, updated, mapping, current_node] =
        members_of<7>(object, {"id", "conversation_id", "title", "create_time", "update_time", "mapping", "current_node"});
    id_ = text_of(conversation_id);
    if (id_.empty()) id_ = text_of(id);
    if (object.kind != Kind::kObject || mapping.kind != Kind::kObject)
      return sink_.lost(element_->at, "not a conversation: it has no mapping of messages");
    created_ = seconds_of(created);
    // The oldest exports have no ids; use the first message's.
    if (id_.empty()) id_ = first_name(mapping);
    if (id_.empty()) return sink_.lost(element_->at, "a conversation without an id and without messages");
    title_ = text_of(title);
    const MessageTree tree = chatgpt::read_tree(mapping, text_of(current_node));
    for (const Value& bad : tree.bad) LADDER_CHECK(sink_.lost(element_->place_of(bad), "a message that is not a JSON object"));
    for (std::int64_t i = 0; i < tree.blank; ++i) LADDER_CHECK(sink_.skipped("messages", "a message without content"));
    const bool duplicated = versions_.is_duplicated(id_);
    const Rank rank = duplicated ? rank_of(seconds_of(updated), object.text) : Rank{};
    if (versions_.is_selected(id_, rank)) LADDER_CHECK(send_conversation(object, tree, updated));
    else LADDER_CHECK(sink_.skipped("conversations", "an older version of the same conversation"));
    for (const std::size_t node : tree.order) {
      if (versions_.is_part_selected(id_, tree.nodes[node].id, rank)) LADDER_CHECK(send_message(tree, tree.nodes[node]));
    }
    return {};
  }

  static std::string first_name(const Value& mapping) {
    json::Members member(mapping.text);
    return member.next() ? json::decode_string(member.raw_name()) : std::string();
  }

  Status send_conversation(const Value& object, const MessageTree& tree, const Value& updated) {
    const auto [model, gizmo, archived, starred] =
        members_of<4>(object, {"default_model_slug", "gizmo_id", "is_archived", "is_starred"});
    json::Writer out;
    out.begin_object().member("id", joined_key({id_})).optional_member("title", title_);
    optional_time_member(out, "created_at", created_);
    optional_time_member(out, "updated_at", seconds_of(updated));
    out.optional_member("model", text_of(model)).optional_member("gizmo_id", text_of(gizmo));
    out.member("message_count", tree.order.size()).member("branch_count", tree.branches);
    if (archived.kind == Kind::kBool) out.member("archived", is_true(archived));
    if (starred.kind == Kind::kBool) out.member("starred", is_true(starred));
    write_problems(out, tree);
    out.end_object();
    ++sent_;
    return sink_.record({"conversations", out.take(), element_->at, created_});
  }

  void write_problems(json::Writer& out, const MessageTree& tree) const {
    std::vector<std::string> problems;
    if (tree.current_was_guessed)
      problems.emplace_back("the export does not say which branch is current; the one with the newest message was used");
    if (tree.missing_parents > 0) problems.push_back(format("{} messages reply to a missing message", tree.missing_parents));
    if (tree.circles > 0) problems.push_back(format("{} cycles of messages that reply to each other", tree.circles));
    if (tree.twice > 0) problems.push_back(format("{} messages with a duplicate id were not imported", tree.twice));
    if (!tree.bad.empty()) problems.push_back(format("{} messages could not be read", tree.bad.size()));
    if (element_->repaired) problems.emplace_back(kRepairedProblem);
    out.optional_member("problems", problems);
  }

  // Returns the message_id of `node`, or of the nearest ancestor that has a message.
  static std::string_view id_at(const MessageTree& tree, std::size_t node) {
    if (node != kNoNode && tree.nodes[node].message.kind != Kind::kObject) node = tree.nodes[node].answers;
    return node == kNoNode ? std::string_view() : std::string_view(tree.nodes[node].id);
  }

  Status send_message(const MessageTree& tree, const Node& node) {
    const auto [author, created, value, metadata, recipient] =
        members_of<5>(node.message, {"author", "create_time", "content", "metadata", "recipient"});
    const auto [role, author_name] = members_of<2>(author, {"role", "name"});
    const auto [model, hidden, files, references] =
        members_of<4>(metadata, {"model_slug", "is_visually_hidden_from_conversation", "attachments", "content_references"});
    chatgpt::Content content = chatgpt::read_content(value);
    chatgpt::write_out_references(content.text, references);
    add_files(content, files);
    const std::optional<Instant> time = seconds_of(created);
    const std::string role_text = text_of(role), to = text_of(recipient);
    json::Writer out;
    out.begin_object().member("id", joined_key({id_, node.id})).member("conversation_id", joined_key({id_}));
    out.optional_member("conversation", title_).member("message_id", node.id);
    out.member("role", role_text.empty() ? "unknown" : role_text).optional_member("author_name", text_of(author_name));
    optional_time_member(out, "sent_at", time);
    out.member("branch", node.current ? "current" : "other").member("number", node.number);
    out.optional_member("answers", id_at(tree, node.answers));
    if (!node.current) out.optional_member("leaves_at", id_at(tree, node.fork));
    out.member("content_type", content.type.empty() ? "unknown" : content.type).member("text", content.text);
    out.optional_member("language", content.language).optional_member("url", content.url);
    out.optional_member("model", text_of(model)).optional_member("recipient", to == "all" ? "" : to);
    if (is_true(hidden)) out.member("hidden", true);
    out.optional_member("attachments", content.attachments);
    if (!content.known && value.kind == Kind::kObject) out.key("content").raw(compact(value.text));
    out.end_object();
    ++sent_;
    return sink_.record({"messages", out.take(), element_->place_of(node.message), time});
  }

  // Adds the files attached to a question. Images are already listed by their address.
  static void add_files(chatgpt::Content& content, const Value& files) {
    if (files.kind != Kind::kArray) return;
    for (json::Elements file(files.text); file.next();) {
      const auto [name, id] = members_of<2>(file.value(), {"name", "id"});
      std::string shown = text_of(name);
      if (shown.empty()) shown = text_of(id);
      if (!shown.empty()) content.attachments.push_back(std::move(shown));
    }
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  Versions versions_;
  std::int64_t sent_ = 0;  // since the last checkpoint
  // State of the current conversation:
  const JsonElement* element_ = nullptr;
  std::string id_, title_;
  std::optional<Instant> created_;
};

class ChatGpt final : public Format {
 public:
  std::string_view name() const override { return "chatgpt"; }
  std::string_view summary() const override { return "ChatGPT's data export: conversations with all branches"; }

  // Returns one unit per folder, regardless of the number of parts.
  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::map<std::string_view, Unit> folders;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const bool named = is_file_or_part(entry.name(), "conversations");
      if (!named && !(request.forced && entry.has_extension(".json") && !is_ignored(entry.name()))) continue;
      const bool alike = looks_like_conversations(tree.head(i));
      if (!alike && !(request.forced && named)) continue;
      Unit& unit = folders[entry.folder()];
      unit.confidence = Confidence::kCertain;
      unit.entries.push_back(i);
    }
    std::vector<Unit> units;
    for (auto& [folder, unit] : folders) {
      const std::size_t files = unit.entries.size();
      unit.what = files == 1 ? "a ChatGPT export" : format("a ChatGPT export in {} parts", files);
      unit.part = folder;
      add_beside(tree, folder, unit);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const override {
    return Reader(tree, unit, sink).read(parse_position(tree, unit, position));
  }

 private:
  static void add_beside(const Tree& tree, std::string_view folder, Unit& unit) {
    for (const std::string_view name : kIgnoredFiles) {
      const auto found = tree.find(folder.empty() ? std::string(name) : format("{}/{}", folder, name));
      if (found) unit.entries.push_back(*found);
    }
    std::ranges::sort(unit.entries);
  }
};

}  // namespace

const Format& chatgpt_format() {
  static const ChatGpt format;
  return format;
}

}  // namespace ladder::imports
