// The text of a record, one window at a time. For a document, one page at a time.
#include "base/limits.h"
#include "base/text/format.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "console/reading/mail_body.h"
#include "console/reading/markdown.h"
#include "json/scan/scan.h"
#include "model/field_path.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace ladder::console {
namespace {

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

namespace {

constexpr std::int64_t kBeforeMatch = 1'500;             // characters shown before the match that a link leads to
constexpr std::chrono::milliseconds kSearchTime{1'000};  // for the next match, in one request
constexpr std::int64_t kOverlap = 400;                   // characters that two searched windows share, so that no match is lost

struct NextMatch {
  std::optional<std::int64_t> at;
  std::int64_t upto = 0;  // the text is searched up to here
  bool has_more = false;
};

// Searches the text from a character on, one window at a time, so that a long value is never in memory.
NextMatch next_match(const RecordView& view, const std::string& path, const std::string& field, const Matches& matches,
                     std::int64_t from) {
  const auto deadline = std::chrono::steady_clock::now() + kSearchTime;
  NextMatch next{{}, from, true};
  while (next.has_more && std::chrono::steady_clock::now() < deadline) {
    api::FieldWindowRequest request;
    request.record = view.ref();
    request.field_path = path;
    request.window.offset_chars = next.upto == from ? from : next.upto - kOverlap;
    request.window.limit_chars = limits::kWindowMaxChars;
    const auto window = view.server.windows().read(view.viewer.access, request);
    if (!window || !window->text_like) return {};
    next.upto = window->end_chars;
    next.has_more = window->has_more();
    if (const auto first = matches.first(field, window->text)) {
      next.at = window->start_chars + *first;
      break;
    }
  }
  return next;
}

// The page that contains the character.
std::size_t page_at(const std::vector<DocumentPage>& pages, std::int64_t at) {
  const auto after = std::ranges::upper_bound(pages, at, {}, &DocumentPage::start);
  return after == pages.begin() ? 0 : static_cast<std::size_t>(after - pages.begin()) - 1;
}

Writer body(const RecordView& view, const std::string& field, const api::FieldWindow& window, const Reading& reading,
            Matches& matches) {
  const auto at = reading.at ? std::optional(*reading.at - window.start_chars) : std::nullopt;
  Matches::In found = matches.in(field, window.text, at);
  if (view.stream.look == Look::kMail && field == view.stream.roles.text) return mail_body(window.text, found);
  if (is_markdown(view.stream, view.own.data, field)) return markdown(window.text, found);
  Writer out;
  out << Markup("<div class=\"body\" dir=\"auto\" data-part>") << found.part(window.text) << Markup("</div>");
  return out;
}

}  // namespace

bool is_markdown(const ShownStream& stream, std::string_view data, std::string_view field) {
  const api::FieldView* const declared = stream.field(field);
  if (declared && text_of(declared->schema_json, "contentMediaType") == "text/markdown") return true;
  const auto formats = fields_with_role(*stream.stream, kTextFormatRole);
  return field == stream.roles.text &&
         std::ranges::any_of(formats, [&](const auto* format) { return text_of(data, format->name) == "markdown"; });
}

namespace {

// A mail or a note without text would look as if something was missing.
Writer empty_text(const RecordView& view) {
  Writer out;
  const bool is_mail = view.stream.look == Look::kMail;
  if (!is_mail && !is_markdown(view.stream, view.own.data, view.stream.roles.text)) return out;
  out << Markup("<section id=\"text\" aria-label=\"Text\"><p class=\"soft\">")
      << (is_mail ? Markup("This message has no text.") : Markup("This note is empty.")) << Markup("</p></section>");
  return out;
}

}  // namespace

Result<RecordText> record_text(const RecordView& view, Reading& reading, Matches& matches) {
  const std::string& role = view.stream.roles.text;
  // The text of a person repeats the other fields for searches.
  std::string field = view.stream.look == Look::kPerson ? std::string() : role;
  if (!reading.field.empty()) {
    LADDER_TRY(const model::FieldPath path, model::parse_field_path(reading.field));
    field = path.field;
  }
  RecordText text;
  Writer& out = text.html;
  const auto own = field.empty() ? std::nullopt : json::member(view.own.data, field);
  // A long value is null in the data and listed in `cut`.
  const bool is_there = own && (own->kind != json::Kind::kNull ||
                                std::ranges::any_of(view.own.cut, [&](const api::CutField& cut) { return cut.path == field; }));
  if (!is_there || own->text == "\"\"") {
    if (field == role && (view.viewer.is_owner() || view.gets(field))) out << empty_text(view);
    return text;
  }
  out << Markup("<section class=\"stack\" id=\"text\"") << Attribute("aria-label", heading_of(field)) << Markup(">");
  if (field != role) {
    out << Markup("<div class=\"block-head\"><h2>") << Text(heading_of(field)) << Markup("</h2><a")
        << Attribute("href", view.address()) << Markup(">Back to the text</a></div>");
  }
  if (!view.gets(field)) {
    out << Markup("<p") << Attribute("data-field", field) << Markup(">") << withheld(heading_of(field) + ": not shared")
        << Markup("</p></section>");
    return text;
  }
  api::FieldWindowRequest request;
  request.record = view.ref();
  request.field_path = reading.field.empty() ? model::format_field_path(field) : reading.field;
  request.window.limit_chars = limits::kWindowMaxChars;
  const html::Url here = field == role ? view.address() : view.address().with("field", request.field_path);
  if (reading.from && reading.cursor.empty()) {
    const NextMatch next = next_match(view, request.field_path, field, matches, *reading.from);
    reading.at = next.at.value_or(*reading.from);
    text.at_end = !next.at && !next.has_more;
    if (!next.at && next.has_more) text.next_match = here.with("from", std::to_string(next.upto)).at("at");
  }
  const auto pages = field == role && reading.cursor.empty() ? pages_of(*view.shown) : std::vector<DocumentPage>();
  std::size_t page = 0;
  if (!reading.cursor.empty()) {
    request.window.cursor = reading.cursor;
  } else if (!pages.empty()) {
    const auto wanted = std::ranges::find(pages, reading.page.value_or(pages.front().number), &DocumentPage::number);
    page = !reading.page && reading.at ? page_at(pages, *reading.at)
           : wanted == pages.end()     ? 0
                                       : static_cast<std::size_t>(wanted - pages.begin());
    reading.page = pages[page].number;
    request.window.offset_chars = pages[page].start;
    request.window.limit_chars = std::clamp<std::int64_t>(pages[page].end - pages[page].start, 1, limits::kWindowMaxChars);
  } else if (reading.at && *reading.at > limits::kWindowMaxChars - kBeforeMatch) {
    request.window.offset_chars = *reading.at - kBeforeMatch;
  }
  auto window = view.server.windows().read(view.viewer.access, request);
  if (!window && window.error().code == Code::kStaleCursor) {
    request.window = {};
    window = view.server.windows().read(view.viewer.access, request);
  }
  if (!window) return std::unexpected(window.error());
  text.complete = window->complete();
  if (!text.next_match && !text.at_end && window->has_more())
    text.next_match = here.with("from", std::to_string(window->end_chars)).at("at");
  // If the page is shown as an image, the links are already above it.
  if (!pages.empty() && page_count(view) == 0) out << page_steps(view, pages, page);
  if (!window->text_like) {
    out << Markup("<p class=\"soft\">This is binary data, not text.</p>");
  } else {
    out << Markup("<div class=\"reading\"") << Attribute("data-field", field) << Markup(">")
        << body(view, field, *window, reading, matches) << Markup("</div>");
  }
  if (!window->complete()) out << window_steps(view, *window, request.field_path);
  out << Markup("</section>");
  return text;
}

Writer match_bar(const RecordView& view, const Matches& matches, const RecordText& text) {
  constexpr std::int64_t kLinks = 30;  // to single matches, without a script
  const std::int64_t count = matches.written();
  Writer out;
  if (!matches.any_words() || (count == 0 && !text.next_match && text.complete)) return out;
  out << Markup("<div class=\"matchbar\" data-matches>") << icon(Icon::kSearch) << Markup("<span><b data-match>");
  if (count > 0) out << plural(count, "match", "matches");
  else out << (text.at_end ? Markup("No further match") : Markup("No match"));
  out << (text.complete ? Markup("</b> for ") : Markup("</b> in this part for ")) << Markup("<mark dir=\"auto\">") << Text(view.q)
      << Markup("</mark></span><span class=\"row-end row\">");
  if (count > 0) {
    out << Markup("<noscript><span class=\"row\">");
    for (std::int64_t number = 1; number <= std::min(count, kLinks); ++number) {
      out << Markup("<a") << Attribute("href", Url::path("").at("m", number)) << Markup(" aria-label=\"Match ") << Text(number)
          << Markup("\">") << Text(number) << Markup("</a>");
    }
    out << Markup(
               "</span></noscript><span class=\"row\" data-steps hidden><span class=\"quiet only-wide\">Keys <kbd>p</kbd> "
               "<kbd>n</kbd></span><button class=\"btn btn-s btn-icon\" type=\"button\" data-step=\"-1\" aria-label=\"Previous "
               "match\">")
        << icon(Icon::kUp)
        << Markup("</button><button class=\"btn btn-s btn-icon\" type=\"button\" data-step=\"1\" aria-label=\"Next match\">")
        << icon(Icon::kDown) << Markup("</button></span>");
  }
  if (text.next_match) {
    out << Markup("<a class=\"btn btn-s\" data-next") << Attribute("href", *text.next_match)
        << Markup(">Find the next match</a>");
  }
  out << Markup("</span></div>");
  return out;
}

}  // namespace ladder::console
