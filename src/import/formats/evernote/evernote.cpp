// Evernote's exports (.enex): one file per notebook. Each note is read on its own, so that a damaged one costs no other.
#include "base/text/format.h"
#include "base/text/number.h"
#include "crypto/hash.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/html/html_text.h"
#include "import/io/lines.h"
#include "import/json/json_members.h"
#include "import/text/loose_base64.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"
#include "import/xml/xml_reader.h"
#include "json/writer.h"

#include <algorithm>
#include <unordered_map>

namespace ladder::imports {
namespace {

using Step = XmlReader::Step;

constexpr std::size_t kMaxNoteBytes = 384 * limits::kMiB;  // a note with its files
constexpr std::size_t kMaxValueBytes = 16 * limits::kKiB;

// "20150611T185652Z"
std::optional<Instant> time_of(std::string_view text) {
  text = trim(text);
  if (text.size() != 16 || text[8] != 'T') return parse_time(text);
  return parse_time(format("{}-{}-{}T{}:{}:{}Z", text.substr(0, 4), text.substr(4, 2), text.substr(6, 2), text.substr(9, 2),
                           text.substr(11, 2), text.substr(13, 2)));
}

struct Resource {
  std::string bytes, mime_type, name;
};

struct Note {
  std::string title, content, author, source_url;
  std::vector<std::string> tags, tasks, problems;
  std::optional<Instant> created, updated, reminder;
  std::optional<double> latitude, longitude;
  std::vector<Resource> resources;
};

std::optional<double> real_of(std::string_view text) { return parse_number<double>(trim(text)); }

std::string decoded(std::string_view base64) {
  std::string bytes(LooseBase64::most(base64.size()), '\0');
  LooseBase64 decoder;
  std::size_t size = decoder.decode(base64, bytes.data());
  size += decoder.finish(bytes.data() + size);
  bytes.resize(size);
  return bytes;
}

class NoteReader {
 public:
  explicit NoteReader(XmlReader& xml) : xml_(xml) {}

  // Returns why the note is damaged; "" if it is complete.
  Result<std::string> read(Note& note) {
    for (;;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDamaged) return xml_.why();
      if (step == Step::kDone) return std::string();
      if (step == Step::kStart) LADDER_CHECK(element(note));
    }
  }

 private:
  Result<std::string> value() {
    LADDER_TRY(const std::string text, xml_.take_text(kMaxValueBytes));
    return std::string(trim(text));
  }

  Status element(Note& note) {
    const std::string name(xml_.name());
    if (name == "resource") return resource(note);
    if (name == "task") return task(note);
    if (name == "content") {
      LADDER_TRY(const std::string content, xml_.take_text(limits::kMaxTextBytes));
      if (note.content.empty()) note.content = content;  // some versions write it twice
      return {};
    }
    const bool is_known = name == "title" || name == "created" || name == "updated" || name == "tag" || name == "author" ||
                          name == "source-url" || name == "reminder-time" || name == "latitude" || name == "longitude";
    if (!is_known) return {};
    LADDER_TRY(const std::string text, value());
    if (name == "title") note.title = text;
    else if (name == "created") note.created = time_of(text);
    else if (name == "updated") note.updated = time_of(text);
    else if (name == "tag") note.tags.push_back(text);
    else if (name == "author") note.author = text;
    else if (name == "source-url") note.source_url = text;
    else if (name == "reminder-time") note.reminder = time_of(text);
    else if (name == "latitude") note.latitude = real_of(text);
    else note.longitude = real_of(text);
    return {};
  }

  Status task(Note& note) {
    std::string title, status;
    for (const std::size_t begin = xml_.depth();;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && xml_.depth() <= begin)) break;
      if (step != Step::kStart) continue;
      const std::string name = lower_ascii(xml_.name());
      if (name != "title" && name != "taskstatus") continue;
      LADDER_TRY(const std::string text, value());
      (name == "title" ? title : status) = text;
    }
    if (!title.empty()) note.tasks.push_back(format("[{}] {}", status == "closed" || status == "completed" ? "x" : " ", title));
    return {};
  }

  Status resource(Note& note) {
    Resource found;
    for (const std::size_t begin = xml_.depth();;) {
      LADDER_TRY(const Step step, xml_.next());
      if (step == Step::kDone || step == Step::kDamaged || (step == Step::kEnd && xml_.depth() <= begin)) break;
      if (step != Step::kStart) continue;
      const std::string name(xml_.name());
      if (name == "data") {
        LADDER_TRY(const std::string data, xml_.take_text(kMaxNoteBytes));
        found.bytes = decoded(data);
      } else if (name == "mime") {
        LADDER_TRY(found.mime_type, value());
      } else if (name == "file-name") {
        LADDER_TRY(found.name, value());
      } else if (name == "recognition") {
        LADDER_CHECK(xml_.skip_element());
      }
    }
    if (!found.bytes.empty()) note.resources.push_back(std::move(found));
    return {};
  }

  XmlReader& xml_;
};

