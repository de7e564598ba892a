// Writes the demo's generated owner to a folder: three source declarations and their RECORD lines. The output is always
// the same.
//   generate FOLDER
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/time/time.h"
#include "dice.h"
#include "json/writer.h"
#include "words.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace {

using demo::Dice;
using ladder::format;
using ladder::json::Writer;

constexpr int kMails = 2400, kChats = 2600, kNotes = 500, kDocuments = 12;
constexpr std::size_t kLongDocumentBytes = 4'000'000;
constexpr ladder::Instant kBegin = 1'735'689'600 * ladder::kSecond;  // 2025-01-01

std::string sentence(Dice& dice, const demo::Language& language) {
  std::string text(dice.pick(language.who));
  text.append(language.space).append(dice.pick(language.does)).append(language.space).append(dice.pick(language.what));
  if (dice.below(7) == 0) text.append(" ").append(dice.pick(demo::kEmoji));
  return text.append(language.full_stop);
}

std::string paragraph(Dice& dice, const demo::Language& language, std::size_t sentences) {
  std::string text;
  for (std::size_t i = 0; i < sentences; ++i) text += sentence(dice, language);
  return text;
}

std::string at(std::int64_t step, std::int64_t seconds_a_step) {
  return ladder::format_time(kBegin + step * seconds_a_step * ladder::kSecond);
}

// Writes one RECORD line; `data` is a JSON object.
void record(std::ofstream& out, std::string_view stream, std::string_view key_json, std::string_view data,
            std::string_view time) {
  Writer line;
  line.begin_object().member("type", "RECORD").member("stream", stream).key("key").raw(key_json).key("data").raw(data);
  line.member("emitted_at", time).end_object();
  out << line.take() << '\n';
}

std::string json_text(std::string_view text) {
  Writer out;
  out.string(text);
  return out.take();
}

void write_mail(Dice& dice, std::ofstream out) {
  for (int i = 0; i < kMails; ++i) {
    const demo::Language& language = dice.pick(demo::kLanguages);
    const std::string id = format("m{:05}", i), time = at(i, 13'000);
    Writer data;
    data.begin_object().member("id", id).member("thread_id", format("t{:04}", dice.below(700))).member("sent_at", time);
    data.member("from", dice.pick(demo::kPeople)).key("to").begin_array().string(dice.pick(demo::kPeople)).end_array();
    data.member("subject", sentence(dice, language)).member("language", language.tag);
    data.member("body", paragraph(dice, language, 2 + dice.below(dice.below(20) == 0 ? 120 : 14)));
    data.member("size", static_cast<std::int64_t>(1000 + dice.below(900'000))).member("read", dice.below(4) != 0).end_object();
    record(out, "messages", json_text(id), data.take(), time);
  }
}

void write_chat(Dice& dice, std::ofstream out) {
  for (int i = 0; i < kChats; ++i) {
    const std::string time = at(i, 11'700);
    const std::string_view room = dice.pick(demo::kRooms);
    Writer key, data;
    key.begin_array().string(room).string(std::to_string(i)).end_array();
    data.begin_object()
        .member("room", room)
        .member("number", i)
        .member("posted_at", time)
        .member("author", dice.pick(demo::kPeople));
    data.member("text", paragraph(dice, dice.pick(demo::kLanguages), 1 + dice.below(2)));
    data.key("reactions").begin_array();
    for (std::size_t n = dice.below(4); n > 0; --n) data.string(dice.pick(demo::kEmoji));
    data.end_array().end_object();
    record(out, "messages", key.take(), data.take(), time);
  }
}

void write_notes(Dice& dice, std::ofstream out) {
  for (int i = 0; i < kNotes; ++i) {
    const demo::Language& language = dice.pick(demo::kLanguages);
    const std::string id = format("n{:04}", i), time = at(i, 62'000);
    Writer data;
    data.begin_object().member("id", id).member("title", sentence(dice, language)).member("updated_at", time);
    data.key("blocks").begin_array();
    for (std::size_t n = 1 + dice.below(6); n > 0; --n) {
      data.begin_object()
          .member("kind", dice.below(3) == 0 ? "list" : "text")
          .member("text", paragraph(dice, language, 3))
          .end_object();
    }
    data.end_array().member("pinned", dice.below(9) == 0).end_object();
    record(out, "notes", json_text(id), data.take(), time);
  }
}

// Returns about this many bytes of chapters in changing languages; one sentence in the last quarter is the search
// target.
std::string book(Dice& dice, std::size_t bytes) {
  std::string text;
  bool hidden = bytes < kLongDocumentBytes;  // only the long document has it
  for (int chapter = 1; text.size() < bytes; ++chapter) {
    const demo::Language& language = demo::kLanguages[static_cast<std::size_t>(chapter - 1) % demo::kLanguages.size()];
    text += format("{}Chapter {} ({})\n\n", chapter == 1 ? "" : "\n", chapter, language.tag);
    for (int i = 0; i < 30 && text.size() < bytes; ++i) text += paragraph(dice, language, 4 + dice.below(5)) + "\n\n";
    if (!hidden && text.size() > bytes / 4 * 3) {
      text += "Nobody was told that the spare key hangs behind the third clock.\n\n";
      hidden = true;
    }
  }
  return text;
}

// Standard base64, as in mail and documents; Ladder's own is the URL form without padding.
std::string base64(std::string_view bytes) {
  std::string text = ladder::base64url::encode(bytes);
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  return text.append((4 - text.size() % 4) % 4, '=');
}

void write_documents(Dice& dice, std::ofstream out) {
  for (int i = 0; i < kDocuments; ++i) {
    const bool long_one = i == 0;
    const std::string id = long_one ? "ledger-of-tides" : format("d{:02}", i), time = at(i, 2'400'000);
    Writer data;
    data.begin_object().member("id", id).member("title",
                                                long_one ? "The Ledger of Tides" : sentence(dice, dice.pick(demo::kLanguages)));
    data.member("updated_at", time).member("text", book(dice, long_one ? kLongDocumentBytes : 4'000 + dice.below(60'000)));
    std::string scan = "%PDF-1.4\n% a made-up scan\n";
    for (std::size_t n = 2'000 + dice.below(3'000); n > 0; --n) scan += static_cast<char>(dice.below(256));
    data.member("scan", base64(scan))
        .member("private_remark", "Kept from clients: " + sentence(dice, demo::kLanguages[0]))
        .end_object();
    record(out, "documents", json_text(id), data.take(), time);
  }
}

std::string declaration(std::string_view key, std::string_view name, std::string_view streams) {
  return format(R"({{
  "protocol_version": "0.1.0",
  "source": {{"kind": "connector", "id": "https://demo.example/sources/{0}"}},
  "declaration_version": "1",
  "publisher": {{"id": "https://demo.example/"}},
  "display": {{"name": "{1}"}},
  "streams": [{2}]
}}
)",
                key, name, streams);
}

constexpr std::string_view kMailStreams = R"(
    {"name": "messages", "semantics": "append_only", "primary_key": ["id"], "cursor_field": "sent_at", "consent_time_field": "sent_at",
     "display": {"label": "Your mail", "detail": "Who wrote what to whom, and when."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string"}, "thread_id": {"type": "string"}, "sent_at": {"type": "string", "format": "date-time"},
       "from": {"type": "string", "x_pdpp_role": "actor"}, "to": {"type": "array", "items": {"type": "string"}},
       "subject": {"type": "string", "x_pdpp_role": "primary-title"}, "language": {"type": "string"}, "body": {"type": "string"},
       "size": {"type": "integer"}, "read": {"type": "boolean"}}},
     "query": {"search": {"lexical_fields": ["subject", "body"]}, "range_filters": {"sent_at": ["gte", "lt"]}}})";

