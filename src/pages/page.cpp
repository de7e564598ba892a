#include "pages/page.h"

#include "auth/uri.h"
#include "base/text/format.h"
#include "pages/assets.h"

#include <array>
#include <utility>

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;

constexpr Markup kBrand(
    "<a class=\"brand\" href=\"/\"><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"M6 1.5v17M14 1.5v17M6 "
    "5.5h8M6 14.5h8\"/><path class=\"rung\" d=\"M6 10h8\"/></svg>Ladder</a>");

void set_headers(http::Response& response, const Frame& frame) {
  http::Headers& headers = response.headers;
  headers.set("Content-Type", "text/html; charset=utf-8");
  headers.set("Content-Security-Policy",
              format("default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                     "form-action 'self'{}{}; frame-ancestors 'none'; base-uri 'none'",
                     frame.form_action.empty() ? "" : " ", frame.form_action));
  // no-referrer would make browsers send "Origin: null" with forms, and the origin is checked.
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

Icon source_icon(std::string_view source_key) {
  static constexpr std::array<std::pair<std::string_view, Icon>, 13> kIcons = {{{"mail", Icon::kMail},
                                                                                {"chatgpt", Icon::kChat},
                                                                                {"claude", Icon::kChat},
                                                                                {"slack", Icon::kChat},
                                                                                {"whatsapp", Icon::kChat},
                                                                                {"discord", Icon::kChat},
                                                                                {"reddit", Icon::kChat},
                                                                                {"x", Icon::kChat},
                                                                                {"linkedin", Icon::kPerson},
                                                                                {"notes", Icon::kNote},
                                                                                {"documents", Icon::kFile},
                                                                                {"calendar", Icon::kCalendar},
                                                                                {"contacts", Icon::kPerson}}};
  for (const auto& [key, icon] : kIcons) {
    if (source_key == key) return icon;
  }
  return Icon::kLayers;
}

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
    case Icon::kHome:
      out << Markup("M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z");
      break;
    case Icon::kSearch:
      out << Markup("M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M10.5 10.5l3.5 3.5");
      break;
    case Icon::kLayers:
      out << Markup("M2 5l6-2.8L14 5 8 7.8zM2 8.2 8 11l6-2.8M2 11.4l6 2.8 6-2.8");
      break;
    case Icon::kPlug:
      out << Markup("M5.5 1.8v3.4M10.5 1.8v3.4M3.5 5.2h9V8a4.5 4.5 0 0 1-9 0zM8 12.5v2");
      break;
    case Icon::kInbox:
      out << Markup("M2 9l1.8-6h8.4L14 9v4.5H2zM2 9h3.7l.8 1.7h3L10.3 9H14");
      break;
    case Icon::kLedger:
      out << Markup("M3.5 2h9v12h-9zM6 5.2h4M6 8h4M6 10.8h2");
      break;
    case Icon::kSliders:
      out << Markup("M2 5h5M11 5h3M2 11h2M8 11h6M7 5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M4 11a2 2 0 1 0 4 0 2 2 0 1 0-4 0");
      break;
    case Icon::kMail:
      out << Markup("M1.8 3.5h12.4v9H1.8zM2.2 4 8 8.8 13.8 4");
      break;
    case Icon::kChat:
      out << Markup("M2 3h12v8H7.5L4.5 13.6V11H2z");
      break;
    case Icon::kAsk:
      out << Markup("M2 3h12v8H7.5L4.5 13.6V11H2zM6.5 5.9a1.5 1.5 0 1 1 2 1.4c-.4.2-.5.4-.5.8M8 9.4v.05");
      break;
    case Icon::kNote:
      out << Markup("M3 2h7l3 3v9H3zM10 2v3h3M5.5 8h5M5.5 11h3.2");
      break;
    case Icon::kFile:
      out << Markup("M3.5 2h6l3 3v9h-9zM9.5 2v3h3");
      break;
    case Icon::kCalendar:
      out << Markup("M2.5 3.5h11v10h-11zM2.5 6.7h11M5.5 2v3M10.5 2v3");
      break;
    case Icon::kPerson:
      out << Markup("M5.2 5.2a2.8 2.8 0 1 0 5.6 0 2.8 2.8 0 1 0-5.6 0M2.5 14c.6-3 2.7-4.4 5.5-4.4s4.9 1.4 5.5 4.4");
      break;
    case Icon::kPicture:
      out << Markup("M2 3h12v10H2zM2 11l3.5-3.5 3 3 2-2L14 12M10.5 6v.05");
      break;
    case Icon::kClock:
      out << Markup("M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8M8 4.6V8l2.4 1.6");
      break;
    case Icon::kUp:
      out << Markup("m3 10 5-5 5 5");
      break;
    case Icon::kDown:
      out << Markup("m3 6 5 5 5-5");
      break;
    case Icon::kUpload:
      out << Markup("M8 10.5V2.5M4.8 5.7 8 2.5l3.2 3.2M2.5 10v3.5h11V10");
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

Writer new_passphrase_fields(const Writer& fault) {
  Writer out;
  out << Markup(
             "<div class=\"field\"><label for=\"p1\">Passphrase</label><input class=\"input\" id=\"p1\" name=\"passphrase\" "
             "type=\"password\" autocomplete=\"new-password\" minlength=\"12\" aria-describedby=\"ph\" required>")
      << fault
      << Markup(
             "<p class=\"hint\" id=\"ph\">At least 12 characters. Four random words work well.</p></div><div "
             "class=\"field\"><label for=\"p2\">Confirm passphrase</label><input class=\"input\" id=\"p2\" "
             "name=\"passphrase_again\" type=\"password\" autocomplete=\"new-password\" required></div>");
  return out;
}

Writer plural(std::int64_t count, std::string_view one, std::string_view many) {
  Writer out;
  out << Text(count) << Markup(" ") << Text(count == 1 ? one : many);
  return out;
}

Writer button_form(const Url& action, const std::string& csrf, std::string_view name, std::string_view value,
                   std::string_view label, std::string_view look) {
  Writer out;
  out << Markup("<form method=\"post\"") << Attribute("action", action) << Markup(">") << hidden("csrf", csrf)
      << hidden(name, value) << Markup("<button") << Attribute("class", look) << Markup(">") << Text(label)
      << Markup("</button></form>");
  return out;
}

namespace {

struct MenuEntry {
  Section section;
  Icon icon;
  Markup link, name;
};
constexpr std::array kMenu = {
    MenuEntry{Section::kHome, Icon::kHome, "<a href=\"/\"", "Home"},
    MenuEntry{Section::kExplore, Icon::kSearch, "<a href=\"/explore\"", "Search"},
    MenuEntry{Section::kAsk, Icon::kAsk, "<a href=\"/ask\"", "Ask"},
    MenuEntry{Section::kTimeline, Icon::kClock, "<a href=\"/timeline\"", "Timeline"},
    MenuEntry{Section::kSources, Icon::kLayers, "<a href=\"/sources\"", "Sources"},
    MenuEntry{Section::kClients, Icon::kPlug, "<a href=\"/clients\"", "Apps"},
    MenuEntry{Section::kRequests, Icon::kInbox, "<a href=\"/requests\"", "Requests"},
    MenuEntry{Section::kLedger, Icon::kLedger, "<a href=\"/ledger\"", "Activity"},
    MenuEntry{Section::kSettings, Icon::kSliders, "<a href=\"/settings\"", "Settings"},
};

Writer menu(const Frame& frame) {
  Writer out;
  out << Markup("<aside class=\"side\" id=\"side\" aria-label=\"Console\">\n") << kBrand
      << Markup("<nav class=\"nav\" aria-label=\"Pages\">\n");
  for (const MenuEntry& entry : kMenu) {
    out << entry.link << (entry.section == frame.menu->current ? Markup(" aria-current=\"page\">") : Markup(">"))
        << icon(entry.icon) << entry.name;
    if (entry.section == Section::kRequests && frame.menu->waiting > 0) {
      out << Markup("<span class=\"count\">") << Text(frame.menu->waiting)
          << Markup("<span class=\"unseen\"> waiting</span></span>");
    }
    out << Markup("</a>\n");
  }
  // The first letter of the name, or nothing if it is not an ASCII letter.
  const char first = frame.owner.empty() ? ' ' : frame.owner.front();
  const bool is_letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  const std::string face(is_letter ? 1 : 0, is_letter ? static_cast<char>(first & ~0x20) : ' ');
  out << Markup(
             "</nav>\n<div class=\"side-foot\"><form action=\"/panic\" method=\"get\"><button class=\"btn btn-bad btn-s "
             "btn-wide\">")
      << icon(Icon::kStop)
      << Markup("Revoke all access</button></form>\n<div class=\"who\"><span class=\"face\" aria-hidden=\"true\">")
      << Text(std::string_view(face)) << Markup("</span><span dir=\"auto\">") << Text(frame.owner) << Markup("</span>")
      << button_form(Url::path("/sign-out"), frame.menu->csrf, "do", "out", "Sign out", "btn btn-bare btn-s")
      << Markup("</div><a class=\"btn btn-s menu-close\" href=\"#main\">Close menu</a></div>\n</aside>\n");
  return out;
}

// A console page with the menu.
void write_console(Writer& out, const Frame& frame, const Writer& main) {
  out << Markup("<a class=\"skip\" href=\"#main\">Skip to the page</a>\n<div class=\"app\">\n<header class=\"top\">") << kBrand
      << Markup("<a class=\"btn btn-s menu-link\" href=\"#side\">Menu</a></header>\n") << menu(frame)
      << Markup("<main class=\"page\" id=\"main\" tabindex=\"-1\">\n") << main << Markup("</main>\n</div>\n");
}

// A page outside the console, without a menu.
void write_gate(Writer& out, const Frame& frame, const Writer& main) {
  out << (frame.wide ? Markup("<a class=\"skip\" href=\"#decide\">Skip to Allow and Deny</a>\n")
                     : Markup("<div class=\"gate\">\n"));
  out << Markup("<header class=\"top\">") << kBrand;
  if (!frame.owner.empty()) {
    out << Markup("<span class=\"end\">Signed in as <b dir=\"auto\">") << Text(frame.owner) << Markup("</b></span>");
  }
  out << Markup("</header>\n<main id=\"main\">\n") << main << Markup("</main>\n");
  if (!frame.wide) {
    out << Markup("<footer>This page loads nothing from other servers.</footer>\n</div>\n");
  }
}

}  // namespace

http::Response page(int status, const Frame& frame, const Writer& main) {
  Writer out;
  out << Markup(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
             "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>")
      << Text(frame.title) << Markup(" · Ladder</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\"")
      << Attribute("href", Url::path("/assets/", style_name())) << Markup(">\n<script")
      << Attribute("src", Url::path("/assets/", script_name())) << Markup(" defer></script>\n")
      << (frame.live ? Markup("<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>\n</head>\n<body>\n")
                     : Markup("</head>\n<body>\n"));
  if (frame.menu) write_console(out, frame, main);
  else write_gate(out, frame, main);
  out << Markup("</body>\n</html>\n");
  http::Response response;
  response.status = status;
  response.body = out.take();
  set_headers(response, frame);
  return response;
}

http::Response message_page(int status, const Frame& frame, std::string_view heading, std::string_view text,
                            std::string_view error_code) {
  Writer main;
  main << Markup("<div class=\"gate-box\"><h1>") << Text(heading) << Markup("</h1><p class=\"soft\">") << Text(text)
       << Markup("</p>");
  if (!error_code.empty()) {
    main << Markup("<p class=\"small quiet\">Error code: <code>") << Text(error_code) << Markup("</code></p>");
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
