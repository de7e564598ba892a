// The end of every client's access, with one question before it.
#include "auth/wording.h"
#include "console/console.h"
#include "console/parts.h"

namespace ladder::console {

Result<http::Response> Console::panic(Visit& visit) {
  pages::Frame frame = visit.frame;
  frame.title = "End all access";
  if (visit.is_post) {
    LADDER_TRY(const std::int64_t ended, authorization_.end_everything(*visit.owner));
    Writer main;
    main << Markup("<div class=\"gate-box\"><h1>All access has ended</h1><p class=\"soft\">") << plural(ended, "grant", "grants")
         << Markup(
                " ended. No client can read anything, on any door. To undo it, allow each client anew.</p><p><a class=\"btn\" "
                "href=\"/clients\">Clients</a></p></div>\n");
    return pages::page(200, frame, main);
  }
  LADDER_TRY(const ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  std::vector<std::string> names;
  for (const ClientFace& face : faces.all()) {
    if (face.connected) names.push_back(face.short_name());
  }
  Writer main;
  main << Markup("<div class=\"gate-box\"><div class=\"stack\"><span class=\"glyph glyph-bad\">") << icon(Icon::kStop)
       << Markup("</span><h1>End the access of ");
  if (names.size() == 1) main << Markup("this client?</h1><p class=\"soft\">");
  else main << Markup("every client?</h1><p class=\"soft\">");
  if (names.empty()) main << Markup("No client has access now; what might be on its way ends, too. ");
  else if (names.size() <= 6)
    main << Text(auth::listed(names)) << Markup(" can read nothing from the moment you press the button. ");
  else
    main << Text(static_cast<std::int64_t>(names.size()))
         << Markup(" clients can read nothing from the moment you press the button. ");
  main
      << Markup(
             "Your data and your ledger stay. To undo it, you allow each client anew.</p></div><form class=\"stack\" "
             "action=\"/panic\" "
             "method=\"post\">")
      << hidden("csrf", visit.session->form_token)
      << Markup(
             "<button class=\"btn btn-stop btn-l btn-wide\" name=\"do\" value=\"panic\">End all access now</button><a "
             "class=\"btn "
             "btn-l btn-wide\" href=\"/clients\">Keep it as it is</a></form><p class=\"small quiet\">In a terminal: <code>ladder "
             "panic</code></p></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
