// The Search page: hits, or the newest records, as the owner or as a client sees them.
#include "console/explore/explore.h"
#include "console/parts.h"

#include "console/console.h"
#include "model/record_id.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>

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

Writer choice(Markup kind, Markup name, std::string_view value, std::string_view label, bool on, std::int64_t count) {
  Writer out;
  out << Markup("<label class=\"opt\"><input type=\"") << kind << Markup("\" name=\"") << name << Markup("\"")
      << Attribute("value", value);
  if (on) out << Markup(" checked");
  out << Markup("><span dir=\"auto\">") << Text(label) << Markup("</span>");
  if (count >= 0) out << Markup("<span class=\"num\">") << Text(count) << Markup("</span>");
  out << Markup("</label>");
  return out;
}

struct ConnectionOption {
  std::string connection_id, name;
  std::int64_t records = -1;
};

// The visible connections. Duplicate names get the id appended.
std::vector<ConnectionOption> connection_options(const ShownStreams& streams,
                                                 const std::vector<server::ConnectionSummary>& counts) {
  std::vector<ConnectionOption> options;
  for (const ShownStream& one : streams.all()) {
    for (const api::ConnectionView& connection : one.stream->connections) {
      if (std::ranges::find(options, connection.connection_id, &ConnectionOption::connection_id) != options.end()) continue;
      options.push_back({connection.connection_id, streams.connection_name(connection.connection_id)});
    }
  }
  std::map<std::string, int> names;
  for (const ConnectionOption& option : options) ++names[option.name];
  for (ConnectionOption& option : options) {
    if (names[option.name] > 1) option.name += " (" + option.connection_id + ")";
    const auto counted = std::ranges::find(counts, option.connection_id, &server::ConnectionSummary::connection_id);
    if (counted == counts.end()) continue;
    option.records = 0;
    for (const auto& stream : counted->streams) option.records += stream.records;
  }
  return options;
}

Writer date_field(Markup name, Markup label, const std::string& value) {
  Writer out;
  out << Markup("<div class=\"field\"><label for=\"") << name << Markup("\">") << label
      << Markup("</label><input class=\"input input-s\" type=\"date\" id=\"") << name << Markup("\" name=\"") << name
      << Markup("\"") << Attribute("value", value) << Markup("></div>");
  return out;
}

Writer filters(const ExploreQuery& query, const ShownStreams& streams, const std::vector<server::ConnectionSummary>& counts) {
  Writer out;
  out << Markup("<div class=\"filters\"><fieldset><legend class=\"label\">Source</legend><div class=\"opts\">")
      << choice("radio", "source", "", "All", query.source.empty(), -1);
  for (const ConnectionOption& option : connection_options(streams, counts)) {
    out << choice("radio", "source", option.connection_id, option.name, query.source == option.connection_id, option.records);
  }
  out << Markup("</div></fieldset><fieldset><legend class=\"label\">Kind</legend><div class=\"opts\">");
  std::vector<std::string> kinds;
  for (const ShownStream& one : streams.all()) {
    if (std::ranges::find(kinds, one.stream->name) == kinds.end()) kinds.push_back(one.stream->name);
  }
  for (const std::string& kind : kinds) {
    const bool on = std::ranges::find(query.streams, kind) != query.streams.end();
    std::int64_t count = counts.empty() ? -1 : 0;
    for (const server::ConnectionSummary& connection : counts) {
      if (!query.source.empty() && connection.connection_id != query.source) continue;
      for (const auto& stream : connection.streams) count += stream.stream == kind ? stream.records : 0;
    }
    out << choice("checkbox", "stream", kind, heading_of(kind), on, count);
  }
  out << Markup("</div></fieldset>") << date_field("since", "From", query.since) << date_field("until", "To", query.until)
      << Markup("<fieldset><legend class=\"label\">Order</legend><div class=\"opts\">")
      << choice("radio", "order", "", "Best match", query.order.empty(), -1)
      << choice("radio", "order", "newest", "Newest first", query.order == "newest", -1)
      << choice("radio", "order", "oldest", "Oldest first", query.order == "oldest", -1)
      << Markup("</div></fieldset><button class=\"btn btn-s\">Apply filters</button></div>");
  return out;
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
  ExploreQuery asked{form.one("q"),      form.one("source"), form.one("since"), form.one("until"), form.one("order"),
                     form.one("cursor"), form.one("group"),  form.one("as"),    form.all("stream")};
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

bool matches_filters(const ExploreQuery& query, const ShownStream& stream) {
  const auto& connections = stream.stream->connections;
  const bool of_source = query.source.empty() ||
                         std::ranges::find(connections, query.source, &api::ConnectionView::connection_id) != connections.end();
  return of_source && (query.streams.empty() || std::ranges::find(query.streams, stream.stream->name) != query.streams.end());
}

Url record_address(const model::RecordRef& record, const ExploreQuery& query) {
  return Url::path("/record").with("id", model::format_record_id(record)).with("q", query.q).with("as", query.as);
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
  const ExploreQuery query = ExploreQuery::of(visit.form);
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, query.as));
  LADDER_TRY(const ShownStreams streams, ShownStreams::of(server, viewer.access));
  std::vector<server::ConnectionSummary> counts;
  ExploreContext context{server, *visit.owner, viewer, faces, streams, authorization_.now()};
  if (viewer.is_owner()) {
    LADDER_TRY(counts, server.sources().connections(*visit.owner));
    context.records = 0;
    for (const server::ConnectionSummary& connection : counts) {
      for (const auto& stream : connection.streams) context.records += stream.records;
    }
  }
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
  main << Markup(
              "<form class=\"stack-5\" action=\"/explore\" method=\"get\" role=\"search\" data-search=\"results as\"><div "
              "class=\"join find find-l\">")
       << icon(Icon::kSearch) << Markup("<input class=\"input\" name=\"q\" type=\"search\" dir=\"auto\"")
       << Attribute("value", query.q)
       << Markup(" aria-label=\"Search your data\" placeholder=\"Words, “a phrase”, -without\" autocomplete=\"off\"")
       << (query.q.empty() ? Markup(" autofocus>") : Markup(">")) << Markup("<button class=\"btn btn-l\">Search</button></div>");
  if (!query.as.empty()) main << pages::hidden("as", query.as);
  main << Markup(
              "<p class=\"unseen\" role=\"status\" data-said></p><div class=\"cols cols-main\"><section id=\"results\" "
              "aria-labelledby=\"found\">")
       << (results ? *results : query_error(results.error(), query)) << Markup("</section>") << filters(query, streams, counts)
       << Markup("</div></form>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
