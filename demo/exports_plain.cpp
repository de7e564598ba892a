// Notes, WhatsApp chats and tables as people have them on disk.
#include "base/text/format.h"
#include "base/time/time.h"
#include "dice.h"
#include "exports.h"
#include "json/writer.h"
#include "words.h"

#include <fstream>
#include <string>
#include <string_view>

namespace demo {
namespace {

using ladder::format;

constexpr ladder::Instant kBegin = 1'735'689'600 * ladder::kSecond;  // 2025-01-01
constexpr std::int64_t kDamagedEvery = 100;

void save(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string sentences(Dice& dice, std::size_t count) {
  const Language& language = dice.pick(kLanguages);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text.append(dice.pick(language.who)).append(language.space).append(dice.pick(language.does)).append(language.space);
    text.append(dice.pick(language.what)).append(language.full_stop);
  }
  return text;
}

std::string at(std::int64_t number) { return ladder::format_time(kBegin + number * 3700 * ladder::kSecond); }

// "31/12/2022, 11:40": day first.
std::string chat_time(std::int64_t number) {
  const std::string time = at(number);
  return format("{}/{}/{}, {}", time.substr(8, 2), time.substr(5, 2), time.substr(0, 4), time.substr(11, 5));
}

}  // namespace

// Writes a vault: Markdown with and without front matter, text in an old encoding, HTML, an empty note, and an image
// that notes embed.
Expected write_notes_export(const ExportRequest& request) {
  Dice dice(request.seed);
  save(request.folder / ".obsidian" / "app.json", "{}");
  save(request.folder / "img" / "sea.png", "\x89PNG made up");
  for (std::int64_t i = 0; i < request.count; ++i) {
    const std::string name = format("{:02}/note {:05} {}", i % 7, i, dice.pick(kEmoji));
    std::string text = format("# {}\n\n{}\n\nSee [[note {:05}]] #tag{}\n", sentences(dice, 1),
                              sentences(dice, 1 + dice.below(20)), dice.below(100), dice.below(9));
    switch (dice.below(6)) {
      case 0:
        text = format("---\ntitle: \"{}\"\ndate: {}\ntags: [a, b]\n---\n{}", "A title: of its own", at(i).substr(0, 10), text);
        break;
      case 1:
        text = "\xEF\xBB\xBF" + text + "![[sea.png]]\r\n";
        break;
      case 2:
        save(request.folder / (name + ".html"), format("<title>Page</title><p>{}<p>{}", sentences(dice, 2), sentences(dice, 1)));
        continue;
      case 3:
        save(request.folder / (name + ".txt"), "caf\xE9 " + std::to_string(i));
        continue;
      default:
        break;
    }
    save(request.folder / (name + ".md"), text);
  }
  save(request.folder / "empty.md", "");
  return {{"notes", request.count + 1}};
}

// Writes one chat of an Android phone: multi-line messages, WhatsApp's own messages, and equal messages within a
// minute.
Expected write_whatsapp_export(const ExportRequest& request) {
  Dice dice(request.seed);
  std::string text = format("{} - Messages and calls are end-to-end encrypted\n", chat_time(0));
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < request.count; ++i) {
    std::string line = format("{} - {}: {}", chat_time(i / 3), dice.pick(kPeople),
                              dice.below(5) == 0 ? "ok" : sentences(dice, 1 + dice.below(3)));
    if (dice.below(9) == 0) line += "\n" + sentences(dice, 1);
    if (dice.below(15) == 0) line = format("{} - {}: <Media omitted>", chat_time(i / 3), dice.pick(kPeople));
    if (request.damaged && i % kDamagedEvery == 50) {
      line = format("41/13/2025, 10:00 - {}: no such day", dice.pick(kPeople));
      ++lost;
    }
    text += line + "\n";
  }
  save(request.folder / "WhatsApp Chat with Reading circle.txt", text);
  return {{"messages", request.count + 1 - lost}, {"lost", lost}};
}

// Writes a table of objects, one per line, and its declaration.
Expected write_table_export(const ExportRequest& request) {
  Dice dice(request.seed);
  std::string text;
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < request.count; ++i) {
    ladder::json::Writer row;
    row.begin_object()
        .member("id", format("r{:07}", i))
        .member("at", at(i))
        .member("amount", static_cast<std::int64_t>(dice.below(100'000)));
    std::string text_of_row = sentences(dice, 1 + dice.below(4));
    while (static_cast<std::int64_t>(text_of_row.size()) < request.bytes / request.count) text_of_row += sentences(dice, 8);
    row.member("text", text_of_row).end_object();
    std::string line = row.take();
    if (request.damaged && i % kDamagedEvery == 50) {
      line.resize(line.size() / 2);
      while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0) line.pop_back();
      ++lost;
    }
    text += line + "\n";
  }
  save(request.folder / "rows.ndjson", text);
  save(request.folder / "manifest.json", R"({
  "protocol_version": "0.1.0", "source": {"kind": "connector", "id": "urn:ladder:table:rows"}, "declaration_version": "1",
  "publisher": {"id": "urn:ladder:table"}, "display": {"name": "Rows"},
  "streams": [{"name": "rows", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "at", "consent_time_field": "at",
    "selection": {"fields": true, "resources": true}, "query": {"search": {"lexical_fields": ["text"]}},
    "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "at": {"type": "string", "format": "date-time"},
      "amount": {"type": "integer"}, "text": {"type": "string"}}}}]
})");
  return {{"rows", request.count - lost}, {"lost", lost}};
}

}  // namespace demo
