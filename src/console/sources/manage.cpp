// The page of one source: its name, whether lists and search show it, and which other sources are shown as one with it.
#include "base/text/format.h"
#include "console/arrangement.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/holdings.h"

#include <algorithm>

namespace ladder::console {
namespace {

Writer form_begin(const std::string& csrf, const std::string& id) {
  Writer out;
  out << Markup("<form class=\"stack\" action=\"/sources/manage\" method=\"post\">") << pages::hidden("csrf", csrf)
      << pages::hidden("connection", id);
  return out;
}

Writer name_card(const Holding& holding, const std::string& csrf) {
  Writer out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"name\"><h2 id=\"name\">Name</h2>")
      << form_begin(csrf, holding.connection.connection_id)
      << Markup(
             "<div class=\"field\"><label for=\"n\">Name</label><div class=\"join\"><input class=\"input\" id=\"n\" "
             "name=\"name\" "
             "maxlength=\"80\" dir=\"auto\" autocomplete=\"off\" aria-describedby=\"nh\"")
      << Attribute("value", holding.connection.display_name)
      << Markup(
             "><button class=\"btn\" name=\"do\" value=\"rename\">Rename</button></div><p class=\"hint\" id=\"nh\">Apps that may "
             "read this "
             "source see the name, too. Without a name, it is called “")
      << Text(holding.source_name) << Markup("”.</p></div></form></section>");
  return out;
}

Writer hide_card(const Holding& holding, bool hidden, const std::string& csrf) {
  Writer out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"lists\"><h2 id=\"lists\">Lists and search</h2><p class=\"small "
             "soft\">")
      << (hidden ? Markup("This source is hidden: Home, Search, Ask, Timeline and People leave it out. Its records are kept, and "
                          "apps that "
                          "have access keep it.")
                 : Markup("You can hide this source from Home, Search, Ask, Timeline and People. Its records are kept, and apps "
                          "that have "
                          "access keep it."))
      << Markup("</p>") << form_begin(csrf, holding.connection.connection_id)
      << (hidden ? Markup("<div><button class=\"btn\" name=\"do\" value=\"show\">Show it again</button></div></form></section>")
                 : Markup("<div><button class=\"btn\" name=\"do\" value=\"hide\">Hide</button></div></form></section>"));
  return out;
}

Writer group_card(const Holding& holding, const std::vector<Holding>& all, const Arrangement& arrangement,
                  const std::string& csrf) {
  const std::string& id = holding.connection.connection_id;
  const std::string group = arrangement.group_of(id);
  Writer others;
  for (const Holding& other : all) {
    const std::string& other_id = other.connection.connection_id;
    if (other_id == id || other.connection.source_key != holding.connection.source_key) continue;
    others << Markup("<label class=\"opt\"><input type=\"checkbox\" name=\"with\"") << Attribute("value", other_id);
    if (!group.empty() && arrangement.group_of(other_id) == group) others << Markup(" checked");
    others << Markup("><span dir=\"auto\">") << Text(other.name) << Markup("</span><span class=\"num\">") << Text(other.records)
           << Markup("</span></label>");
  }
  Writer out;
  if (others.empty() && group.empty()) return out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"merge\"><h2 id=\"merge\">Show as one source</h2><p class=\"small "
             "soft\">Sources "
             "of the same kind can be shown under one name on these pages. Each keeps its own records, imports and export. An "
             "app "
             "keeps exactly the access that it has: access to one of them doesn’t include the others.</p>")
      << form_begin(csrf, id);
  if (!others.empty()) {
    out << Markup("<fieldset class=\"stack-2\"><legend class=\"small\">Together with</legend>") << others
        << Markup("</fieldset>");
  }
  out << Markup(
             "<div class=\"field\"><label for=\"g\">Name of all of them</label><input class=\"input\" id=\"g\" name=\"group\" "
             "maxlength=\"80\" "
             "dir=\"auto\" autocomplete=\"off\"")
      << Attribute("value", group.empty() ? holding.name : group)
      << Markup("></div><div class=\"row\"><button class=\"btn\" name=\"do\" value=\"merge\">Show as one</button>");
  if (!group.empty()) out << Markup("<button class=\"btn btn-bare\" name=\"do\" value=\"separate\">Show separately</button>");
  out << Markup("</div></form></section>");
  return out;
}

