// History and bookmarks of browsers: Firefox (places.sqlite), Chrome and its relatives (History, Bookmarks), Safari (History.db),
// the files of Chrome in Google's Takeout, and bookmarks as HTML.
#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/browser/browser_records.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/html/html_text.h"
#include "import/json/json_elements.h"
#include "import/json/json_members.h"
#include "import/json/json_stream.h"
#include "import/sqlite/sqlite_file.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <map>

namespace ladder::imports {
namespace {

using browser::Bookmark;
using browser::Visit;
using json::Kind;
using json::Value;

enum class FileKind { kNone, kFirefox, kChrome, kSafari, kChromeBookmarks, kTakeout, kHtmlBookmarks };

constexpr std::string_view kHtmlHead = "<!doctype netscape-bookmark-file-1>";

FileKind kind_of(Tree& tree, EntryNo number) {
  const Entry& entry = tree.entries()[number];
  // Databases are often renamed; other files keep their names. Only these are opened.
  const std::string name = lower_ascii(entry.name());
  const bool is_database = entry.has_extension(".sqlite") || entry.has_extension(".db");
  const bool is_named = name.find("history") != std::string::npos || name.find("bookmark") != std::string::npos;
  if (!is_database && !is_named) return FileKind::kNone;
  const std::string_view head = tree.head(number);
  if (is_sqlite(head)) {
    if (mentions_table(tree, number, "moz_historyvisits")) return FileKind::kFirefox;
    if (mentions_table(tree, number, "keyword_search_terms")) return FileKind::kChrome;
    return mentions_table(tree, number, "history_visits") ? FileKind::kSafari : FileKind::kNone;
  }
  if (starts_with_ignoring_case(trim(without_mark(head)), kHtmlHead)) return FileKind::kHtmlBookmarks;
  const std::vector<std::string> names = first_member_names(head);
  const auto has = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (has("checksum") && has("roots")) return FileKind::kChromeBookmarks;
  if (has("roots") && head.find("bookmark_bar") != std::string_view::npos) return FileKind::kChromeBookmarks;
  return has("Browser History") ? FileKind::kTakeout : FileKind::kNone;
}

std::string chrome_transition(std::int64_t value) {
  constexpr std::array kNames = {"link",       "typed", "bookmark", "frame",   "frame",  "generated",
                                 "start page", "form",  "reload",   "keyword", "keyword"};
  const auto kind = static_cast<std::size_t>(value & 0xFF);
  return kind < kNames.size() ? kNames[kind] : "other";
}

std::string firefox_transition(std::int64_t value) {
  constexpr std::array kNames = {"link", "typed", "bookmark", "embedded", "redirect", "redirect", "download", "frame", "reload"};
  return value >= 1 && value <= static_cast<std::int64_t>(kNames.size()) ? kNames[static_cast<std::size_t>(value - 1)] : "other";
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), number_(entry), entry_(tree.entries()[entry]), sink_(sink) {}

  Status run() {
    const FileKind kind = kind_of(tree_, number_);
    if (kind == FileKind::kChromeBookmarks) return chrome_bookmarks();
    if (kind == FileKind::kTakeout) return takeout();
    if (kind == FileKind::kHtmlBookmarks) return html_bookmarks();
    const auto file = SqliteFile::open(tree_, number_);
    if (!file) return sink_.lost({entry_.path, -1}, file.error().message);
    const Status done = kind == FileKind::kFirefox ? firefox(*file) : kind == FileKind::kChrome ? chrome(*file) : safari(*file);
    if (done || done.error().code == Code::kCancelled) return done;
    return sink_.lost({entry_.path, -1}, done.error().message);
  }

 private:
  wire::FileLocation place() const { return {entry_.path, -1}; }

