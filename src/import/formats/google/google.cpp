// Reads the parts of Google's Takeout that no other format reads: Keep, Tasks, My Activity and the location history. Names of
// files and folders are translated, so the first members decide.
#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/formats/google/google_location.h"
#include "import/formats/google/google_pages.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "import/json/json_stream.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"
#include "import/tree/path_pattern.h"
#include "json/writer.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

using json::Kind;
using json::Value;

enum class FileKind { kNone, kKeep, kTasks, kActivity, kRecords, kTimeline, kPhone, kPhoneArray };

constexpr std::size_t kMostFilesOpened = 2000;  // of a tree that is not a Takeout

FileKind kind_of(std::string_view head) {
  const std::vector<std::string> names = first_member_names(head);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (opening_bracket(head) == '[') {
    const bool is_youtube = head.find("\"YouTube") != std::string_view::npos;  // read by the format youtube
    if (has("header") && has("title") && has("time") && !is_youtube) return FileKind::kActivity;
    return (has("startTime") && has("endTime")) ? FileKind::kPhoneArray : FileKind::kNone;
  }
  if (has("userEditedTimestampUsec") || (has("isTrashed") && has("isPinned"))) return FileKind::kKeep;
  if (has("kind") && head.find("tasks#taskLists") != std::string_view::npos) return FileKind::kTasks;
  if (has("locations") && (head.find("latitudeE7") != std::string_view::npos)) return FileKind::kRecords;
  if (has("timelineObjects")) return FileKind::kTimeline;
  return has("semanticSegments") || has("rawSignals") ? FileKind::kPhone : FileKind::kNone;
}

// The names are translated, so in a Takeout every page is looked at, except for those of notes.
bool is_activity_name(std::string_view name, bool is_takeout) {
  const std::string lower = lower_ascii(name);
  return is_takeout ? lower.ends_with(".html") && lower != "archive_browser.html"
                    : matches(lower, "*activity*.html") || lower == "watch-history.html" || lower == "search-history.html";
}

std::optional<Instant> microseconds_of(const Value& value) {
  const std::int64_t time = integer_or(value, 0);
  constexpr Instant kLatest = 253'402'300'799 * kSecond;
  return time <= 0 || time > kLatest ? std::nullopt : std::optional(time);
}

