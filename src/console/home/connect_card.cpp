#include "console/home/connect_card.h"
#include "console/parts.h"

#include "base/text/format.h"
#include "console/home/hosts.h"

#include <algorithm>

namespace ladder::console {
namespace {

Writer copied(std::string_view id, const std::string& text) {
  Writer out;
  out << Markup("<div class=\"copy\"><code") << Attribute("id", id) << Markup(">") << Text(std::string_view(text))
      << Markup("</code><button class=\"btn btn-s\" type=\"button\"") << Attribute("data-copy", id)
      << Markup(" hidden>Copy</button></div>");
  return out;
}

// Text between backticks is something to type.
Writer with_code(std::string_view text) {
  Writer out;
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const std::size_t end = std::min(text.find('`'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_code) out << Markup("<code>") << Text(part) << Markup("</code>");
    else out << Text(part);
  }
  return out;
}

}  // namespace

Writer connect_card(const auth::Place& place) {
  const std::string url = place.mcp();
  const bool is_public = place.base.starts_with("https:");
  Writer out, more;
  out << Markup(
             "<section aria-labelledby=\"connect\"><div class=\"block-head\"><h2 id=\"connect\">Connect an agent</h2></div><div "
             "class=\"card stack\"><p class=\"small soft\">Give an agent this address. It will ask you before it reads "
             "anything.</p>")
      << copied("addr", url) << Markup("<div class=\"row\">");
  for (const HostLine& line : host_lines()) {
    if (line.form != HostForm::kLink || (line.needs_https && !is_public)) continue;
    const auto link = Url::checked(line.text(url));
    if (!link) continue;
    out << Markup("<a class=\"btn btn-s\" rel=\"noreferrer\"") << Attribute("href", *link) << Markup(">Add to ")
        << Text(line.name) << Markup("</a>");
  }
  out << Markup("</div>");
  for (const HostLine& line : host_lines()) {
    if (line.form == HostForm::kLink) continue;
    const bool is_command = line.form == HostForm::kCommand;
    Writer& into = is_command ? out : more;
    into << Markup("<p class=\"small soft\">") << Text(line.name) << Markup(": ") << with_code(line.what) << Markup("</p>");
    if (!line.needs_https || is_public) into << copied(format("host-{}", line.host), line.text(url));
  }
  out << Markup("<details><summary>Other agents</summary><div class=\"stack\">") << more << Markup("</div></details>");
  if (!is_public) {
    out << Markup(
        "<p class=\"small quiet\">Claude and ChatGPT in a browser reach public https addresses only; <code>ladder serve "
        "--public-url</code> gives this server one.</p>");
  }
  out << Markup("</div></section>");
  return out;
}

}  // namespace ladder::console
