// How much went out, to whom and when; every answer in words; and the same to take away.
#include "auth/wording.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/ledger/ledger_chart.h"
#include "console/ledger/ledger_stream.h"
#include "console/ledger/ledger_words.h"
#include "console/parts.h"
#include "server/ledger/entry_text.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kEntries = 50;      // of a page
constexpr std::int64_t kMaxRead = 10'000;  // entries that a search looks through for one page
constexpr std::int64_t kSearched = 200;    // of one step of it, which reads the titles of their records
constexpr std::size_t kMaxTitles = 600;    // read for one page of a search
constexpr std::size_t kMaxQuery = 200;

// The owner's question to the ledger, as the page's address holds it.
struct Asked {
  std::string day, client, source, record, words, cursor;

  static Asked of(const pages::Form& form) {
    Asked asked{form.one("day"), form.one("client"), form.one("source"), form.one("record"), form.one("q"), form.one("cursor")};
    if (asked.words.size() > kMaxQuery) asked.words.resize(kMaxQuery);
    asked.words = std::string(http::trimmed(asked.words));
    return asked;
  }

  bool is_narrowed() const { return !client.empty() || !source.empty() || !record.empty() || !words.empty(); }

  // The filters as fields of a form that goes on with them.
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

Result<server::LedgerQuery> query_of(const Asked& asked) {
  server::LedgerQuery query;
  query.client_id = asked.client;
  if (!asked.record.empty()) {
    LADDER_TRY(query.record, model::parse_record_id(asked.record));
  } else {
    query.record.connection_id = asked.source;
  }
  if (!asked.day.empty()) {
    const auto day = asked.day.size() == std::string_view("2026-04-01").size() ? parse_time(asked.day) : std::nullopt;
    if (!day) return fail(Code::kInvalidRequest, "a day is written as 2026-04-01", "day");
    query.since = day;
    query.until = *day + kDay;
  }
  query.limit = kEntries;
  query.cursor = asked.cursor;
  return query;
}

Writer export_buttons(const Asked& asked) {
  Writer out;
  out << Markup("<form class=\"row\" action=\"/ledger/export\" method=\"get\">") << asked.fields()
      << Markup(
             "<button class=\"btn btn-s\" name=\"format\" value=\"csv\">Export CSV</button><button class=\"btn btn-s\" "
             "name=\"format\" value=\"ndjson\">Export NDJSON</button></form>");
  return out;
}

void write_option(Writer& out, std::string_view value, std::string_view label, std::string_view chosen) {
  out << Markup("<option") << Attribute("value", value) << (value == chosen ? Markup(" selected>") : Markup(">")) << Text(label)
      << Markup("</option>");
}

Writer filter_form(const Asked& asked, const ClientFaces& faces, const RecordNames& names) {
  Writer out;
  out << Markup(
             "<form class=\"filter-row\" action=\"/ledger\" method=\"get\"><div class=\"field\"><label for=\"lc\">Client</label>")
      << Markup("<select class=\"input input-s\" id=\"lc\" name=\"client\">");
  write_option(out, "", "All clients", asked.client);
  for (const ClientFace& face : faces.all()) {
    const std::string label = face.name.empty() ? face.address : format("{} ({})", face.name, face.address);
    write_option(out, face.client_id, label, asked.client);
  }
  out << Markup(
      "</select></div><div class=\"field\"><label for=\"ls\">Source</label><select class=\"input input-s\" id=\"ls\" "
      "name=\"source\">");
  write_option(out, "", "All sources", asked.source);
  for (const RecordNames::Source& source : names.sources()) write_option(out, source.connection_id, source.name, asked.source);
  out << Markup(
             "</select></div><div class=\"field\"><label for=\"ld\">Day</label><input class=\"input input-s\" type=\"date\" "
             "id=\"ld\" name=\"day\"")
      << Attribute("value", asked.day)
      << Markup(
             "></div><div class=\"field grow\"><label for=\"lq\">Title, client or tool</label><input class=\"input input-s\" "
             "id=\"lq\" name=\"q\" maxlength=\"200\" dir=\"auto\"")
      << Attribute("value", asked.words) << Markup("></div>");
  if (!asked.record.empty()) out << pages::hidden("record", asked.record);
  out << Markup("<button class=\"btn btn-s\">Show</button></form>");
  return out;
}

// How much of a day went out in all, where nothing narrows it.
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
  out << Markup(" in ") << plural(answers, "read", "reads") << Markup("</span>");
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
  LADDER_TRY(const Writer what, what_went_out(entry, names));
  Writer out;
  out << Markup("<tr><td class=\"mono nowrap\" data-name=\"Time\">") << Text(clock_text(entry.at))
      << Markup("</td><td data-name=\"Client\">") << client_link(faces.at(entry.client_id))
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
      "scope=\"col\">Client</th><th scope=\"col\">What went out</th><th scope=\"col\" class=\"n\">Characters</th><th "
      "scope=\"col\">How</th></tr></thead><tbody>");
  return out;
}

