// The files of a record. Images are displayed, other files can be downloaded. No file content is executed or rendered by the
// server.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/console.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "json/scan/scan.h"
#include "model/record_id.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr std::int64_t kPieceBytes = 1 << 20;                // bytes of a file in memory at once
constexpr std::int64_t kShownPictureBytes = 20 * (1 << 20);  // larger files can only be downloaded

constexpr std::int64_t kSniffedBytes = 16;   // enough to detect the type
constexpr std::int64_t kPreviewChars = 400;  // of a text file, in its tile

using namespace std::string_view_literals;
struct PictureType {
  std::string_view mime_type, begins;
};
constexpr std::array<PictureType, 5> kPictures = {{{"image/png", "\x89PNG\r\n\x1A\n"sv},
                                                   {"image/jpeg", "\xFF\xD8\xFF"sv},
                                                   {"image/gif", "GIF87a"sv},
                                                   {"image/gif", "GIF89a"sv},
                                                   {"image/webp", "RIFF"sv}}};

// Detects an image type from the first bytes. Empty for anything else.
std::string_view picture_type(std::string_view bytes) {
  for (const PictureType& type : kPictures) {
    if (!bytes.starts_with(type.begins)) continue;
    if (type.mime_type == "image/webp" && bytes.substr(0, 12).substr(8) != "WEBP") continue;
    return type.mime_type;
  }
  return {};
}

std::string file_size_text(std::int64_t bytes) {
  if (bytes < 1000) return format("{} bytes", bytes);
  if (bytes < 1'000'000) return format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
  return format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::vector<RecordFile> files_of(const api::Record& record, const ShownStreams& streams) {
  std::vector<RecordFile> files;
  const auto add = [&](const api::Record& one) {
    const ShownStream* const stream = streams.find(one.ref);
    if (auto file = stream ? file_of(one, *stream) : std::nullopt) files.push_back(*std::move(file));
  };
  add(record);
  for (const api::Expansion& expansion : record.expanded) {
    for (const api::Record& related : expansion.records) add(related);
  }
  return files;
}

// "PDF", "Image"; the type itself if it has no common name.
std::string kind_text(std::string_view mime_type) {
  using Kind = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Kind, 9> kKinds = {{{"application/pdf", "PDF"},
                                                  {"application/zip", "Archive"},
                                                  {"application/octet-stream", "File"},
                                                  {"image/", "Image"},
                                                  {"text/csv", "Table"},
                                                  {"text/calendar", "Calendar"},
                                                  {"text/", "Text"},
                                                  {"audio/", "Audio"},
                                                  {"video/", "Video"}}};
  const auto known = std::ranges::find_if(kKinds, [&](const Kind& kind) { return mime_type.starts_with(kind.first); });
  return known != kKinds.end() ? std::string(known->second) : mime_type.empty() ? "Unknown type" : std::string(mime_type);
}

std::string facts_text(const RecordFile& file) {
  std::string text = kind_text(file.mime_type);
  if (file.page_count > 1) text += format(", {} pages", grouped(file.page_count));
  if (file.size_bytes >= 0) text += ", " + file_size_text(file.size_bytes);
  return text;
}

std::string name_text(const RecordFile& file) { return file.name.empty() ? std::string("File") : file.name; }

Writer download_link(const RecordView& view, const RecordFile& file, Markup look) {
  Writer out;
  out << Markup("<a download class=\"") << look << Markup("\"") << Attribute("href", file_address(view, file.record))
      << Attribute("aria-label", "Download " + name_text(file)) << Markup(">Download</a>");
  return out;
}

// The file of this record.
Writer own_file(const RecordView& view, const RecordFile& file, bool picture) {
  Writer out;
  if (picture) {
    out << Markup("<img class=\"picture\"") << Attribute("src", file_address(view, file.record).with("look", "1"))
        << Attribute("alt", name_text(file)) << Markup(">");
  }
  out << Markup("<div class=\"row small\"><span class=\"glyph\">") << icon(picture ? Icon::kPicture : Icon::kFile)
      << Markup("</span><span class=\"file-name\"><b dir=\"auto\">") << Text(name_text(file))
      << Markup("</b><br><span class=\"quiet\">") << Text(facts_text(file)) << Markup("</span></span>")
      << download_link(view, file, "btn btn-s row-end") << Markup("</div>");
  return out;
}

Writer preview(const RecordView& view, const RecordFile& file, bool picture) {
  Writer out;
  const bool is_painted = view.paints_pages && file.mime_type == "application/pdf" && file.page_count > 0 &&
                          file.size_bytes <= PagePainter::kMaxDocumentBytes;
  if (picture || is_painted) {
    const Url source = picture ? file_address(view, file.record).with("look", "1")
                               : Url::path("/record/page")
                                     .with("id", model::format_record_id(file.record))
                                     .with("page", "1")
                                     .with("as", view.viewer.client_id());
    out << (picture ? Markup("<img class=\"thumb\"") : Markup("<img class=\"thumb thumb-page\""))
        << Markup(" loading=\"lazy\" alt=\"\"") << Attribute("src", source) << Markup(">");
  } else if (!file.text.empty()) {
    out << Markup("<span class=\"thumb-text\" aria-hidden=\"true\" dir=\"auto\">")
        << html::Prose(utf8::slice(file.text, 0, kPreviewChars)) << Markup("</span>");
  } else {
    out << icon(Icon::kFile);
  }
  return out;
}

// The file of a related record, such as an attachment.
Writer tile(const RecordView& view, const RecordFile& file, bool picture, Matches& matches) {
  const std::int64_t found = matches.in({}, file.text).count();
  Writer out;
  out << Markup("<li class=\"tile\"><a") << Attribute("href", view.address_of(file.record)) << Markup("><span class=\"pic\">")
      << preview(view, file, picture) << Markup("</span><b dir=\"auto\">") << Text(name_text(file)) << Markup("</b></a>");
  if (found > 0) {
    out << Markup("<span class=\"badge badge-warn hit\">") << plural(found, "match", "matches") << Markup("</span>");
  }
  out << Markup("<span class=\"row small quiet\"><span>") << Text(facts_text(file)) << Markup("</span>")
      << download_link(view, file, "row-end") << Markup("</span></li>");
  return out;
}

// A file name that is safe in any folder and header: ASCII only, no path, controls or quotes.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = byte > 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '/' && c != '%' && c != ';';
    if (kept) plain += c;
    else if (byte < 0x80) plain += '_';
  }
  while (plain.starts_with('.')) plain.erase(0, 1);
  return plain.empty() ? "file" : plain.substr(0, 120);
}

