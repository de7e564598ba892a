// Folders of notes: Markdown and Obsidian vaults, plain text, HTML, and documents (notes_documents.h). A note is identified
// by its path; images and other files that notes embed become attachments.
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/formats/format.h"
#include "import/formats/notes/notes_documents.h"
#include "import/formats/record_members.h"
#include "import/formats/versions.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/office/read_document.h"
#include "import/picture/picture.h"
#include "import/text/markdown.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "json/writer.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace ladder::imports {
namespace {

enum class NoteKind { kNone, kMarkdown, kText, kHtml, kDocument };

// `pictures` tells whether PNG, JPEG and WebP files are documents; TIFF files, which are mostly scans, always are.
NoteKind kind_of(const Entry& entry, bool pictures) {
  const std::string extension = lower_ascii(entry.extension());
  if (extension == ".md" || extension == ".markdown") return NoteKind::kMarkdown;
  if (extension == ".txt" || extension == ".text") return NoteKind::kText;
  if (extension == ".html" || extension == ".htm") return NoteKind::kHtml;
  if (!document_kind(extension, {}).empty()) return NoteKind::kDocument;
  const bool is_scan = extension == ".tif" || extension == ".tiff";
  if ((is_scan || pictures) && is_readable_picture(extension, {})) return NoteKind::kDocument;
  return NoteKind::kNone;
}

// A folder may contain thousands of photos. They are read only if the owner names a picture, or this format.
bool takes_pictures(const Tree& tree, const Request& request) { return request.forced || tree.entries().size() == 1; }

// .obsidian/, .trash/, .git/ and similar: internal files of programs.
bool is_hidden(std::string_view path) { return path.starts_with('.') || path.find("/.") != std::string_view::npos; }

// Google puts a table of contents into every part of a Takeout; it is not a note.
bool is_takeouts_list(std::string_view path) { return path == "archive_browser.html" || path.ends_with("/archive_browser.html"); }

// An archive of a folder often contains that folder. The paths below it are then the notes' names, as in the folder itself.
std::string common_folder(const Tree& tree, const std::vector<EntryNo>& entries, bool pictures) {
  const std::string top = tree.name() + "/";
  const bool all = std::ranges::all_of(entries, [&](EntryNo number) {
    const Entry& entry = tree.entries()[number];
    return kind_of(entry, pictures) == NoteKind::kNone || entry.path.starts_with(top);
  });
  return all ? top : std::string();
}

struct Note {
  std::string title, text;
  std::string_view kind;
  std::vector<std::string> tags, links, embeds;
  FrontMatter front;
  std::string guessed = {};  // the encoding, if it was detected
  bool is_cut = false;       // the page exceeds the limit of the HTML converter
};

void add_tags(Note& note, const FrontMatter::Property* property) {
  if (!property) return;
  for (const std::string& value : property->values) {
    // "a, b" and "a b" are lists as well.
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(", \n"), rest.size());
      std::string_view tag = trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (tag.starts_with('#')) tag.remove_prefix(1);
      if (!tag.empty() && std::ranges::find(note.tags, tag) == note.tags.end()) note.tags.emplace_back(tag);
    }
  }
}

Note read_markdown_note(std::string text) {
  Note note;
  note.kind = "markdown";
  note.front = read_front_matter(text);
  text.erase(0, note.front.length);
  MarkdownInfo info = read_markdown(text);
  add_tags(note, note.front.find("tags"));
  add_tags(note, note.front.find("tag"));
  for (std::string& tag : info.tags) {
    if (std::ranges::find(note.tags, tag) == note.tags.end()) note.tags.push_back(std::move(tag));
  }
  note.title = note.front.first("title");
  if (note.title.empty()) note.title = std::move(info.heading);
  note.links = std::move(info.links);
  note.embeds = std::move(info.embeds);
  note.text = std::move(text);
  return note;
}

Note read_note(NoteKind kind, std::string bytes, const std::string& encoding) {
  Note note;
  if (kind != NoteKind::kHtml) {
    ReadText read = into_utf8(std::move(bytes), encoding);
    if (kind == NoteKind::kMarkdown) note = read_markdown_note(std::move(read.text));
    else note.text = std::move(read.text);
    if (kind == NoteKind::kText) note.kind = "text";
    note.guessed = std::move(read.guessed);
    return note;
  }
  HtmlText page = html_to_text(bytes, encoding);
  note.guessed = std::move(page.guessed);
  note.is_cut = page.is_cut;
  note.kind = "html";
  note.title = std::move(page.title);
  note.text = std::move(page.text);
  note.links = std::move(page.links);
  return note;
}