// A table for every day.
Result<Writer> entry_tables(const std::vector<server::LedgerEntry>& entries, const std::vector<server::LedgerUse>& uses,
                            const Asked& asked, std::int64_t today, ClientFaces& faces, RecordNames& names) {
  Writer out;
  std::optional<std::int64_t> open;
  for (const server::LedgerEntry& entry : entries) {
    const std::int64_t day = floor_div(entry.at, kDay);
    if (open != day) {
      if (open) out << Markup("</tbody></table></div>");
      open = day;
      out << Markup("<div class=\"block-head\"><h2>") << Text(day_heading(day, today)) << Markup("</h2>")
          << (asked.is_narrowed() ? Writer() : day_sum(uses, day)) << Markup("</div>") << table_head();
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
             "3h12v18H6z\"/><path class=\"lit\" d=\"M9 8h6M9 12h6M9 16h3\"/></svg></span><h2>Nothing has gone out yet</h2><p>"
             "As soon as a client reads something, the day, the client and every range of every field stand here, before the "
             "answer is sent. The text itself is never written down.</p><div class=\"copy copy-mid\"><code id=\"mcp\">")
      << Text(address) << Markup("</code></div><p><a class=\"btn btn-act\" href=\"/clients\">Connect an agent</a></p></section>");
  return out;
}

// The foot of the page: retention, erased records, and the digest that proves the rest.
Writer state_notice(const server::ResourceServer::LedgerState& state, ClientFaces& faces) {
  Writer out;
  out << Markup("<div class=\"notice notice-info\">") << icon(Icon::kInfo) << Markup("<div><p>Details are kept for ")
      << plural(state.settings.detail_days, "day", "days") << Markup(", what a client has ever seen ");
  if (state.settings.seen_days == 0) out << Markup("until you erase the record");
  else out << plural(state.settings.seen_days, "day", "days") << Markup(" after its last look");
  out << Markup(". <a href=\"/settings#keep\">Change that</a>.</p>");
  for (const server::ErasedCount& count : state.erased) {
    out << Markup("<p>Of ") << plural(count.records, "record", "records") << Markup(" that you erased, ")
        << client_link(faces.at(count.client_id)) << Markup(" had seen something; what it was went with them.</p>");
  }
  if (!state.days.empty()) {
    out << Markup(
               "<details><summary>Each day is chained to the day before</summary><p>Note this digest elsewhere, and "
               "<code>ladder doctor</code> can tell later that nothing before it was changed: <code>")
        << Text(crypto::digest_text(state.days.back().head)) << Markup("</code></p></details>");
  }
  out << Markup("</div></div>");
  return out;
}

// Times stand on this machine's clock, and days are those of UTC, by which sums, budgets and the chain go.
Writer zone_hint(Instant now) {
  Writer out;
  const Instant midnight = floor_div(now, kDay) * kDay;
  const std::string local = clock_text(midnight).substr(0, 5);
  if (local == "00:00") return out;
  out << Markup("<p class=\"hint\">A day of the ledger begins at midnight UTC, which is ") << Text(local)
      << Markup(" on the clock of this machine.</p>");
  return out;
}

// Lets through what the search names; no entry is left out without one.
LedgerSieve sieve_of(const Asked& asked, ClientFaces& faces, RecordNames& names) {
  if (asked.words.empty()) return {};
  return [words = fold(asked.words), &faces, &names](const server::LedgerEntry& entry) -> Result<bool> {
    const ClientFace& face = faces.at(entry.client_id);
    return mentions(entry, words, face.name + "\n" + face.address, names);
  };
}

struct Found {
  std::vector<server::LedgerEntry> entries;
  std::string next_cursor;
  std::optional<Instant> looked_to = {};  // how far back a search has come
};

// A page of those that the sieve lets through; it ends early with a cursor when that takes many titles.
Result<Found> find(server::ResourceServer& server, const server::Access& owner, server::LedgerQuery query,
                   const LedgerSieve& sieve, const RecordNames& names) {
  if (!sieve) {
    LADDER_TRY(auto page, server.ledger(owner, query));
    return Found{std::move(page.entries), std::move(page.next_cursor)};
  }
  Found found;
  query.limit = kSearched;
  for (std::int64_t looked = 0; looked < kMaxRead && std::ssize(found.entries) < kEntries; looked += kSearched) {
    LADDER_TRY(auto step, server.ledger(owner, query));
    for (server::LedgerEntry& entry : step.entries) {
      found.looked_to = entry.at;
      LADDER_TRY(const bool belongs, sieve(entry));
      if (belongs) found.entries.push_back(std::move(entry));
    }
    found.next_cursor = query.cursor = step.next_cursor;
    if (step.next_cursor.empty() || names.reads() > kMaxTitles) break;
  }
  return found;
}

}  // namespace