constexpr std::string_view kChatStreams = R"(
    {"name": "messages", "semantics": "mutable_state", "primary_key": ["room", "number"], "cursor_field": "posted_at",
     "consent_time_field": "posted_at", "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["room", "number"], "properties": {
       "room": {"type": "string"}, "number": {"type": "integer"}, "posted_at": {"type": "string", "format": "date-time"},
       "author": {"type": "string", "x_pdpp_role": "actor"}, "text": {"type": "string"},
       "reactions": {"type": "array", "items": {"type": "string"}}}},
     "query": {"search": {"lexical_fields": ["text"]}}})";

constexpr std::string_view kNoteStreams = R"(
    {"name": "notes", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "updated_at",
     "consent_time_field": "updated_at", "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string"}, "title": {"type": "string", "x_pdpp_role": "primary-title"},
       "updated_at": {"type": "string", "format": "date-time"}, "pinned": {"type": "boolean"},
       "blocks": {"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}, "text": {"type": "string"}}}}}}},
    {"name": "documents", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "updated_at",
     "consent_time_field": "updated_at", "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string"}, "title": {"type": "string", "x_pdpp_role": "primary-title"},
       "updated_at": {"type": "string", "format": "date-time"}, "text": {"type": "string"}, "scan": {"type": "string"},
       "private_remark": {"type": "string"}}},
     "query": {"search": {"lexical_fields": ["title", "text"]}}})";

void write_declarations(const std::filesystem::path& folder) {
  std::ofstream(folder / "mail.json") << declaration("mail", "Mail", kMailStreams);
  std::ofstream(folder / "chat.json") << declaration("chat", "Chat", kChatStreams);
  std::ofstream(folder / "notes.json") << declaration("notes", "Notes and documents", kNoteStreams);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: generate FOLDER\n";
    return 64;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  Dice dice(20250101);
  write_declarations(folder);
  write_mail(dice, std::ofstream(folder / "mail-messages.ndjson"));
  write_chat(dice, std::ofstream(folder / "chat-messages.ndjson"));
  write_notes(dice, std::ofstream(folder / "notes.ndjson"));
  write_documents(dice, std::ofstream(folder / "documents.ndjson"));
  for (const char* name : {"mail.json", "mail-messages.ndjson", "chat-messages.ndjson", "notes.ndjson", "documents.ndjson"}) {
    if (std::filesystem::file_size(folder / name) == 0) {
      std::cerr << "generate: could not write " << (folder / name) << '\n';
      return 1;
    }
  }
  return 0;
}
