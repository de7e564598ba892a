// The import page and its actions.
#include "base/text/format.h"
#include "base/text/number.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/drop.h"
#include "console/sources/import_view.h"
#include "json/writer.h"

namespace ladder::console {
namespace {

std::optional<std::int64_t> number_of(const std::string& text) {
  const auto number = parse_number(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::unexpected<Error> no_importer() { return fail(Code::kNotFound, "this server can't import files; use `ladder import FILE`"); }

// Adds the files of the form to the upload, and plans it when all are there. Returns its id: a new one if `id` is empty, and an
// empty one if no file was chosen.
Result<std::string> take_files(Importer& importer, const pages::Visit& visit, std::string id) {
  // Browsers send an empty file without a name if none was chosen.
  std::vector<const pages::FormFile*> files;
  for (const pages::FormFile& file : visit.form.files()) {
    if (!file.name.empty()) files.push_back(&file);
  }
  if (files.empty()) return id;
  if (id.empty()) {
    LADDER_TRY(id, importer.begin(*visit.owner));
  }
  for (const pages::FormFile* file : files) {
    LADDER_TRY(const std::int64_t have, importer.append(*visit.owner, id, file->name, std::ssize(file->content), 0, {}));
    if (have >= std::ssize(file->content)) continue;
    const std::string_view rest = file->content.substr(static_cast<std::size_t>(have));
    LADDER_CHECK(importer.append(*visit.owner, id, file->name, std::ssize(file->content), have, rest));
  }
  LADDER_TRY(const Upload upload, importer.upload(*visit.owner, id));
  if (upload.arrived()) LADDER_CHECK(importer.make_plan(*visit.owner, id));
  return id;
}

}  // namespace

// Files that a phone shares wait for the owner's review like chosen ones: nothing is imported by this request.
Result<http::Response> Console::share(Visit& visit) {
  if (!importer_) return no_importer();
  LADDER_TRY(const std::string id, take_files(*importer_, visit, ""));
  return pages::redirect_to(id.empty() ? "/import" : import_address(id));
}

Result<http::Response> Console::import(Visit& visit) {
  if (!importer_) return no_importer();
  std::string id = visit.form.one("upload");
  if (visit.is_post) {
    const std::string what = visit.form.one("do");
    if (what == "files") {
      LADDER_TRY(id, take_files(*importer_, visit, id));
      if (id.empty()) return pages::redirect_to("/import");
    } else if (what == "plan") {
      LADDER_CHECK(importer_->make_plan(*visit.owner, id));
    } else if (what == "start") {
      LADDER_CHECK(importer_->start(*visit.owner, id));
    } else if (what == "pause") {
      LADDER_CHECK(importer_->pause(*visit.owner, id));
    } else if (what == "give-up") {
      LADDER_CHECK(importer_->discard(*visit.owner, id));
      return pages::redirect_to("/sources");
    }
    return pages::redirect_to(id.empty() ? "/import" : import_address(id));
  }
  const Instant now = authorization_.now();
  if (!id.empty()) {
    LADDER_TRY(const Upload upload, importer_->upload(*visit.owner, id));
    return upload_page(visit.frame, upload, visit.csrf(), now);
  }
  pages::Frame frame = visit.frame;
  frame.title = "Import";
  Writer main;
  main << Markup(
              "<div><p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <span>Import</span></p><div "
              "class=\"page-head\"><div><h1>Import</h1><p class=\"lead\">Drop files or a folder. You can review everything "
              "before it is imported.</p></div></div></div>")
       << drop(visit.csrf(), true);
  for (const Upload& upload : importer_->uploads(*visit.owner)) main << upload_notice(upload, now);
  return pages::page(200, frame, main);
}

// Receives a part of a file from the script. The response contains the number of bytes received, so the script can continue
// from there.
Result<http::Response> Console::upload(Visit& visit) {
  if (!importer_) return no_importer();
  const auto size = number_of(visit.form.one("size")), at = number_of(visit.form.one("at"));
  if (!size || !at) return fail(Code::kInvalidRequest, "a file part needs an offset and the total size");
  std::string id = visit.form.one("upload");
  const bool is_first = id.empty();
  if (is_first) {
    LADDER_TRY(id, importer_->begin(*visit.owner));
  }
  const auto have = importer_->append(*visit.owner, id, visit.form.one("name"), *size, *at, visit.request.body);
  if (!have && is_first) LADDER_CHECK(importer_->discard(*visit.owner, id));
  if (!have) return std::unexpected(have.error());
  json::Writer out;
  out.begin_object().member("upload", id).member("have", *have).end_object();
  http::Response response = http::Response::json(200, out.take());
  response.headers.set("Cache-Control", "no-store");
  return response;
}

}  // namespace ladder::console