Result<http::Response> Console::ledger(Visit& visit) {
  const Asked asked = Asked::of(visit.form);
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(const auto query, query_of(asked));
  LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(auto names, RecordNames::of(server, *visit.owner));
  const Instant now = authorization_.now();
  const std::int64_t today = floor_div(now, kDay);
  LADDER_TRY(const auto page, find(server, *visit.owner, query, sieve_of(asked, faces, names), names));
  const std::int64_t first_day =
      std::min(today - LedgerChart::kDays + 1, page.entries.empty() ? today : floor_div(page.entries.back().at, kDay));
  LADDER_TRY(const auto uses, server.ledger_uses(*visit.owner, first_day, today));
  LADDER_TRY(const auto state, server.ledger_state(*visit.owner));
  auto charted = uses;
  if (!asked.client.empty()) std::erase_if(charted, [&](const server::LedgerUse& use) { return use.client_id != asked.client; });
  const LedgerChart chart(charted, faces, today);

  pages::Frame frame = visit.frame;
  frame.title = "Ledger";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Ledger</h1><p class=\"lead\">");
  if (state.days.empty() && page.entries.empty() && !asked.is_narrowed() && asked.day.empty()) {
    main << Markup("Nothing has gone out to any client.</p></div></div>") << nothing_yet(visit.place.mcp());
    return pages::page(200, frame, main);
  }
  if (chart.answers() == 0) {
    main << Markup("In the last 30 days <b>nothing</b> went out.");
  } else {
    main << Markup("In the last 30 days <b>") << plural(chart.chars(), "character", "characters") << Markup("</b> went out to ")
         << plural(chart.clients(), "client", "clients") << Markup(".");
  }
  main << Markup(" Every range of every field is written down here before it is sent.</p></div>") << export_buttons(asked)
       << Markup("</div>");
  if (chart.chars() > 0) {
    main << Markup(
                "<section class=\"card stack\" aria-labelledby=\"byday\"><div class=\"block-head\"><h2 id=\"byday\">Characters ")
         << Markup("by day</h2>") << chart.legend() << Markup("</div>") << chart.charts() << chart.table() << zone_hint(now)
         << Markup("</section>");
  }
  main << Markup("<section class=\"stack\" aria-label=\"Answers\">") << filter_form(asked, faces, names);
  if (!asked.record.empty()) {
    LADDER_TRY(const auto name, names.at(query.record));
    main << Markup("<p class=\"row small\"><span>Only what showed <b dir=\"auto\">") << Text(name.text) << Markup("</b></span><a")
         << Attribute("href", seen_page(query.record))
         << Markup(">Who saw what of it</a><a href=\"/ledger\">Show everything</a></p>");
  }
  if (page.entries.empty()) {
    main << Markup("<p class=\"card\">")
         << (page.next_cursor.empty() ? Markup("Nothing like that went out. ") : Markup("Nothing like that so far. "))
         << Markup("<a href=\"/ledger\">Show everything</a></p>");
  }
  LADDER_TRY(const Writer tables, entry_tables(page.entries, uses, asked, today, faces, names));
  main << tables;
  if (!page.next_cursor.empty()) {
    main << Markup("<form class=\"row small quiet more\" action=\"/ledger\" method=\"get\">") << asked.fields()
         << pages::hidden("cursor", page.next_cursor);
    if (page.looked_to) main << Markup("<span>Looked back to ") << Text(moment_text(*page.looked_to, now)) << Markup("</span>");
    main << Markup("<button class=\"btn btn-s\">") << (page.looked_to ? Markup("Look further back") : Markup("Next 50"))
         << Markup("</button></form>");
  }
  main << Markup("</section>") << state_notice(state, faces);
  return pages::page(200, frame, main);
}

Result<http::Response> Console::ledger_export(Visit& visit) {
  const Asked asked = Asked::of(visit.form);
  const std::string form = visit.form.one("format");
  if (form != "csv" && form != "ndjson") return fail(Code::kInvalidRequest, "format is csv or ndjson", "format");
  LADDER_TRY(const auto query, query_of(asked));
  server::ResourceServer& server = authorization_.server();
  LedgerSieve sieve;
  if (!asked.words.empty()) {
    // The download outlives the visit, so it has faces, names and an access of its own.
    struct Kept {
      server::Access owner;
      ClientFaces faces;
      std::optional<RecordNames> names;
      LedgerSieve sieve;
    };
    LADDER_TRY(auto faces, ClientFaces::of(authorization_, *visit.owner));
    auto kept = std::make_shared<Kept>(Kept{*visit.owner, std::move(faces), {}, {}});
    LADDER_TRY(kept->names, RecordNames::of(server, kept->owner));
    kept->sieve = sieve_of(asked, kept->faces, *kept->names);
    sieve = [kept](const server::LedgerEntry& entry) { return kept->sieve(entry); };
  }
  return ledger_download(server, *visit.owner, query, form == "csv" ? LedgerForm::kCsv : LedgerForm::kNdjson, std::move(sieve));
}

}  // namespace ladder::console