// Returns the note's own date, otherwise the file's.
std::optional<Instant> modified_at(const Note& note, const Entry& entry) {
  for (const std::string_view name : {"updated", "modified", "updated_at", "date"}) {
    if (const auto time = parse_time(note.front.first(name))) return time;
  }
  return entry.modified;
}

std::string note_json(const Note& note, std::string_view path, std::optional<Instant> time) {
  json::Writer out;
  out.begin_object()
      .member("path", path)
      .member("title", note.title.empty() ? without_extension(last_component(path)) : note.title);
  out.member("folder", parent_folder(path)).member("kind", note.kind);
  if (time) out.member("modified_at", format_time(*time));
  else out.key("modified_at").null();
  out.member("tags", note.tags);
  out.member("links", note.links);
  out.member("embeds", note.embeds);
  if (!note.front.properties.empty()) {
    out.key("properties").begin_object();
    for (const auto& property : note.front.properties) {
      if (property.is_list) out.member(property.name, property.values);
      else out.member(property.name, property.values.empty() ? std::string() : property.values.front());
    }
    out.end_object();
  }
  out.optional_member("charset_guessed", note.guessed).member("text", note.text).end_object();
  return out.take();
}

// Finds embedded files: next to the note, from the top, or anywhere by name, like Obsidian.
class Embeds {
 public:
  explicit Embeds(const Tree& tree) : tree_(tree) {
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const auto [place, fresh] = by_name_.emplace(tree.entries()[i].name(), i);
      if (!fresh) place->second = kSeveral;
    }
  }

  std::optional<EntryNo> find(const Entry& note, std::string_view target) const {
    if (target.find("://") != std::string_view::npos) return std::nullopt;
    while (target.starts_with("./")) target.remove_prefix(2);
    if (const auto found = tree_.find(note.sibling(target))) return found;
    if (const auto found = tree_.find(target)) return found;
    const auto named = by_name_.find(last_component(target));
    if (named == by_name_.end() || named->second == kSeveral) return std::nullopt;
    return named->second;
  }

 private:
  static constexpr EntryNo kSeveral = static_cast<EntryNo>(-1);
  const Tree& tree_;
  std::unordered_map<std::string_view, EntryNo> by_name_;
};

