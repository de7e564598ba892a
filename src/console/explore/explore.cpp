// Search over everything, or the newest of it, as the owner sees it or as a client does.
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

// Midnight at the start of a day as a date field writes it, by this machine's clock.
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

struct Place {
  std::string connection_id, name;
  std::int64_t records = -1;
};

// The connections within reach; two of one name are told apart by their ids.
std::vector<Place> places_of(const ShownStreams& streams, const std::vector<server::ConnectionSummary>& counts) {
  std::vector<Place> places;
  for (const ShownStream& one : streams.all()) {
    for (const api::ConnectionView& connection : one.stream->connections) {
      if (std::ranges::find(places, connection.connection_id, &Place::connection_id) != places.end()) continue;
      places.push_back({connection.connection_id, streams.connection_name(connection.connection_id)});
    }
  }
  std::map<std::string, int> names;
  for (const Place& place : places) ++names[place.name];
  for (Place& place : places) {
    if (names[place.name] > 1) place.name += " (" + place.connection_id + ")";
    const auto counted = std::ranges::find(counts, place.connection_id, &server::ConnectionSummary::connection_id);
    if (counted == counts.end()) continue;
    place.records = 0;
    for (const auto& stream : counted->streams) place.records += stream.records;
  }
  return places;
}

Writer date_field(Markup name, Markup label, const std::string& value) {
  Writer out;
  out << Markup("<div class=\"field\"><label for=\"") << name << Markup("\">") << label
      << Markup("</label><input class=\"input input-s\" type=\"date\" id=\"") << name << Markup("\" name=\"") << name
      << Markup("\"") << Attribute("value", value) << Markup("></div>");
  return out;
}

Writer filters(const Question& question, const ShownStreams& streams, const std::vector<server::ConnectionSummary>& counts) {
  Writer out;
  out << Markup("<div class=\"filters\"><fieldset><legend class=\"label\">Source</legend><div class=\"opts\">")
      << choice("radio", "source", "", "All of them", question.source.empty(), -1);
  for (const Place& place : places_of(streams, counts)) {
    out << choice("radio", "source", place.connection_id, place.name, question.source == place.connection_id, place.records);
  }
  out << Markup("</div></fieldset><fieldset><legend class=\"label\">Kind</legend><div class=\"opts\">");
  std::vector<std::string> kinds;
  for (const ShownStream& one : streams.all()) {
    if (std::ranges::find(kinds, one.stream->name) == kinds.end()) kinds.push_back(one.stream->name);
  }
  for (const std::string& kind : kinds) {
    const bool on = std::ranges::find(question.streams, kind) != question.streams.end();
    std::int64_t count = counts.empty() ? -1 : 0;
    for (const server::ConnectionSummary& connection : counts) {
      if (!question.source.empty() && connection.connection_id != question.source) continue;
      for (const auto& stream : connection.streams) count += stream.stream == kind ? stream.records : 0;
    }
    out << choice("checkbox", "stream", kind, heading_of(kind), on, count);
  }
  out << Markup("</div></fieldset>") << date_field("since", "From", question.since) << date_field("until", "To", question.until)
      << Markup("<fieldset><legend class=\"label\">Order</legend><div class=\"opts\">")
      << choice("radio", "order", "", "Best match, or newest", question.order.empty(), -1)
      << choice("radio", "order", "newest", "Newest first", question.order == "newest", -1)
      << choice("radio", "order", "oldest", "Oldest first", question.order == "oldest", -1)
      << Markup("</div></fieldset><button class=\"btn btn-s\">Apply filters</button></div>");
  return out;
}

Writer explore_notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> ") << Text(text) << Markup("</p></div>");
  return out;
}

// A fault of what was asked: it stands where the results would be, so that the words stay.
Writer refused(const Error& error, const Question& question) {
  const bool of_cursor = error.param == "cursor";
  Writer out;
  out << explore_notice("notice-warn", Icon::kWarn, of_cursor ? "This page of the list is gone." : "That cannot be looked for.",
                        of_cursor ? "What you asked for has changed since. Begin again at its first page." : error.message)
      << Markup("<p class=\"more\"><a class=\"btn btn-s\"") << Attribute("href", question.seen_address())
      << Markup(">Begin again</a></p>");
  return out;
}

}  // namespace

