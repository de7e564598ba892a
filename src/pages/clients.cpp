// What is connected, who is signed in, and the end of both: one client, all of them, a session, a passkey.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "pages/consent_view.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

Writer button_form(html::Url action, const std::string& csrf, std::string_view name, std::string_view value,
                   std::string_view label, std::string_view look) {
  Writer out;
  out << Markup("<form method=\"post\"") << Attribute("action", action) << Markup(">") << hidden("csrf", csrf)
      << hidden(name, value) << Markup("<button") << Attribute("class", look) << Markup(">") << Text(label)
      << Markup("</button></form>");
  return out;
}

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

Result<http::Response> Site::clients(Visit& visit) {
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
    return redirect_to("/clients");
  }
  ByClient by_client;
  for (const server::GrantSummary& one : grants) by_client[one.grant.client_id].push_back(&one);
  LADDER_TRY(const auto requests, authorization_.opened(*visit.owner));
  LADDER_TRY(const auto sessions, authorization_.owners().sessions(*visit.owner));
  Frame frame = visit.frame;
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
  return page(200, frame, main);
}

Result<http::Response> Site::panic(Visit& visit) {
  Frame frame = visit.frame;
  frame.title = "End all access";
  if (visit.is_post) {
    LADDER_TRY(const std::int64_t ended, authorization_.end_everything(*visit.owner));
    Writer main;
    main << Markup("<div class=\"gate-box\"><h1>All access has ended</h1><p class=\"soft\">") << plural(ended, "grant", "grants")
         << Markup(
                " ended. No client can read anything, on any door. To undo it, allow each client anew.</p><p><a class=\"btn\" "
                "href=\"/clients\">Clients</a></p></div>\n");
    return page(200, frame, main);
  }
  Writer main;
  main
      << Markup("<div class=\"gate-box\"><div class=\"stack\"><span class=\"glyph glyph-bad\">") << icon(Icon::kStop)
      << Markup(
             "</span><h1>End the access of every client?</h1><p class=\"soft\">They can read nothing from the moment you press "
             "the "
             "button. Your data stays. To undo it, you allow each client anew.</p></div><form class=\"stack\" action=\"/panic\" "
             "method=\"post\">")
      << hidden("csrf", visit.session->form_token)
      << Markup(
             "<button class=\"btn btn-stop btn-l btn-wide\" name=\"do\" value=\"panic\">End all access now</button><a "
             "class=\"btn "
             "btn-l btn-wide\" href=\"/clients\">Keep it as it is</a></form><p class=\"small quiet\">In a terminal: <code>ladder "
             "panic</code></p></div>\n");
  return page(200, frame, main);
}

auth::Ceremony ceremony_of(const Form& form) {
  const auto bytes = [&](std::string_view name) { return base64url::decode(form.one(name)).value_or(""); };
  auth::Ceremony ceremony;
  ceremony.challenge = form.one("challenge");
  ceremony.credential_id = form.one("credential");
  ceremony.client_data = bytes("client");
  ceremony.authenticator_data = bytes("authenticator");
  ceremony.public_key = bytes("key");
  ceremony.signature = bytes("signature");
  const std::string algorithm = form.one("algorithm");
  std::from_chars(algorithm.data(), algorithm.data() + algorithm.size(), ceremony.algorithm);
  return ceremony;
}

Writer passkey_form(html::Url action, std::string_view owner, const std::string& challenge, const std::string& csrf) {
  // The same owner gets the same handle, which names nobody.
  const std::string user = base64url::encode(crypto::view(crypto::sha256("ladder passkey user " + std::string(owner))));
  Writer out;
  out << Markup("<form class=\"stack\" method=\"post\" data-passkey=\"make\" hidden") << Attribute("action", action)
      << Attribute("data-challenge", challenge) << Attribute("data-user", user) << Attribute("data-name", owner) << Markup(">")
      << hidden("csrf", csrf) << hidden("challenge", challenge) << hidden("credential", "") << hidden("authenticator", "")
      << hidden("client", "") << hidden("key", "") << hidden("algorithm", "");
  return out;
}