std::string full_name(std::string_view name) {
  std::string full;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    full += byte < 0x20 || byte == 0x7F || c == '/' || c == '\\' ? '_' : c;
  }
  while (full.starts_with('.')) full.erase(0, 1);
  return full.empty() ? "file" : full;
}

class FileStream final : public http::BodyStream {
 public:
  FileStream(server::ResourceServer& server, server::Access who, api::BlobRequest request, std::int64_t size)
      : server_(server), who_(std::move(who)), request_(std::move(request)), size_(size) {}

  Result<bool> next(std::string& piece) override {
    if (request_.first_byte >= size_) return false;
    request_.max_bytes = std::min(kPieceBytes, size_ - request_.first_byte);
    LADDER_TRY(auto blob, server_.reads().blob(who_, request_));
    if (blob.bytes.empty()) return fail(Code::kStoreUnavailable, "the file was deleted while it was read");
    piece = std::move(blob.bytes);
    request_.first_byte += std::ssize(piece);
    return true;
  }

 private:
  server::ResourceServer& server_;
  server::Access who_;
  api::BlobRequest request_;
  std::int64_t size_;
};

}  // namespace

Url file_address(const RecordView& view, const model::RecordRef& record) {
  return Url::path("/record/file").with("id", model::format_record_id(record)).with("as", view.viewer.client_id());
}

Result<bool> is_shown(const RecordView& view, const RecordFile& file) {
  if (!is_picture(file.mime_type) || file.size_bytes > kShownPictureBytes) return false;
  api::BlobRequest request{file.blob_id, {}, 0, kSniffedBytes};
  request.scope.connection_id = file.record.connection_id;
  LADDER_TRY(const api::Blob blob, view.server.reads().blob(view.viewer.access, request));
  return !picture_type(blob.bytes).empty();
}

