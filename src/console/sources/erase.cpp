// The erase page: asks the owner to type the id, then shows the progress.
#include "base/text/format.h"
#include "console/console.h"
#include "console/erasures.h"
#include "console/parts.h"
#include "console/sources/drop.h"
#include "console/sources/holdings.h"

#include <algorithm>

namespace ladder::console {

namespace {

// Counts the clients with access to the connection.
std::int64_t clients_that_lose(const std::vector<server::GrantSummary>& grants, const std::string& connection_id) {
  std::vector<std::string> clients;
  for (const server::GrantSummary& one : grants) {
    const bool names_it = std::ranges::any_of(
        one.grant.streams, [&](const grant::StreamGrant& stream) { return stream.allows_instance(connection_id); });
    if (one.status == "active" && names_it) clients.push_back(one.grant.client_id);
  }
  std::ranges::sort(clients);
  return std::ranges::distance(clients.begin(), std::ranges::unique(clients).begin());
}

Writer crumb(std::string_view name) {
  Writer out;
  out << Markup("<p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <bdi>") << Text(name) << Markup("</bdi></p>");
  return out;
}

http::Response under_way(pages::Frame frame, const Erasures::State& state) {
  Writer main;
  if (!state.ended) {
    frame.live = true;
    const std::int64_t share = state.records > 0 ? std::min<std::int64_t>(99, 100 * state.erased / state.records) : 0;
    main << Markup("<div data-live=\"1\"><div>") << crumb(state.name) << Markup("<div class=\"page-head\"><div><h1>Erasing <bdi>")
         << Text(state.name)
         << Markup(
                "</bdi></h1><p class=\"lead\">You can close this page. No app can read it anymore.</p></div></div></div><section "
                "class=\"card stack\" aria-label=\"Progress\"><progress "
                "max=\"100\" aria-label=\"Erased\"")
         << Attribute("value", std::to_string(state.compacting ? 99 : share)) << Markup("></progress><p class=\"small soft\">")
         << Text(state.erased) << Markup(" of ") << plural(state.records, "record erased", "records erased")
         << (state.compacting ? Markup("; freeing disk space.</p>") : Markup(".</p>")) << Markup("</section></div>\n");
    return pages::page(200, frame, main);
  }
  main << Markup("<div>") << crumb(state.name);
  if (!state.problem.empty()) {
    main << Markup("<div class=\"page-head\"><div><h1>Erasing <bdi>") << Text(state.name)
         << Markup("</bdi> stopped</h1><p class=\"lead\">") << Text(state.problem)
         << Markup(" Erased records stay erased. Continue to erase the rest.</p></div></div></div><p><a class=\"btn\"")
         << Attribute("href", Url::path("/sources/erase?again=1&connection=", state.connection_id))
         << Markup(">Continue…</a></p>\n");
    return pages::page(200, frame, main);
  }
  const server::Erasure& gone = state.outcome;
  main << Markup("<div class=\"page-head\"><div><h1><bdi>") << Text(state.name)
       << Markup("</bdi> is erased</h1><p class=\"lead\"><b>") << plural(gone.records, "record", "records")
       << Markup(
              "</b> and their attachments are permanently deleted.</p></div></div></div><ul "
              "class=\"card stack\">");
  if (gone.bytes_freed > 0) main << Markup("<li>") << Text(size_text(gone.bytes_freed)) << Markup(" of disk space freed.</li>");
  if (!gone.space_kept.empty()) {
    main << Markup("<li>The disk space stays reserved for new data: ") << Text(gone.space_kept) << Markup("</li>");
  }
  if (!gone.swept) {
    main << Markup(
        "<li>Another program was reading the database, so its log may still contain some erased bytes. They are removed within a "
        "minute.</li>");
  }
  if (!gone.revoked_grants.empty()) {
    main << Markup("<li>") << plural(std::ssize(gone.revoked_grants), "permission", "permissions")
         << Markup(" for only this source revoked.</li>");
  }
  if (!gone.narrowed_grants.empty()) {
    main << Markup("<li>") << plural(std::ssize(gone.narrowed_grants), "permission", "permissions")
         << Markup(" kept for other sources.</li>");
  }
  main << Markup(
      "<li>Activity keeps the number of these records that were read, and nothing else about them.</li></ul><p><a class=\"btn\" "
      "href=\"/sources\">Sources</a></p>\n");
  return pages::page(200, frame, main);
}

}  // namespace

Result<http::Response> Console::erase(Visit& visit) {
  const std::string id = visit.form.one("connection");
  pages::Frame frame = visit.frame;
  frame.title = "Erase a source";
  const auto state = erasures_.find(*visit.owner, id);
  if (state && !state->into.empty() && !state->ended)
    return pages::redirect_to("/sources/merge?connection=" + Url::encoded(id) + "&into=" + Url::encoded(state->into));
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(const auto all, holdings(server.sources(), server.reads(), server.imports(), *visit.owner, Depth::kCounts));
  const auto found = std::ranges::find(all, id, [](const Holding& one) { return one.connection.connection_id; });
  // A new connection with the same id is not the erased one.
  const bool is_news = state && (!state->ended || found == all.end() || (!state->problem.empty() && !visit.form.has("again")));
  if (is_news && !visit.is_post) return under_way(frame, *state);
  if (found == all.end()) {
    return pages::message_page(404, frame, "Source not found", "It may already be erased. See Sources for your data.");
  }
  const Holding& holding = *found;
  std::string problem;
  if (visit.is_post) {
    if (gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again("/sources/erase?connection=" + Url::encoded(id));
    if (visit.form.one("name") == id) {
      LADDER_CHECK(erasures_.start(*visit.owner, holding.connection, holding.name));
      return pages::redirect_to("/sources/erase?connection=" + Url::encoded(id));
    }
    problem = "The name doesn't match. Nothing was erased.";
  } else if (gate_.has_to_sign_in_again(visit)) {
    return pages::Gate::sign_in_again("/sources/erase?connection=" + Url::encoded(id));
  }
  LADDER_TRY(const auto grants, authorization_.server().grants().list(*visit.owner));
  const std::int64_t losing = clients_that_lose(grants, id);
  Writer main;
  main << Markup("<div>") << crumb(holding.name) << Markup("<div class=\"page-head\"><div><h1>Erase <bdi>") << Text(holding.name)
       << Markup("</bdi>?</h1><p class=\"lead\">This permanently deletes <b>") << plural(holding.records, "record", "records")
       << Markup("</b> and their attachments from this computer. You can't undo it.</p></div></div></div>");
  if (!problem.empty()) {
    main << Markup("<div class=\"notice notice-bad\" role=\"alert\">") << icon(Icon::kWarn) << Markup("<p>") << Text(problem)
         << Markup("</p></div>");
  }
  if (losing > 0) {
    main << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn) << Markup("<p>")
         << plural(losing, "app has access to it and loses", "apps have access to it and lose")
         << Markup(" that access.</p></div>");
  }
  main << Markup("<form class=\"card stack\" method=\"post\" action=\"/sources/erase\" autocomplete=\"off\">")
       << hidden("csrf", visit.csrf()) << hidden("connection", id)
       << Markup("<div class=\"field\"><label for=\"name\">To confirm, type <code dir=\"auto\">") << Text(id)
       << Markup(
              "</code></label><input class=\"input\" id=\"name\" name=\"name\" required autocapitalize=\"none\" "
              "spellcheck=\"false\"></div><div "
              "class=\"row\"><button class=\"btn btn-bad\">Erase permanently</button><a class=\"btn\" "
              "href=\"/sources\">Cancel</a></div></form><div class=\"row\"><p class=\"small soft\">Export a copy first:</p>")
       << pages::button_form(Url::path("/sources/export"), visit.csrf(), "connection", id, "Export", "btn btn-s")
       << Markup("</div><p class=\"small quiet\">In a terminal: <code>ladder erase ") << Text(id) << Markup("</code></p>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