// Leads to the preview of a merge. It reads the target from the query, so the form is a GET.
Writer merge_card(const Holding& holding, const std::vector<Holding>& all) {
  Writer options, out;
  for (const Holding& other : all) {
    if (other.connection.connection_id == holding.connection.connection_id ||
        other.connection.source_key != holding.connection.source_key || other.connection.status == server::kErasing)
      continue;
    options << Markup("<option") << Attribute("value", other.connection.connection_id) << Markup(">") << Text(other.name)
            << Markup("</option>");
  }
  if (options.empty()) return out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"into\"><h2 id=\"into\">Merge into another source</h2><p "
             "class=\"small soft\">If you have the same data twice, move these records to the other source. Of a record that "
             "both have, the newer version is kept. This source is then gone. You see what changes before you confirm.</p><form "
             "class=\"stack\" action=\"/sources/merge\" method=\"get\">")
      << pages::hidden("connection", holding.connection.connection_id)
      << Markup(
             "<div class=\"field\"><label for=\"m\">Merge into</label><div class=\"join\"><select class=\"input\" id=\"m\" "
             "name=\"into\">")
      << options << Markup("</select><button class=\"btn\">Review…</button></div></div></form></section>");
  return out;
}

// Makes exactly the chosen sources members of the group.
Status merge(server::ResourceServer& server, const server::Access& owner, const std::vector<Holding>& all, const Holding& first,
             const pages::Form& form) {
  const std::string group = form.one("group");
  const std::vector<std::string> with = form.all("with");
  if (group.find_first_not_of(' ') == std::string::npos)
    return fail(Code::kInvalidRequest, "Give the sources a name under which they are shown.", "group");
  LADDER_TRY(const Arrangement before, Arrangement::of(server, owner));
  const std::string old = before.group_of(first.connection.connection_id);
  std::vector<std::string> members = {first.connection.connection_id};
  for (const Holding& other : all) {
    const bool fits = other.connection.source_key == first.connection.source_key;
    if (fits && std::ranges::find(with, other.connection.connection_id) != with.end())
      members.push_back(other.connection.connection_id);
  }
  if (members.size() < 2)
    return fail(Code::kInvalidRequest, "Choose at least one other source to show together with this one.", "with");
  for (const std::string& id : before.members(old)) {
    if (std::ranges::find(members, id) == members.end()) LADDER_CHECK(Arrangement::set_group(server, owner, id, ""));
  }
  for (const std::string& id : members) LADDER_CHECK(Arrangement::set_group(server, owner, id, group));
  return {};
}

// A group of one is shown by itself.
Status separate(server::ResourceServer& server, const server::Access& owner, const std::string& id) {
  LADDER_TRY(const Arrangement before, Arrangement::of(server, owner));
  const auto members = before.members(before.group_of(id));
  LADDER_CHECK(Arrangement::set_group(server, owner, id, ""));
  if (members.size() > 2) return {};
  for (const std::string& other : members) LADDER_CHECK(Arrangement::set_group(server, owner, other, ""));
  return {};
}

}  // namespace

Result<http::Response> Console::manage_source(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const server::Access& owner = *visit.owner;
  const std::string id = visit.form.one("connection");
  LADDER_CHECK(server.sources().connection(owner, id));
  LADDER_TRY(const auto all, holdings(server.sources(), server.reads(), server.imports(), owner, Depth::kCounts));
  const auto found = std::ranges::find(all, id, [](const Holding& one) { return one.connection.connection_id; });
  if (found == all.end()) return fail(Code::kConnectionNotFound, "This source was erased.", "connection");
  if (visit.is_post) {
    const std::string action = visit.form.one("do");
    if (action == "rename") LADDER_CHECK(server.sources().rename_connection(owner, id, visit.form.one("name")));
    else if (action == "hide" || action == "show") LADDER_CHECK(Arrangement::set_hidden(server, owner, id, action == "hide"));
    else if (action == "merge") LADDER_CHECK(merge(server, owner, all, *found, visit.form));
    else if (action == "separate") LADDER_CHECK(separate(server, owner, id));
    return pages::redirect_to("/sources");
  }
  LADDER_TRY(const Arrangement arrangement, Arrangement::of(server, owner));
  pages::Frame frame = visit.frame;
  frame.title = found->name + " - Sources";
  Writer main;
  main << Markup("<p class=\"small\"><a href=\"/sources\">Sources</a></p><div class=\"page-head\"><div><h1 dir=\"auto\">")
       << Text(found->name) << Markup("</h1><p class=\"lead\">") << plural(found->records, "record", "records") << Markup(", ")
       << Text(found->source_name) << Markup("</p></div></div><div class=\"stack-5\">") << name_card(*found, visit.csrf())
       << hide_card(*found, arrangement.is_hidden(id), visit.csrf()) << group_card(*found, all, arrangement, visit.csrf())
       << merge_card(*found, all) << Markup("</div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
