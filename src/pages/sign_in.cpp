// Sign-in with a passphrase or a one-time link, and sign-out.
#include "base/text/format.h"
#include "crypto/passphrase.h"
#include "pages/consent_view.h"

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

Writer error_line(const Error* fault) {
  Writer out;
  if (!fault) return out;
  out << Markup("<p class=\"error\" role=\"alert\">") << icon(Icon::kWarn) << Text(fault->message) << Markup("</p>");
  return out;
}

}  // namespace

http::Response Site::sign_in_page(const Visit& visit, const Error* fault) const {
  Frame frame = visit.frame;
  frame.title = "Sign in";
  const std::string next = safe_next(visit.form.one("next"));
  const std::string token = authorization_.owners().visitor_form_token();
  Writer main;
  main << Markup("<div class=\"gate-box\"><div><h1>Sign in to your Ladder</h1><p class=\"lead\">Your data, on <b>")
       << Text(visit.server_url.base.substr(visit.server_url.base.find("//") + 2)) << Markup("</b>.</p>");
  if (!visit.form.one("again").empty()) {
    main << Markup("<p class=\"soft\">Please sign in again to continue.</p>");
  }
  main << Markup("</div>");
  const std::string challenge = authorization_.owners().passkey_challenge();
  main << Markup("<form class=\"stack\" action=\"/sign-in/passkey\" method=\"post\" data-passkey=\"use\" hidden")
       << Attribute("data-challenge", challenge) << Markup(">") << hidden("csrf", token) << hidden("next", next)
       << hidden("again", visit.form.one("again")) << hidden("challenge", challenge) << hidden("credential", "")
       << hidden("authenticator", "") << hidden("client", "") << hidden("signature", "")
       << Markup("<button class=\"btn btn-l btn-wide\">") << icon(Icon::kKey)
       << Markup("Sign in with a passkey</button><p class=\"error\" data-said hidden></p></form>");
  main << Markup("<form class=\"stack\" action=\"/sign-in\" method=\"post\">") << hidden("csrf", token) << hidden("next", next)
       << hidden("again", visit.form.one("again"));
  main << Markup(
              "<div class=\"field\"><label for=\"name\">Name</label><input class=\"input\" id=\"name\" name=\"name\" "
              "autocomplete=\"username\" required")
       << Attribute("value", visit.form.one("name").empty() ? "local" : visit.form.one("name")) << Markup("></div>");
  main << Markup(
              "<div class=\"field\"><label for=\"pass\">Passphrase</label><input id=\"pass\" name=\"passphrase\" "
              "type=\"password\" autocomplete=\"current-password\" required")
       << Attribute("class", fault ? "input input-bad" : "input");
  if (fault) main << Markup(" aria-invalid=\"true\"");
  main << Markup(">") << error_line(fault) << Markup("</div>");
  main << Markup("<button class=\"btn btn-act btn-wide btn-l\">Sign in with the passphrase</button></form>");
  main << Markup(
      "<details><summary>I can't sign in</summary><p class=\"small soft\">On the computer that runs Ladder, run <code>ladder "
      "owner link</code>. It prints a sign-in link that works once and expires after 15 minutes.</p></details></div>\n");
  const int status = !fault ? 200 : fault->code == Code::kRateLimited ? 429 : 401;
  http::Response response = page(status, frame, main);
  if (fault && fault->more && fault->more->retry_after_seconds >= 0) {
    response.headers.set("Retry-After", std::to_string(fault->more->retry_after_seconds));
  }
  return response;
}

Result<http::Response> Site::sign_in(Visit& visit) {
  if (!visit.is_post) {
    if (visit.session && visit.form.one("again").empty()) return redirect_to(safe_next(visit.form.one("next")));
    return sign_in_page(visit, nullptr);
  }
  const auto in = authorization_.owners().sign_in(visit.form.one("name"), visit.form.one("passphrase"),
                                                  visitor_of(visit.request, visit.server_url));
  if (in) return signed_in(*in, visit, safe_next(visit.form.one("next")));
  const Error& error = in.error();
  if (error.code != Code::kAuthentication && error.code != Code::kRateLimited) return std::unexpected(error);
  return sign_in_page(visit, &error);
}