Question Question::of(const pages::Form& form) {
  Question asked{form.one("q"),      form.one("source"), form.one("since"), form.one("until"), form.one("order"),
                 form.one("cursor"), form.one("group"),  form.one("as"),    form.all("stream")};
  std::erase(asked.streams, "");
  if (asked.order != "newest" && asked.order != "oldest") asked.order.clear();
  return asked;
}

Url Question::address() const {
  Url to = Url::path("/explore").with("q", q).with("source", source);
  for (const std::string& stream : streams) to = to.with("stream", stream);
  return to.with("since", since).with("until", until).with("order", order);
}

std::optional<Instant> Question::since_time() const { return day_begin(since, 0); }
std::optional<Instant> Question::until_time() const { return day_begin(until, 1); }

bool is_asked(const Question& question, const ShownStream& stream) {
  const auto& connections = stream.stream->connections;
  const bool of_source = question.source.empty() || std::ranges::find(connections, question.source,
                                                                      &api::ConnectionView::connection_id) != connections.end();
  return of_source &&
         (question.streams.empty() || std::ranges::find(question.streams, stream.stream->name) != question.streams.end());
}

Url record_address(const model::RecordRef& record, const Question& question) {
  return Url::path("/record").with("id", model::format_record_id(record)).with("q", question.q).with("as", question.as);
}

Writer seen_by(const ExploreContext& context, const model::RecordRef& record) {
  Writer out;
  if (!context.viewer.is_owner()) return out;
  server::LedgerQuery query;
  query.record = record;
  const auto seen = context.server.ledger_seen(context.owner, query);
  if (!seen) return out;  // the list is there without it; the ledger's own page tells what is wrong
  out << Markup("<span class=\"row\">Seen by: ");
  if (seen->empty()) out << Markup("nobody");
  for (const server::SeenRecord& one : *seen) out << client_link(context.faces.at(one.client_id)) << Markup(" ");
  out << Markup("</span>");
  return out;
}

Result<http::Response> Console::explore(Visit& visit) {
  const Question question = Question::of(visit.form);
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, question.as));
  LADDER_TRY(const ShownStreams streams, ShownStreams::of(server, viewer.access));
  std::vector<server::ConnectionSummary> counts;
  ExploreContext context{server, *visit.owner, viewer, faces, streams, authorization_.now()};
  if (viewer.is_owner()) {
    LADDER_TRY(counts, server.connections(*visit.owner));
    context.records = 0;
    for (const server::ConnectionSummary& connection : counts) {
      for (const auto& stream : connection.streams) context.records += stream.records;
    }
  }
  const auto results = question.q.empty() ? newest_records(context, question) : search_results(context, question);
  const bool of_question = !results && results.error().http_status() < 500;
  if (!results && !of_question) return std::unexpected(results.error());

  pages::Frame frame = visit.frame;
  frame.title = question.q.empty() ? "Explore" : question.q + " in Explore";
  Writer main;
  main << Markup("<div class=\"page-head\"><h1>Explore</h1>") << viewer_switch("Search as", faces, viewer, question.address())
       << Markup("</div>");
  if (!viewer.is_owner()) {
    main << explore_notice("notice-info", Icon::kInfo, "This is what " + viewer.client->short_name() + " finds.",
                           "It is searched by the code that answers it, and nothing of this goes into the ledger.");
  }
  main << Markup(
              "<form class=\"stack-5\" action=\"/explore\" method=\"get\" role=\"search\" data-search=\"results as\"><div "
              "class=\"join find find-l\">")
       << icon(Icon::kSearch) << Markup("<input class=\"input\" name=\"q\" type=\"search\" dir=\"auto\"")
       << Attribute("value", question.q)
       << Markup(" aria-label=\"Search everything you have\" placeholder=\"Words, “a phrase”, -without\" autocomplete=\"off\"")
       << (question.q.empty() ? Markup(" autofocus>") : Markup(">"))
       << Markup("<button class=\"btn btn-l\">Search</button></div>");
  if (!question.as.empty()) main << pages::hidden("as", question.as);
  main << Markup(
              "<p class=\"unseen\" role=\"status\" data-said></p><div class=\"cols cols-main\"><section id=\"results\" "
              "aria-labelledby=\"found\">")
       << (results ? *results : refused(results.error(), question)) << Markup("</section>") << filters(question, streams, counts)
       << Markup("</div></form>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