// Tasks of the old kind become text that html_to_text keeps.
std::string with_marked_tasks(std::string content) {
  for (std::size_t at = content.find("<en-todo"); at != std::string::npos; at = content.find("<en-todo", at)) {
    const std::size_t end = content.find('>', at);
    if (end == std::string::npos) break;
    const bool is_done = content.substr(at, end - at).find("checked=\"true\"") != std::string::npos;
    content.replace(at, end + 1 - at, is_done ? "[x] " : "[ ] ");
  }
  return content;
}

// Notes have no ids: title and time of creation, or the text if there is no time, and a number for other notes with the same. A
// note that is in several files has one id.
class NoteIds {
 public:
  std::string of(const Note& note, const std::string& page_text, std::string_view written) {
    const std::string created = note.created ? format_time(*note.created) : page_text;
    const std::string whole = digest_id({written});
    if (const auto known = known_.find(whole); known != known_.end()) return known->second;
    std::string id = ids_.next({note.title, created});
    constexpr std::size_t kMaxKnown = 1'000'000;  // about 200 MB
    if (known_.size() < kMaxKnown) known_.emplace(whole, id);
    return id;
  }

 private:
  DerivedIds ids_;
  std::unordered_map<std::string, std::string> known_;  // by the digest of the whole note
};

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, NoteIds& ids, Sink& sink)
      : tree_(tree), number_(entry), entry_(tree.entries()[entry]), ids_(ids), sink_(sink) {}

  // Finds the notes by their tags at the start of a line or after another tag; the rest of the file is not XML that is needed.
  Status run() {
    auto bytes = tree_.open(number_);
    if (!bytes) return sink_.lost({entry_.path, -1}, bytes.error().message);
    Pieces pieces(**bytes, kPieceBytes);
    std::string buffer;
    std::int64_t base = 0;
    std::size_t begin = std::string::npos, search = 0;
    for (;;) {
      if (begin == std::string::npos) {
        begin = note_start(buffer, search);
        if (begin == std::string::npos) {
          constexpr std::size_t kMargin = 16;
          const std::size_t done = buffer.size() - std::min(buffer.size(), kMargin);
          base += static_cast<std::int64_t>(done);
          buffer.erase(0, done);
        }
        search = begin == std::string::npos ? 0 : begin;
      }
      constexpr std::string_view kEnd = "</note>";
      const std::size_t end = begin == std::string::npos ? begin : buffer.find(kEnd, search);
      if (end != std::string::npos) {
        const std::size_t after = end + kEnd.size();
        LADDER_CHECK(note(std::string_view(buffer).substr(begin, after - begin), base + static_cast<std::int64_t>(begin)));
        base += static_cast<std::int64_t>(after);
        buffer.erase(0, after);
        begin = std::string::npos;
        search = 0;
        continue;
      }
      if (begin != std::string::npos) search = std::max(begin, buffer.size() - std::min(buffer.size(), kEnd.size()));
      if (begin != std::string::npos && buffer.size() - begin > kMaxNoteBytes) {
        return sink_.lost({entry_.path, base + static_cast<std::int64_t>(begin)},
                          format("a note with more than {} bytes; the rest of the file was not read", kMaxNoteBytes));
      }
      const auto count = pieces.append_to(buffer);
      if (!count)
        return count.error().code == Code::kCancelled ? Status(std::unexpected(count.error()))
                                                      : sink_.lost({entry_.path, base}, count.error().message);
      if (*count == 0) break;
    }
    if (begin == std::string::npos) return {};
    return sink_.lost({entry_.path, base + static_cast<std::int64_t>(begin)}, "a note without an end: the export was cut short");
  }

 private:
  static constexpr std::size_t kPieceBytes = 1 * limits::kMiB;

  // "<note>" and "<note " but not "<note-attributes>".
  static std::size_t note_start(std::string_view text, std::size_t from) {
    for (std::size_t at = text.find("<note", from); at != std::string_view::npos; at = text.find("<note", at + 1)) {
      if (at + 5 < text.size() && (text[at + 5] == '>' || text[at + 5] == ' ' || text[at + 5] == '\n' || text[at + 5] == '\r'))
        return at;
    }
    return std::string_view::npos;
  }

  Status note(std::string_view text, std::int64_t offset) {
    BytesInMemory in_memory(text);
    XmlReader xml(in_memory);
    Note note;
    LADDER_TRY(const std::string damage, NoteReader(xml).read(note));
    const wire::FileLocation place{entry_.path, offset};
    if (!damage.empty())
      LADDER_CHECK(
          sink_.lost(place, format("the end of a note ({}): {}", note.title.empty() ? "without a title" : note.title, damage)));
    if (note.title.empty() && note.content.empty() && note.resources.empty()) return {};
    if (!damage.empty()) note.problems.push_back("its end is damaged: " + damage);
    return send(note, text, place);
  }

  Status send(const Note& note, std::string_view written, const wire::FileLocation& place) {
    HtmlText page = html_to_text(with_marked_tasks(note.content), "utf-8");
    for (const std::string& task : note.tasks) page.text += (page.text.empty() ? "" : "\n") + task;
    const auto time = note.updated ? note.updated : note.created;
    const std::string id = ids_.of(note, page.text, written);
    std::string names;
    for (std::size_t i = 0; i < note.resources.size(); ++i) names += (i == 0 ? "" : "\n") + name_of(note.resources[i], i);
    json::Writer out;
    out.begin_object().member("id", id).member("title", note.title).member("notebook", notebook());
    out.optional_member("tags", note.tags);
    optional_time_member(out, "created_at", note.created);
    optional_time_member(out, "updated_at", time);
    out.optional_member("author", note.author).member("text", page.text).optional_member("source_url", note.source_url);
    out.optional_member("links", page.links);
    if (note.latitude && note.longitude) out.member("latitude", *note.latitude).member("longitude", *note.longitude);
    optional_time_member(out, "reminder_at", note.reminder);
    out.optional_member("file_names", names).optional_member("problems", note.problems).end_object();
    LADDER_CHECK(sink_.record({"notes", out.take(), place, time}));
    for (std::size_t i = 0; i < note.resources.size(); ++i) {
      const Resource& each = note.resources[i];
      const std::string name = name_of(each, i);
      const std::string type(each.mime_type.empty() ? mime_type_of(name) : std::string_view(each.mime_type));
      BytesInMemory bytes(each.bytes);
      LADDER_TRY(const std::string reference, sink_.blob(type, bytes));
      out.begin_object().member("id", format("{}-{}", id, i + 1)).member("note", id).optional_member("note_title", note.title);
      out.member("name", name).member("mime_type", fit_mime_type(type));
      optional_time_member(out, "updated_at", time);
      out.key("blob_ref").raw(reference).end_object();
      LADDER_CHECK(sink_.record({"files", out.take(), place, time}));
    }
    return {};
  }

  static std::string name_of(const Resource& resource, std::size_t index) {
    return resource.name.empty() ? format("file {}", index + 1) : resource.name;
  }
  std::string notebook() const { return std::string(without_extension(entry_.name())); }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  NoteIds& ids_;
  Sink& sink_;
};

class Evernote final : public Format {
 public:
  std::string_view name() const override { return "evernote"; }
  std::string_view summary() const override { return "Evernote notebooks (.enex)"; }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const bool is_one = tree.entries()[i].has_extension(".enex") ||
                          (request.forced && tree.head(i).find("<en-export") != std::string_view::npos);
      if (is_one) unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    unit.confidence = Confidence::kCertain;
    unit.what = format("{} Evernote {}", unit.entries.size(), unit.entries.size() == 1 ? "notebook" : "notebooks");
    unit.part = "notebooks";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    NoteIds ids;
    for (const EntryNo entry : unit.entries) LADDER_CHECK(Reader(tree, entry, ids, sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& evernote_format() {
  static const Evernote format;
  return format;
}

}  // namespace ladder::imports
