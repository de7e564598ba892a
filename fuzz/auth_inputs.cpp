// Inputs that unauthenticated clients send to the pages and to OAuth: forms, cookies, authorization_details,
// registrations, client documents, passkey client data, redirects. The first line names the kind; accepted input has
// the properties that the rest of the program relies on.
#include "auth/clients.h"
#include "auth/details.h"
#include "auth/passkeys.h"
#include "frame.h"
#include "html/html.h"
#include "pages/form.h"

namespace ladder::fuzz {
namespace {

void check_redirects(const std::vector<std::string>& redirects) {
  FUZZ_CHECK(!redirects.empty() && redirects.size() <= auth::kMaxRedirects);
  for (const std::string& uri : redirects) {
    FUZZ_CHECK(auth::is_acceptable_redirect(uri));
    FUZZ_CHECK(html::Url::checked(uri).has_value());
    FUZZ_CHECK(auth::is_same_redirect(uri, uri));
  }
}

void check_details(std::string_view text) {
  const auto details = auth::read_details(text);
  if (!details) {
    FUZZ_CHECK(details.error().error == "invalid_authorization_details");
    return;
  }
  for (const auth::RequestedSource& source : *details) {
    FUZZ_CHECK(!source.source.empty() && !source.streams.empty());
    for (const auth::RequestedStream& stream : source.streams) FUZZ_CHECK(!stream.name.empty());
  }
}

void check_cookie(std::string_view text) {
  http::Request request;
  request.headers.add("Cookie", std::string(text));
  const std::string cookie = pages::cookie_of(request);
  FUZZ_CHECK(cookie.find(';') == std::string::npos);
  FUZZ_CHECK(text.find(cookie) != std::string_view::npos);
}

}  // namespace

void run(std::string_view input) {
  const std::string_view kind = take_line(input);
  const Exact exact(input);
  const std::string_view text = exact.view();
  if (kind == "form") {
    if (const auto form = pages::Form::parse(text)) (void)form->one("csrf");
  } else if (kind == "cookie") {
    check_cookie(text);
  } else if (kind == "details") {
    check_details(text);
  } else if (kind == "registration") {
    if (const auto made = auth::read_registration(text)) check_redirects(made->client.redirect_uris);
  } else if (kind == "document") {
    if (const auto client = auth::read_document("https://a.example/c", text)) {
      FUZZ_CHECK(client->client_id == "https://a.example/c");
      check_redirects(client->redirect_uris);
    }
  } else if (kind == "passkey") {
    auth::Ceremony ceremony;
    ceremony.challenge = "c";
    ceremony.client_data = text;
    ceremony.authenticator_data = std::string(37, '\5');
    FUZZ_CHECK(!auth::check_ceremony(ceremony, "webauthn.get", "https://a.example"));  // another host
    (void)auth::new_credential_id(text);
  } else {
    (void)auth::is_same_redirect("https://a.example/x", text);
    FUZZ_CHECK(text == "https://a.example/x" || !auth::is_same_redirect("https://a.example/x", text));
  }
}

}  // namespace ladder::fuzz
