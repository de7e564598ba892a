// The text of a record, one window at a time. For a document, one page at a time.
#include "base/limits.h"
#include "base/text/format.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/field_path.h"

#include <algorithm>
#include <charconv>

namespace ladder::console {
namespace {

using html::Prose;

struct DocumentPage {
  std::int64_t number = 0, start = 0, end = 0;
};

std::optional<std::int64_t> number_in(const json::Value& object, std::string_view name) {
  const auto value = object.kind == json::Kind::kObject ? json::member(object.text, name) : std::nullopt;
  std::int64_t number = 0;
  if (!value || value->kind != json::Kind::kNumber) return std::nullopt;
  const auto [end, error] = std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Parses a list of pages, detected by its structure. Empty if the value is not such a list.
std::vector<DocumentPage> pages_in(const json::Value& value) {
  std::vector<DocumentPage> pages;
  if (value.kind != json::Kind::kArray) return pages;
  for (json::Elements element(value.text); element.next();) {
    const auto number = number_in(element.value(), "page");
    const auto start = number_in(element.value(), "start_chars"), end = number_in(element.value(), "end_chars");
    if (!number || !start || !end || *start < 0 || *end < *start) return {};
    pages.push_back({*number, *start, *end});
  }
  return pages;
}

std::vector<DocumentPage> pages_of(const api::Record& record) {
  for (json::Members member(record.data); member.next();) {
    if (auto pages = pages_in(member.value()); !pages.empty()) return pages;
  }
  return {};
}

Writer step(const html::Url& to, bool there, Markup label) {
  Writer out;
  if (there)
    out << Markup("<a class=\"btn btn-s\"") << Attribute("href", to.at("text")) << Markup(">") << label << Markup("</a>");
  else out << Markup("<button class=\"btn btn-s\" type=\"button\" disabled>") << label << Markup("</button>");
  return out;
}

// The page number with links to the previous and next page.
Writer page_steps(const RecordView& view, const std::vector<DocumentPage>& pages, std::size_t at) {
  Writer out;
  const auto to = [&](std::size_t index) { return view.address().with("page", std::to_string(pages[index].number)); };
  out << Markup("<div class=\"row small\"><b class=\"num\">Page ") << Text(pages[at].number) << Markup(" of ")
      << Text(pages.back().number) << Markup("</b><span class=\"row-end row\">")
      << step(at > 0 ? to(at - 1) : view.address(), at > 0, Markup("Previous page"))
      << step(at + 1 < pages.size() ? to(at + 1) : view.address(), at + 1 < pages.size(), Markup("Next page"))
      << Markup("</span></div>");
  return out;
}

Writer window_steps(const RecordView& view, const api::FieldWindow& window, const std::string& field) {
  Writer out;
  out << Markup("<div class=\"row small\"><span class=\"quiet num\">Characters ")
      << Text(range_text(window.start_chars, window.end_chars, window.size_chars)) << Markup("</span>");
  if (!window.complete()) {
    const html::Url here = view.address().with("field", field);
    out << Markup("<span class=\"row-end row\">")
        << step(here.with("cursor", window.previous_cursor), !window.previous_cursor.empty(), Markup("Previous"))
        << step(here.with("cursor", window.next_cursor), !window.next_cursor.empty(), Markup("Show more")) << Markup("</span>");
  }
  out << Markup("</div>");
  return out;
}

}  // namespace

bool lists_pages(const json::Value& value) { return !pages_in(value).empty(); }

Result<Writer> record_text(const RecordView& view, const Reading& reading) {
  const std::string& role = view.stream.roles.text;
  std::string field = role;
  if (!reading.field.empty()) {
    LADDER_TRY(const model::FieldPath path, model::parse_field_path(reading.field));
    field = path.field;
  }
  Writer out;
  const auto own = field.empty() ? std::nullopt : json::member(view.own.data, field);
  // A long value is null in the data and listed in `cut`.
  const bool is_there = own && (own->kind != json::Kind::kNull ||
                                std::ranges::any_of(view.own.cut, [&](const api::CutField& cut) { return cut.path == field; }));
  if (!is_there || own->text == "\"\"") return out;
  out << Markup("<hr class=\"rule\"><section class=\"stack\" id=\"text\"") << Attribute("aria-label", heading_of(field))
      << Markup(">");
  if (field != role) {
    out << Markup("<div class=\"block-head\"><h2>") << Text(heading_of(field)) << Markup("</h2><a")
        << Attribute("href", view.address()) << Markup(">Back to the text</a></div>");
  }
  if (!view.gets(field)) {
    out << Markup("<p") << Attribute("data-field", field) << Markup(">") << withheld(heading_of(field) + ": not shared")
        << Markup("</p></section>");
    return out;
  }
  api::FieldWindowRequest request;
  request.record = view.ref();
  request.field_path = reading.field.empty() ? model::format_field_path(field) : reading.field;
  const auto pages = field == role && reading.cursor.empty() ? pages_of(*view.shown) : std::vector<DocumentPage>();
  std::size_t page = 0;
  if (!reading.cursor.empty()) {
    request.window.cursor = reading.cursor;
  } else if (!pages.empty()) {
    const auto wanted = std::ranges::find(pages, reading.page.value_or(pages.front().number), &DocumentPage::number);
    page = wanted == pages.end() ? 0 : static_cast<std::size_t>(wanted - pages.begin());
    request.window.offset_chars = pages[page].start;
    request.window.limit_chars = std::clamp<std::int64_t>(pages[page].end - pages[page].start, 1, limits::kWindowMaxChars);
  }
  auto window = view.server.windows().read(view.viewer.access, request);
  if (!window && window.error().code == Code::kStaleCursor) {
    request.window = {};
    window = view.server.windows().read(view.viewer.access, request);
  }
  if (!window) return std::unexpected(window.error());
  // If the page is shown as an image, the links are already above it.
  if (!pages.empty() && page_count(view) == 0) out << page_steps(view, pages, page);
  if (!window->text_like) {
    out << Markup("<p class=\"soft\">This is binary data, not text.</p>");
  } else {
    out << Markup("<div class=\"reading\" dir=\"auto\"") << Attribute("data-field", field) << Markup(">") << Prose(window->text)
        << Markup("</div>");
  }
  out << window_steps(view, *window, request.field_path) << Markup("</section>");
  return out;
}

}  // namespace ladder::console
