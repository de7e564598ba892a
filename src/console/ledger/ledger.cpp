// The Activity page: how much each client read and when, every response as text, and the export.
#include "auth/text_formatting.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/ledger/ledger_chart.h"
#include "console/ledger/ledger_text.h"
#include "console/parts.h"
#include "pages/ledger_download.h"
#include "server/ledger/entry_text.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kEntries = 50;      // entries per page
constexpr std::int64_t kMaxRead = 10'000;  // entries that one search page scans
constexpr std::int64_t kSearched = 200;    // entries per scan step; each step reads record titles
constexpr std::size_t kMaxTitles = 600;    // titles read for one search page
constexpr std::size_t kMaxQuery = 200;

// The filters of the page, as the URL stores them.
struct LedgerFilters {
  std::string day, client, source, record, words, cursor;

  static LedgerFilters of(const pages::Form& form) {
    LedgerFilters filters{form.one("day"),    form.one("client"), form.one("source"),
                          form.one("record"), form.one("q"),      form.one("cursor")};
    if (filters.words.size() > kMaxQuery) filters.words.resize(kMaxQuery);
    filters.words = std::string(http::trimmed(filters.words));
    return filters;
  }

  bool is_narrowed() const { return !client.empty() || !source.empty() || !record.empty() || !words.empty(); }

  // The filters as hidden form fields.
  Writer fields() const {
    Writer out;
    for (const auto& [name, value] : {std::pair<std::string_view, const std::string&>{"day", day},
                                      {"client", client},
                                      {"source", source},
                                      {"record", record},
                                      {"q", words}}) {
      if (!value.empty()) out << pages::hidden(name, value);
    }
    return out;
  }
};

Result<server::LedgerQuery> query_of(const LedgerFilters& filters) {
  server::LedgerQuery query;
  query.client_id = filters.client;
  if (!filters.record.empty()) {
    LADDER_TRY(query.record, model::parse_record_id(filters.record));
  } else {
    query.record.connection_id = filters.source;
  }
  if (!filters.day.empty()) {
    const auto day = filters.day.size() == std::string_view("2026-04-01").size() ? parse_time(filters.day) : std::nullopt;
    if (!day) return fail(Code::kInvalidRequest, "day must have the form 2026-04-01", "day");
    query.since = day;
    query.until = *day + kDay;
  }
  query.limit = kEntries;
  query.cursor = filters.cursor;
  return query;
}

Writer export_buttons(const LedgerFilters& filters) {
  Writer out;
  out << Markup("<form class=\"row\" action=\"/ledger/export\" method=\"get\">") << filters.fields()
      << Markup(
             "<button class=\"btn btn-s\" name=\"format\" value=\"csv\">Export CSV</button><button class=\"btn btn-s\" "
             "name=\"format\" value=\"ndjson\">Export NDJSON</button></form>");
  return out;
}

void write_option(Writer& out, std::string_view value, std::string_view label, std::string_view chosen) {
  out << Markup("<option") << Attribute("value", value) << (value == chosen ? Markup(" selected>") : Markup(">")) << Text(label)
      << Markup("</option>");
}

Writer filter_form(const LedgerFilters& filters, const ClientFaces& faces, const RecordNames& names) {
  Writer out;
  out << Markup("<form class=\"filter-row\" action=\"/ledger\" method=\"get\"><div class=\"field\"><label for=\"lc\">App</label>")
      << Markup("<select class=\"input input-s\" id=\"lc\" name=\"client\">");
  write_option(out, "", "All apps", filters.client);
  for (const ClientFace& face : faces.all()) {
    const std::string label = face.name.empty() ? face.address : format("{} ({})", face.name, face.address);
    write_option(out, face.client_id, label, filters.client);
  }
  out << Markup(
      "</select></div><div class=\"field\"><label for=\"ls\">Source</label><select class=\"input input-s\" id=\"ls\" "
      "name=\"source\">");
  write_option(out, "", "All sources", filters.source);
  for (const RecordNames::Source& source : names.sources()) write_option(out, source.connection_id, source.name, filters.source);
  out << Markup(
             "</select></div><div class=\"field\"><label for=\"ld\">Day</label><input class=\"input input-s\" type=\"date\" "
             "id=\"ld\" name=\"day\"")
      << Attribute("value", filters.day)
      << Markup(
             "></div><div class=\"field grow\"><label for=\"lq\">Title, app or tool</label><input class=\"input input-s\" "
             "id=\"lq\" name=\"q\" maxlength=\"200\" dir=\"auto\"")
      << Attribute("value", filters.words) << Markup("></div>");
  if (!filters.record.empty()) out << pages::hidden("record", filters.record);
  out << Markup("<button class=\"btn btn-s\">Show</button></form>");
  return out;
}

