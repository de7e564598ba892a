// Pending requests for consent. The owner enters the code that another device shows, so strangers cannot place a request here
// from a distance.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/clients/client_summary.h"
#include "console/console.h"
#include "console/parts.h"

#include <algorithm>

namespace ladder::console {
namespace {

// Lists the requested data as the client named it. Empty if the client requested nothing specific.
std::string asked_for(const auth::AuthorizationRequest& request) {
  const auto details = auth::read_details(request.details);
  std::vector<std::string> names;
  if (details) {
    for (const auth::RequestedSource& source : *details) {
      for (const auth::RequestedStream& stream : source.streams) {
        names.push_back(stream.name == "*" ? format("everything in {}", source.source) : stream.name);
      }
    }
  }
  return auth::listed(names);
}

Writer waiting_row(const auth::AuthorizationRequest& request, bool has_access, const std::string& csrf, Instant now) {
  const std::int64_t minutes = std::max<std::int64_t>(1, (request.expires_at - now) / (60 * kSecond));
  Writer out;
  out << Markup("<li><span class=\"glyph\">") << icon(Icon::kInbox) << Markup("</span><div class=\"what\"><b>")
      << Text(auth::at_start(auth::requester_name(request)));
  const std::string wanted = asked_for(request);
  if (wanted.empty()) out << Markup(" wants to connect");
  else out << Markup(" asks for ") << Text(wanted);
  out << Markup("</b><p>");
  if (!request.client_name.empty())
    out << Markup("Name: “<bdi>") << Text(request.client_name) << Markup("</bdi>” (chosen by the app). ");
  if (has_access) out << Markup("It asks for more access. ");
  out << Markup("Request ") << Text(request.user_code) << Markup(", ") << Text(moment_text(request.created_at, now))
      << Markup(", expires in ") << plural(minutes, "minute", "minutes")
      << Markup(".</p></div><div class=\"act row\"><form action=\"/requests\" method=\"post\">") << hidden("csrf", csrf)
      << hidden("request", request.id)
      << Markup("<button class=\"btn btn-s\" name=\"do\" value=\"deny\">Deny</button></form><a class=\"btn btn-s btn-act\"")
      << Attribute("href", Url::path("/consent?request=", request.id)) << Markup(">Review</a></div></li>\n");
  return out;
}

Writer answered_row(const auth::AuthorizationRequest& request, Instant now) {
  const std::string wanted = asked_for(request);
  Writer out;
  out << Markup("<tr><th scope=\"row\">") << Text(auth::at_start(auth::requester_name(request)))
      << Markup("</th><td data-name=\"Request\">") << Text(wanted.empty() ? "not specified" : wanted)
      << Markup("</td><td data-name=\"Answer\">");
  if (request.status == "denied") {
    out << Markup("<span class=\"check check-no\">") << icon(Icon::kBad) << Markup("Denied</span>");
  } else {
    out << Markup("<span class=\"check check-yes\">") << icon(Icon::kOk) << Markup("Allowed</span>");
    if (request.status == "approved" && request.exchange.empty()) {
      out << Markup(" <a") << Attribute("href", Url::path("/consent?request=", request.id)) << Markup(">Continue</a>");
    }
  }
  out << Markup("</td><td data-name=\"Time\">") << Text(moment_text(request.created_at, now)) << Markup("</td></tr>\n");
  return out;
}

}  // namespace

Result<http::Response> Console::requests(Visit& visit) {
  if (visit.is_post) {
    if (visit.form.one("do") == "deny") {
      LADDER_TRY(const auto request, authorization_.requests().open(visit.form.one("request"), *visit.owner));
      if (request.status == "waiting") LADDER_CHECK(authorization_.requests().deny(request));
    }
    return pages::redirect_to("/requests");
  }
  const Instant now = authorization_.now();
  LADDER_TRY(auto all, authorization_.requests().opened(*visit.owner));
  LADDER_TRY(const ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  std::ranges::stable_sort(all, std::greater<>(), &auth::AuthorizationRequest::created_at);
  Writer waiting, answered;
  std::int64_t count = 0;
  for (const auth::AuthorizationRequest& request : all) {
    if (request.status != "waiting") {
      answered << answered_row(request, now);
      continue;
    }
    ++count;
    const auto face = std::ranges::find(faces.all(), request.client_id, &ClientFace::client_id);
    waiting << waiting_row(request, face != faces.all().end() && face->connected, visit.csrf(), now);
  }
  visit.frame.title = "Requests";
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Requests</h1><p class=\"lead\">");
  if (count == 0) main << Markup("No requests.");
  else {
    main << Markup("<b>") << plural(count, "request", "requests")
         << (count == 1 ? Markup("</b> is waiting") : Markup("</b> are waiting"))
         << Markup(" for you. No app can read anything until you allow it.");
  }
  main << Markup("</p></div></div>\n");
  if (count > 0) main << Markup("<ul class=\"card card-flush list\">") << waiting << Markup("</ul>\n");
  main << Markup(
      "<section aria-labelledby=\"code\"><div class=\"block-head\"><h2 id=\"code\">A request from another device</h2></div><form "
      "class=\"card stack\" action=\"/device\" method=\"get\"><div class=\"field\"><label for=\"c\">Code</label><div "
      "class=\"join\"><input class=\"input mono\" id=\"c\" name=\"user_code\" placeholder=\"BCDF-2345\" autocomplete=\"off\" "
      "aria-describedby=\"ch\"><button class=\"btn\">Find request</button></div><p class=\"hint\" id=\"ch\">The device shows a "
      "code of eight letters and digits. You can also run <code>ladder approve CODE</code>.</p></div></form></section>\n");
  if (!answered.empty()) {
    main << Markup(
                "<section aria-labelledby=\"done\"><div class=\"block-head\"><h2 id=\"done\">Answered</h2><span "
                "class=\"quiet\">In the last half hour</span></div><div class=\"card card-flush\"><table class=\"table "
                "table-cards\"><thead><tr><th "
                "scope=\"col\">App</th><th scope=\"col\">Request</th><th scope=\"col\">Your answer</th><th "
                "scope=\"col\">Time</th></tr></thead><tbody>")
         << answered << Markup("</tbody></table></div></section>\n");
  }
  return pages::page(200, visit.frame, main);
}

}  // namespace ladder::console
