// The page that signs in a phone: a code to scan, and the number to compare.
#include "auth/text_formatting.h"
#include "base/text/number.h"
#include "console/console.h"
#include "console/settings/settings_nav.h"
#include "http/message/origin.h"
#include "pages/qr_code.h"

namespace ladder::console {
namespace {

Writer form_open(const std::string& csrf) {
  Writer out;
  out << Markup("<form class=\"row\" action=\"/settings/phone\" method=\"post\">") << hidden("csrf", csrf);
  return out;
}

Writer install_section() {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"inst\"><div class=\"block-head\"><h2 id=\"inst\">Keep it on your phone</h2></div><div "
      "class=\"card "
      "stack-2\"><p class=\"small soft\">Open Ladder in the browser of your phone, then: on an iPhone, Share and “Add to Home "
      "Screen”; "
      "on Android, the menu and “Install”. On Android you can then share files from other apps to Ladder; you review them before "
      "anything is imported.</p><p class=\"small soft\">With a <a href=\"/passkeys\">passkey</a> on the phone you sign in by "
      "fingerprint or face from then on.</p></div></section>");
  return out;
}

Writer start_section(const std::string& csrf) {
  Writer out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"go\"><h3 id=\"go\">Show a code for your phone</h3><p class=\"small "
             "soft\">The code alone gives no access: you confirm the phone here.</p>")
      << form_open(csrf)
      << Markup("<button class=\"btn btn-act\" name=\"do\" value=\"begin\">Show the code</button></form></section>");
  return out;
}

// A browser that never refreshes shows a code until it expires.
Writer code_section(const pages::Visit& visit, const auth::PhoneLink& link, Instant now) {
  const std::string address = visit.server_url.base + "/sign-in/phone?code=" + link.secret;
  const auto code = pages::QrCode::of(address);
  Writer out;
  out << Markup(
      "<section class=\"card\" data-live data-state=\"open\" aria-labelledby=\"scan\"><div class=\"pair\"><div "
      "class=\"stack-2\">");
  if (code) out << Markup("<div class=\"qr\">") << qr_svg(*code, "QR code for signing in on your phone") << Markup("</div>");
  else out << Markup("<p class=\"addr\">") << Text(address) << Markup("</p>");
  out << Markup("<p class=\"small quiet\">Expires in ")
      << plural(std::max<std::int64_t>(1, (link.expires_at - now) / kSecond), "second", "seconds")
      << Markup(
             ".</p></div><div class=\"stack\"><h3 id=\"scan\">On your phone</h3><ol class=\"phone-steps\"><li>Open the camera "
             "and "
             "point it at the code.<br><span class=\"small quiet\">It opens <b>")
      << Text(visit.server_url.base.substr(visit.server_url.base.find("//") + 2))
      << Markup(
             "</b>. If it shows another address, stop.</span></li><li>Press Continue there. The phone shows a "
             "number.</li><li>Choose "
             "that number here.</li></ol>")
      << form_open(visit.csrf())
      << Markup("<button class=\"btn btn-s\" name=\"do\" value=\"cancel\">Cancel</button></form></div></div></section>");
  return out;
}

Writer confirm_section(const pages::Visit& visit, const auth::PhoneLink& link) {
  Writer out;
  out << Markup(
             "<section class=\"card stack\" data-live data-state=\"taken\" aria-labelledby=\"same\"><h3 id=\"same\">Which number "
             "does "
             "your phone show?</h3><p class=\"small soft\">It calls itself ")
      << Text(auth::browser_name(link.visitor.agent)) << Markup(", at the address ") << Text(link.visitor.address)
      << Markup(". If your phone shows none of these numbers, someone else scanned the code: cancel.</p>")
      << form_open(visit.csrf());
  for (const int number : link.choices) {
    out << Markup("<button class=\"btn btn-l code-big\" name=\"number\"") << Attribute("value", std::to_string(number))
        << Markup(">") << Text(std::to_string(number)) << Markup("</button>");
  }
  out << Markup("</form>") << form_open(visit.csrf())
      << Markup("<button class=\"btn btn-bare\" name=\"do\" value=\"cancel\">None of them: cancel</button></form></section>");
  return out;
}

Writer done_section() {
  Writer out;
  out << Markup("<div class=\"notice notice-ok\" role=\"status\" data-live data-state=\"confirmed\">") << icon(Icon::kOk)
      << Markup(
             "<p><b>Confirmed.</b> Your phone is signed in within seconds. It is listed under <a "
             "href=\"/settings#sessions\">Sessions"
             "</a>.</p></div>");
  return out;
}

}  // namespace

Result<http::Response> Console::phone(Visit& visit) {
  auth::PhoneLinks& links = authorization_.phone_links();
  std::optional<Error> fault;
  if (visit.is_post) {
    const std::string wanted = visit.form.one("do");
    const auto number = parse_number<int>(visit.form.one("number"));
    // An old session must not create new ways to sign in.
    if (wanted != "cancel" && gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again("/settings/phone");
    if (wanted == "begin") LADDER_CHECK(links.begin(*visit.owner, *visit.session));
    if (wanted == "cancel") LADDER_CHECK(links.cancel(*visit.owner));
    if (const Status done = number ? links.confirm(*visit.owner, *visit.session, *number) : Status{}; !done) {
      if (done.error().http_status() >= 500) return std::unexpected(done.error());
      fault = done.error();
    }
    if (!fault) return pages::redirect_to(number ? "/settings/phone?done=yes" : "/settings/phone");
  }
  LADDER_TRY(const auto link, links.current(*visit.owner, *visit.session));
  const auto origin = http::parse_origin(visit.server_url.base);
  pages::Frame frame = visit.frame;
  frame.title = "Your phone";
  frame.live = link.has_value() && !fault;
  Writer main;
  main << settings_nav(SettingsPage::kPhone)
       << Markup(
              "<div class=\"page-head\"><div><h2 class=\"big-2\">Sign in on your phone</h2><p class=\"lead\">Scan a code, then "
              "compare a "
              "number. You don't type a passphrase.</p></div></div>");
  if (fault) {
    main << Markup("<div class=\"notice notice-warn\" role=\"alert\">") << icon(Icon::kWarn) << Markup("<p>")
         << Text(fault->message) << Markup("</p></div>");
  }
  if (origin && http::is_loopback(origin->host)) {
    main << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn)
         << Markup("<p><b>Your phone can't reach this address.</b> ") << Text(visit.server_url.base)
         << Markup(
                " is only on this computer. Start Ladder with <code>ladder serve --public-url https://…</code> first.</p></div>");
  }
  if (!link) {
    if (visit.form.one("done") == "yes") main << done_notice("Your phone is confirmed.");
    main << start_section(visit.csrf());
  } else if (link->state == auth::PhoneLink::State::kOpen) {
    main << code_section(visit, *link, authorization_.now());
  } else {
    main << (link->state == auth::PhoneLink::State::kTaken ? confirm_section(visit, *link) : done_section());
  }
  main << install_section();
  return pages::page(fault ? fault->http_status() : 200, frame, main);
}

}  // namespace ladder::console
