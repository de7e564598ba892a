// The Sources page: records, time range, last import, and problems of each connection.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/drop.h"
#include "console/sources/holdings.h"
#include "console/sources/syncs.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::size_t kShownLosses = 200;

std::string day(Instant at, Instant now) {
  if (floor_div(at, kDay) == floor_div(now, kDay)) return "today";
  return auth::day_text(at);
}

std::string period(const Holding& holding, Instant now) {
  if (!holding.first || !holding.last) return {};
  const std::string first = day(*holding.first, now), last = day(*holding.last, now);
  return first == last ? first : format("{} to {}", first, last);
}

// "77 messages, 2 attachments", for sources with several streams.
std::string streams_text(const Holding& holding) {
  std::string text;
  for (const auto& stream : holding.connection.streams) {
    if (stream.records > 0 && !holding.only_links(stream.stream))
      text += format("{}{} {}", text.empty() ? "" : ", ", grouped(stream.records), stream.stream);
  }
  return text;
}

Writer losses_cell(const Holding& holding) {
  Writer out;
  if (holding.imports.empty()) {
    out << Markup("<span class=\"quiet\">not from files</span>");
  } else if (holding.broken_off()) {
    out << Markup("<a href=\"#lost\" class=\"check check-warn\">") << icon(Icon::kWarn) << Markup("interrupted</a>");
  } else if (holding.lost() > 0) {
    out << Markup("<a href=\"#lost\" class=\"check check-warn\">") << icon(Icon::kWarn) << plural(holding.lost(), "item", "items")
        << Markup("</a>");
  } else {
    out << Markup("<span class=\"check check-yes\">") << icon(Icon::kOk) << Markup("none</span>");
  }
  return out;
}

Writer row(const Holding& holding, const std::string& csrf, Instant now, bool in_group) {
  const std::string& id = holding.connection.connection_id;
  Writer out;
  out << Markup("<tr") << Attribute("id", "c-" + id) << (in_group ? Markup(" class=\"member\">") : Markup(">"))
      << Markup("<th scope=\"row\"><span class=\"row nowrap\">") << icon(source_icon(holding.connection.source_key))
      << Markup("<bdi>") << Text(holding.name) << Markup("</bdi></span>");
  if (!holding.detail.empty())
    out << Markup("<span class=\"quiet small\" dir=\"auto\">") << Text(holding.detail) << Markup("</span><br>");
  out << Markup("<span class=\"quiet small\">") << Text(streams_text(holding))
      << Markup("</span></th><td class=\"n\" data-name=\"Records\">") << Text(holding.records)
      << Markup("</td><td data-name=\"Time range\">") << Text(period(holding, now))
      << Markup("</td><td data-name=\"Last import\">");
  if (holding.last_import() > 0) out << Text(moment_text(holding.last_import(), now));
  else out << Markup("<span class=\"quiet\">none</span>");
  out << Markup("</td><td data-name=\"Not imported\">") << losses_cell(holding)
      << Markup("</td><td class=\"end\"><div class=\"row nowrap\">");
  if (holding.connection.status == server::kErasing) {
    out << Markup("<a class=\"btn btn-s btn-bare\"") << Attribute("href", Url::path("/sources/erase?connection=", id))
        << Markup(">Being erased…<span class=\"unseen\"> ") << Text(holding.name) << Markup("</span></a>");
  } else {
    out << Markup("<a class=\"btn btn-s\"") << Attribute("href", Url::path("/sources/manage?connection=", id))
        << Markup(">Manage<span class=\"unseen\"> ") << Text(holding.name)
        << Markup("</span></a><form action=\"/sources/export\" method=\"post\">") << pages::hidden("csrf", csrf)
        << pages::hidden("connection", id) << Markup("<button class=\"btn btn-s btn-bare\">Export<span class=\"unseen\"> ")
        << Text(holding.name) << Markup("</span></button></form><a class=\"btn btn-s btn-bare\"")
        << Attribute("href", Url::path("/sources/erase?connection=", id)) << Markup(">Erase…<span class=\"unseen\"> ")
        << Text(holding.name) << Markup("</span></a>");
  }
  out << Markup("</div></td></tr>");
  return out;
}

