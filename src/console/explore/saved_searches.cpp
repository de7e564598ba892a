#include "console/explore/saved_searches.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/console.h"
#include "console/parts.h"
#include "crypto/random.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kMaxNameChars = 80;  // fits into a menu
constexpr std::size_t kKeyBytes = 8;

std::string body_of(const std::string& name, const ExploreQuery& query) {
  json::Writer out;
  out.begin_object().member("name", name).member("q", query.q).member("source", query.source).member("streams", query.streams);
  out.member("since", query.since).member("until", query.until).member("order", query.order).end_object();
  return out.take();
}

SavedSearch search_of(const server::OwnerItem& item) {
  const auth::Body body(item.body);
  SavedSearch saved{item.key, body.text("name"), {}};
  saved.query.q = body.text("q");
  saved.query.source = body.text("source");
  saved.query.streams = body.texts("streams");
  saved.query.since = body.text("since");
  saved.query.until = body.text("until");
  saved.query.order = body.text("order");
  return saved;
}

bool is_savable(const ExploreQuery& query) { return !query.q.empty() || query.is_narrowed() || !query.order.empty(); }

// The query part of the address of a search, as the form carries it.
std::string encoded(const ExploreQuery& query) {
  const std::string address = query.address().text();
  return address.substr(std::min(address.size(), address.find('?') + 1));
}

ExploreQuery decoded(const std::string& text) {
  const auto form = pages::Form::parse(text);
  return form ? ExploreQuery::of(*form) : ExploreQuery();
}

}  // namespace

Result<std::vector<SavedSearch>> saved_searches(server::ResourceServer& server, const server::Access& owner) {
  LADDER_TRY(const auto items, server.items().list(owner, server::ItemKind::kSavedSearch));
  std::vector<SavedSearch> saved;
  saved.reserve(items.size());
  for (const server::OwnerItem& item : items) saved.push_back(search_of(item));
  return saved;
}

Status save_search(server::ResourceServer& server, const server::Access& owner, const pages::Form& form) {
  const ExploreQuery query = decoded(form.one("search"));
  std::string name = form.one("name");
  if (name.find_first_not_of(' ') == std::string::npos) name = utf8::slice(query.q, 0, kMaxNameChars);
  if (!is_savable(query)) return fail(Code::kInvalidRequest, "There is nothing to save. Search for something first.", "q");
  const bool is_line = std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (name.empty() || !is_line || utf8::count(name) > kMaxNameChars) {
    return fail(Code::kInvalidRequest, format("Give the search a name of one line, at most {} characters.", kMaxNameChars),
                "name");
  }
  LADDER_TRY(const auto saved, saved_searches(server, owner));
  const auto same = std::ranges::find(saved, name, &SavedSearch::name);
  const std::string key = same != saved.end() ? same->key : crypto::random_hex(kKeyBytes);
  return server.items().put(owner, server::ItemKind::kSavedSearch, {key, body_of(name, query)});
}

Writer saved_search_bar(const std::vector<SavedSearch>& saved, const ExploreQuery& query, const std::string& csrf) {
  Writer out;
  out << Markup("<div id=\"saved\">");
  if (!saved.empty() || is_savable(query)) out << Markup("<div class=\"filterbar\">");
  if (!saved.empty()) {
    out << Markup("<details class=\"drop-down\" name=\"filter\" data-menu><summary>Saved searches (") << Text(std::ssize(saved))
        << Markup(")") << icon(Icon::kDown) << Markup("</summary><ul class=\"sheet-menu saved\" aria-label=\"Saved searches\">");
    for (const SavedSearch& one : saved) {
      out << Markup("<li><a dir=\"auto\"") << Attribute("href", one.query.address()) << Markup(">") << Text(one.name)
          << Markup("</a><form action=\"/explore\" method=\"post\">") << pages::hidden("csrf", csrf)
          << pages::hidden("key", one.key)
          << Markup(
                 "<button class=\"btn btn-s btn-bare\" name=\"do\" value=\"delete\">Delete<span class=\"unseen\"> the saved "
                 "search ")
          << Text(one.name) << Markup("</span></button></form></li>");
    }
    out << Markup("</ul></details>");
  }
  const auto is_same = [&](const SavedSearch& one) { return one.query.address().text() == query.address().text(); };
  if (is_savable(query) && std::ranges::none_of(saved, is_same)) {
    out << Markup("<details class=\"drop-down\" name=\"filter\" data-menu><summary>Save this search") << icon(Icon::kDown)
        << Markup("</summary><form class=\"sheet-menu\" action=\"/explore\" method=\"post\">") << pages::hidden("csrf", csrf)
        << pages::hidden("search", encoded(query))
        << Markup(
               "<div class=\"field\"><label for=\"saved-name\">Name</label><input class=\"input input-s\" id=\"saved-name\" "
               "name=\"name\" "
               "maxlength=\"80\" dir=\"auto\" autocomplete=\"off\"")
        << Attribute("value", utf8::slice(query.q, 0, kMaxNameChars))
        << Markup("></div><button class=\"btn btn-s\" name=\"do\" value=\"save\">Save</button></form></details>");
  }
  if (!saved.empty() || is_savable(query)) out << Markup("</div>");
  out << Markup("</div>");
  return out;
}

Result<http::Response> Console::change_searches(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const std::string action = visit.form.one("do");
  if (action == "delete")
    LADDER_CHECK(server.items().remove(*visit.owner, server::ItemKind::kSavedSearch, visit.form.one("key")));
  if (action == "save") LADDER_CHECK(save_search(server, *visit.owner, visit.form));
  return pages::redirect_to(action == "save" ? decoded(visit.form.one("search")).address().text() : "/explore");
}

}  // namespace ladder::console
