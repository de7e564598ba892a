// Notion exports as Markdown and CSV or as HTML: pages with their hierarchy, databases, rows, and the files of pages.
//
// A row of a database is usually a page of its own and also a line of the CSV; a line without a page becomes a record.
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/formats/format.h"
#include "import/formats/notion/notion_page.h"
#include "import/formats/notion/notion_tree.h"
#include "import/formats/record_members.h"
#include "import/formats/resuming_sink.h"
#include "import/formats/table/table_file.h"
#include "import/office/read_document.h"
#include "import/picture/picture.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>
#include <map>

namespace ladder::imports {
namespace {

using notion::FileKind;
using notion::Page;
using notion::PageText;
using notion::Properties;

struct PageRecord {
  std::string id, kind, title, parent, path, database, format, text;
  Properties properties;
  std::vector<std::string> links, linked_pages;
};

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink), pages_(tree) {}

  Status run() {
    for (const Page& page : pages_.pages()) LADDER_CHECK(page.kind == FileKind::kDatabase ? database(page) : send_page(page));
    for (const Page& page : pages_.pages()) {
      if (page.kind == FileKind::kDatabase) LADDER_CHECK(rows(page));
    }
    for (const EntryNo entry : unit_.entries) {
      if (!notion::parse_file_name(tree_.entries()[entry].name())) LADDER_CHECK(file(entry));
    }
    return {};
  }

 private:
  const Page* database_of(const Page& page) const {
    const Page* const parent = pages_.find(page.parent);
    return parent != nullptr && parent->kind == FileKind::kDatabase ? parent : nullptr;
  }

  Status send_page(const Page& page) {
    const Entry& entry = tree_.entries()[page.entry];
    auto bytes = tree_.read(page.entry, limits::kMaxTextBytes);
    if (!bytes) return sink_.lost({entry.path, -1}, bytes.error().message);
    const Page* const database = database_of(page);
    const bool is_html = page.kind == FileKind::kHtml;
    PageText read = is_html ? notion::read_html_page(*bytes)
                            : notion::read_markdown_page(to_utf8(*bytes, tree_.encoding), database != nullptr);
    if (read.is_cut) LADDER_CHECK(sink_.lost({entry.path, -1}, "the page is too large; the end of its text was not imported"));
    if (read.title.empty()) read.title = page.name.title;
    if (database != nullptr) ++rows_[database->name.id][read.title];
    titles_[page.name.id] = read.title;
    return send({page.name.id, database != nullptr ? "row" : "page", std::move(read.title), page.parent, pages_.path_to(page),
                 database != nullptr ? database->name.title : "", is_html ? "html" : "markdown", std::move(read.text),
                 std::move(read.properties), std::move(read.links), std::move(read.linked_pages)},
                {entry.path, 0});
  }

  Status database(const Page& page) {
    titles_[page.name.id] = page.name.title;
    return send({page.name.id, "database", page.name.title, page.parent, pages_.path_to(page), {}, {}, {}, {}, {}, {}},
                {tree_.entries()[page.entry].path, 0});
  }

  // Sends the lines of a database that have no page.
  Status rows(const Page& page) {
    const Entry& entry = tree_.entries()[page.entry];
    auto bytes = tree_.open(page.entry);
    if (!bytes) return sink_.lost({entry.path, -1}, bytes.error().message);
    CsvRows table(**bytes, ',');
    std::vector<std::string> header;
    std::map<std::string, int>& with_page = rows_[page.name.id];
    const std::string path = pages_.path_to(page);
    for (;;) {
      const auto more = table.next();
      if (!more) return sink_.lost({entry.path, table.offset()}, more.error().message);
      if (!*more) return {};
      if (header.empty()) {
        for (const std::string& cell : table.cells()) header.push_back(replace_invalid(trim(without_mark(cell))));
        continue;
      }
      PageRecord row{.id = {},
                     .kind = "row",
                     .title = {},
                     .parent = page.name.id,
                     .path = path,
                     .database = page.name.title,
                     .format = {},
                     .text = {},
                     .properties = {},
                     .links = {},
                     .linked_pages = {}};
      std::string all;
      for (std::size_t i = 0; i < std::min(header.size(), table.cells().size()); ++i) {
        std::string cell = replace_invalid(table.cells()[i]);
        all += format("{}\n", cell);
        if (i == 0) row.title = cell;
        else if (!trim(cell).empty()) row.properties.emplace_back(header[i], std::move(cell));
      }
      if (const auto known = with_page.find(row.title); known != with_page.end() && known->second > 0) {
        --known->second;
        LADDER_CHECK(sink_.skipped("pages", "a line of a database that has a page of its own"));
        continue;
      }
      row.id = ids_.next({page.name.id, all});
      LADDER_CHECK(send(std::move(row), {entry.path, table.offset()}));
    }
  }

