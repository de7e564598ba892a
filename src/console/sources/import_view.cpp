#include "console/sources/import_view.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/parts.h"
#include "console/sources/drop.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr std::size_t kShownParts = 200, kShownFiles = 50, kShownMisses = 200;

// The state as a word, so that the script detects a state change.
Markup state_word(UploadState state) {
  switch (state) {
    case UploadState::kArriving:
      return "arriving";
    case UploadState::kLooking:
      return "looking";
    case UploadState::kPlanned:
      return "planned";
    case UploadState::kRunning:
      return "running";
    case UploadState::kPaused:
      return "paused";
    case UploadState::kDone:
      return "done";
    case UploadState::kFailed:
      return "failed";
  }
  return "failed";
}

// The current step: files, plan, import, result.
int step_of(UploadState state) {
  switch (state) {
    case UploadState::kArriving:
      return 0;
    case UploadState::kLooking:
    case UploadState::kPlanned:
      return 1;
    case UploadState::kRunning:
    case UploadState::kPaused:
      return 2;
    default:
      return 3;
  }
}

Writer steps(UploadState state) {
  static constexpr std::array<Markup, 4> kSteps = {"Files", "Review", "Import", "Result"};
  const int at = step_of(state);
  Writer out;
  out << Markup("<ol class=\"steps\" aria-label=\"Steps\">");
  for (int i = 0; i < std::ssize(kSteps); ++i) {
    out << (i < at    ? Markup("<li class=\"done\">")
            : i == at ? Markup("<li aria-current=\"step\">")
                      : Markup("<li>"))
        << kSteps[static_cast<std::size_t>(i)] << Markup("</li>");
  }
  out << Markup("</ol>");
  return out;
}

Writer upload_action(const Upload& upload, const std::string& csrf, std::string_view name, std::string_view label,
                     std::string_view look) {
  Writer out;
  out << Markup("<form action=\"/import\" method=\"post\">") << hidden("csrf", csrf) << hidden("upload", upload.id)
      << Markup("<button name=\"do\"") << Attribute("class", look) << Attribute("value", name) << Markup(">") << Text(label)
      << Markup("</button></form>");
  return out;
}

std::string time_left(const Upload& upload) {
  if (!upload.seconds_left) return {};
  const std::int64_t minutes = (*upload.seconds_left + 59) / 60;
  if (*upload.seconds_left < 60) return ", less than a minute left";
  return format(", about {} minutes left", minutes);
}

std::int64_t share_of(const Upload& upload) {
  return upload.bytes_all > 0 ? std::clamp<std::int64_t>(100 * upload.bytes_done / upload.bytes_all, 0, 100) : 0;
}

struct Sums {
  std::int64_t read = 0, added = 0, changed = 0, unchanged = 0, lost = 0;
  bool broken_off = false;
};
Sums sums_of(const Upload& upload) {
  Sums sums;
  sums.lost = std::ssize(upload.refused);
  for (const ImportPart& part : upload.parts) {
    sums.read += part.read;
    sums.added += part.added;
    sums.changed += part.changed;
    sums.unchanged += part.unchanged;
    sums.lost += part.lost;
    sums.broken_off = sums.broken_off || part.state == ImportPart::State::kBrokenOff;
  }
  return sums;
}

