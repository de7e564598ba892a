// Everything by and to one person, as the author and recipient roles of the sources declare it, and the person's contacts.
#include "console/console.h"
#include "console/explore/explore.h"
#include "console/parts.h"
#include "console/reading/names.h"
#include "pages/form.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kShown = 10;  // of each section

// The name as a phrase of a query.
std::string phrase(std::string_view name) {
  std::string words(name);
  std::erase(words, '"');
  return '"' + words + '"';
}

Result<Writer> section(const ExploreContext& context, Markup heading, ExploreQuery query) {
  query.order = "newest";
  auto found = search_page(context, query, kShown);
  if (!found && found.error().http_status() >= 500) return std::unexpected(found.error());
  Writer out;
  if (!found || found->hits.empty()) return out;
  const std::int64_t count = found->count.value_or(std::ssize(found->hits));
  out << Markup("<section><div class=\"block-head\"><h2>") << heading << Markup("</h2><span class=\"quiet\">")
      << plural(count, "record", "records") << Markup("</span></div>") << hit_list(context, query, *found);
  if (found->has_more) {
    out << Markup("<p class=\"more\"><a class=\"btn btn-s\"") << Attribute("href", query.address())
        << Markup(">Show all</a></p>");
  }
  out << Markup("</section>");
  return out;
}

// Searches only the kinds of records with this look.
ExploreQuery query_for(const ExploreContext& context, std::string q, Look look) {
  ExploreQuery query;
  query.q = std::move(q);
  for (const ShownStream& one : context.streams.all()) {
    const bool is_known = std::ranges::find(query.streams, one.stream->name) != query.streams.end();
    if (one.look == look && !is_known) query.streams.push_back(one.stream->name);
  }
  return query;
}

}  // namespace

Result<http::Response> Console::person_page(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const std::string name = visit.form.one("name");
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  LADDER_TRY(const Viewer viewer, viewer_of(authorization_, *visit.owner, faces, ""));
  LADDER_TRY(const ShownStreams streams, ShownStreams::arranged(server, *visit.owner));
  const ExploreContext context{server, *visit.owner, viewer, faces, streams, authorization_.now(), {}};
  ExploreQuery from, to;
  from.q = "from:" + phrase(name);
  to.q = "to:" + phrase(name);
  const ExploreQuery contacts = query_for(context, phrase(name), Look::kPerson);
  Writer sections;
  if (!contacts.streams.empty()) {
    LADDER_TRY(const Writer cards, section(context, "Contacts", contacts));
    sections << cards;
  }
  LADDER_TRY(const Writer written, section(context, "By this person", from));
  LADDER_TRY(const Writer received, section(context, "To this person", to));
  sections << written << received;
  pages::Frame frame = visit.frame;
  frame.title = name.empty() ? "A person" : name;
  ExploreQuery all;
  all.q = phrase(name);
  Writer main;
  main << Markup("<div class=\"page-head\"><div class=\"row\"><span class=\"avatar avatar-l\" aria-hidden=\"true\">")
       << Text(initials_of(name)) << Markup("</span><h1 dir=\"auto\">") << Text(name.empty() ? "A person" : name)
       << Markup("</h1></div><a class=\"btn btn-s\"") << Attribute("href", all.address())
       << Markup(">Search for this name</a></div>");
  if (sections.empty()) main << Markup("<p class=\"soft\">Nothing by or to this person was found.</p>");
  main << sections;
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
