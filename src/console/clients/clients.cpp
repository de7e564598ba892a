// The list of clients: access, what they have seen, the end, and actions.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/clients/client_summary.h"
#include "console/console.h"
#include "console/parts.h"

#include <algorithm>
#include <array>
#include <functional>

namespace ladder::console {
namespace {

using auth::day_text;

constexpr std::size_t kShownEnded = 20;

Writer name_of(const ClientFace& face) {
  Writer out;
  out << Markup("<h2><a") << Attribute("href", Url::path("/client?id=", face.client_id)) << Markup(">")
      << Text(auth::at_start(face.title)) << Markup("</a></h2>");
  if (!face.name.empty() && face.title == face.address)
    out << Markup("<p class=\"small soft\">“<bdi>") << Text(face.name) << Markup("</bdi>”</p>");
  return out;
}

Writer client_row(const ClientFace& face, const ClientSummary& summary, const std::string& csrf, Instant now) {
  Writer out;
  out << Markup("<li class=\"card client-row\"><div class=\"id\">") << client_mark(face, false) << Markup("<div>")
      << name_of(face) << Markup("</div></div><div class=\"bars\">") << stream_bars(face, summary.streams)
      << Markup("</div><div><dl class=\"facts\"><dt>Last read</dt><dd>");
  if (summary.last_read) out << Text(moment_text(*summary.last_read, now));
  else out << Markup("never");
  out << Markup("</dd><dt>Since</dt><dd>") << Text(day_text(summary.since)) << Markup("</dd><dt>Ends</dt><dd>")
      << end_text(summary.ends, now) << Markup("</dd>");
  if (summary.budget) {
    out << Markup("<dt>Today</dt><dd>") << Text(summary.chars_today) << Markup(" of ") << Text(*summary.budget)
        << Markup(" characters</dd>");
  }
  out << Markup("</dl><div class=\"do\"><a class=\"btn btn-s\"")
      << Attribute("href", Url::path("/client/narrow?id=", face.client_id)) << Markup(">Reduce access…</a>");
  if (summary.ends) {
    out << client_action_form(Url::path("/clients"), csrf, face.client_id, "extend-30d", "30 days longer", "btn btn-s");
  }
  out << client_action_form(Url::path("/clients"), csrf, face.client_id, "end", "Revoke access", "btn btn-s btn-bad")
      << Markup("</div></div></li>\n");
  return out;
}

// Why a grant is no longer active.
std::string ended_text(const server::GrantSummary& ended, const std::vector<server::GrantSummary>& all, Instant now) {
  if (ended.status == "expired") return moment_text(*ended.grant.expires_at, now) + ", expired";
  const Instant at = ended.row.revoked_at.value_or(0);
  const bool replaced = was_replaced(ended, all);
  return moment_text(at, now) + (replaced ? ", replaced" : ", by you");
}

Writer ended_list(ClientDirectory& directory, Instant now) {
  std::vector<const server::GrantSummary*> ended;
  for (const server::GrantSummary& one : directory.faces.grants()) {
    if (one.status != "active") ended.push_back(&one);
  }
  Writer out;
  if (ended.empty()) return out;
  const auto end_of = [](const server::GrantSummary* one) {
    return one->row.revoked_at.value_or(one->grant.expires_at.value_or(0));
  };
  std::ranges::stable_sort(ended, std::greater<>(), end_of);
  out << Markup(
      "<section aria-labelledby=\"past\"><div class=\"block-head\"><h2 id=\"past\">Past access</h2><span class=\"quiet\">");
  if (ended.size() > kShownEnded) {
    out << Markup("The last ") << Text(static_cast<std::int64_t>(kShownEnded)) << Markup(" of ")
        << Text(static_cast<std::int64_t>(ended.size()));
    ended.resize(kShownEnded);
  }
  out << Markup(
      "</span></div><div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th "
      "scope=\"col\">App</th><th scope=\"col\">Could see</th><th scope=\"col\">Ended</th><th scope=\"col\" "
      "class=\"n\">Characters read</th></tr></thead><tbody>");
  for (const server::GrantSummary* one : ended) {
    const ClientFace face = directory.faces.at(one->grant.client_id);
    std::vector<std::string> streams;
    streams.reserve(one->grant.streams.size());
    for (const grant::StreamGrant& stream : one->grant.streams) streams.push_back(stream.name);
    out << Markup("<tr><th scope=\"row\">") << client_link(face) << Markup(" <span class=\"quiet\">") << Text(face.address)
        << Markup("</span></th><td data-name=\"Could see\">") << Text(auth::listed(streams))
        << Markup("</td><td data-name=\"Ended\">") << Text(ended_text(*one, directory.faces.grants(), now))
        << Markup("</td><td class=\"n\" data-name=\"Read\">") << Text(directory.chars_shown(one->grant.grant_id))
        << Markup("</td></tr>\n");
  }
  out << Markup("</tbody></table></div></section>\n");
  return out;
}

Writer blocked_list(ClientDirectory& directory, const std::vector<auth::BlockedClient>& blocked, const std::string& csrf,
                    Instant now) {
  Writer out;
  if (blocked.empty()) return out;
  out << Markup(
      "<section aria-labelledby=\"blocked\"><div class=\"block-head\"><h2 id=\"blocked\">Blocked</h2><span class=\"quiet\">They "
      "can't send requests</span></div><ul class=\"card card-flush list\">");
  for (const auth::BlockedClient& one : blocked) {
    const ClientFace face = directory.faces.at(one.client_id);
    out << Markup("<li>") << client_mark(face, false) << Markup("<div class=\"what\"><b>")
        << Text(auth::at_start(one.origins.empty() ? face.address : auth::listed(one.origins))) << Markup("</b><p>");
    if (!face.name.empty()) out << Markup("“<bdi>") << Text(face.name) << Markup("</bdi>”. ");
    out << Markup("Blocked ") << Text(moment_text(one.since, now)) << Markup("</p></div><div class=\"act\">")
        << client_action_form(Url::path("/clients"), csrf, one.client_id, "unblock", "Unblock", "btn btn-s")
        << Markup("</div></li>");
  }
  out << Markup("</ul></section>\n");
  return out;
}

Writer first_agent(const auth::ServerUrl& server_url) {
  Writer out;
  out << Markup(
             "<section class=\"card empty\" aria-labelledby=\"e\"><div class=\"art\"><svg viewBox=\"0 0 72 72\" "
             "aria-hidden=\"true\"><path d=\"M24 6v60M48 6v60M24 16h24M24 29h24M24 55h24\"/><path class=\"lit\" d=\"M24 "
             "42h24\"/></svg></div><h2 id=\"e\">Connect your first app</h2><p>Give it this address. Before it can read anything, "
             "you see its request here and choose what it can see.</p><div class=\"copy-mid\"><div "
             "class=\"copy\"><code id=\"addr\">")
      << Text(server_url.mcp())
      << Markup(
             "</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"addr\" hidden>Copy</button></div></div></section>\n"
             "<section aria-labelledby=\"h\"><div class=\"block-head\"><h2 id=\"h\">In a terminal</h2></div><ul class=\"card "
             "card-flush list\">");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kHosts = {
      {{"Claude Code", "claude mcp add --transport http ladder "},
       {"Codex", "codex mcp add ladder --url "},
       {"Gemini CLI", "gemini mcp add --transport http ladder "},
       {"Any other", "ladder connect"}}};
  for (const auto& [name, line] : kHosts) {
    out << Markup("<li><span class=\"glyph\">") << icon(Icon::kComputer) << Markup("</span><div class=\"what\"><b>") << Text(name)
        << Markup("</b><p><code>") << Text(line) << Text(line.ends_with(' ') ? server_url.mcp() : std::string())
        << Markup("</code></p></div></li>");
  }
  out << Markup("</ul></section>\n");
  return out;
}

}  // namespace

Result<http::Response> Console::clients(Visit& visit) {
  if (visit.is_post) {
    LADDER_CHECK(run_client_action(authorization_, visit, visit.form.one("client")));
    return pages::redirect_to("/clients");
  }
  const Instant now = authorization_.now();
  LADDER_TRY(ClientDirectory directory, ClientDirectory::read(authorization_, *visit.owner));
  LADDER_TRY(const auto requests, authorization_.requests().opened(*visit.owner));
  LADDER_TRY(const auto blocked, authorization_.client_access().blocked(*visit.owner));
  const auto waiting = std::ranges::count(requests, "waiting", &auth::AuthorizationRequest::status);
  std::vector<ClientFace> connected = directory.faces.all();
  std::erase_if(connected, [](const ClientFace& face) { return !face.connected; });

  visit.frame.title = "Apps";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Apps</h1><p class=\"lead\">");
  if (connected.empty()) main << Markup("No app has access to your data.");
  else {
    main << Markup("<b>") << plural(std::ssize(connected), "app", "apps")
         << Markup("</b> can see parts of your data. No app can change anything.");
  }
  if (waiting > 0) main << Markup(" ") << plural(waiting, "request is", "requests are") << Markup(" waiting for you.");
  main << Markup("</p></div></div>\n");
  if (waiting > 0) {
    main << Markup("<div class=\"notice notice-info\">") << icon(Icon::kInbox)
         << Markup(
                "<p><b>An app wants to see your data.</b> It can't read anything until you allow it.</p><a class=\"row-end\" "
                "href=\"/requests\">Review requests</a></div>\n");
  }
  if (connected.empty()) main << first_agent(visit.server_url);
  else {
    main << Markup(
        "<section aria-labelledby=\"now\"><div class=\"block-head\"><h2 id=\"now\">Have access</h2><span class=\"quiet\">Bars: "
        "share of the records it has read</span></div><ul class=\"client-list\">");
    for (const ClientFace& face : connected) {
      LADDER_TRY(const ClientSummary summary, directory.summary(face.client_id));
      main << client_row(face, summary, visit.csrf(), now);
    }
    main << Markup(
                "</ul></section>\n<section class=\"card stack\" aria-labelledby=\"add\"><h2 id=\"add\">Connect another "
                "app</h2><div class=\"copy\"><code id=\"addr\">")
         << Text(visit.server_url.mcp())
         << Markup(
                "</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"addr\" hidden>Copy</button></div><p "
                "class=\"small soft\">Paste this address where your app asks for a server. In a terminal: <code>ladder "
                "connect</code></p></section>\n");
  }
  main << blocked_list(directory, blocked, visit.csrf(), now) << ended_list(directory, now)
       << Markup(
              "<section class=\"card panic\" aria-labelledby=\"panic\"><div><h2 id=\"panic\">Revoke all access</h2><p "
              "class=\"small soft\">Every app loses access immediately. Your data stays. To undo this, you have to allow each "
              "app again.</p></div><form action=\"/panic\" method=\"get\"><button class=\"btn "
              "btn-bad btn-l\">")
       << icon(Icon::kStop) << Markup("Revoke all access</button></form></section>\n");
  return pages::page(200, visit.frame, main);
}