Result<http::Response> Site::passkeys(Visit& visit) {
  // Who has a passkey stays in, so a session that was left open is not enough to make or remove one.
  if (has_to_sign_in_again(visit)) return sign_in_again("/passkeys");
  const std::string& csrf = visit.session->form_token;
  Frame frame = visit.frame;
  frame.title = "Passkeys";
  std::string fault;
  if (visit.is_post) {
    if (const std::string id = visit.form.one("remove"); !id.empty()) {
      LADDER_CHECK(authorization_.owners().remove_passkey(*visit.owner, id));
      return redirect_to("/passkeys");
    }
    const Status added = authorization_.owners().add_passkey(*visit.owner, ceremony_of(visit.form), visit.place.base);
    if (added) return redirect_to("/passkeys");
    if (added.error().code != Code::kAuthentication) return std::unexpected(added.error());
    fault = added.error().message;
  }
  LADDER_TRY(const auto known, authorization_.owners().credentials(visit.session->owner_name));
  const std::string challenge = authorization_.owners().passkey_challenge();
  Writer main;
  main << Markup("<div class=\"gate-box\"><h1>Passkeys</h1><p class=\"lead\">");
  main << plural(static_cast<std::int64_t>(known.passkeys.size()), "passkey", "passkeys")
       << (known.passphrase_hash.empty() ? Markup(", no passphrase.</p>") : Markup(", and a passphrase.</p>"));
  if (!fault.empty()) main << Markup("<p class=\"error\" role=\"alert\">") << icon(Icon::kWarn) << Text(fault) << Markup("</p>");
  if (!known.passkeys.empty()) main << Markup("<ul class=\"card card-flush list\">");
  for (const auth::Passkey& key : known.passkeys) {
    main << Markup("<li><div class=\"what\"><b>") << Text(key.label) << Markup("</b><p>since ") << Text(day_text(key.created_at))
         << Markup("</p></div>") << button_form(html::Url::path("/passkeys"), csrf, "remove", key.id, "Remove", "btn btn-s")
         << Markup("</li>");
  }
  if (!known.passkeys.empty()) main << Markup("</ul>");
  main << passkey_form(html::Url::path("/passkeys"), visit.session->owner_name, challenge, csrf)
       << Markup("<button class=\"btn btn-act btn-l btn-wide\">") << icon(Icon::kKey)
       << Markup(
              "Add a passkey</button><p class=\"error\" data-said hidden></p></form><p class=\"hint\">A passkey needs a browser "
              "with "
              "JavaScript and an address with a name, such as http://localhost:7663. The passphrase works without.</p><p><a "
              "class=\"btn\" href=\"/clients\">Clients</a></p></div>\n");
  return page(fault.empty() ? 200 : 400, frame, main);
}

Result<http::Response> Site::passkey_sign_in(Visit& visit) {
  if (!visit.is_post) return redirect_to("/sign-in");
  std::int64_t wait = 0;
  LADDER_TRY(const bool throttled, authorization_.owners().is_throttled("", visitor_of(visit.request, visit.place), wait));
  if (throttled) {
    Error error{Code::kRateLimited,
                format("Too many attempts. You can try again in {}.", wait == 1 ? "a second" : format("{} seconds", wait))};
    error.details().retry_after_seconds = wait;
    return sign_in_page(visit, &error);
  }
  const auto in = authorization_.owners().sign_in_with_passkey(ceremony_of(visit.form), visit.place.base,
                                                               visitor_of(visit.request, visit.place));
  if (in) return signed_in(*in, visit, safe_next(visit.form.one("next")));
  if (in.error().code != Code::kAuthentication) return std::unexpected(in.error());
  LADDER_CHECK(authorization_.owners().note_failure("", visitor_of(visit.request, visit.place)));
  return sign_in_page(visit, &in.error());
}

}  // namespace ladder::pages