// The totals of a day, if no filter is set.
Writer day_sum(const std::vector<server::LedgerUse>& uses, std::int64_t day) {
  std::int64_t chars = 0, bytes = 0, answers = 0;
  for (const server::LedgerUse& use : uses) {
    if (use.day != day) continue;
    chars += use.chars;
    bytes += use.bytes;
    answers += use.answers;
  }
  Writer out;
  if (answers == 0) return out;
  out << Markup("<span class=\"quiet\">") << plural(chars, "character", "characters");
  if (bytes > 0) out << Markup(" and ") << plural(bytes, "byte", "bytes");
  out << Markup(" in ") << plural(answers, "response", "responses") << Markup("</span>");
  return out;
}

std::string day_heading(std::int64_t day, std::int64_t today) {
  std::string text = auth::day_text(day * kDay);
  if (civil_date(day).year == civil_date(today).year) text.resize(text.rfind(' '));
  return day == today ? "Today, " + text : text;
}

Writer amount(const server::LedgerEntry& entry) {
  const std::int64_t bytes = entry.shown.total(server::Unit::kBytes);
  Writer out;
  out << Text(entry.chars());
  if (bytes > 0) out << Markup("<br><span class=\"quiet\">") << plural(bytes, "byte", "bytes") << Markup("</span>");
  return out;
}

Result<Writer> entry_row(const server::LedgerEntry& entry, ClientFaces& faces, RecordNames& names) {
  LADDER_TRY(const Writer what, disclosure_text(entry, names));
  Writer out;
  out << Markup("<tr><td class=\"mono nowrap\" data-name=\"Time\">") << Text(clock_text(entry.at))
      << Markup("</td><td data-name=\"App\">") << client_link(faces.at(entry.client_id))
      << Markup("</td><th scope=\"row\" class=\"went\" dir=\"auto\">") << what
      << Markup("</th><td class=\"n\" data-name=\"Characters\">") << amount(entry)
      << Markup("</td><td data-name=\"How\"><div class=\"how\">") << Text(kind_text(entry.shown.kind))
      << Markup("<br><span class=\"quiet\">") << Text(tool_text(entry)) << Markup("</span></div></td></tr>");
  return out;
}

Writer table_head() {
  Writer out;
  out << Markup(
      "<div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th scope=\"col\">Time</th><th "
      "scope=\"col\">App</th><th scope=\"col\">What was read</th><th scope=\"col\" class=\"n\">Characters</th><th "
      "scope=\"col\">How</th></tr></thead><tbody>");
  return out;
}

// One table per day.
Result<Writer> entry_tables(const std::vector<server::LedgerEntry>& entries, const std::vector<server::LedgerUse>& uses,
                            const LedgerFilters& filters, std::int64_t today, ClientFaces& faces, RecordNames& names) {
  Writer out;
  std::optional<std::int64_t> open;
  for (const server::LedgerEntry& entry : entries) {
    const std::int64_t day = floor_div(entry.at, kDay);
    if (open != day) {
      if (open) out << Markup("</tbody></table></div>");
      open = day;
      out << Markup("<div class=\"block-head\"><h2>") << Text(day_heading(day, today)) << Markup("</h2>")
          << (filters.is_narrowed() ? Writer() : day_sum(uses, day)) << Markup("</div>") << table_head();
    }
    LADDER_TRY(const Writer row, entry_row(entry, faces, names));
    out << row;
  }
  if (open) out << Markup("</tbody></table></div>");
  return out;
}

Writer nothing_yet(const std::string& address) {
  Writer out;
  out << Markup(
             "<section class=\"card empty\"><span class=\"art\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M6 "
             "3h12v18H6z\"/><path class=\"lit\" d=\"M9 8h6M9 12h6M9 16h3\"/></svg></span><h2>Nothing has been read yet</h2><p>"
             "Before an app gets a response, Ladder records here exactly which text it contains. The text itself is never stored "
             "here.</p><div class=\"copy copy-mid\"><code id=\"mcp\">")
      << Text(address) << Markup("</code></div><p><a class=\"btn btn-act\" href=\"/clients\">Connect an app</a></p></section>");
  return out;
}