bool is_picture(std::string_view mime_type) {
  return std::ranges::find(kPictures, mime_type, &PictureType::mime_type) != kPictures.end();
}

std::optional<RecordFile> file_of(const api::Record& record, const ShownStream& stream) {
  if (record.data.empty()) return std::nullopt;
  for (json::Members member(record.data); member.next();) {
    const auto facts = member.value().kind == json::Kind::kObject ? api::blob_reference(member.value().text) : std::nullopt;
    if (!facts || facts->blob_id.empty()) continue;
    RecordFile file{record.ref, text_of(record.data, stream.roles.title), facts->mime_type, facts->blob_id, facts->size_bytes};
    file.text = text_of(record.data, stream.roles.text);
    file.page_count = number_of(record.data, "page_count");
    return file;
  }
  return std::nullopt;
}

Result<Writer> record_files(const RecordView& view, Matches& matches) {
  const auto own = files_of(view.own, view.streams);
  const auto shown = view.shown ? files_of(*view.shown, view.streams) : std::vector<RecordFile>();
  Writer out, tiles;
  if (own.empty()) return out;
  const bool is_file = own.size() == 1 && own.front().record == view.ref();
  out << Markup("<section class=\"stack-2\" aria-labelledby=\"files\"><h2 id=\"files\"")
      << (is_file ? Markup(" class=\"unseen\">") : Markup(">")) << plural(std::ssize(own), "file", "files") << Markup("</h2>");
  for (const RecordFile& file : shown) {
    const auto picture = is_shown(view, file);
    if (!picture && picture.error().http_status() >= 500) return std::unexpected(picture.error());
    if (file.record == view.ref()) out << own_file(view, file, picture.value_or(false));
    else tiles << tile(view, file, picture.value_or(false), matches);
  }
  if (!tiles.empty()) out << Markup("<ul class=\"tiles\">") << tiles << Markup("</ul>");
  if (const auto closed = std::ssize(own) - std::ssize(shown); closed > 0) {
    out << Markup("<p class=\"closed row\">") << withheld(format("{} {}: not shared", closed, closed == 1 ? "file" : "files"))
        << Markup("</p>");
  }
  out << Markup("</section>");
  return out;
}

void guard_file(http::Headers& headers) {
  headers.set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cache-Control", "no-store");
}

Result<RecordFile> named_file(server::ResourceServer& server, const Viewer& viewer, std::string_view record_id) {
  api::RecordRequest request;
  LADDER_TRY(request.record, model::parse_record_id(record_id));
  request.max_field_chars = 1'000;
  LADDER_TRY(const ShownStreams streams, ShownStreams::of(server, viewer.access));
  LADDER_TRY(const api::Record record, server.reads().record(viewer.access, request));
  const ShownStream* const stream = streams.find(record.ref);
  auto file = stream ? file_of(record, *stream) : std::nullopt;
  if (!file) return fail(Code::kBlobNotFound, "This record has no file.", "id");
  return *std::move(file);
}

Result<http::Response> Console::file(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, visit.form.one("as")));
  LADDER_TRY(const RecordFile file, named_file(server, viewer, visit.form.one("id")));
  api::BlobRequest wanted{file.blob_id, {}, 0, kSniffedBytes};
  wanted.scope.connection_id = file.record.connection_id;
  LADDER_TRY(const api::Blob blob, server.reads().blob(viewer.access, wanted));

  http::Response response;
  http::Headers& headers = response.headers;
  // An image is served with the type of its bytes, so other content in it cannot run.
  const std::string_view picture = visit.form.has("look") && is_picture(file.mime_type) ? picture_type(blob.bytes) : "";
  headers.set("Content-Type", picture.empty() ? "application/octet-stream" : std::string(picture));
  headers.set("Content-Disposition", format("{}; filename=\"{}\"; filename*=UTF-8''{}", picture.empty() ? "attachment" : "inline",
                                            plain_name(file.name), Url::encoded(full_name(file.name))));
  guard_file(headers);
  response.content_length = static_cast<std::uint64_t>(blob.size_bytes);
  response.stream = std::make_unique<FileStream>(server, viewer.access, wanted, blob.size_bytes);
  return response;
}

}  // namespace ladder::console