// A folded table for each source.
Writer lost_table(const std::vector<Holding>& all) {
  Writer tables;
  std::size_t shown = 0;
  std::int64_t lost = 0;
  for (const Holding& holding : all) {
    Writer rows;
    for (const server::ImportAccount& account : holding.imports) {
      lost += account.lost;
      if (!account.complete && account.losses.empty() && shown < kShownLosses) {
        ++shown;
        ++lost;
        rows << Markup("<tr><th scope=\"row\"><bdi>") << Text(holding.name) << Markup("</bdi>, “<bdi>") << Text(account.file)
             << Markup("</bdi>”</th><td data-name=\"Why\">")
             << Text(account.broken_off.empty()
                         ? std::string("The import was interrupted. Import the same files again to continue.")
                         : account.broken_off)
             << Markup("</td></tr>");
      }
      for (const server::ImportLoss& loss : account.losses) {
        if (shown == kShownLosses) break;
        ++shown;
        rows << Markup("<tr><th scope=\"row\"><bdi>") << Text(holding.name) << Markup("</bdi>, “<bdi>") << Text(loss.file)
             << Markup("</bdi>”");
        if (loss.byte >= 0) rows << Markup(" <span class=\"quiet\">byte ") << Text(loss.byte) << Markup("</span>");
        rows << Markup("</th><td data-name=\"Why\" dir=\"auto\">") << Text(loss.reason) << Markup("</td></tr>");
      }
    }
    if (rows.empty()) continue;
    tables << Markup("<details class=\"card\"><summary><bdi>") << Text(holding.name) << Markup("</bdi>: ");
    if (holding.lost() > 0) tables << plural(holding.lost(), "item", "items");
    else tables << Markup("an import was interrupted");
    tables << Markup(
                  "</summary><table class=\"table table-cards\"><thead><tr><th scope=\"col\">Where</th><th "
                  "scope=\"col\">Why</th></tr></thead><tbody>")
           << rows << Markup("</tbody></table></details>");
  }
  Writer out;
  if (shown == 0) return out;
  out << Markup(
             "<section aria-labelledby=\"lost\"><div class=\"block-head\"><h2 id=\"lost\">Not imported</h2></div><div "
             "class=\"stack-2\">")
      << tables << Markup("</div><p class=\"hint\">");
  if (lost > static_cast<std::int64_t>(shown)) {
    out << Markup("And ") << Text(lost - static_cast<std::int64_t>(shown))
        << Markup(" more. To list them, run <code>ladder connection show ID --json</code>. ");
  }
  out << Markup("Fix or re-export a file and drop it here. Duplicates are skipped.</p></section>");
  return out;
}

Writer source_table(const Writer& rows) {
  Writer out;
  out << Markup(
             "<div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th scope=\"col\">Source</th><th "
             "scope=\"col\" class=\"n\">Records</th><th scope=\"col\">Time range</th><th scope=\"col\">Last import</th><th "
             "scope=\"col\">Not imported</th><th scope=\"col\"><span class=\"unseen\">Actions</span></th></tr></thead><tbody>")
      << rows << Markup("</tbody></table></div>");
  return out;
}

// The row above the sources that are shown as one.
Writer group_row(const Holding& group, std::size_t members, Instant now) {
  Writer out;
  out << Markup("<tr class=\"group\"><th scope=\"row\"><span class=\"row nowrap\">")
      << icon(source_icon(group.connection.source_key)) << Markup("<bdi>") << Text(group.name)
      << Markup("</bdi></span><span class=\"quiet small\">")
      << plural(static_cast<std::int64_t>(members), "source", "sources shown as one")
      << Markup("</span></th><td class=\"n\" data-name=\"Records\">") << Text(group.records)
      << Markup("</td><td data-name=\"Time range\">") << Text(period(group, now))
      << Markup("</td><td></td><td></td><td></td></tr>");
  return out;
}