  Status firefox(const SqliteFile& file) {
    LADDER_TRY(
        auto visits,
        file.query("SELECT p.url, p.title, v.visit_date, v.visit_type, p.hidden FROM moz_historyvisits v JOIN moz_places p "
                   "ON p.id = v.place_id ORDER BY v.visit_date, p.url, v.id"));
    for (;;) {
      LADDER_TRY(const bool more, visits.next());
      if (!more) break;
      const std::int64_t type = visits.integer(3);
      constexpr std::int64_t kEmbedded = 4, kFrame = 8;
      if (type == kEmbedded || type == kFrame || visits.integer(4) != 0) {
        LADDER_CHECK(sink_.skipped("visits", "a part of another page"));
        continue;
      }
      LADDER_CHECK(browser::send(
          sink_, Visit{visits.text(0), visits.text(1), firefox_transition(type), browser::firefox_time(visits.integer(2))},
          "Firefox", place()));
    }
    if (!file.has_table("moz_bookmarks")) return {};
    return firefox_bookmarks(file);
  }

  Status firefox_bookmarks(const SqliteFile& file) {
    struct Folder {
      std::int64_t parent = 0;
      std::string title;
    };
    std::map<std::int64_t, Folder> folders;
    constexpr std::int64_t kMaxFolders = 1'000'000;
    LADDER_TRY(auto rows, file.query("SELECT id, parent, title FROM moz_bookmarks WHERE type = 2 ORDER BY id"));
    for (std::int64_t count = 0; count < kMaxFolders; ++count) {
      LADDER_TRY(const bool more, rows.next());
      if (!more) break;
      folders[rows.integer(0)] = {rows.integer(1), rows.text(2)};
    }
    const auto path_of = [&](std::int64_t id) {
      std::string path;
      constexpr int kMaxDepth = 64;
      for (int depth = 0; depth < kMaxDepth; ++depth) {
        const auto found = folders.find(id);
        if (found == folders.end()) break;
        if (!found->second.title.empty()) path = found->second.title + (path.empty() ? "" : "/") + path;
        id = found->second.parent;
      }
      return path;
    };
    LADDER_TRY(
        auto marks,
        file.query("SELECT b.guid, b.parent, b.title, b.dateAdded, p.url, p.title FROM moz_bookmarks b JOIN moz_places p ON "
                   "p.id = b.fk WHERE b.type = 1 ORDER BY b.id"));
    for (;;) {
      LADDER_TRY(const bool more, marks.next());
      if (!more) return {};
      const std::string title = marks.text(2).empty() ? marks.text(5) : marks.text(2), url = marks.text(4);
      if (url.starts_with("place:")) continue;  // a saved search of Firefox
      LADDER_CHECK(browser::send(
          sink_, Bookmark{marks.text(0), url, title, path_of(marks.integer(1)), browser::firefox_time(marks.integer(3))},
          "Firefox", place()));
    }
  }

  Status chrome(const SqliteFile& file) {
    const bool has_duration = file.columns("visits").contains("visit_duration");
    LADDER_TRY(auto visits,
               file.query(format(
                   "SELECT u.url, u.title, v.visit_time, v.transition, {}, u.hidden FROM visits v JOIN urls u ON u.id = v.url "
                   "ORDER BY v.visit_time, u.url, v.id",
                   has_duration ? "v.visit_duration" : "0")));
    for (;;) {
      LADDER_TRY(const bool more, visits.next());
      if (!more) break;
      const std::int64_t transition = visits.integer(3), kind = transition & 0xFF;
      constexpr std::int64_t kAutoFrame = 3, kManualFrame = 4, kChainEnd = 0x20000000;
      if (kind == kAutoFrame || kind == kManualFrame || (transition & kChainEnd) == 0 || visits.integer(5) != 0) {
        LADDER_CHECK(sink_.skipped("visits", "a redirect or a part of another page"));
        continue;
      }
      Visit visit{visits.text(0), visits.text(1), chrome_transition(transition), browser::chrome_time(visits.integer(2))};
      visit.duration_seconds = static_cast<double>(visits.integer(4)) / static_cast<double>(kSecond);
      LADDER_CHECK(browser::send(sink_, visit, "Chrome", place()));
    }
    LADDER_TRY(
        auto searches,
        file.query("SELECT k.term, u.url, u.last_visit_time FROM keyword_search_terms k JOIN urls u ON u.id = k.url_id ORDER BY "
                   "u.last_visit_time, k.term, u.url"));
    for (;;) {
      LADDER_TRY(const bool more, searches.next());
      if (!more) return {};
      const auto time = browser::chrome_time(searches.integer(2));
      const std::string term = searches.text(0), url = searches.text(1);
      if (term.empty()) continue;
      json::Writer out;
      out.begin_object().member("id", digest_id({term, url})).member("text", term).member("url", beginning(url, 4096));
      optional_time_member(out, "searched_at", time);
      out.end_object();
      LADDER_CHECK(sink_.record({"searches", out.take(), place(), time}));
    }
  }

