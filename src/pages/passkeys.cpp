// Passkeys: the browser's response, the page that lists them, and sign-in with one.
#include "base/text/base64.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "pages/consent_view.h"

#include <charconv>

namespace ladder::pages {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Writer;

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

Writer passkey_form(const html::Url& action, std::string_view owner, const std::string& challenge, const std::string& csrf) {
  // The handle is the same for the same owner and contains no name.
  const std::string user = base64url::encode(crypto::view(crypto::sha256("ladder passkey user " + std::string(owner))));
  Writer out;
  out << Markup("<form class=\"stack\" method=\"post\" data-passkey=\"make\" hidden") << Attribute("action", action)
      << Attribute("data-challenge", challenge) << Attribute("data-user", user) << Attribute("data-name", owner) << Markup(">")
      << hidden("csrf", csrf) << hidden("challenge", challenge) << hidden("credential", "") << hidden("authenticator", "")
      << hidden("client", "") << hidden("key", "") << hidden("algorithm", "");
  return out;
}

Result<http::Response> Site::passkeys(Visit& visit) {
  // A passkey gives permanent access, so an old session is not enough to add or remove one.
  if (gate_.has_to_sign_in_again(visit)) return Gate::sign_in_again("/passkeys");
  const std::string& csrf = visit.session->form_token;
  Frame frame = visit.frame;
  frame.title = "Passkeys";
  std::string fault;
  if (visit.is_post) {
    if (const std::string id = visit.form.one("remove"); !id.empty()) {
      LADDER_CHECK(authorization_.owners().remove_passkey(*visit.owner, id));
      return redirect_to("/passkeys");
    }
    const Status added = authorization_.owners().add_passkey(*visit.owner, ceremony_of(visit.form), visit.server_url.base);
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
    main << Markup("<li><div class=\"what\"><b>") << Text(key.label) << Markup("</b><p>Added ") << Text(day_text(key.created_at))
         << Markup("</p></div>") << button_form(html::Url::path("/passkeys"), csrf, "remove", key.id, "Remove", "btn btn-s")
         << Markup("</li>");
  }
  if (!known.passkeys.empty()) main << Markup("</ul>");
  main << passkey_form(html::Url::path("/passkeys"), visit.session->owner_name, challenge, csrf)
       << Markup("<button class=\"btn btn-act btn-l btn-wide\">") << icon(Icon::kKey)
       << Markup(
              "Add a passkey</button><p class=\"error\" data-said hidden></p></form><p class=\"hint\">A passkey needs JavaScript "
              "and an address with a host name, such as http://localhost:7663. A passphrase needs neither.</p><p><a "
              "class=\"btn\" href=\"/settings\">Settings</a></p></div>\n");
  return page(fault.empty() ? 200 : 400, frame, main);
}

Result<http::Response> Site::passkey_sign_in(Visit& visit) {
  if (!visit.is_post) return redirect_to("/sign-in");
  std::int64_t wait = 0;
  LADDER_TRY(const bool throttled, authorization_.owners().is_throttled("", visitor_of(visit.request, visit.server_url), wait));
  if (throttled) {
    Error error{Code::kRateLimited,
                format("Too many attempts. You can try again in {}.", wait == 1 ? "a second" : format("{} seconds", wait))};
    error.details().retry_after_seconds = wait;
    return sign_in_page(visit, &error);
  }
  const auto in = authorization_.owners().sign_in_with_passkey(ceremony_of(visit.form), visit.server_url.base,
                                                               visitor_of(visit.request, visit.server_url));
  if (in) return signed_in(*in, visit, safe_next(visit.form.one("next")));
  if (in.error().code != Code::kAuthentication) return std::unexpected(in.error());
  LADDER_CHECK(authorization_.owners().note_failure("", visitor_of(visit.request, visit.server_url)));
  return sign_in_page(visit, &in.error());
}

}  // namespace ladder::pages
