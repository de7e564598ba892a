// The page of a device that scanned the code of a signed-in browser (auth/phone_links.h).
#include "base/text/format.h"
#include "pages/site.h"

namespace ladder::pages {
namespace {

using html::Markup;
using html::Text;
using html::Writer;

constexpr std::string_view kPhoneCookie = "__Host-ladder-phone";

std::string cookie(std::string_view value, Instant life) {
  return format("{}={}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age={}", kPhoneCookie, value, life / kSecond);
}

std::string shown_host(const Visit& visit) { return visit.server_url.base.substr(visit.server_url.base.find("//") + 2); }

Writer heading(const Visit& visit, const std::string& owner) {
  Writer out;
  out << Markup("<div><h1>Sign in on this phone</h1><p class=\"lead\">to <b>") << Text(shown_host(visit))
      << Markup("</b>, as <b dir=\"auto\">") << Text(owner) << Markup("</b></p></div>");
  return out;
}

// Opening the link does not take it, because cameras and browsers fetch addresses on their own.
http::Response ask_page(const Visit& visit, const auth::PhoneLink& link, const std::string& csrf) {
  Frame frame = visit.frame;
  frame.title = "Sign in on this phone";
  Writer main;
  main << Markup("<div class=\"gate-box\">") << heading(visit, link.owner_name)
       << Markup(
              "<p class=\"soft\">Continue only if you scanned the code from your own computer. Next, you compare a "
              "number.</p><form "
              "class=\"stack\" action=\"/sign-in/phone\" method=\"post\">")
       << hidden("csrf", csrf) << hidden("code", link.secret)
       << Markup("<button class=\"btn btn-act btn-l btn-wide\" name=\"do\" value=\"take\">Continue</button></form></div>\n");
  return page(200, frame, main);
}

http::Response number_page(const Visit& visit, const auth::PhoneLink& link, const std::string& csrf, Instant now) {
  Frame frame = visit.frame;
  frame.title = "Sign in on this phone";
  frame.live = true;
  Writer main;
  main << Markup("<div class=\"gate-box\" data-live>") << heading(visit, link.owner_name)
       << Markup(
              "<section class=\"card stack-2\" aria-labelledby=\"no\"><h2 id=\"no\">Choose this number on your computer</h2><p "
              "class=\"code-big code-xl\">")
       << Text(std::to_string(link.number))
       << Markup(
              "</p><p class=\"small soft\">If your computer does not show it, or you did not start this, "
              "cancel.</p></section><div "
              "class=\"notice notice-info\" role=\"status\">")
       << icon(Icon::kClock) << Markup("<p><b>Waiting for your computer.</b> Expires in ")
       << plural(std::max<std::int64_t>(1, (link.expires_at - now) / kSecond), "second", "seconds")
       << Markup(".</p></div><form action=\"/sign-in/phone\" method=\"post\">") << hidden("csrf", csrf)
       << Markup("<button class=\"btn btn-l btn-wide\" name=\"do\" value=\"cancel\">Cancel</button></form></div>\n");
  return page(200, frame, main);
}

http::Response over_page(const Visit& visit, const Error& error) {
  Frame frame = visit.frame;
  frame.title = "This code has expired";
  return message_page(401, frame, "This code has expired", error.message);  // its cookie ends by itself
}

}  // namespace

Result<http::Response> Site::phone_sign_in(Visit& visit) {
  auth::PhoneLinks& links = authorization_.phone_links();
  const std::string csrf = authorization_.owners().visitor_form_token();
  const auth::Visitor visitor = visitor_of(visit.request, visit.server_url);
  const std::string code = visit.form.one("code"), own = cookie_of(visit.request, kPhoneCookie);
  const auto or_over = [&](const Error& error) -> Result<http::Response> {
    if (error.code != Code::kAuthentication) return std::unexpected(error);
    return over_page(visit, error);
  };
  if (visit.is_post && visit.form.one("do") == "cancel") {
    http::Response response = redirect_to("/sign-in");
    response.headers.add("Set-Cookie", cookie("", 0));
    return response;
  }
  if (visit.is_post) {
    const auto taken = links.take(code, visitor);
    if (!taken) return or_over(taken.error());
    http::Response response = redirect_to("/sign-in/phone");
    response.headers.add("Set-Cookie", cookie(taken->cookie, auth::kPhoneLinkLife));
    return response;
  }
  if (!code.empty()) {
    const auto link = links.find(code);
    return link ? ask_page(visit, *link, csrf) : or_over(link.error());
  }
  if (own.empty()) return redirect_to(visit.session ? "/" : "/sign-in");
  const auto link = links.taken(own);
  if (!link) return or_over(link.error());
  if (link->state != auth::PhoneLink::State::kConfirmed) return number_page(visit, *link, csrf, authorization_.now());
  const auto in = links.finish(own, visitor);
  if (!in) return or_over(in.error());
  http::Response response = signed_in(*in, visit, "/");
  response.headers.add("Set-Cookie", cookie("", 0));
  return response;
}

}  // namespace ladder::pages
