// Serves a page of a PDF as an image. The document is read with the viewer's access and rendered by a separate process that
// gets only its bytes.
#include "base/text/format.h"
#include "console/console.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/record_id.h"

#include <algorithm>
#include <charconv>

namespace ladder::console {
namespace {

constexpr std::string_view kPdf = "application/pdf";
constexpr std::int64_t kPieceBytes = 4 << 20;

std::int64_t shown_page(const Reading& reading, std::int64_t pages) {
  return std::clamp<std::int64_t>(reading.page.value_or(1), 1, pages);
}

Writer step(const Url& to, bool there, Markup label) {
  Writer out;
  if (there)
    out << Markup("<a class=\"btn btn-s\"") << Attribute("href", to.at("page")) << Markup(">") << label << Markup("</a>");
  else out << Markup("<button class=\"btn btn-s\" type=\"button\" disabled>") << label << Markup("</button>");
  return out;
}

Result<std::string> whole_file(server::ResourceServer& server, const Viewer& viewer, const RecordFile& file) {
  std::string bytes;
  api::BlobRequest request{file.blob_id, {}, 0, kPieceBytes};
  request.scope.connection_id = file.record.connection_id;
  for (;;) {
    request.first_byte = std::ssize(bytes);
    LADDER_TRY(const api::Blob blob, server.reads().blob(viewer.access, request));
    if (blob.size_bytes > PagePainter::kMaxDocumentBytes) {
      return fail(Code::kResourceLimit, "This document is too large to show as images. Its text is below.", "id");
    }
    bytes += blob.bytes;
    if (std::ssize(bytes) >= blob.size_bytes || blob.bytes.empty()) return bytes;
  }
}

// SVG does not wrap text.
std::vector<std::string> lines_of(std::string_view text) {
  constexpr std::size_t kLineBytes = 84, kMaxLines = 4;
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!lines.back().empty() && lines.back().size() + word.size() >= kLineBytes) {
      if (lines.size() == kMaxLines) break;
      lines.emplace_back();
    }
    lines.back() += lines.back().empty() ? "" : " ";
    lines.back() += word;
  }
  return lines;
}

// Returns the error as an SVG image, so it is visible without a script.
http::Response error_picture(const Error& error) {
  Writer out;
  out << Markup(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 144\" width=\"720\" height=\"144\"><rect width=\"720\" "
      "height=\"144\" fill=\"#f3f1ec\"/><text y=\"24\" font-family=\"sans-serif\" font-size=\"15\" fill=\"#3b3a36\">");
  for (const std::string& line : lines_of(error.message)) {
    out << Markup("<tspan x=\"24\" dy=\"24\">") << Text(line) << Markup("</tspan>");
  }
  out << Markup("</text></svg>");
  http::Response response;
  response.headers.set("Content-Type", "image/svg+xml");
  guard_file(response.headers);
  response.body = out.text();
  return response;
}

}  // namespace

std::int64_t number_of(std::string_view data, std::string_view name) {
  const auto value = json::member(data, name);
  std::int64_t number = 0;
  if (value && value->kind == json::Kind::kNumber) {
    std::from_chars(value->text.data(), value->text.data() + value->text.size(), number);
  }
  return number;
}

std::int64_t page_count(const RecordView& view) {
  if (!view.paints_pages || !view.shown) return 0;
  const auto file = file_of(*view.shown, view.stream);
  if (!file || file->mime_type != kPdf || file->size_bytes > PagePainter::kMaxDocumentBytes) return 0;
  return std::max<std::int64_t>(0, number_of(view.shown->data, "page_count"));
}

Writer record_page(const RecordView& view, const Reading& reading) {
  Writer out;
  const std::int64_t pages = page_count(view);
  if (pages == 0 || !reading.cursor.empty() || !reading.field.empty()) return out;
  const std::int64_t page = shown_page(reading, pages);
  const auto to = [&](std::int64_t number) { return view.address().with("page", std::to_string(number)); };
  const std::string of = format("Page {} of {}", grouped(page), grouped(pages));
  out << Markup("<section class=\"stack\" id=\"page\"") << Attribute("aria-label", of)
      << Markup("><div class=\"row small\"><b class=\"num\">") << Text(of) << Markup("</b><span class=\"row-end row\">")
      << step(to(page - 1), page > 1, Markup("Previous page")) << step(to(page + 1), page < pages, Markup("Next page"))
      << Markup("</span></div><img class=\"picture page-picture\"")
      << Attribute("src", Url::path("/record/page")
                              .with("id", model::format_record_id(view.ref()))
                              .with("page", std::to_string(page))
                              .with("as", view.viewer.client_id()))
      << Attribute("alt", of + " as an image; the text follows if there is any") << Markup("></section>");
  return out;
}

Result<http::Response> Console::document_page(Visit& visit) {
  if (about_.painter == nullptr) return fail(Code::kNotFound, "This server doesn't show pages as images.");
  server::ResourceServer& server = authorization_.server();
  const Reading reading = Reading::of(visit.form);
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, visit.form.one("as")));
  LADDER_TRY(const RecordFile file, named_file(server, viewer, visit.form.one("id")));
  if (file.mime_type != kPdf) return fail(Code::kInvalidRequest, "This file isn't a PDF.", "id");
  std::optional<Error> unread;
  const auto read = [&]() -> Result<std::string> {
    auto bytes = whole_file(server, viewer, file);
    if (!bytes && bytes.error().code != Code::kResourceLimit) unread = bytes.error();
    return bytes;
  };
  const auto picture = about_.painter->paint(read, reading.page.value_or(1));
  if (unread) return std::unexpected(*unread);
  if (!picture) return error_picture(picture.error());
  http::Response response;
  response.headers.set("Content-Type", "image/png");
  response.headers.set("Content-Disposition", "inline; filename=\"page.png\"");
  guard_file(response.headers);
  response.body = *picture;
  return response;
}

}  // namespace ladder::console
