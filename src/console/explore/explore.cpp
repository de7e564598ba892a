// The Search page: hits, or the newest records, as the owner or as a client sees them.
#include "console/explore/explore.h"
#include "console/explore/saved_searches.h"
#include "console/parts.h"

#include "console/console.h"
#include "model/record_id.h"

#include <algorithm>
#include <ctime>

namespace ladder::console {
namespace {

// Local midnight at the start of a day, given as a date field writes it.
std::optional<Instant> day_begin(const std::string& date, int days_later) {
  const auto at = date.size() == 10 ? parse_time(date) : std::nullopt;
  if (!at) return std::nullopt;
  const CivilDate civil = civil_date(floor_div(*at, kDay));
  std::tm parts{};
  parts.tm_year = static_cast<int>(civil.year - 1900);
  parts.tm_mon = civil.month - 1;
  parts.tm_mday = civil.day + days_later;
  parts.tm_isdst = -1;
  return static_cast<Instant>(std::mktime(&parts)) * kSecond;
}

Writer explore_notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> ") << Text(text) << Markup("</p></div>");
  return out;
}

// An error in the query, shown in place of the results so that the search words stay.
Writer query_error(const Error& error, const ExploreQuery& query) {
  const bool of_cursor = error.param == "cursor";
  Writer out;
  out << explore_notice("notice-warn", Icon::kWarn,
                        of_cursor ? "This page of results has expired." : "This search isn't possible.",
                        of_cursor ? "The results have changed. Start again from the first page." : error.message)
      << Markup("<p class=\"more\"><a class=\"btn btn-s\"") << Attribute("href", query.viewer_address())
      << Markup(">Start again</a></p>");
  return out;
}

}  // namespace

ExploreQuery ExploreQuery::of(const pages::Form& form) {
  ExploreQuery asked{form.one("q"),      form.one("source"), form.one("since"), form.one("until"),  form.one("order"),
                     form.one("cursor"), form.one("group"),  form.one("as"),    form.all("stream"), {form.one("source")}};
  std::erase(asked.streams, "");
  if (asked.order != "newest" && asked.order != "oldest") asked.order.clear();
  return asked;
}

Url ExploreQuery::address() const {
  Url to = Url::path("/explore").with("q", q).with("source", source);
  for (const std::string& stream : streams) to = to.with("stream", stream);
  return to.with("since", since).with("until", until).with("order", order);
}

std::optional<Instant> ExploreQuery::since_time() const { return day_begin(since, 0); }
std::optional<Instant> ExploreQuery::until_time() const { return day_begin(until, 1); }

bool is_listed(const ExploreQuery& query, const ShownStream& stream) {
  if (line_fields(stream).empty() || !matches_filters(query, stream)) return false;
  const bool has_content = !api::roles_of(*stream.stream).text.empty() || stream.look != Look::kFacts || stream.has_files();
  return !query.streams.empty() || has_content;
}

std::int64_t ExploreContext::records() const {
  std::int64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return counts.empty() ? -1 : sum;
}

bool ExploreQuery::takes(const std::string& connection_id) const {
  return source.empty() || std::ranges::find(sources, connection_id) != sources.end();
}

bool matches_filters(const ExploreQuery& query, const ShownStream& stream) {
  const bool of_source = std::ranges::any_of(
      stream.stream->connections, [&](const api::ConnectionView& connection) { return query.takes(connection.connection_id); });
  return of_source && (query.streams.empty() || std::ranges::find(query.streams, stream.stream->name) != query.streams.end());
}

Url record_address(const model::RecordRef& record, const ExploreQuery& query) {
  return Url::path("/record").with("id", model::format_record_id(record)).with("q", query.q).with("as", query.as);
}

Writer with_pane(const Writer& list) {
  Writer out;
  out << Markup("<div class=\"panes\" data-panes>") << list
      << Markup("<aside class=\"pane\" data-pane hidden aria-label=\"Selected record\"></aside></div>");
  return out;
}

Writer seen_by(const ExploreContext& context, const model::RecordRef& record) {
  Writer out;
  if (!context.viewer.is_owner()) return out;
  server::LedgerQuery query;
  query.record = record;
  const auto seen = context.server.ledger().seen(context.owner, query);
  if (!seen) return out;  // show the hit anyway; the ledger page reports the error
  out << Markup("<span class=\"row\">Seen by: ");
  if (seen->empty()) out << Markup("no app");
  for (const server::SeenRecord& one : *seen) out << client_link(context.faces.at(one.client_id)) << Markup(" ");
  out << Markup("</span>");
  return out;
}

Result<http::Response> Console::explore(Visit& visit) {
  if (visit.is_post) return change_searches(visit);
  ExploreQuery query = ExploreQuery::of(visit.form);
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, query.as));
  LADDER_TRY(const ShownStreams streams,
             viewer.is_owner() ? ShownStreams::arranged(server, *visit.owner) : ShownStreams::of(server, viewer.access));
  query.sources = streams.arrangement().connections_of(query.source);
  LADDER_TRY(const auto saved, saved_searches(server, *visit.owner));
  ExploreContext context{server, *visit.owner, viewer, faces, streams, authorization_.now()};
  LADDER_TRY(context.counts, record_counts(context, query));
  const auto results = query.q.empty() ? newest_records(context, query) : search_results(context, query);
  const bool is_query_error = !results && results.error().http_status() < 500;
  if (!results && !is_query_error) return std::unexpected(results.error());

  pages::Frame frame = visit.frame;
  frame.title = query.q.empty() ? "Search" : query.q + " - Search";
  Writer main;
  main << Markup("<div class=\"page-head\"><h1>Search</h1>") << viewer_switch("Search as", faces, viewer, query.address())
       << Markup("</div>");
  if (!viewer.is_owner()) {
    main << explore_notice("notice-info", Icon::kInfo, "This is what " + viewer.client->short_name() + " finds.",
                           "The same code answers the app. Your search doesn't appear in Activity.");
  }
  // The saved searches have forms of their own, so the search form ends before them.
  main << Markup(
              "<div class=\"stack-5\"><div class=\"searchbar\"><form action=\"/explore\" method=\"get\" role=\"search\" "
              "data-search=\"results as chips saved\"><div class=\"join find find-l\">")
       << icon(Icon::kSearch) << Markup("<input class=\"input\" name=\"q\" type=\"search\" dir=\"auto\"")
       << Attribute("value", query.q)
       << Markup(" aria-label=\"Search your data\" placeholder=\"Words, “a phrase”, -without\" autocomplete=\"off\"")
       << (query.q.empty() ? Markup(" autofocus>") : Markup(">")) << Markup("<button class=\"btn btn-l\">Search</button></div>");
  if (!query.as.empty()) main << pages::hidden("as", query.as);
  main << Markup("<p class=\"unseen\" role=\"status\" data-said></p>") << filter_menus(context, query) << Markup("</form>");
  if (viewer.is_owner()) main << saved_search_bar(saved, query, visit.csrf());
  main << Markup("<div id=\"chips\">") << filter_chips(context, query)
       << Markup("</div></div><section id=\"results\" aria-labelledby=\"found\">")
       << (results ? *results : query_error(results.error(), query)) << Markup("</section></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