// The footer: retention, erased records, and the digest of the chain.
Writer state_notice(const server::LedgerState& state, ClientFaces& faces) {
  Writer out;
  out << Markup("<div class=\"notice notice-info\">") << icon(Icon::kInfo) << Markup("<div><p>Details are kept for ")
      << plural(state.settings.detail_days, "day", "days") << Markup(", what an app has seen ");
  if (state.settings.seen_days == 0) out << Markup("until you erase the record");
  else out << plural(state.settings.seen_days, "day", "days") << Markup(" after its last read");
  out << Markup(". <a href=\"/settings#keep\">Change that</a>.</p>");
  for (const server::ErasedCount& count : state.erased) {
    out << Markup("<p>You erased ") << plural(count.records, "record", "records") << Markup(" that ")
        << client_link(faces.at(count.client_id)) << Markup(" had read in part. The details were erased with them.</p>");
  }
  if (!state.days.empty()) {
    out << Markup(
               "<details><summary>Tamper protection</summary><p>Each day is chained to the day before. Save this digest "
               "elsewhere, and <code>ladder doctor</code> can later verify that nothing before it was changed: <code>")
        << Text(crypto::digest_text(state.days.back().head)) << Markup("</code></p></details>");
  }
  out << Markup("</div></div>");
  return out;
}

// Times are local. Days are UTC days, which sums, budgets and the digest chain use.
Writer zone_hint(Instant now) {
  Writer out;
  const Instant midnight = floor_div(now, kDay) * kDay;
  const std::string local = clock_text(midnight).substr(0, 5);
  if (local == "00:00") return out;
  out << Markup("<p class=\"hint\">Days start at midnight UTC, which is ") << Text(local) << Markup(" local time.</p>");
  return out;
}

// Returns a filter for the search words, or none if there are no words.
pages::LedgerFilter filter_of(const LedgerFilters& filters, ClientFaces& faces, RecordNames& names) {
  if (filters.words.empty()) return {};
  return [words = fold(filters.words), &faces, &names](const server::LedgerEntry& entry) -> Result<bool> {
    const ClientFace& face = faces.at(entry.client_id);
    return mentions(entry, words, face.name + "\n" + face.address, names);
  };
}

struct Found {
  std::vector<server::LedgerEntry> entries;
  std::string next_cursor;
  std::optional<Instant> searched_to = {};  // the oldest entry that the search scanned
};

// Returns a page of matching entries. Stops early with a cursor if the search reads too many titles.
Result<Found> find(server::ResourceServer& server, const server::Access& owner, server::LedgerQuery query,
                   const pages::LedgerFilter& filter, const RecordNames& names) {
  if (!filter) {
    LADDER_TRY(auto page, server.ledger().page(owner, query));
    return Found{std::move(page.entries), std::move(page.next_cursor)};
  }
  Found found;
  query.limit = kSearched;
  for (std::int64_t looked = 0; looked < kMaxRead && std::ssize(found.entries) < kEntries; looked += kSearched) {
    LADDER_TRY(auto step, server.ledger().page(owner, query));
    for (server::LedgerEntry& entry : step.entries) {
      found.searched_to = entry.at;
      LADDER_TRY(const bool belongs, filter(entry));
      if (belongs) found.entries.push_back(std::move(entry));
    }
    found.next_cursor = query.cursor = step.next_cursor;
    if (step.next_cursor.empty() || names.reads() > kMaxTitles) break;
  }
  return found;
}

}  // namespace