// The shown sources, those of a group together, and the hidden ones in a fold.
Writer source_tables(const std::vector<Holding>& all, const Arrangement& arrangement, const std::string& csrf, Instant now) {
  Writer rows, hidden;
  std::int64_t hidden_sources = 0;
  for (const Holding& shown : arranged(all, arrangement)) {
    const std::string group = arrangement.group_of(shown.connection.connection_id);
    if (group.empty()) {
      rows << row(shown, csrf, now, false);
      continue;
    }
    std::vector<const Holding*> members;
    for (const Holding& one : all) {
      const std::string& id = one.connection.connection_id;
      if (arrangement.group_of(id) == group && !arrangement.is_hidden(id)) members.push_back(&one);
    }
    rows << group_row(shown, members.size(), now);
    for (const Holding* one : members) rows << row(*one, csrf, now, true);
  }
  for (const Holding& one : all) {
    if (!arrangement.is_hidden(one.connection.connection_id)) continue;
    ++hidden_sources;
    hidden << row(one, csrf, now, false);
  }
  Writer out;
  if (!rows.empty()) out << source_table(rows);
  if (hidden_sources > 0) {
    out << Markup("<details class=\"more\" id=\"hidden\"><summary>Hidden (") << Text(hidden_sources) << Markup(")</summary>")
        << source_table(hidden) << Markup("</details>");
  }
  return out;
}

Writer lead(const std::vector<Holding>& all) {
  std::int64_t records = 0, lost = 0;
  bool broken = false;
  for (const Holding& holding : all) {
    records += holding.records;
    lost += holding.lost();
    broken = broken || holding.broken_off();
  }
  Writer out;
  out << Markup("<p class=\"lead\"><b>") << plural(records, "record", "records") << Markup("</b> from ")
      << plural(std::ssize(all), "source", "sources") << Markup(". ");
  if (all.empty()) out << Markup("Drop a file below to import your data.");
  else if (broken) out << Markup("An import was interrupted; <a href=\"#lost\">see below</a>.");
  else if (lost == 0) out << Markup("Everything was imported.");
  else out << Markup("Everything was imported except <b>") << plural(lost, "item", "items") << Markup("</b>, listed below.");
  out << Markup("</p>");
  return out;
}

}  // namespace

Result<http::Response> Console::sources(Visit& visit) {
  if (visit.is_post) return pages::redirect_to("/sources");
  const Instant now = authorization_.now();
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(auto all, holdings(server.sources(), server.reads(), server.imports(), *visit.owner, Depth::kPeriod));
  const auto uploads = importer_ ? importer_->uploads(*visit.owner) : std::vector<Upload>();
  for (const Upload& upload : uploads) {
    if (is_under_way(upload)) exclude_running_imports(all, upload.begun_at);
  }
  pages::Frame frame = visit.frame;
  frame.title = "Sources";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Sources</h1>") << lead(all) << Markup("</div></div>")
       << drop(visit.csrf(), importer_ != nullptr);
  for (const Upload& upload : uploads) main << upload_notice(upload, now);
  if (about_.syncs != nullptr) {
    LADDER_TRY(const auto syncs, about_.syncs->list(*visit.owner));
    main << syncs_section(syncs, visit.csrf(), about_.syncs->may_add(*visit.owner), now);
  }
  LADDER_TRY(const Arrangement arrangement, Arrangement::of(server, *visit.owner));
  if (!all.empty()) {
    main << Markup(
                "<section aria-labelledby=\"all\"><div class=\"block-head\"><h2 id=\"all\">Your data</h2><span "
                "class=\"quiet\">Newest import first</span></div>")
         << source_tables(all, arrangement, visit.csrf(), now) << Markup("</section>");
  }
  main << lost_table(all);
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