http::Response Site::link_page(const Visit& visit, std::string_view name, const Error* fault) const {
  Frame frame = visit.frame;
  frame.title = "Welcome";
  const std::string token = authorization_.owners().visitor_form_token();
  Writer main;
  main << Markup(
              "<div class=\"gate-box wide\"><div><p class=\"eyebrow\">This link works once</p><h1>Choose how to sign in</h1><p "
              "class=\"lead\">You are <b dir=\"auto\">")
       << Text(name)
       << Markup(
              "</b>, the owner of this data. Anyone who signs in as you can read everything and decide what apps can "
              "see.</p></div>");
  const std::string link = visit.form.one("token");
  main << error_line(fault)
       << Markup("<div class=\"pick\"><section class=\"card\" aria-labelledby=\"pk\"><span class=\"glyph glyph-info\">")
       << icon(Icon::kKey)
       << Markup(
              "</span><h2 id=\"pk\">A passkey</h2><p class=\"soft small\">Your device stores a key and asks for your "
              "fingerprint, face or PIN. It works only for this address, so other sites can't steal it.</p><noscript><p "
              "class=\"hint\">A passkey needs JavaScript. A passphrase doesn't.</p></noscript>")
       << passkey_form(html::Url::path("/sign-in/link"), name, authorization_.owners().passkey_challenge(), token)
       << hidden("token", link)
       << Markup(
              "<button class=\"btn btn-act btn-l btn-wide\">Create a passkey</button><p class=\"error\" data-said "
              "hidden></p></form></section>");
  main << Markup("<section class=\"card\" aria-labelledby=\"pp\"><span class=\"glyph\">") << icon(Icon::kLock)
       << Markup(
              "</span><h2 id=\"pp\">A passphrase</h2><p class=\"soft small\">Use at least four random words. It works on every "
              "device; longer is stronger.</p><form class=\"stack\" action=\"/sign-in/link\" "
              "method=\"post\">")
       << hidden("csrf", token) << hidden("token", link)
       << Markup("<input type=\"text\" class=\"unseen\" autocomplete=\"username\" tabindex=\"-1\" aria-hidden=\"true\" readonly")
       << Attribute("value", name) << Markup(">") << new_passphrase_fields({})
       << Markup("<button class=\"btn btn-l btn-wide\">Use a passphrase</button></form></section></div>");
  main << Markup(
      "<p class=\"small quiet\">You can add the other one later under Passkeys or with <code>ladder owner passphrase</code>. If "
      "you lose both, run <code>ladder owner link</code> on this computer.</p></div>\n");
  return page(fault ? 400 : 200, frame, main);
}

// Displaying the page does not consume the link, because browsers and mail programs fetch links on their own.
Result<http::Response> Site::link(Visit& visit) {
  const std::string token = visit.form.one("token");
  auth::Owners& owners = authorization_.owners();
  const auto over = [&](const Error& error) {
    Frame frame = visit.frame;
    frame.title = "This link has expired";
    return message_page(401, frame, "This link has expired", error.message);
  };
  const auto found = owners.link_owner(token);
  if (!found && found.error().code == Code::kAuthentication) return over(found.error());
  LADDER_TRY(const std::string name, found);
  if (!visit.is_post) return link_page(visit, name, nullptr);
  const auth::Visitor visitor = visitor_of(visit.request, visit.server_url);
  const bool has_passkey = !visit.form.one("credential").empty();
  const std::string passphrase = visit.form.one("passphrase");
  if (!has_passkey) {
    const Status fit = auth::check_passphrase(passphrase, visit.form.one("passphrase_again"));
    if (!fit) return link_page(visit, name, &fit.error());
  }
  const auto in = has_passkey ? owners.use_link(token, ceremony_of(visit.form), visit.server_url.base, visitor)
                              : owners.use_link(token, passphrase, visitor);
  if (in) return signed_in(*in, visit, "/");
  if (in.error().http_status() >= 500) return std::unexpected(in.error());
  // Another browser may have used the link in the meantime. Otherwise the link stays valid and the page shows the error.
  if (const auto still = owners.link_owner(token); !still) return over(still.error());
  return link_page(visit, name, &in.error());
}

Result<http::Response> Site::sign_out(Visit& visit) {
  LADDER_CHECK(authorization_.owners().sign_out(cookie_of(visit.request)));
  http::Response response = redirect_to("/sign-in");
  response.headers.add("Set-Cookie", format("{}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0", kCookieName));
  return response;
}

}  // namespace ladder::pages
