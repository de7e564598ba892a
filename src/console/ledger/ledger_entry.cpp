// The page of one ledger entry: the client, the tool, the grants, and every record that the response contained.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/ledger/ledger_text.h"
#include "console/parts.h"

#include <algorithm>
#include <charconv>

namespace ladder::console {
namespace {

constexpr std::size_t kListed = 50;  // records per page

Result<std::optional<server::LedgerEntry>> entry_at(server::ResourceServer& server, const server::Access& owner,
                                                    const std::string& place) {
  server::LedgerQuery query;
  query.cursor = place;
  query.limit = 1;
  LADDER_TRY(auto page, server.ledger().page(owner, query));
  // If the day has expired, the cursor points to an older entry.
  if (page.entries.empty() || page.entries.front().cursor != place) return std::nullopt;
  return std::move(page.entries.front());
}

std::size_t from_of(const pages::Form& form) {
  const std::string text = form.one("from");
  std::size_t from = 0;
  std::from_chars(text.data(), text.data() + text.size(), from);
  return from;
}

Writer facts(const server::LedgerEntry& entry, ClientFaces& faces) {
  Writer out;
  const std::int64_t bytes = entry.shown.total(server::Unit::kBytes);
  out << Markup("<dl class=\"facts\"><dt>App</dt><dd>") << client_link(faces.at(entry.client_id))
      << Markup("</dd><dt>Read</dt><dd class=\"num\">") << plural(entry.chars(), "character", "characters");
  if (bytes > 0) out << Markup(", ") << plural(bytes, "byte", "bytes");
  out << Markup("</dd><dt>How</dt><dd>") << Text(kind_text(entry.shown.kind)) << Markup(", ") << Text(tool_text(entry))
      << Markup("</dd>");
  if (!entry.shown.query.empty()) {
    out << Markup("<dt>Searched for</dt><dd dir=\"auto\">") << Text(entry.shown.query) << Markup("</dd>");
  }
  if (!entry.request_id.empty())
    out << Markup("<dt>Request</dt><dd class=\"addr\"><code>") << Text(entry.request_id) << Markup("</code></dd>");
  for (const server::GrantShare& share : entry.grants) {
    out << Markup("<dt>Access ID</dt><dd class=\"addr\"><code>") << Text(share.grant_id) << Markup("</code></dd>");
  }
  out << Markup("</dl>");
  return out;
}

Writer steps(const server::LedgerEntry& entry, std::size_t from, std::size_t all) {
  Writer out;
  if (all <= kListed) return out;
  const auto step = [&](std::size_t to, bool there, Markup label) {
    if (there)
      out << Markup("<a class=\"btn btn-s\"") << Attribute("href", entry_page(entry).with("from", std::to_string(to)))
          << Markup(">") << label << Markup("</a>");
  };
  out << Markup("<div class=\"row small\"><span class=\"quiet num\">") << Text(static_cast<std::int64_t>(from + 1))
      << Markup(" to ") << Text(static_cast<std::int64_t>(std::min(from + kListed, all))) << Markup(" of ")
      << Text(static_cast<std::int64_t>(all)) << Markup("</span><span class=\"row-end row\">");
  step(from > kListed ? from - kListed : 0, from > 0, Markup("Previous"));
  step(from + kListed, from + kListed < all, Markup("Next"));
  out << Markup("</span></div>");
  return out;
}

}  // namespace

Result<http::Response> Console::ledger_entry(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const std::string place = visit.form.one("at");
  pages::Frame frame = visit.frame;
  auto found = place.empty() ? Result<std::optional<server::LedgerEntry>>(std::nullopt) : entry_at(server, *visit.owner, place);
  if (!found && found.error().http_status() >= 500) return std::unexpected(found.error());
  if (!found || !*found) {
    frame.title = "Not found";
    return pages::message_page(404, frame, "This response isn't in Activity",
                               "Details are kept for the time in your settings. The link may be older or incomplete.");
  }
  const server::LedgerEntry& entry = **found;
  LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(auto names, RecordNames::of(server, *visit.owner));
  LADDER_TRY(const Writer words, entry_summary(entry, names));
  std::vector<server::ShownRecord> records;
  for (const server::ShownRecord& shown : entry.shown.records) {
    if (!shown.record.record_id.empty()) records.push_back(shown);
  }
  const std::size_t from = std::min(from_of(visit.form), records.empty() ? 0 : (records.size() - 1) / kListed * kListed);
  LADDER_TRY(const Writer items, record_items(std::span(records).subspan(from, std::min(kListed, records.size() - from)), names));

  frame.title = "A response";
  Writer main;
  main << Markup("<div><p class=\"crumb\"><a href=\"/ledger\">Activity</a> <span>/</span> <span>")
       << Text(moment_text(entry.at, authorization_.now()))
       << Markup("</span></p><div class=\"page-head\"><div><h1>A response</h1><p class=\"lead\" dir=\"auto\">") << words
       << Markup(
              "</p></div></div></div><div class=\"cols cols-main\"><section class=\"card stack\" aria-labelledby=\"shown\"><h2 "
              "id=\"shown\">")
       << plural(static_cast<std::int64_t>(records.size()), "record", "records") << Markup("</h2>");
  if (records.empty()) main << Markup("<p class=\"soft\">It contained no single record.</p>");
  else main << Markup("<ul class=\"shown\">") << items << Markup("</ul>") << steps(entry, from, records.size());
  main << Markup("</section><aside class=\"stack-5\" aria-label=\"Details\"><section class=\"card stack\"><h2>Details</h2>")
       << facts(entry, faces) << Markup("<p class=\"hint\">") << Text(clock_text(entry.at))
       << Markup(" local time. Recorded before it was sent.</p></section></aside></div>");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
