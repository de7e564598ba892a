#include "import/formats/chats/chat_records.h"

#include "base/text/format.h"
#include "import/formats/declaration_files.h"
#include "import/formats/record_members.h"
#include "import/text/mime_type.h"
#include "json/writer.h"

namespace ladder::imports::chats {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string declaration_for(std::string_view source, std::string_view name) {
  std::string text(declaration_file("chats"));
  replace_all(text, "{source}", source);
  replace_all(text, "{name}", name);
  return text;
}

Status send(Sink& sink, Tree& tree, const Message& message, const wire::FileLocation& place) {
  json::Writer out;
  out.begin_object().member("id", message.id).optional_member("chat_id", message.chat_id).optional_member("chat", message.chat);
  out.optional_member("author_id", message.author_id).optional_member("author", message.author);
  if (message.from_owner) out.member("from_owner", *message.from_owner);
  optional_time_member(out, "sent_at", message.sent_at);
  out.member("kind", message.is_notice ? "notice" : "message");
  if (message.is_notice) out.optional_member("notice", message.text);
  else out.member("text", message.text);
  out.optional_member("reply_to", message.reply_to).optional_member("forwarded_from", message.forwarded_from);
  optional_time_member(out, "edited_at", message.edited_at);
  if (message.is_deleted) out.member("deleted", true);
  out.optional_member("links", message.links);
  if (!message.reactions.empty()) {
    out.key("reactions").begin_array();
    for (const Reaction& each : message.reactions) {
      out.begin_object().member("name", each.name).member("count", each.count).optional_member("by", each.by).end_object();
    }
    out.end_array();
  }
  std::string names;
  for (const Message::File& file : message.files) names += (names.empty() ? "" : "\n") + file.name;
  out.optional_member("file_names", names).optional_member("date_text", message.date_text);
  out.optional_member("problems", message.problems).end_object();
  LADDER_CHECK(sink.record({"messages", out.take(), place, message.sent_at}));
  for (std::size_t i = 0; i < message.files.size(); ++i) {
    const Message::File& file = message.files[i];
    if (!file.entry) continue;
    const std::string_view type = mime_type_of(tree.entries()[*file.entry].path);
    LADDER_TRY(const std::string reference, store_file(tree, *file.entry, type, sink));
    if (reference.empty()) continue;
    out.begin_object().member("id", format("{}-{}", message.id, i + 1)).member("message", message.id);
    out.optional_member("chat", message.chat).optional_member("author", message.author);
    optional_time_member(out, "sent_at", message.sent_at);
    out.member("name", file.name).member("mime_type", type).key("blob_ref").raw(reference).end_object();
    LADDER_CHECK(sink.record({"files", out.take(), place, message.sent_at}));
  }
  return {};
}

void Chat::count(const Message& message) {
  ++message_count;
  if (message.sent_at && (!last_at || *message.sent_at > *last_at)) last_at = message.sent_at;
}

Status send(Sink& sink, const Chat& chat, const wire::FileLocation& place) {
  json::Writer out;
  out.begin_object().member("id", chat.id).optional_member("title", chat.title).optional_member("kind", chat.kind);
  out.optional_member("members", chat.members).member("message_count", chat.message_count);
  optional_time_member(out, "last_at", chat.last_at);
  out.end_object();
  return sink.record({"chats", out.take(), place, chat.last_at});
}

}  // namespace ladder::imports::chats
