// Outlook's data files (.pst, .ost): mail with its folders, events, tasks and contacts. Each item is written as MIME, iCalendar
// or vCard and read by the reader of that format, so its record is the same as from any other mail program.
#include "base/text/format.h"
#include "import/formats/calendar/calendar_records.h"
#include "import/formats/contacts/contacts_card.h"
#include "import/formats/declaration_files.h"
#include "import/formats/format.h"
#include "import/formats/mail/mail_message.h"
#include "import/formats/outlook/outlook_items.h"
#include "import/formats/outlook/pff.h"
#include "import/formats/resuming_sink.h"
#include "import/io/limits.h"

namespace ladder::imports {
namespace {

using outlook::Item;
using outlook::ItemKind;

constexpr int kMaxFolderDepth = 64;
constexpr std::string_view kMagic = "!BDN";

// Returns the streams of a declaration, without the brackets.
std::string_view streams_in(std::string_view declaration) {
  constexpr std::string_view kBegin = "\"streams\": [";
  // Presets of mail have lists of streams as well: the last one is the declaration's own.
  const std::size_t begin = declaration.find("\n  " + std::string(kBegin)) + 3 + kBegin.size();
  return declaration.substr(begin, declaration.rfind(']') - begin);
}

bool is_data_file(Tree& tree, EntryNo entry) {
  const Entry& file = tree.entries()[entry];
  return (file.has_extension(".pst") || file.has_extension(".ost")) && tree.head(entry).starts_with(kMagic);
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : place_{tree.entries()[entry].path, -1}, sink_(sink) {}

  Status folder(const Item& folder, const std::string& path, int depth) {
    const auto messages = folder.message_count();
    const auto folders = folder.folders();
    if (!messages || !folders) LADDER_CHECK(sink_.lost(place_, format("the list of a folder ({}) cannot be read", path)));
    for (int i = 0; i < messages.value_or(0); ++i) {
      const Item item = folder.message(i);
      LADDER_CHECK(item ? send(item, path) : sink_.lost(place_, format("an item of the folder {} cannot be read", path)));
    }
    for (const Item& each : folders.value_or(std::vector<Item>())) {
      if (depth >= kMaxFolderDepth) return sink_.lost(place_, "folders are nested too deeply");
      // The first two levels are Outlook's own: the root, and the top of the folders that people see.
      const std::string name = each.folder_name();
      LADDER_CHECK(this->folder(each, depth == 0 ? std::string() : path.empty() ? name : path + "/" + name, depth + 1));
    }
    return {};
  }

 private:
  Status send(const Item& item, const std::string& path) {
    switch (item.kind()) {
      case ItemKind::kMessage:
        return message(item, path);
      case ItemKind::kEvent:
        return entry(outlook::event_of(item), path, item.is_set(outlook::kIsRepeated));
      case ItemKind::kTask:
        return entry(outlook::task_of(item), path, false);
      case ItemKind::kContact:
        return contact(outlook::card_of(item));
      case ItemKind::kOther:
        break;
    }
    return sink_.skipped("messages", "an item that is no message, event, task or contact");
  }

  Status message(const Item& item, const std::string& path) {
    constexpr std::uint32_t kReadFlag = 1;
    const std::string text = outlook::mime_of(item);
    const auto read = mail::ReadMessage::read(text);
    if (!read) return sink_.lost(place_, format("a message of the folder {} without a sender, a date or a subject", path));
    mail::Filing filing{path.empty() ? "Outlook" : path};
    if (const auto flags = item.number(outlook::kMessageFlags)) filing.read = (*flags & kReadFlag) != 0;
    const auto size = static_cast<std::int64_t>(text.size());
    return mail::send(sink_, *read, {place_, size, size}, filing);
  }

  Status entry(const std::string& text, const std::string& path, bool is_repeated) {
    BytesInMemory bytes(text);
    Components components(bytes, "");
    calendar::Zones zones;
    LADDER_TRY(const bool found, components.next());
    if (!found) return {};
    const Component& component = components.component();
    calendar::Series series;
    if (is_repeated) series.problem = "it is repeated; only its first occurrence was imported";
    const bool is_event = component.name == "VEVENT";
    const calendar::EntryRecord record =
        is_event ? calendar::event_record(component, path, zones, &series) : calendar::task_record(component, path, zones);
    return sink_.record({is_event ? "events" : "tasks", record.data, place_, record.time});
  }

  Status contact(const std::string& text) {
    BytesInMemory bytes(text);
    Components components(bytes, "");
    LADDER_TRY(const bool found, components.next());
    if (!found) return {};
    const contacts::Card card = contacts::read_card(components.component());
    if (card.name.empty()) return sink_.lost(place_, "a contact without a name, address or number");
    return sink_.record({"contacts", contacts::contact_record(card, ""), place_, std::nullopt});
  }

  wire::FileLocation place_;
  Sink& sink_;
};

class Outlook final : public Format {
 public:
  std::string_view name() const override { return "outlook"; }
  std::string_view summary() const override { return "Outlook's data files (.pst, .ost), if libpff is installed"; }

  Result<std::string> declaration(const Request&) const override {
    return format(
        R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"urn:ladder:import:outlook"}},"declaration_version":"1",)"
        R"("publisher":{{"id":"urn:ladder:import"}},"display":{{"name":"Outlook"}},"streams":[{},{},{}]}})",
        streams_in(declaration_file("mail")), streams_in(declaration_file("calendar")), streams_in(declaration_file("contacts")));
  }

  // Without libpff the file is named as a known export that is not read.
  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; outlook::has_pff() && i < tree.entries().size(); ++i) {
      if (!is_data_file(tree, i)) continue;
      Unit unit{Confidence::kCertain, format("Outlook's file {}", tree.entries()[i].name()), "", {i}};
      unit.account = without_extension(tree.entries()[i].name());
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) {
      const Entry& file = tree.entries()[entry];
      if (!tree.place().empty() && file.size > static_cast<std::int64_t>(limits::kMaxInnerArchiveBytes)) {
        LADDER_CHECK(sink.lost({file.path, -1}, "it is too large to be read inside an archive; unpack it"));
        continue;
      }
      const auto opened = outlook::PffFile::open(tree, entry);
      if (!opened) {
        LADDER_CHECK(sink.lost({file.path, -1}, opened.error().message));
        continue;
      }
      const Item root = (*opened)->root();
      LADDER_CHECK(root ? Reader(tree, entry, sink).folder(root, "", 0) : sink.lost({file.path, -1}, "it has no folders"));
    }
    return sink.finish();
  }
};

}  // namespace

const Format& outlook_format() {
  static const Outlook format;
  return format;
}

}  // namespace ladder::imports
