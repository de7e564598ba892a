// The end of every client's access, with one question before it.
#include "console/console.h"

namespace ladder::console {
namespace {

using html::Markup;
using html::Writer;
using pages::hidden;
using pages::Icon;
using pages::icon;
using pages::plural;

}  // namespace

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
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
