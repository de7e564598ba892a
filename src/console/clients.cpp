// What is connected, who is signed in, and the end of both: one client, all of them, a session, a passkey.
#include "auth/wording.h"
#include "console/console.h"
#include "console/parts.h"

#include <algorithm>
#include <map>

namespace ladder::console {
namespace {

using auth::day_text;
using auth::listed;
using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;
using pages::button_form;
using pages::Icon;
using pages::icon;
using pages::plural;

// Grants of one client, newest last.
using ByClient = std::map<std::string, std::vector<const server::GrantSummary*>>;

Writer client_row(const std::string& client_id, const std::optional<auth::Client>& client,
                  const std::vector<const server::GrantSummary*>& grants, const std::string& csrf) {
  Writer out;
  out << Markup("<li class=\"card client-row\"><div class=\"id\"><div><h2>");
  // The address first; the name is its own claim.
  const bool has_address = client && !client->redirect_uris.empty();
  out << Text(has_address ? auth::at_start(auth::shown_origin(client->redirect_uris.front())) : client_id) << Markup("</h2>");
  if (client && !client->name.empty()) {
    out << Markup("<p class=\"small soft\">“<bdi>") << Text(client->name) << Markup("</bdi>”</p>");
  }
  out << Markup("</div></div><div><dl class=\"facts\">");
  for (const server::GrantSummary* one : grants) {
    for (const grant::StreamGrant& stream : one->grant.streams) {
      out << Markup("<dt>") << Text(stream.name) << Markup("</dt><dd>") << Text(listed(stream.fields));
      if (stream.time && stream.time->since) out << Markup(", since ") << Text(day_text(*stream.time->since));
      out << Markup("</dd>");
    }
    out << Markup("<dt>Since</dt><dd>") << Text(day_text(one->grant.issued_at)) << Markup("</dd><dt>Ends</dt><dd>");
    if (one->grant.expires_at) out << Text(day_text(*one->grant.expires_at));
    else out << Markup("when you end it");
    out << Markup("</dd><dt>Last read</dt><dd>");
    if (one->row.last_used_at) out << Text(day_text(*one->row.last_used_at));
    else out << Markup("not yet");
    out << Markup("</dd>");
  }
  out << Markup("</dl></div>") << button_form(html::Url::path("/clients"), csrf, "end", client_id, "End", "btn btn-s btn-bad")
      << Markup("</li>\n");
  return out;
}

Writer waiting_list(const std::vector<auth::AuthorizationRequest>& requests) {
  Writer out;
  for (const auth::AuthorizationRequest& request : requests) {
    if (request.status != "waiting" && request.status != "approved") continue;
    out << Markup("<li><div class=\"what\"><b>") << Text(auth::at_start(auth::shown_asker(request)))
        << (request.status == "waiting" ? Markup(" asks</b><p>Request ") : Markup(" waits for you to continue</b><p>Request "))
        << Text(request.user_code) << Markup("</p></div><a class=\"btn btn-s btn-act act\"")
        << Attribute("href", html::Url::path("/consent?request=", request.id)) << Markup(">Look at it</a></li>");
  }
  return out;
}

}  // namespace

Result<http::Response> Console::clients(Visit& visit) {
  const std::string& csrf = visit.session->form_token;
  LADDER_TRY(auto grants, authorization_.server().grants(*visit.owner));
  std::erase_if(grants, [](const server::GrantSummary& one) { return one.status != "active"; });
  if (visit.is_post) {
    if (const std::string client = visit.form.one("end"); !client.empty()) {
      for (const server::GrantSummary& one : grants) {
        if (one.grant.client_id == client) LADDER_CHECK(authorization_.server().revoke_grant(*visit.owner, one.grant.grant_id));
      }
    }
    if (const std::string session = visit.form.one("session"); !session.empty()) {
      LADDER_CHECK(authorization_.owners().end_session(*visit.owner, session));
    }
    return pages::redirect_to("/clients");
  }
  ByClient by_client;
  for (const server::GrantSummary& one : grants) by_client[one.grant.client_id].push_back(&one);
  LADDER_TRY(const auto requests, authorization_.opened(*visit.owner));
  LADDER_TRY(const auto sessions, authorization_.owners().sessions(*visit.owner));
  pages::Frame frame = visit.frame;
  frame.title = "Clients";
  Writer main;
  main << Markup("<div class=\"gate-box wide\"><div class=\"page-head\"><div><h1>Clients</h1><p class=\"lead\"><b>");
  const auto count = static_cast<std::int64_t>(by_client.size());
  if (count == 0) main << Markup("No client</b> may read anything.</p>");
  else main << plural(count, "client", "clients") << Markup("</b> may read parts of your data. None may change anything.</p>");
  main << Markup("</div></div>");
  if (const Writer waiting = waiting_list(requests); !waiting.empty()) {
    main << Markup("<ul class=\"card card-flush list\">") << waiting << Markup("</ul>");
  }
  main << Markup("<ul class=\"client-list\">");
  for (const auto& [client_id, of_client] : by_client) {
    LADDER_TRY(const auto known, authorization_.clients().recall(client_id));
    main << client_row(client_id, known, of_client, csrf);
  }
  main << Markup(
              "</ul><section class=\"card stack\" aria-labelledby=\"add\"><h2 id=\"add\">Connect an agent</h2><p "
              "class=\"soft\">Paste "
              "this address where your agent asks for an MCP server: <code>")
       << Text(visit.place.mcp())
       << Markup(
              "</code></p><p class=\"small soft\">For the line of each host: <code>ladder connect "
              "HOST</code></p></section>");
  main << Markup(
      "<section aria-labelledby=\"in\"><div class=\"block-head\"><h2 id=\"in\">Signed in</h2></div><ul class=\"card "
      "card-flush list\">");
  for (const auth::Session& session : sessions) {
    main << Markup("<li><div class=\"what\"><b>") << Text(auth::browser_name(session.visitor.agent)) << Markup("</b><p>")
         << Text(session.visitor.address) << Markup(", since ") << Text(day_text(session.created_at))
         << (session.id == visit.session->id ? Markup(", this one</p></div>") : Markup("</p></div>"))
         << button_form(html::Url::path("/clients"), csrf, "session", session.id, "End", "btn btn-s") << Markup("</li>");
  }
  main << Markup(
              "</ul></section><div class=\"row\"><a class=\"btn\" href=\"/passkeys\">Passkeys</a><a class=\"btn\" "
              "href=\"/device\">Enter a code</a>")
       << button_form(html::Url::path("/sign-out"), csrf, "do", "out", "Sign out", "btn") << Markup("</div>");
  main << Markup(
              "<section class=\"card panic\" aria-labelledby=\"panic\"><div><h2 id=\"panic\">End all access at once</h2><p "
              "class=\"small soft\">Every client loses its access in the same moment. Your data stays. You can only undo it by "
              "allowing each client anew.</p></div><form action=\"/panic\" method=\"get\"><button class=\"btn btn-bad btn-l\">")
       << icon(Icon::kStop) << Markup("End all access</button></form></section></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