// Embedded files belong to the unit of their notes.
void take_embedded(Tree& tree, Unit& unit, bool pictures) {
  const Embeds embeds(tree);
  std::unordered_set<EntryNo> found;
  for (const EntryNo number : unit.entries) {
    const Entry& note = tree.entries()[number];
    if (kind_of(note, pictures) != NoteKind::kMarkdown) continue;
    const auto bytes = tree.read(number, limits::kMaxTextBytes);
    if (!bytes) continue;  // the reader reports the error
    for (const std::string& embed : read_markdown_note(to_utf8(*bytes, tree.encoding)).embeds) {
      const auto entry = embeds.find(note, embed);
      if (entry && kind_of(tree.entries()[*entry], pictures) == NoteKind::kNone) found.insert(*entry);
    }
  }
  unit.entries.insert(unit.entries.end(), found.begin(), found.end());
  std::ranges::sort(unit.entries);
}

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, bool pictures, Sink& sink)
      : tree_(tree),
        pictures_(pictures),
        top_(common_folder(tree, unit.entries, pictures)),
        sink_(sink),
        embeds_(tree),
        documents_(tree, documents(unit), sink, [this](const Entry& entry) { return name_of(entry); }) {}

  Status take(EntryNo number) {
    const Entry& entry = tree_.entries()[number];
    if (kind_of(entry, pictures_) == NoteKind::kDocument) return documents_.take(number);
    auto bytes = tree_.read(number, limits::kMaxTextBytes);
    if (!bytes) return sink_.lost({entry.path, -1}, bytes.error().message);
    const Note note = read_note(kind_of(entry, pictures_), *std::move(bytes), tree_.encoding);
    if (note.is_cut) LADDER_CHECK(sink_.lost({entry.path, -1}, "the page is too large; the end of its text was not imported"));
    for (const std::string& embed : note.embeds) {
      if (const auto found = embeds_.find(entry, embed)) LADDER_CHECK(attach(*found));
    }
    const auto time = modified_at(note, entry);
    return sink_.record({"notes", note_json(note, name_of(entry), time), {entry.path, 0}, time});
  }

  // Parts of one archive may contain a path twice. The version with the latest change time is taken, then the one with the
  // larger digest. Documents are identified by their bytes, so all of them are taken.
  Status take_newest(std::span<const EntryNo> versions) {
    if (versions.size() == 1 || kind_of(tree_.entries()[versions.front()], pictures_) == NoteKind::kDocument) {
      for (const EntryNo entry : versions) LADDER_CHECK(take(entry));
      return {};
    }
    std::optional<EntryNo> best;
    Rank best_rank;
    for (const EntryNo entry : versions) {
      const auto bytes = tree_.read(entry, limits::kMaxTextBytes);
      const Rank rank = rank_of(tree_.entries()[entry].modified, bytes ? *bytes : std::string());
      if (best && rank <= best_rank) continue;
      best = entry;
      best_rank = rank;
    }
    for (std::size_t i = 1; i < versions.size(); ++i) {
      LADDER_CHECK(sink_.skipped("notes", "an older version of the same note"));
    }
    return take(*best);
  }

 private:
  std::vector<EntryNo> documents(const Unit& unit) const {
    std::vector<EntryNo> found;
    std::ranges::copy_if(unit.entries, std::back_inserter(found),
                         [&](EntryNo entry) { return kind_of(tree_.entries()[entry], pictures_) == NoteKind::kDocument; });
    return found;
  }

  std::string_view name_of(const Entry& entry) const {
    return std::string_view(entry.path)
        .substr(top_.size() > entry.path.size() || !entry.path.starts_with(top_) ? 0 : top_.size());
  }

  Status attach(EntryNo number) {
    const Entry& entry = tree_.entries()[number];
    if (kind_of(entry, pictures_) != NoteKind::kNone || !attached_.insert(number).second) return {};
    LADDER_TRY(const std::string reference, store_file(tree_, number, mime_type_of(entry.path), sink_));
    if (reference.empty()) return {};
    json::Writer out;
    out.begin_object().member("path", name_of(entry)).member("name", entry.name()).key("blob_ref").raw(reference);
    if (const auto text = text_in_picture(number)) {
      out.optional_member("text", text->text);
      if (!text->recognized.empty()) out.member("ocr", true).optional_member("text_by", text->text_by);
    }
    out.end_object();
    return sink_.record({"attachments", out.take(), {entry.path, 0}, std::nullopt});
  }

  std::optional<DocumentText> text_in_picture(EntryNo number) {
    if (!is_readable_picture(tree_.entries()[number].name(), {})) return std::nullopt;
    const auto bytes = tree_.read(number, limits::kMaxPdfBytes);
    if (!bytes || !begins_as_picture(*bytes)) return std::nullopt;
    return read_document(*bytes, limits::kMaxPdfTextBytes);
  }

  Tree& tree_;
  bool pictures_;
  std::string top_;
  Sink& sink_;
  Embeds embeds_;
  notes::Documents documents_;
  std::unordered_set<EntryNo> attached_;
};

class Notes final : public Format {
 public:
  std::string_view name() const override { return "notes"; }
  std::string_view summary() const override {
    return "folders of Markdown or Obsidian notes, plain text, HTML, PDF, office documents and books";
  }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    const bool pictures = takes_pictures(tree, request);
    Unit unit;
    bool markdown = false, only_documents = true, others = false;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const NoteKind kind = kind_of(entry, pictures);
      others = others || kind == NoteKind::kNone;
      if (kind == NoteKind::kNone || is_hidden(entry.path) || is_takeouts_list(entry.path)) continue;
      markdown = markdown || kind == NoteKind::kMarkdown;
      only_documents = only_documents && kind == NoteKind::kDocument;
      unit.entries.push_back(i);
    }
    if (unit.entries.empty()) return {};
    if (markdown && others) take_embedded(tree, unit, pictures);
    unit.confidence = markdown ? Confidence::kLikely : Confidence::kPossible;
    unit.account = without_time_stamp(tree.name());
    unit.what = markdown ? "a folder of notes" : only_documents ? "documents" : "text, HTML and document files";
    return {unit};
  }

  // The position is the path of the last note read.
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override {
    const bool pictures = takes_pictures(tree, request);
    Reader reader(tree, unit, pictures, sink);
    for (std::size_t i = 0; i < unit.entries.size();) {
      const std::string& path = tree.entries()[unit.entries[i]].path;
      std::size_t end = i + 1;
      while (end < unit.entries.size() && tree.entries()[unit.entries[end]].path == path) ++end;
      const std::span<const EntryNo> versions(&unit.entries[i], end - i);
      i = end;
      if (!position.empty() && path <= position) continue;
      if (kind_of(tree.entries()[versions.front()], pictures) == NoteKind::kNone) continue;  // sent with the note that embeds it
      LADDER_CHECK(reader.take_newest(versions));
      LADDER_CHECK(sink.checkpoint(path));
    }
    return {};
  }
};

}  // namespace

const Format& notes_format() {
  static const Notes format;
  return format;
}

}  // namespace ladder::imports