void join(std::string& to, std::string_view line) {
  if (!line.empty()) to.append(to.empty() ? "" : "\n").append(line);
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), number_(entry), entry_(tree.entries()[entry]), sink_(sink) {}

  Status run() {
    switch (kind_of(tree_.head(number_))) {
      case FileKind::kKeep:
        return read_document(tree_, number_, "note", sink_,
                             [this](const JsonElement& element) { return keep(element.value, element.at); });
      case FileKind::kTasks:
        return read_document(tree_, number_, "list of tasks", sink_,
                             [this](const JsonElement& element) { return task_lists(element); });
      case FileKind::kActivity:
        return each({""}, "activity", [this](const Value& value, const wire::FileLocation& at) { return activity(value, at); });
      case FileKind::kRecords:
        return each({"locations", ""}, "position",
                    [this](const Value& value, const wire::FileLocation& at) { return google::send_point(value, at, sink_); });
      case FileKind::kTimeline:
        return each({"timelineObjects", ""}, "entry", [this](const Value& value, const wire::FileLocation& at) {
          return google::send_timeline_object(value, at, sink_);
        });
      case FileKind::kPhoneArray:
        return each({""}, "entry",
                    [this](const Value& value, const wire::FileLocation& at) { return google::send_segment(value, at, sink_); });
      case FileKind::kPhone:
        LADDER_CHECK(each({"semanticSegments", ""}, "entry", [this](const Value& value, const wire::FileLocation& at) {
          return google::send_segment(value, at, sink_);
        }));
        return each({"rawSignals", ""}, "signal",
                    [this](const Value& value, const wire::FileLocation& at) { return google::send_signal(value, at, sink_); });
      case FileKind::kNone:
        break;
    }
    return {};
  }

 private:
  template <class Use>
  Status each(std::initializer_list<std::string_view> path, std::string_view kind, const Use& use) {
    JsonHandler handler;
    handler.decide = [path](const JsonPath& at) { return toward(at, path); };
    handler.take = [&](const JsonPath&, const Value& value, std::int64_t offset) { return use(value, {entry_.path, offset}); };
    return stream_json(tree_, number_, kind, handler, sink_);
  }

  Status activity(const Value& value, const wire::FileLocation& at) {
    const auto [header, title, url, time, description, subtitles, details] =
        members_of<7>(value, {"header", "title", "titleUrl", "time", "description", "subtitles", "details"});
    const auto when = instant_of(time);
    if (!when || !has_text(title)) return sink_.lost(at, "an activity without a time or a title");
    std::string more = text_of(description);
    for (const Value& list : {subtitles, details}) {
      if (list.kind != Kind::kArray) continue;
      for (json::Elements one(list.text); one.next();) join(more, text_of(one.value(), "name"));
    }
    json::Writer out;
    out.begin_object().member("id", digest_id({text_of(header), text_of(title), text_of(url), format_time(*when)}));
    out.member("at", format_time(*when)).optional_member("product", text_of(header)).member("title", text_of(title));
    out.optional_member("url", text_of(url)).optional_member("text", more).end_object();
    return sink_.record({"activity", out.take(), at, when});
  }

  Status keep(const Value& value, const wire::FileLocation& at) {
    const auto [title, text, list, annotations, attachments, labels, sharees, edited, created, archived, trashed, pinned] =
        members_of<12>(value, {"title", "textContent", "listContent", "annotations", "attachments", "labels", "sharees",
                               "userEditedTimestampUsec", "createdTimestampUsec", "isArchived", "isTrashed", "isPinned"});
    const auto created_at = microseconds_of(created), edited_at = microseconds_of(edited);
    std::string body = text_of(text), names;
    if (list.kind == Kind::kArray) {
      for (json::Elements one(list.text); one.next();) {
        join(body, format("[{}] {}", is_true(member_of(one.value(), "isChecked")) ? "x" : " ", text_of(one.value(), "text")));
      }
    }
    const std::string id = digest_id({"keep", created_at ? format_time(*created_at) : text_of(title) + "\n" + body});
    std::vector<std::pair<std::string, std::optional<EntryNo>>> files;
    if (attachments.kind == Kind::kArray) {
      for (json::Elements one(attachments.text); one.next();) {
        const std::string path = text_of(one.value(), "filePath");
        if (path.empty()) continue;
        join(names, last_component(path));
        files.emplace_back(last_component(path), find_file(path));
      }
    }
    json::Writer out;
    out.begin_object()
        .member("id", id)
        .member("title", has_text(title) ? text_of(title) : std::string(first_line(body)))
        .member("text", body);
    out.optional_member("labels", texts_of(labels, "name"));
    optional_time_member(out, "created_at", created_at);
    optional_time_member(out, "edited_at", edited_at);
    out.optional_member("links", texts_of(annotations, "url")).optional_member("shared_with", texts_of(sharees, "email"));
    if (is_true(archived)) out.member("archived", true);
    if (is_true(trashed)) out.member("trashed", true);
    if (is_true(pinned)) out.member("pinned", true);
    out.optional_member("file_names", names).end_object();
    LADDER_CHECK(sink_.record({"notes", out.take(), at, edited_at}));
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!files[i].second) continue;
      LADDER_TRY(const std::string reference, store_file(tree_, *files[i].second, mime_type_of(files[i].first), sink_));
      if (reference.empty()) continue;
      out.begin_object().member("id", format("{}-{}", id, i + 1)).member("note", id).member("name", files[i].first);
      optional_time_member(out, "edited_at", edited_at);
      out.key("blob_ref").raw(reference).end_object();
      LADDER_CHECK(sink_.record({"files", out.take(), at, edited_at}));
    }
    return {};
  }

  static std::vector<std::string> texts_of(const Value& list, std::string_view name) {
    std::vector<std::string> texts;
    if (list.kind != Kind::kArray) return texts;
    for (json::Elements one(list.text); one.next();) {
      std::string text = text_of(one.value(), name);
      if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
    }
    return texts;
  }

  // The export writes .jpeg for files that end with .jpg.
  std::optional<EntryNo> find_file(const std::string& path) const {
    if (const auto found = tree_.find(entry_.sibling(path))) return found;
    const std::string stem(without_extension(path));
    for (const std::string_view ending : {".jpg", ".jpeg", ".png", ".gif", ".3gp", ".mp3"}) {
      if (const auto found = tree_.find(entry_.sibling(stem + std::string(ending)))) return found;
    }
    return std::nullopt;
  }

  Status task_lists(const JsonElement& element) {
    const Value lists = member_of(element.value, "items");
    if (lists.kind != Kind::kArray) return {};
    for (json::Elements list(lists.text); list.next();) {
      const Value tasks = member_of(list.value(), "items");
      if (tasks.kind != Kind::kArray) continue;
      for (json::Elements one(tasks.text); one.next();)
        LADDER_CHECK(task(one.value(), text_of(list.value(), "title"), element.place_of(one.value())));
    }
    return {};
  }

  Status task(const Value& value, const std::string& list, const wire::FileLocation& at) {
    const auto [id, title, notes, status, updated, due, completed, parent] =
        members_of<8>(value, {"id", "title", "notes", "status", "updated", "due", "completed", "parent"});
    if (!has_text(id)) return sink_.lost(at, "a task without an id");
    const auto updated_at = instant_of(updated);
    const std::string day = text_of(due).substr(0, 10);
    json::Writer out;
    out.begin_object()
        .member("id", joined_key({text_of(id)}))
        .member("title", text_of(title))
        .optional_member("text", text_of(notes));
    out.optional_member("list", list).optional_member("status", text_of(status));
    if (day.size() == 10 && parse_time(day)) out.member("due", day);
    optional_time_member(out, "completed_at", instant_of(completed));
    optional_time_member(out, "updated_at", updated_at);
    out.optional_member("parent", text_of(parent)).end_object();
    return sink_.record({"tasks", out.take(), at, updated_at});
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  Sink& sink_;
};