  Status safari(const SqliteFile& file) {
    LADDER_TRY(
        auto visits,
        file.query("SELECT i.url, v.title, v.visit_time FROM history_visits v JOIN history_items i ON i.id = v.history_item "
                   "ORDER BY v.visit_time, i.url, v.id"));
    for (;;) {
      LADDER_TRY(const bool more, visits.next());
      if (!more) return {};
      constexpr double kEpoch2001 = 978'307'200, kLatest = 200'000'000'000;
      const double seconds = visits.real(2) + kEpoch2001;
      const auto time = seconds > 0 && seconds < kLatest
                            ? std::optional(static_cast<Instant>(seconds * static_cast<double>(kSecond)))
                            : std::nullopt;
      LADDER_CHECK(browser::send(sink_, Visit{visits.text(0), visits.text(1), {}, time}, "Safari", place()));
    }
  }

  // {"roots": {"bookmark_bar": {"children": [{"type": "folder", "name": …, "children": […]}]}}}
  Status chrome_bookmarks() {
    return read_document(tree_, number_, "list of bookmarks", sink_, [&](const JsonElement& element) -> Status {
      const Value roots = member_of(element.value, "roots");
      if (roots.kind != Kind::kObject) return sink_.lost(element.at, "it has no bookmarks");
      for (json::Members root(roots.text); root.next();) {
        if (root.value().kind == Kind::kObject) LADDER_CHECK(bookmark_node(element, root.value(), ""));
      }
      return {};
    });
  }

  // The depth of JSON is limited, so this ends.
  Status bookmark_node(const JsonElement& element, const Value& node, const std::string& folder) {
    const auto [type, name, url, guid, added, children] =
        members_of<6>(node, {"type", "name", "url", "guid", "date_added", "children"});
    if (has_text(url)) {
      const auto time = browser::chrome_time(parse_number(text_of(added)).value_or(0));
      return browser::send(sink_, Bookmark{text_of(guid), text_of(url), text_of(name), folder, time}, "Chrome",
                           element.place_of(node));
    }
    if (children.kind != Kind::kArray) return {};
    const std::string path = folder.empty() ? text_of(name) : folder + "/" + text_of(name);
    for (json::Elements each(children.text); each.next();) {
      if (each.value().kind == Kind::kObject) LADDER_CHECK(bookmark_node(element, each.value(), path));
    }
    return {};
  }

  Status takeout() {
    JsonHandler handler;
    handler.decide = [](const JsonPath& path) { return toward(path, {"Browser History", ""}); };
    handler.take = [&](const JsonPath&, const Value& value, std::int64_t offset) -> Status {
      const auto [title, url, time, transition] = members_of<4>(value, {"title", "url", "time_usec", "page_transition"});
      if (!has_text(url)) return sink_.lost({entry_.path, offset}, "not a visit: it has no address");
      const std::string word = lower_ascii(text_of(transition));
      return browser::send(sink_,
                           Visit{text_of(url), text_of(title), word == "auto_bookmark" ? "bookmark" : word,
                                 browser::firefox_time(integer_or(time, 0))},
                           "Chrome", {entry_.path, offset});
    };
    return stream_json(tree_, number_, "visit", handler, sink_);
  }

