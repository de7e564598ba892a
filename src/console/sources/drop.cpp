#include "console/sources/drop.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/parts.h"

#include <algorithm>

namespace ladder::console {
namespace {

// The script reads the upload URL and the form token from this form.
Writer form_open(Markup look, const std::string& csrf, std::string_view upload) {
  Writer out;
  out << Markup("<form class=\"") << look
      << Markup("\" action=\"/import\" method=\"post\" enctype=\"multipart/form-data\" data-drop>") << hidden("csrf", csrf)
      << hidden("do", "files") << hidden("upload", upload);
  return out;
}

// Only the script can send the names of the folders.
constexpr Markup kFolder("<button class=\"btn btn-s btn-bare\" type=\"button\" data-folder hidden>Choose a folder…</button>");

constexpr Markup kProgress(
    "<div class=\"drop-progress\" data-arriving hidden><p class=\"small\" role=\"status\" data-said></p><progress max=\"100\" "
    "value=\"0\" aria-label=\"Uploaded\"></progress><div class=\"row\"><button class=\"btn btn-s\" type=\"button\" "
    "data-pause>Pause</button></div></div>");

}  // namespace

std::string size_text(std::int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  if (bytes < 1000) return format("{} bytes", bytes);
  if (bytes < 1'000'000) return format("{:.0f} kB", number / 1e3);
  if (bytes < 1'000'000'000) return format("{:.1f} MB", number / 1e6);
  return format("{:.1f} GB", number / 1e9);
}

Writer drop(const std::string& csrf, bool can_import, std::string_view upload) {
  Writer out;
  if (!can_import) return out;
  out << form_open("drop", csrf, upload) << Markup("<span class=\"glyph\">") << icon(Icon::kUpload)
      << Markup(
             "</span><div><h2><label for=\"files\">Drop files here to import</label></h2><p class=\"small soft\">An unchanged "
             "export: Gmail or Takeout, WhatsApp, ChatGPT, Claude, Slack, notes, PDF, calendars, contacts. Any size. You can "
             "review everything before it is imported.</p></div><div class=\"stack-2\"><input type=\"file\" "
             "id=\"files\" name=\"files\" multiple><div class=\"row\"><button class=\"btn btn-s\">Review import</button>")
      << kFolder << Markup("</div></div>") << kProgress
      << Markup(
             "<noscript><p class=\"small quiet\">Without JavaScript the limit is 50 MB. For larger files use <code>ladder import "
             "FILE</code>.</p></noscript></form>");
  return out;
}

Writer empty_drop(const std::string& csrf, bool can_import) {
  Writer out;
  const Markup art =
      "<div class=\"art\"><svg viewBox=\"0 0 72 72\" aria-hidden=\"true\"><path d=\"M24 6v60M48 6v60M24 16h24M24 29h24M24 "
      "55h24\"/><path class=\"lit\" d=\"M24 42h24\"/></svg></div>";
  if (!can_import) {
    out << Markup("<div class=\"card empty\">") << art
        << Markup("<h2>Import your data</h2><p>In a terminal: <code>ladder import FILE</code></p></div>");
    return out;
  }
  out << form_open("card empty drop-empty", csrf, "") << art
      << Markup(
             "<h2>Drop an export here</h2><p>A download from Gmail or Takeout, a WhatsApp chat, a folder of notes or PDF files, "
             "a "
             "calendar. It is read on this computer and not sent anywhere. You can review everything before it is "
             "imported.</p><div "
             "class=\"drop-in\"><label class=\"unseen\" for=\"files\">Files to import</label><input type=\"file\" id=\"files\" "
             "name=\"files\" multiple><button class=\"btn\">Review import</button>")
      << kFolder << Markup("</div>") << kProgress
      << Markup("<p class=\"small quiet\">Or in a terminal: <code>ladder import FILE</code></p></form>");
  return out;
}

Writer upload_notice(const Upload& upload, Instant now) {
  Writer out;
  if (upload.state == UploadState::kDone) return out;
  const std::int64_t share = upload.bytes_all > 0 ? std::min<std::int64_t>(100, 100 * upload.bytes_done / upload.bytes_all) : 0;
  std::string said;
  switch (upload.state) {
    case UploadState::kArriving:
      said = "Upload incomplete. Choose the same files to continue.";
      break;
    case UploadState::kLooking:
      said = "Checking your files…";
      break;
    case UploadState::kPlanned:
      said = "Ready to import.";
      break;
    case UploadState::kRunning:
      said = format("{}%. You can close this page.", share);
      break;
    case UploadState::kPaused:
      said = format("Paused at {}%.", share);
      break;
    default:
      said = upload.problem;
  }
  out << (upload.state == UploadState::kFailed ? Markup("<div class=\"notice notice-warn\">")
                                               : Markup("<div class=\"notice notice-info\">"))
      << icon(Icon::kUpload) << Markup("<div><p><b>Import of ") << Text(auth::inside(moment_text(upload.begun_at, now)));
  if (!upload.files.empty()) out << Markup(", “<bdi>") << Text(upload.files.front().name) << Markup("</bdi>”");
  out << Markup(".</b> ") << Text(said) << Markup("</p></div><a class=\"row-end\"")
      << Attribute("href", html::Url::path("/import?upload=", upload.id)) << Markup(">Review</a></div>");
  return out;
}

}  // namespace ladder::console
