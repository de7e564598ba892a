// Search hits with the matching text, grouped by conversation, and the reason if nothing was found.
#include "api/wire_words.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/explore/explore.h"
#include "console/parts.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace ladder::console {
namespace {

using html::Prose;

constexpr std::size_t kEvidence = 2;  // windows per hit

// Returns the window that equals a displayed line, so that the line is marked instead.
const api::MatchWindow* window_of(const api::SearchHit& hit, const std::string& line) {
  const auto found = std::ranges::find_if(hit.windows, [&](const api::MatchWindow& w) { return w.complete && w.text == line; });
  return line.empty() || found == hit.windows.end() ? nullptr : &*found;
}

Writer marked_line(const std::string& line, const api::MatchWindow* window) {
  Writer out;
  if (window) out << marked(*window);
  else out << Text(line);
  return out;
}

Writer group_link(const api::SearchGroup& group, const ExploreQuery& query) {
  Writer out;
  out << Markup("<a") << Attribute("href", query.viewer_address().with("group", group.id)) << Markup(">")
      << (group.exact ? Markup("") : Markup("At least ")) << Text(group.more) << Text(" more " + api::words_of_group(group))
      << Markup("</a>");
  return out;
}

// Names the field of a match that is not in the text.
Writer field_name(const ExploreContext& context, const api::SearchHit& hit, const api::MatchWindow& window) {
  const ShownStream* const stream = context.streams.find(hit.ref);
  const api::FieldView* const field = stream ? stream->field(window.field_path) : nullptr;
  Writer out;
  if (field && field->name != stream->roles.text) out << Markup("<span>") << Text(label_of(*field)) << Markup("</span>");
  return out;
}

Writer hit_entry(const ExploreContext& context, const ExploreQuery& query, const api::SearchHit& hit) {
  const api::MatchWindow* const title = window_of(hit, hit.title);
  const api::MatchWindow* const author = window_of(hit, hit.author);
  const std::string name = !hit.title.empty() ? hit.title : !hit.author.empty() ? hit.author : heading_of(hit.ref.stream);
  Writer out;
  out << Markup("<li><span class=\"glyph\">") << icon(source_icon(hit.connector_key))
      << Markup("</span><div><div class=\"head\"><h3 dir=\"auto\"><a")
      << Attribute("href", hit_address(context.streams, query, hit)) << Markup(">") << marked_line(name, title)
      << Markup("</a></h3>");
  if (const auto at = parse_field_time(hit.authored_at)) {
    out << Markup("<time class=\"small quiet\"") << Attribute("datetime", format_time(*at)) << Markup(">")
        << Text(moment_text(*at, context.now)) << Markup("</time>");
  }
  out << Markup("</div>");
  if (!hit.author.empty() && name != hit.author) {
    out << Markup("<p class=\"small soft\" dir=\"auto\">") << marked_line(hit.author, author) << Markup("</p>");
  }
  std::vector<const api::MatchWindow*> evidence;
  for (const api::MatchWindow& window : hit.windows) {
    if (&window != title && (&window != author || name == hit.author) && evidence.size() < kEvidence) evidence.push_back(&window);
  }
  for (const api::MatchWindow* window : evidence) {
    out << Markup("<p class=\"ev\" dir=\"auto\">") << (window->start_chars > 0 ? Markup("… ") : Markup("")) << marked(*window)
        << (window->end_chars < window->size_chars ? Markup(" …") : Markup("")) << Markup("</p>");
  }
  out << Markup("<p class=\"meta\"><span dir=\"auto\">") << Text(context.streams.connection_name(hit.ref.connection_id))
      << Markup("</span>");
  if (!evidence.empty()) out << field_name(context, hit, *evidence.front());
  out << seen_by(context, hit.ref);
  if (hit.group && hit.group->second) out << Markup("<span>") << Text("Also in this " + hit.group->label) << Markup("</span>");
  if (hit.group && hit.group->more > 0) out << group_link(*hit.group, query);
  out << Markup("</p></div></li>\n");
  return out;
}

// Explains for each word why nothing was found, and suggests what to do.
Writer nothing_found(const ExploreContext& context, const ExploreQuery& query, const api::SearchPage& page) {
  Writer out;
  out << Markup("<div class=\"card empty\"><h2 id=\"found\">Nothing found</h2>");
  if (page.searched_nothing()) {
    out << (context.viewer.is_owner()
                ? Markup("<p>There is nothing to search yet. <a href=\"/import\">Import data</a> or clear the filters.</p>")
                : Markup("<p>This app can't see any searchable data.</p>"));
  }
  ExploreQuery with = query;
  for (const api::SearchedWord& word : page.searched_words) {
    out << Markup("<p><b dir=\"auto\">") << Text(word.word) << Markup("</b> is in ");
    if (word.records > 0) {
      out << plural(word.records, "record", "records") << Markup(".</p>");
      continue;
    }
    out << Markup("no record.");
    std::set<std::string> offered;  // ignore variants that differ only in case
    for (const std::string& near : word.near) {
      const bool first = offered.empty();
      if (!offered.insert(fold(near)).second) continue;
      with.q = query.q;
      const std::size_t at = with.q.find(word.word);
      if (at == std::string::npos) with.q = near;
      else with.q.replace(at, word.word.size(), near);
      out << (first ? Markup(" Did you mean: ") : Markup(", ")) << Markup("<a dir=\"auto\"")
          << Attribute("href", with.viewer_address()) << Markup(">") << Text(near) << Markup("</a>");
    }
    out << Markup("</p>");
  }
  if (query.is_narrowed()) {
    ExploreQuery wide;
    wide.q = query.q;
    wide.as = query.as;
    out << Markup("<p><a class=\"btn btn-s\"") << Attribute("href", wide.viewer_address())
        << Markup(">Search without the filters</a></p>");
  }
  if (!context.viewer.is_owner()) {
    out << Markup("<p><a class=\"btn btn-s\"") << Attribute("href", query.address()) << Markup(">Search as yourself</a></p>");
  }
  out << Markup("</div>");
  return out;
}

Markup order_word(const ExploreQuery& query) {
  return query.order == "newest"   ? Markup("newest first")
         : query.order == "oldest" ? Markup("oldest first")
                                   : Markup("best match first");
}

Writer page_links(const ExploreQuery& query, const api::SearchPage& page) {
  Writer out;
  if (query.cursor.empty() && !page.has_more) return out;
  out << Markup("<p class=\"row small quiet more\">");
  if (!query.cursor.empty()) {
    out << Markup("<a class=\"btn btn-s\"") << Attribute("href", query.viewer_address().with("group", query.group))
        << Markup(">First page</a>");
  }
  if (page.has_more) {
    out << Markup("<a class=\"btn btn-s\" rel=\"next\"")
        << Attribute("href", query.viewer_address().with("group", query.group).with("cursor", page.next_cursor))
        << Markup(">Next page</a>");
  }
  out << Markup("</p>");
  return out;
}

}  // namespace