class Google final : public Format {
 public:
  std::string_view name() const override { return "google"; }
  std::string_view summary() const override { return "Google's Keep, Tasks, My Activity (JSON or HTML) and location history"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    const auto& entries = tree.entries();
    std::size_t files = 0;
    for (const Entry& entry : entries) files += entry.has_extension(".json") ? 1 : 0;
    Unit unit;
    std::vector<std::string> keep_folders;
    for (EntryNo i = 0; i < entries.size(); ++i) {
      const bool is_takeout =
          entries[i].path.find("Takeout/") != std::string::npos || starts_with_ignoring_case(tree.name(), "takeout");
      if (entries[i].has_extension(".html") && is_activity_name(entries[i].name(), is_takeout)) {
        if (google::is_activity_page(tree, i)) unit.entries.push_back(i);
        continue;
      }
      if (!entries[i].has_extension(".json")) continue;
      if (files > kMostFilesOpened && !is_takeout) continue;
      const FileKind kind = kind_of(tree.head(i));
      if (kind == FileKind::kNone) continue;
      unit.entries.push_back(i);
      const std::string folder(entries[i].folder());
      if (kind == FileKind::kKeep && (keep_folders.empty() || keep_folders.back() != folder)) keep_folders.push_back(folder);
    }
    if (unit.entries.empty()) return {};
    // The same notes as HTML, and their pictures.
    for (EntryNo i = 0; i < entries.size() && !keep_folders.empty(); ++i) {
      const bool is_beside = std::ranges::find(keep_folders, entries[i].folder()) != keep_folders.end();
      const bool is_page =
          entries[i].has_extension(".html") && tree.find(std::string(without_extension(entries[i].path)) + ".json");
      const bool is_file =
          !mime_type_of(entries[i].path).starts_with("application/") && !mime_type_of(entries[i].path).starts_with("text/");
      if (is_beside && (is_page || is_file || entries[i].name() == "Labels.txt")) unit.entries.push_back(i);
    }
    std::ranges::sort(unit.entries);
    unit.entries.erase(std::ranges::unique(unit.entries).begin(), unit.entries.end());
    unit.confidence = Confidence::kCertain;
    unit.what = "Google data: notes, tasks, activity or places";
    unit.part = "google";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) {
      const Entry& file = tree.entries()[entry];
      if (file.has_extension(".json")) LADDER_CHECK(Reader(tree, entry, sink).run());
      else if (is_activity_name(file.name(), true) && google::is_activity_page(tree, entry))
        LADDER_CHECK(google::send_activity_page(tree, entry, sink));
    }
    return sink.finish();
  }
};

}  // namespace

const Format& google_format() {
  static const Google format;
  return format;
}

}  // namespace ladder::imports
