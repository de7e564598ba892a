#include "pages/page.h"

#include "auth/uri.h"
#include "base/text/format.h"
#include "pages/assets.h"

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;

constexpr Markup kBrand(
    "<a class=\"brand\" href=\"/clients\"><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"M6 1.5v17M14 1.5v17M6 "
    "5.5h8M6 14.5h8\"/><path class=\"rung\" d=\"M6 10h8\"/></svg>Ladder</a>");

void set_headers(http::Response& response, const Frame& frame) {
  http::Headers& headers = response.headers;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy",
              format("default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                     "form-action 'self'{}{}; frame-ancestors 'none'; base-uri 'none'",
                     frame.form_action.empty() ? "" : " ", frame.form_action));
  // Not no-referrer: under that policy browsers send "Origin: null" with forms, and the origin is checked.
  headers.set("Referrer-Policy", "same-origin");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("X-Frame-Options", "DENY");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  headers.set("Permissions-Policy",
              "camera=(), microphone=(), geolocation=(), payment=(), usb=(), publickey-credentials-get=(self), "
              "publickey-credentials-create=(self)");
  headers.set("Cache-Control", "no-store");
  if (frame.over_tls) headers.set("Strict-Transport-Security", "max-age=31536000");
}

}  // namespace

Writer icon(Icon icon) {
  Writer out;
  out << Markup("<svg class=\"i\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"");
  switch (icon) {
    case Icon::kOk:
      out << Markup("m3 8.6 3.4 3.4L13 4.6");
      break;
    case Icon::kWarn:
      out << Markup("M8 2.2 14.4 13.4H1.6zM8 6.4v3.4M8 11.6v.05");
      break;
    case Icon::kBad:
      out << Markup("m4 4 8 8M12 4l-8 8");
      break;
    case Icon::kInfo:
      out << Markup("M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M8 7.3v3.6M8 5v.05");
      break;
    case Icon::kLock:
      out << Markup("M3.5 7.3h9v6.2h-9zM5.3 7.3V5a2.7 2.7 0 0 1 5.4 0v2.3");
      break;
    case Icon::kKey:
      out << Markup("M2 11a3 3 0 1 0 6 0 3 3 0 1 0-6 0M7.2 8.8 13.6 2.4M11 5l2.2 2.2");
      break;
    case Icon::kStop:
      out << Markup("M5.4 2h5.2L14 5.4v5.2L10.6 14H5.4L2 10.6V5.4zM5.4 8h5.2");
      break;
    case Icon::kGo:
      out << Markup("M3 8h10M9 4l4 4-4 4");
      break;
    case Icon::kComputer:
      out << Markup("M3.5 3h9v7h-9zM1.5 13h13");
      break;
  }
  out << Markup("\"/></svg>");
  return out;
}

Writer hidden(std::string_view name, std::string_view value) {
  Writer out;
  out << Markup("<input type=\"hidden\"") << Attribute("name", name) << Attribute("value", value) << Markup(">");
  return out;
}

Writer plural(std::int64_t count, std::string_view one, std::string_view many) {
  Writer out;
  out << Text(count) << Markup(" ") << Text(count == 1 ? one : many);
  return out;
}

http::Response page(int status, const Frame& frame, const Writer& main) {
  Writer out;
  out << Markup(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
      << Text(frame.title) << Markup(" · Ladder</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\"")
      << Attribute("href", Url::path("/assets/", style_name())) << Markup(">\n<script")
      << Attribute("src", Url::path("/assets/", script_name())) << Markup(" defer></script>\n</head>\n<body>\n");
  out << (frame.wide ? Markup("<a class=\"skip\" href=\"#decide\">Skip to Allow and Deny</a>\n")
                     : Markup("<div class=\"gate\">\n"));
  out << Markup("<header class=\"top\">") << kBrand;
  if (!frame.owner.empty()) {
    out << Markup("<span class=\"end\">Signed in as <b dir=\"auto\">") << Text(frame.owner) << Markup("</b></span>");
  }
  out << Markup("</header>\n<main id=\"main\">\n") << main << Markup("</main>\n");
  if (!frame.wide) {
    out << Markup("<footer>Nothing on this page comes from elsewhere.</footer>\n</div>\n");
  }
  out << Markup("</body>\n</html>\n");
  http::Response response;
  response.status = status;
  response.body = out.take();
  set_headers(response, frame);
  return response;
}

http::Response message_page(int status, const Frame& frame, std::string_view heading, std::string_view text,
                            std::string_view for_makers) {
  Writer main;
  main << Markup("<div class=\"gate-box\"><h1>") << Text(heading) << Markup("</h1><p class=\"soft\">") << Text(text)
       << Markup("</p>");
  if (!for_makers.empty()) {
    main << Markup("<p class=\"small quiet\">For its makers: <code>") << Text(for_makers) << Markup("</code></p>");
  }
  main << Markup("</div>\n");
  return page(status, frame, main);
}

http::Response redirect_to(const std::string& address) {
  http::Response response;
  response.status = 303;
  response.headers.set("Location", address);
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("Referrer-Policy", "no-referrer");
  return response;
}

std::string form_action_for(std::string_view redirect_uri) {
  const auto uri = auth::parse_uri(redirect_uri);
  if (!uri) return {};
  if (uri->scheme == "http" || uri->scheme == "https") return auth::origin_of(*uri);
  return uri->scheme + ":";
}

}  // namespace ladder::pages