Writer marked(const api::MatchWindow& window) {
  Writer out;
  std::int64_t at = window.start_chars;
  const auto part = [&](std::int64_t to) {
    const std::int64_t from = at;
    at = to;
    return utf8::slice(window.text, from - window.start_chars, to - from);
  };
  for (const api::MatchWindow::Range& range : window.matches) {
    if (range.start_chars < at || range.end_chars > window.end_chars) continue;
    out << Prose(part(range.start_chars)) << Markup("<mark>") << Prose(part(range.end_chars)) << Markup("</mark>");
  }
  out << Prose(part(window.end_chars));
  return out;
}

Url hit_address(const ShownStreams& streams, const ExploreQuery& query, const api::SearchHit& hit) {
  Url record = record_address(hit.ref, query);
  const ShownStream* const stream = streams.find(hit.ref);
  if (!stream || hit.windows.empty()) return record;
  const auto in_text = std::ranges::find(hit.windows, stream->roles.text, &api::MatchWindow::field_path);
  if (in_text == hit.windows.end() || in_text->matches.empty()) return stream->look == Look::kChat ? record.at("here") : record;
  return record.with("at", std::to_string(in_text->matches.front().start_chars)).at("at");
}

Result<api::SearchPage> search_page(const ExploreContext& context, const ExploreQuery& query, std::int64_t limit) {
  api::SearchRequest request;
  request.q = query.q;
  const std::string_view source = query.source;
  if (source.starts_with(Arrangement::kGroupPrefix)) request.connections = query.sources;
  else request.scope.connection_id = source;
  if (source.empty()) request.connections = context.streams.searched_connections();
  request.limit = limit;
  request.cursor = query.cursor;
  request.group = query.group;
  request.since = query.since_time();
  request.until = query.until_time();
  if (query.order == "newest") request.order = api::SearchOrder::kNewest;
  if (query.order == "oldest") request.order = api::SearchOrder::kOldest;
  // If the source does not have the selected kind, there are just no results.
  bool any = false;
  for (const ShownStream& one : context.streams.all()) {
    if (!matches_filters(query, one)) continue;
    any = true;
    const auto& names = request.streams;
    const bool named = std::ranges::find(names, one.stream->name) != names.end();
    if (!query.streams.empty() && !named) request.streams.push_back(one.stream->name);
  }
  if (!any) return api::SearchPage();
  return context.server.search().find(context.viewer.access, request);
}