Writer head(const Upload& upload, const std::string& csrf) {
  Writer title, lead, actions;
  const Sums sums = sums_of(upload);
  switch (upload.state) {
    case UploadState::kArriving:
      title << (upload.arrived() ? Markup("Files uploaded") : Markup("Uploading files"));
      if (upload.arrived())
        lead << Text(size_text(upload.bytes_here())) << Markup(" uploaded. Nothing is imported until you review it.");
      else lead << Text(size_text(upload.bytes_here())) << Markup(" uploaded so far. Choose the same files to continue.");
      if (upload.arrived()) actions << upload_action(upload, csrf, "plan", "Review import", "btn btn-act");
      actions << upload_action(upload, csrf, "give-up", "Discard", "btn");
      break;
    case UploadState::kLooking:
      title << Markup("Checking your files…");
      lead << Markup("Ladder is checking what the files contain.");
      actions << upload_action(upload, csrf, "give-up", "Discard", "btn");
      break;
    case UploadState::kPlanned:
      if (upload.parts.empty()) {
        title << Markup("Nothing to import");
        lead << Markup(
            "Ladder doesn't recognize these files. For CSV or JSON, describe the columns first: <code>ladder source infer "
            "FILE</code> suggests a format description. The uploaded copies are deleted.");
        actions << Markup("<a class=\"btn btn-act\" href=\"/import\">Choose other files</a>");
      } else {
        title << Markup("Review your import");
        lead << Markup("<b>") << plural(std::ssize(upload.parts), "part", "parts") << Markup("</b>, ")
             << Text(size_text(upload.bytes_all)) << Markup(". Nothing is imported yet. Duplicates are skipped.");
        actions << upload_action(upload, csrf, "start", "Start import", "btn btn-act")
                << upload_action(upload, csrf, "give-up", "Discard", "btn");
      }
      break;
    case UploadState::kRunning:
      title << Markup("Importing");
      lead << Markup("<b>") << Text(share_of(upload)) << Markup("%</b> imported") << Text(time_left(upload))
           << Markup(". You can close this page.");
      if (upload.pausing) actions << Markup("<span class=\"quiet\">Pausing…</span>");
      else actions << upload_action(upload, csrf, "pause", "Pause", "btn");
      actions << upload_action(upload, csrf, "give-up", "Stop", "btn btn-bad");
      break;
    case UploadState::kPaused:
      title << Markup("Import paused");
      lead << Markup("<b>") << Text(share_of(upload)) << Markup("%</b> imported. It will continue where it stopped.");
      if (!upload.problem.empty()) lead << Markup(" ") << Text(upload.problem);
      actions << upload_action(upload, csrf, "start", "Continue", "btn btn-act")
              << upload_action(upload, csrf, "give-up", "Stop", "btn btn-bad");
      break;
    case UploadState::kDone:
      title << (sums.broken_off ? Markup("Import finished with problems") : Markup("Import finished"));
      lead << Markup("<b>") << plural(sums.added, "new record", "new records") << Markup("</b>, ") << Text(sums.changed)
           << Markup(" changed, ") << Text(sums.unchanged) << Markup(" were already in Ladder. ");
      if (sums.lost == 0) lead << Markup("Everything was imported.");
      else lead << Markup("<b>") << plural(sums.lost, "item", "items") << Markup("</b> couldn't be imported.");
      actions << Markup("<a class=\"btn btn-act\" href=\"/explore\">Search</a><a class=\"btn\" href=\"/sources\">Sources</a>");
      break;
    case UploadState::kFailed:
      title << Markup("Import failed");
      lead << Text(upload.problem);
      if (!upload.parts.empty()) actions << upload_action(upload, csrf, "start", "Try again", "btn btn-act");
      actions << upload_action(upload, csrf, "give-up", "Discard", "btn");
      break;
  }
  Writer out;
  out << Markup("<div class=\"page-head\"><div><h1>") << title << Markup("</h1><p class=\"lead\">") << lead
      << Markup("</p></div><div class=\"row\">") << actions << Markup("</div></div>");
  return out;
}

Writer state_cell(const ImportPart& part) {
  Writer out;
  switch (part.state) {
    case ImportPart::State::kWaits:
      out << Markup("<span class=\"quiet\">Waiting</span>");
      break;
    case ImportPart::State::kRuns:
      out << Markup("<b>Running</b>");
      break;
    case ImportPart::State::kDone:
      if (part.lost > 0) {
        out << Markup("<span class=\"check check-warn\">") << icon(Icon::kWarn) << Markup("Done, ") << Text(part.lost)
            << Markup(" not imported</span>");
      } else {
        out << Markup("<span class=\"check check-yes\">") << icon(Icon::kOk) << Markup("Done, ") << Text(part.added)
            << Markup(" new</span>");
      }
      break;
    case ImportPart::State::kBrokenOff:
      out << Markup("<span class=\"check check-warn\">") << icon(Icon::kWarn) << Markup("Interrupted</span>");
      break;
  }
  return out;
}