Result<http::Response> Console::ledger(Visit& visit) {
  const LedgerFilters filters = LedgerFilters::of(visit.form);
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(const auto query, query_of(filters));
  LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(auto names, RecordNames::of(server, *visit.owner));
  const Instant now = authorization_.now();
  const std::int64_t today = floor_div(now, kDay);
  LADDER_TRY(const auto page, find(server, *visit.owner, query, filter_of(filters, faces, names), names));
  const std::int64_t first_day =
      std::min(today - LedgerChart::kDays + 1, page.entries.empty() ? today : floor_div(page.entries.back().at, kDay));
  LADDER_TRY(const auto uses, server.ledger().uses(*visit.owner, first_day, today));
  LADDER_TRY(const auto state, server.ledger().state(*visit.owner));
  auto charted = uses;
  if (!filters.client.empty())
    std::erase_if(charted, [&](const server::LedgerUse& use) { return use.client_id != filters.client; });
  const LedgerChart chart(charted, faces, today);

  pages::Frame frame = visit.frame;
  frame.title = "Activity";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Activity</h1><p class=\"lead\">");
  if (state.days.empty() && page.entries.empty() && !filters.is_narrowed() && filters.day.empty()) {
    main << Markup("No app has read anything.</p></div></div>") << nothing_yet(visit.server_url.mcp());
    return pages::page(200, frame, main);
  }
  if (chart.answers() == 0) {
    main << Markup("No app has read anything in the last 30 days.");
  } else {
    main << Markup("In the last 30 days <b>") << plural(chart.chars(), "character", "characters") << Markup("</b> were read by ")
         << plural(chart.clients(), "app", "apps") << Markup(".");
  }
  main << Markup(" Every text range is recorded here before it is sent.</p></div>") << export_buttons(filters)
       << Markup("</div>");
  if (chart.chars() > 0) {
    main << Markup(
                "<section class=\"card stack\" aria-labelledby=\"byday\"><div class=\"block-head\"><h2 id=\"byday\">Characters ")
         << Markup("by day</h2>") << chart.legend() << Markup("</div>") << chart.charts() << chart.table() << zone_hint(now)
         << Markup("</section>");
  }
  main << Markup("<section class=\"stack\" aria-label=\"Responses\">") << filter_form(filters, faces, names);
  if (!filters.record.empty()) {
    LADDER_TRY(const auto name, names.at(query.record));
    main << Markup("<p class=\"row small\"><span>Only reads of <b dir=\"auto\">") << Text(name.text) << Markup("</b></span><a")
         << Attribute("href", seen_page(query.record))
         << Markup(">Who has seen it</a><a href=\"/ledger\">Show everything</a></p>");
  }
  if (page.entries.empty()) {
    main << Markup("<p class=\"card\">")
         << (page.next_cursor.empty() ? Markup("No matching reads. ") : Markup("No matching reads so far. "))
         << Markup("<a href=\"/ledger\">Show everything</a></p>");
  }
  LADDER_TRY(const Writer tables, entry_tables(page.entries, uses, filters, today, faces, names));
  main << tables;
  if (!page.next_cursor.empty()) {
    main << Markup("<form class=\"row small quiet more\" action=\"/ledger\" method=\"get\">") << filters.fields()
         << pages::hidden("cursor", page.next_cursor);
    if (page.searched_to)
      main << Markup("<span>Searched back to ") << Text(moment_text(*page.searched_to, now)) << Markup("</span>");
    main << Markup("<button class=\"btn btn-s\">") << (page.searched_to ? Markup("Search further back") : Markup("Next 50"))
         << Markup("</button></form>");
  }
  main << Markup("</section>") << state_notice(state, faces);
  return pages::page(200, frame, main);
}

Result<http::Response> Console::ledger_export(Visit& visit) {
  const LedgerFilters filters = LedgerFilters::of(visit.form);
  const std::string form = visit.form.one("format");
  if (form != "csv" && form != "ndjson") return fail(Code::kInvalidRequest, "format must be csv or ndjson", "format");
  LADDER_TRY(const auto query, query_of(filters));
  server::ResourceServer& server = authorization_.server();
  pages::LedgerFilter filter;
  if (!filters.words.empty()) {
    // The download outlives the visit, so it owns its data.
    struct Kept {
      server::Access owner;
      ClientFaces faces;
      std::optional<RecordNames> names;
      pages::LedgerFilter filter;
    };
    LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
    auto kept = std::make_shared<Kept>(Kept{*visit.owner, std::move(faces), {}, {}});
    LADDER_TRY(kept->names, RecordNames::of(server, kept->owner));
    kept->filter = filter_of(filters, kept->faces, *kept->names);
    filter = [kept](const server::LedgerEntry& entry) { return kept->filter(entry); };
  }
  return pages::ledger_download(server.ledger(), *visit.owner, query,
                                form == "csv" ? pages::LedgerFormat::kCsv : pages::LedgerFormat::kNdjson, std::move(filter));
}

}  // namespace ladder::console