Writer hit_list(const ExploreContext& context, const ExploreQuery& query, const api::SearchPage& page) {
  Writer list;
  list << Markup("<ol class=\"card card-flush hits\">\n");
  for (const api::SearchHit& hit : page.hits) list << hit_entry(context, query, hit);
  list << Markup("</ol>");
  return list;
}

Result<Writer> search_results(const ExploreContext& context, const ExploreQuery& query) {
  const auto begun = std::chrono::steady_clock::now();
  LADDER_TRY(const api::SearchPage page, search_page(context, query, kListed));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun).count();
  if (page.hits.empty() && query.cursor.empty()) return nothing_found(context, query, page);

  Writer out;
  const std::int64_t found = page.count.value_or(std::ssize(page.hits));
  out << Markup("<div class=\"block-head\"><h2 id=\"found\">") << (page.count_exact ? Markup("") : Markup("At least "))
      << plural(found, "record", "records") << (query.group.empty() ? Markup("") : Markup(" in one conversation"))
      << Markup("</h2><span class=\"quiet\">");
  if (context.records() >= 0) out << Markup("of ") << Text(context.records()) << Markup(", ");
  if (took == 0) out << Markup("in less than 1 ms, ");
  else out << Markup("in ") << Text(static_cast<std::int64_t>(took)) << Markup(" ms, ");
  out << order_word(query) << Markup("</span></div>");
  if (!query.group.empty()) {
    out << Markup("<p class=\"small\"><a") << Attribute("href", query.viewer_address()) << Markup(">Back to all results</a></p>");
  }
  for (const api::Warning& warning : page.warnings) {
    const bool tells = warning.code == "streams_without_time" || warning.code == "common_words" ||
                       warning.code == "words_left_out" || warning.code == "words_corrected" || warning.code == "words_split" ||
                       warning.code == "time_range";
    if (tells) out << Markup("<p class=\"small quiet\">") << Text(warning.message) << Markup("</p>");
  }
  if (page.pending_scopes > 0) {
    out << Markup("<p class=\"small quiet\">Some recent imports are still being indexed.</p>");
  }
  out << with_pane(hit_list(context, query, page)) << page_links(query, page);
  return out;
}

}  // namespace ladder::console