Writer plan_table(const Upload& upload) {
  Writer out;
  if (upload.parts.empty() && upload.left_alone == 0) return out;
  const bool begun = step_of(upload.state) >= 2;
  out << Markup("<section class=\"stack\" aria-labelledby=\"plan\"><div class=\"block-head\"><h2 id=\"plan\">")
      << (begun ? Markup("What you chose to import") : Markup("What was found")) << Markup("</h2><span class=\"quiet\">")
      << plural(std::ssize(upload.files), "file", "files") << Markup(", ") << Text(size_text(upload.bytes_here()))
      << Markup(
             "</span></div><div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th "
             "scope=\"col\">Found</th><th scope=\"col\">Source</th><th scope=\"col\" class=\"n\">Size</th><th "
             "scope=\"col\">State</th></tr></thead><tbody>");
  for (std::size_t i = 0; i < std::min(upload.parts.size(), kShownParts); ++i) {
    const ImportPart& part = upload.parts[i];
    out << Markup("<tr><th scope=\"row\"><span dir=\"auto\">") << Text(auth::at_start(part.what))
        << Markup("</span> <span class=\"quiet\"><bdi>");
    const bool is_named = part.what.find(part.file) != std::string::npos;
    if (!is_named) out << Text(part.file);
    out << Markup("</bdi>");
    if (part.files > 1) out << (is_named ? Markup("") : Markup(", ")) << plural(part.files, "file", "files");
    out << Markup("</span></th><td data-name=\"Source\"><span class=\"row nowrap\">") << icon(source_icon(part.format))
        << Markup("<bdi>") << Text(part.goes_to) << Markup("</bdi>")
        << (part.is_new ? Markup(" <span class=\"quiet\">new</span>") : Markup(""))
        << Markup("</span></td><td class=\"n\" data-name=\"Size\">") << Text(size_text(part.bytes))
        << Markup("</td><td data-name=\"State\">") << state_cell(part) << Markup("</td></tr>");
  }
  if (upload.parts.size() > kShownParts) {
    out << Markup("<tr><td colspan=\"4\">And ") << Text(static_cast<std::int64_t>(upload.parts.size() - kShownParts))
        << Markup(" more</td></tr>");
  }
  if (upload.left_alone > 0) {
    out << Markup("<tr><th scope=\"row\">") << plural(upload.left_alone, "file of another kind", "files of other kinds")
        << Markup(" <span class=\"quiet\"><bdi>") << Text(upload.left_alone_kinds)
        << Markup(
               "</bdi></span></th><td data-name=\"Source\">Not imported: unsupported format</td><td "
               "class=\"n\"></td><td "
               "data-name=\"State\"><span class=\"quiet\">Skipped</span></td></tr>");
  }
  out << Markup("</tbody></table></div>");
  for (const LostItem& known : upload.recognized) {
    out << Markup("<p class=\"hint\"><bdi>") << Text(known.file) << Markup("</bdi>: ") << Text(known.reason) << Markup("</p>");
  }
  if (!upload.left_files.empty()) {
    out << Markup("<details class=\"hint\"><summary>Names of skipped files</summary><ul>");
    for (const LostItem& file : upload.left_files) {
      out << Markup("<li><bdi>") << Text(file.file) << Markup("</bdi>");
      if (!file.reason.empty()) out << Markup(" <span class=\"quiet\">") << Text(file.reason) << Markup("</span>");
      out << Markup("</li>");
    }
    out << Markup("</ul>");
    if (upload.left_alone > std::ssize(upload.left_files))
      out << Markup("<p class=\"quiet\">And ") << Text(upload.left_alone - std::ssize(upload.left_files)) << Markup(" more</p>");
    out << Markup("</details>");
  }
  out << Markup("</section>");
  return out;
}

Writer problem_table(const Upload& upload) {
  Writer rows;
  std::size_t shown = 0;
  std::int64_t lost = 0;
  const auto add = [&](const LostItem& item) {
    if (shown == kShownMisses) return;
    ++shown;
    rows << Markup("<tr><th scope=\"row\"><bdi>") << Text(item.file) << Markup("</bdi>");
    if (item.byte >= 0) rows << Markup(" <span class=\"quiet\">byte ") << Text(item.byte) << Markup("</span>");
    rows << Markup("</th><td data-name=\"Why\" dir=\"auto\">") << Text(item.reason) << Markup("</td></tr>");
  };
  for (const LostItem& item : upload.refused) add(item);
  lost += std::ssize(upload.refused);
  for (const ImportPart& part : upload.parts) {
    for (const LostItem& item : part.losses) add(item);
    lost += part.lost;
  }
  const bool begun = step_of(upload.state) >= 2;
  Writer out;
  if (lost == 0 && !begun) return out;
  out << Markup("<section aria-labelledby=\"lost\"><div class=\"block-head\"><h2 id=\"lost\">")
      << (upload.state == UploadState::kRunning || upload.state == UploadState::kPaused ? Markup("Problems so far")
          : !begun                                                                      ? Markup("Can't be imported")
                                                                                        : Markup("Not imported"))
      << Markup("</h2></div>");
  if (lost == 0) {
    out << Markup(
        "<p class=\"card small soft\">None. Anything that can't be imported is listed here with the file and the "
        "reason.</p></section>");
    return out;
  }
  out << Markup(
             "<div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th scope=\"col\">Where</th><th "
             "scope=\"col\">Why</th></tr></thead><tbody>")
      << rows << Markup("</tbody></table></div>");
  if (lost > static_cast<std::int64_t>(shown)) {
    out << Markup("<p class=\"hint\">And ") << Text(lost - static_cast<std::int64_t>(shown)) << Markup(" more.</p>");
  }
  out << Markup("</section>");
  return out;
}