  // <DT><A HREF="…" ADD_DATE="…">title</A> and <DT><H3>folder</H3> with its list in <DL>…</DL>.
  Status html_bookmarks() {
    const auto bytes = tree_.read(number_, limits::kMaxTextBytes);
    if (!bytes) return sink_.lost(place(), bytes.error().message);
    std::vector<std::string> folders;
    std::string next_folder;
    const std::string_view text = *bytes;
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
      const std::string_view rest = text.substr(at);
      if (starts_with_ignoring_case(rest, "<dl")) folders.push_back(std::exchange(next_folder, {}));
      else if (starts_with_ignoring_case(rest, "</dl") && !folders.empty()) folders.pop_back();
      else if (starts_with_ignoring_case(rest, "<h3")) next_folder = element_text(rest, "</h3");
      else if (starts_with_ignoring_case(rest, "<a ")) LADDER_CHECK(html_bookmark(rest, folders, static_cast<std::int64_t>(at)));
      constexpr std::size_t kMaxFolders = 64;
      if (folders.size() > kMaxFolders)
        return sink_.lost({entry_.path, static_cast<std::int64_t>(at)}, "its folders are nested too deeply");
    }
    return {};
  }

  static std::string element_text(std::string_view rest, std::string_view end) {
    constexpr std::size_t kMaxBytes = 16 * 1024;
    const std::string lower = lower_ascii(rest.substr(0, kMaxBytes));
    const std::size_t open = lower.find('>'), close = lower.find(end);
    if (open == std::string::npos || close == std::string::npos || close < open) return {};
    return html_to_text(rest.substr(open + 1, close - open - 1), "utf-8").text;
  }

  static std::string attribute(std::string_view tag, std::string_view name) {
    const std::string lower = lower_ascii(tag);
    std::size_t at = lower.find(format(" {}=\"", name));
    if (at == std::string::npos) return {};
    at += name.size() + 3;
    const std::size_t end = tag.find('"', at);
    return end == std::string_view::npos ? std::string() : std::string(tag.substr(at, end - at));
  }

  Status html_bookmark(std::string_view rest, const std::vector<std::string>& folders, std::int64_t offset) {
    const std::string_view tag = rest.substr(0, std::min<std::size_t>(rest.find('>'), 64 * 1024));
    const std::string url = html_to_text(attribute(tag, "href"), "utf-8").text;
    if (url.empty() || url.starts_with("place:")) return {};
    std::string path;
    for (const std::string& each : folders) {
      if (!each.empty()) path += (path.empty() ? "" : "/") + each;
    }
    // Seconds, or Chrome's own microseconds.
    const std::int64_t added = parse_number(attribute(tag, "add_date")).value_or(0);
    constexpr std::int64_t kSecondsBelow = 100'000'000'000;
    const auto time = added > 0 && added < kSecondsBelow ? std::optional<Instant>(added * kSecond) : browser::chrome_time(added);
    return browser::send(sink_, Bookmark{{}, url, element_text(rest, "</a"), path, time}, "Browser", {entry_.path, offset});
  }

  Tree& tree_;
  EntryNo number_;
  const Entry& entry_;
  Sink& sink_;
};

class Browser final : public Format {
 public:
  std::string_view name() const override { return "browser"; }
  std::string_view summary() const override { return "history and bookmarks of Firefox, Chrome and its relatives, and Safari"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const FileKind kind = kind_of(tree, i);
      if (kind == FileKind::kNone) continue;
      const Entry& entry = tree.entries()[i];
      Unit unit;
      unit.confidence = Confidence::kCertain;
      unit.what = kind == FileKind::kChromeBookmarks || kind == FileKind::kHtmlBookmarks ? "bookmarks of a browser"
                                                                                         : "the history of a browser";
      unit.part = entry.path;
      unit.entries = {i};
      for (const std::string_view more : {"-wal", "-shm", "-journal"}) {
        if (const auto found = tree.find(entry.path + std::string(more))) unit.entries.push_back(*found);
      }
      std::ranges::sort(unit.entries);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) {
      if (tree.entries()[entry].path == unit.part) LADDER_CHECK(Reader(tree, entry, sink).run());
    }
    return sink.finish();
  }
};

}  // namespace

const Format& browser_format() {
  static const Browser format;
  return format;
}

}  // namespace ladder::imports