// Revokes all access, after a confirmation page.

Result<http::Response> Console::panic(Visit& visit) {
  pages::Frame frame = visit.frame;
  frame.title = "Revoke all access";
  if (visit.is_post) {
    LADDER_TRY(const std::int64_t ended, authorization_.client_access().revoke_everything(*visit.owner));
    Writer main;
    main << Markup("<div class=\"gate-box\"><h1>All access is revoked</h1><p class=\"soft\">")
         << plural(ended, "permission was revoked", "permissions were revoked")
         << Markup(
                ". No app can read anything. To undo this, allow each app again.</p><p><a class=\"btn\" "
                "href=\"/clients\">Apps</a></p></div>\n");
    return pages::page(200, frame, main);
  }
  LADDER_TRY(const ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  std::vector<std::string> names;
  for (const ClientFace& face : faces.all()) {
    if (face.connected) names.push_back(face.short_name());
  }
  Writer main;
  main << Markup("<div class=\"gate-box\"><div class=\"stack\"><span class=\"glyph glyph-bad\">") << icon(Icon::kStop)
       << Markup("</span><h1>Revoke access of ");
  if (names.size() == 1) main << Markup("this app?</h1><p class=\"soft\">");
  else main << Markup("every app?</h1><p class=\"soft\">");
  if (names.empty()) main << Markup("No app has access now. Pending requests end as well. ");
  else if (names.size() <= 6) main << Text(auth::listed(names)) << Markup(" can't read anything after you press the button. ");
  else main << Text(static_cast<std::int64_t>(names.size())) << Markup(" apps can't read anything after you press the button. ");
  main << Markup(
              "Your data and your activity history stay. To undo this, you have to allow each app again.</p></div><form "
              "class=\"stack\" "
              "action=\"/panic\" "
              "method=\"post\">")
       << hidden("csrf", visit.session->form_token)
       << Markup(
              "<button class=\"btn btn-stop btn-l btn-wide\" name=\"do\" value=\"panic\">Revoke all access now</button><a "
              "class=\"btn "
              "btn-l btn-wide\" href=\"/clients\">Cancel</a></form><p class=\"small quiet\">In a terminal: <code>ladder "
              "panic</code></p></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