  Status send(PageRecord page, const wire::FileLocation& place) {
    const auto created = notion::created_in(page.properties), edited = notion::edited_in(page.properties);
    const auto time = edited ? edited : created;
    json::Writer out;
    out.begin_object().member("id", page.id).member("kind", page.kind).member("title", page.title);
    out.optional_member("parent", page.parent).optional_member("path", page.path).optional_member("database", page.database);
    optional_time_member(out, "created_at", created);
    optional_time_member(out, "edited_at", time);
    if (!page.properties.empty()) {
      std::string lines;
      out.key("properties").begin_array();
      for (const auto& [name, value] : page.properties) {
        out.begin_object().member("name", name).member("value", value).end_object();
        lines += format("{}{}: {}", lines.empty() ? "" : "\n", name, value);
      }
      out.end_array().member("property_text", lines);
    }
    out.optional_member("format", page.format).optional_member("text", page.text);
    out.optional_member("links", page.links).optional_member("linked_pages", page.linked_pages).end_object();
    return sink_.record({"pages", out.take(), place, time});
  }

  Status file(EntryNo number) {
    const Entry& entry = tree_.entries()[number];
    const std::string owner = pages_.owner_of(entry.folder());
    const std::string_view type = mime_type_of(entry.path);
    LADDER_TRY(const std::string reference, store_file(tree_, number, type, sink_));
    if (reference.empty()) return {};
    json::Writer out;
    out.begin_object().member("id", digest_id({owner, entry.name()})).optional_member("page", owner);
    out.optional_member("page_title", titles_[owner]).member("name", entry.name()).member("mime_type", type);
    const bool is_document = !document_kind(entry.name(), {}).empty() || is_readable_picture(entry.name(), {});
    const auto bytes = is_document ? tree_.read(number, limits::kMaxPdfBytes) : Result<std::string>("");
    if (is_document && bytes) {
      const DocumentText document = read_document(*bytes, limits::kMaxPdfTextBytes);
      LADDER_CHECK(report_document_losses(document, "files", {entry.path, -1}, "", sink_));
      if (!document.recognized.empty()) out.member("ocr", true);
      out.optional_member("text", document.text).optional_member("text_by", document.text_by);
      out.optional_member("problems", document.problems);
    }
    out.key("blob_ref").raw(reference).end_object();
    return sink_.record({"files", out.take(), {entry.path, 0}, std::nullopt});
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  notion::PageTree pages_;
  DerivedIds ids_;
  std::map<std::string, std::map<std::string, int>> rows_;  // database → title → number of pages
  std::map<std::string, std::string> titles_;               // by id
};

class Notion final : public Format {
 public:
  std::string_view name() const override { return "notion"; }
  std::string_view summary() const override { return "Notion workspaces (the zip of \"Markdown & CSV\" or \"HTML\")"; }

  std::vector<Unit> detect(Tree& tree, const Request&) const override {
    const notion::PageTree pages(tree);
    if (pages.pages().empty()) return {};
    Unit unit;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      const bool is_page = notion::parse_file_name(entry.name()) &&
                           (entry.has_extension(".md") || entry.has_extension(".html") || entry.has_extension(".csv"));
      if (is_page || !pages.owner_of(entry.folder()).empty()) unit.entries.push_back(i);
    }
    unit.confidence = Confidence::kCertain;
    unit.what = format("a Notion export of {} {}", pages.pages().size(), pages.pages().size() == 1 ? "page" : "pages");
    unit.part = "notion";
    return {unit};
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    LADDER_CHECK(Reader(tree, unit, sink).run());
    return sink.finish();
  }
};

}  // namespace

const Format& notion_format() {
  static const Notion format;
  return format;
}

}  // namespace ladder::imports