Writer skipped_list(const Upload& upload) {
  Writer rows;
  for (const ImportPart& part : upload.parts) {
    for (const auto& [reason, count] : part.skipped) {
      rows << Markup("<li>") << Text(count) << Markup(" skipped: <span dir=\"auto\">") << Text(reason) << Markup("</span></li>");
    }
  }
  Writer out;
  if (rows.empty()) return out;
  out << Markup(
             "<section aria-labelledby=\"skipped\"><div class=\"block-head\"><h2 id=\"skipped\">Skipped</h2></div><ul "
             "class=\"card stack-2 small\">")
      << rows << Markup("</ul></section>");
  return out;
}

Writer running_card(const Upload& upload) {
  const auto now = std::ranges::find(upload.parts, ImportPart::State::kRuns, &ImportPart::state);
  const Sums sums = sums_of(upload);
  Writer out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"now\"><div class=\"block-head\"><h2 id=\"now\">");
  if (now == upload.parts.end()) {
    out << Markup("Progress");
  } else {
    out << Markup("Now: <span dir=\"auto\">") << Text(now->what) << Markup("</span>");
    if (now->what.find(now->file) == std::string::npos) out << Markup(", “<bdi>") << Text(now->file) << Markup("</bdi>”");
  }
  out << Markup("</h2><span class=\"quiet num\">") << Text(size_text(upload.bytes_done)) << Markup(" of ")
      << Text(size_text(upload.bytes_all)) << Markup("</span></div><progress max=\"100\" aria-label=\"Import\"")
      << Attribute("value", std::to_string(share_of(upload)))
      << Markup("></progress><dl class=\"stats\"><div><dt>Imported</dt><dd>") << Text(upload.records_stored)
      << Markup("</dd></div>");
  // Only known for finished parts.
  if (sums.read > 0) {
    out << Markup("<div><dt>New</dt><dd>") << Text(sums.added) << Markup("</dd></div><div><dt>Changed</dt><dd>")
        << Text(sums.changed) << Markup("</dd></div><div><dt>Already in Ladder</dt><dd>") << Text(sums.unchanged)
        << Markup("</dd></div>");
  }
  out << Markup("<div><dt>Not imported</dt><dd>") << Text(sums.lost) << Markup("</dd></div></dl></section>");
  return out;
}

Writer file_list(const Upload& upload) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"here\"><div class=\"block-head\"><h2 id=\"here\">Uploaded files</h2></div><ul class=\"card "
      "card-flush list\">");
  for (std::size_t i = 0; i < std::min(upload.files.size(), kShownFiles); ++i) {
    const UploadedFile& file = upload.files[i];
    out << Markup("<li><div class=\"what\"><b dir=\"auto\">") << Text(file.name)
        << Markup("</b></div><span class=\"small quiet\">") << Text(size_text(file.bytes)) << Markup(" of ")
        << Text(size_text(file.size)) << Markup("</span></li>");
  }
  if (upload.files.size() > kShownFiles) {
    out << Markup("<li><div class=\"what\"><p>And ") << Text(static_cast<std::int64_t>(upload.files.size() - kShownFiles))
        << Markup(" more</p></div></li>");
  }
  out << Markup("</ul></section>");
  return out;
}

}  // namespace

std::string import_address(std::string_view id) { return "/import?upload=" + Url::encoded(id); }

http::Response upload_page(pages::Frame frame, const Upload& upload, const std::string& csrf, Instant now) {
  frame.title = "Import";
  frame.live = upload.state == UploadState::kLooking || upload.state == UploadState::kRunning;
  Writer main;
  main << Markup("<div class=\"stack-5\" data-state=\"") << state_word(upload.state)
       << (frame.live ? Markup("\" data-live=\"1\">") : Markup("\">"))
       << Markup("<div><p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <span>Import of ")
       << Text(auth::inside(moment_text(upload.begun_at, now))) << Markup("</span></p>") << head(upload, csrf) << Markup("</div>")
       << steps(upload.state);
  if (upload.state == UploadState::kArriving) {
    if (!upload.arrived()) main << drop(csrf, true, upload.id);
    main << file_list(upload);
  }
  if (upload.state == UploadState::kRunning || upload.state == UploadState::kPaused) main << running_card(upload);
  main << plan_table(upload) << problem_table(upload) << skipped_list(upload) << Markup("</div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
