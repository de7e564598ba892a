// The merge page: shows what a merge of two sources does to their records and to the apps, asks for a confirmation, then shows
// the progress.
#include "base/text/format.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/drop.h"
#include "console/sources/holdings.h"

#include <algorithm>

namespace ladder::console {
namespace {

struct MergeIds {
  std::string from, into;

  Url page() const { return Url::path("/sources/merge").with("connection", from).with("into", into); }
};

Writer crumb(std::string_view name) {
  Writer out;
  out << Markup("<p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <bdi>") << Text(name) << Markup("</bdi></p>");
  return out;
}

Writer row(std::int64_t count, Markup what) {
  Writer out;
  if (count > 0) {
    out << Markup("<tr><td class=\"n\">") << Text(count) << Markup("</td><td>") << what << Markup("</td></tr>");
  }
  return out;
}

Writer counts_table(const server::MergeCounts& counts, std::int64_t all, bool is_done) {
  Writer rows;
  rows << row(counts.added, is_done ? Markup("were only in the source that was merged, and are kept")
                                    : Markup("are only in this source, and are kept"))
       << row(counts.same,
              is_done ? Markup("were in both, and are there once") : Markup("are the same in both; one copy is kept"))
       << row(counts.replaced,
              is_done ? Markup("replaced an older version") : Markup("replace an older version in the other source"))
       << row(counts.kept, is_done ? Markup("had a newer version in the other source, which is kept")
                                   : Markup("have a newer version in the other source, which is kept"))
       << row(counts.left_out, is_done ? Markup("were left out, because you deleted them in the other source")
                                       : Markup("are left out, because you deleted them in the other source"));
  Writer out;
  if (!counts.is_complete) {
    out << Markup("<p>There are ") << plural(all, "record", "records")
        << Markup(", too many to compare while you wait. For each one, the newer version is kept.</p>");
    return out;
  }
  if (rows.empty()) {
    out << Markup("<p>This source has no records.</p>");
    return out;
  }
  out << Markup(
             "<table class=\"table\"><thead><tr><th scope=\"col\" class=\"n\">Records</th><th scope=\"col\">What happens to "
             "them</th></tr></thead><tbody>")
      << rows << Markup("</tbody></table>");
  return out;
}

// Sources shows fewer records, without those that only link others. The merge moves all of them.
Writer links_hint(const Holding& holding) {
  std::int64_t links = -holding.records;
  for (const auto& stream : holding.connection.streams) links += stream.records;
  Writer out;
  if (links > 0) {
    out << Markup("<p class=\"hint\">With ") << plural(links, "record", "records")
        << Markup(" that only belong to others, such as the folders of mail.</p>");
  }
  return out;
}

Writer app_links(const std::vector<std::string>& clients, ClientFaces& faces) {
  Writer out;
  for (const std::string& client : clients) out << (out.empty() ? Markup("") : Markup(", ")) << client_link(faces.at(client));
  return out;
}

// The apps whose access changes.
Writer apps_notice(const std::vector<server::MergeEffect>& effects, const MergeIds& ids, const std::string& from_name,
                   const std::string& into_name, ClientFaces& faces) {
  std::vector<std::string> losing, gaining;
  const auto add = [](std::vector<std::string>& clients, const std::string& client) {
    if (std::ranges::find(clients, client) == clients.end()) clients.push_back(client);
  };
  for (const server::MergeEffect& effect : effects) {
    if (effect.loses) add(losing, effect.client_id);
    if (effect.gains) add(gaining, effect.client_id);
  }
  Writer out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"apps\"><h2 id=\"apps\">Apps</h2>");
  if (losing.empty() && gaining.empty()) {
    out << Markup("<p>No app’s access changes.</p></section>");
    return out;
  }
  if (!gaining.empty()) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn) << Markup("<p><b>")
        << plural(std::ssize(gaining), "app can", "apps can") << Markup(" read more:</b> ") << app_links(gaining, faces)
        << Markup(". Access to “<bdi>") << Text(into_name) << Markup("</bdi>” then includes what comes from “<bdi>")
        << Text(from_name) << Markup("</bdi>”.</p></div>");
  }
  if (!losing.empty()) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn) << Markup("<p><b>")
        << plural(std::ssize(losing), "app loses", "apps lose") << Markup(" access to these records:</b> ")
        << app_links(losing, faces) << Markup(". Access to “<bdi>") << Text(from_name)
        << Markup("</bdi>” ends with it. To keep it, merge the other way: <a")
        << Attribute("href", MergeIds{ids.into, ids.from}.page()) << Markup(">“<bdi>") << Text(into_name)
        << Markup("</bdi>” into “<bdi>") << Text(from_name) << Markup("</bdi>”</a>, or allow it again afterwards.</p></div>");
  }
  out << Markup("</section>");
  return out;
}

http::Response progress(pages::Frame frame, const Erasures::State& state) {
  Writer main;
  if (!state.ended) {
    frame.live = true;
    const std::int64_t done = state.is_copying ? state.copied : state.records + state.erased;
    const std::int64_t share = state.records > 0 ? std::min<std::int64_t>(99, 50 * done / state.records) : 0;
    main << Markup("<div data-live=\"1\"><div>") << crumb(state.name) << Markup("<div class=\"page-head\"><div><h1>Merging <bdi>")
         << Text(state.name)
         << Markup(
                "</bdi></h1><p class=\"lead\">You can close this page.</p></div></div></div><section "
                "class=\"card stack\" aria-label=\"Progress\"><progress max=\"100\" aria-label=\"Merged\"")
         << Attribute("value", std::to_string(share)) << Markup("></progress><p class=\"small soft\">");
    if (state.is_copying) main << Text(state.copied) << Markup(" records copied.</p>");
    else
      main << Text(state.erased) << Markup(" of ") << plural(state.records, "old copy erased.", "old copies erased.")
           << Markup("</p>");
    main << Markup("</section></div>\n");
    return pages::page(200, frame, main);
  }
  main << Markup("<div>") << crumb(state.name);
  if (!state.problem.empty()) {
    main << Markup("<div class=\"page-head\"><div><h1>The merge stopped</h1><p class=\"lead\">") << Text(state.problem)
         << Markup("</p></div></div></div><p><a class=\"btn\"");
    if (state.is_copying) main << Attribute("href", MergeIds{state.connection_id, state.into}.page().with("again", "1"));
    else main << Attribute("href", Url::path("/sources/erase?again=1&connection=", state.connection_id));
    main << (state.is_copying ? Markup(">Try again…</a></p>\n") : Markup(">Erase the rest of the old copies…</a></p>\n"));
    return pages::page(200, frame, main);
  }
  main << Markup("<div class=\"page-head\"><div><h1>Merged</h1><p class=\"lead\">“<bdi>") << Text(state.name)
       << Markup("</bdi>” is now part of “<bdi>") << Text(state.into_name)
       << Markup("</bdi>”.</p></div></div></div><section class=\"card stack\" aria-label=\"Result\">")
       << counts_table(state.merged.counts, state.records, true);
  const auto& revoked = state.merged.erasure.revoked_grants;
  if (!revoked.empty()) {
    main << Markup("<p>") << plural(std::ssize(revoked), "permission", "permissions")
         << Markup(" for only the merged source revoked.</p>");
  }
  main << Markup("</section><p><a class=\"btn\" href=\"/sources\">Sources</a></p>\n");
  return pages::page(200, frame, main);
}

Writer confirmation(const MergeIds& ids, const std::string& csrf) {
  Writer out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"after\"><h2 id=\"after\">Afterwards</h2><ul "
             "class=\"stack-2\"><li>You "
             "can’t undo it.</li><li>Answers of apps that cite the old records by id no longer lead to them.</li><li>Activity "
             "keeps "
             "what each app has read of each record. Single entries no longer name the old copies.</li><li>Importing the same "
             "files "
             "again may create the source again. Then merge it again.</li></ul></section><form class=\"card stack\" "
             "method=\"post\" action=\"/sources/merge\" autocomplete=\"off\">")
      << hidden("csrf", csrf) << hidden("connection", ids.from) << hidden("into", ids.into)
      << Markup(
             "<label class=\"tick\"><input type=\"checkbox\" name=\"sure\" value=\"yes\" required><span>I have read this. Merge "
             "the "
             "two sources for good.</span></label><div class=\"row\"><button class=\"btn btn-bad\">Merge</button><a "
             "class=\"btn\" "
             "href=\"/sources\">Cancel</a></div></form><div class=\"row\"><p class=\"small soft\">Export a copy first:</p>")
      << pages::button_form(Url::path("/sources/export"), csrf, "connection", ids.from, "Export", "btn btn-s")
      << Markup("</div><p class=\"small quiet\">In a terminal: <code>ladder connection merge ") << Text(ids.from) << Markup(" ")
      << Text(ids.into) << Markup("</code></p>\n");
  return out;
}

}  // namespace

// Returns why the source cannot be merged now, or nothing.
Result<Writer> Console::merge_obstacle(const Visit& visit, const std::string& from) {
  Writer out;
  std::string syncing;
  if (about_.syncs != nullptr) {
    LADDER_TRY(syncing, about_.syncs->filling(*visit.owner, from));
  }
  const auto uploads = importer_ ? importer_->uploads(*visit.owner) : std::vector<Upload>();
  if (!syncing.empty()) {
    out << Markup("<p>Ladder still syncs this source. <a") << Attribute("href", Url::path("/sources/sync?name=", syncing))
        << Markup(">Stop syncing “") << Text(syncing)
        << Markup("”</a> and keep its data, or merge the other source into this one instead.</p>");
  } else if (std::ranges::any_of(uploads, is_under_way)) {
    out << Markup("<p>Files are being imported. Wait until that is done.</p>");
  }
  return out;
}

Result<http::Response> Console::merge_sources(Visit& visit) {
  const MergeIds ids{visit.form.one("connection"), visit.form.one("into")};
  pages::Frame frame = visit.frame;
  frame.title = "Merge sources";
  server::ResourceServer& server = authorization_.server();
  const auto state = erasures_.find(*visit.owner, ids.from);
  LADDER_TRY(const auto all, holdings(server.sources(), server.reads(), server.imports(), *visit.owner, Depth::kCounts));
  const auto from = std::ranges::find(all, ids.from, [](const Holding& one) { return one.connection.connection_id; });
  const auto into = std::ranges::find(all, ids.into, [](const Holding& one) { return one.connection.connection_id; });
  const bool is_news = state && state->into == ids.into &&
                       (!state->ended || from == all.end() || (!state->problem.empty() && !visit.form.has("again")));
  if (is_news && !visit.is_post) return progress(frame, *state);
  if (from == all.end() || into == all.end())
    return pages::message_page(404, frame, "Source not found", "It may already be merged or erased. See Sources for your data.");
  if (from->connection.status == server::kErasing)  // a merge that stopped after it had copied everything
    return pages::redirect_to("/sources/erase?again=1&connection=" + Url::encoded(ids.from));
  if (gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again(ids.page().text());
  LADDER_CHECK(server.merges().check(*visit.owner, ids.from, ids.into));
  LADDER_TRY(const Writer obstacle, merge_obstacle(visit, ids.from));
  std::string problem;
  if (visit.is_post && obstacle.empty()) {
    if (visit.form.one("sure") == "yes") {
      LADDER_CHECK(erasures_.start_merge(*visit.owner, from->connection, from->name, {ids.into, into->name}));
      return pages::redirect_to(ids.page().text());
    }
    problem = "Tick the box to confirm. Nothing was merged.";
  }
  LADDER_TRY(const auto preview, server.merges().preview(*visit.owner, ids.from, ids.into));
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  Writer main;
  main << Markup("<div>") << crumb(from->name) << Markup("<div class=\"page-head\"><div><h1>Merge <bdi>") << Text(from->name)
       << Markup("</bdi> into <bdi>") << Text(into->name)
       << Markup("</bdi>?</h1><p class=\"lead\">All records are then in “<bdi>") << Text(into->name)
       << Markup("</bdi>”, and “<bdi>") << Text(from->name) << Markup("</bdi>” is gone.</p></div></div></div>");
  if (!problem.empty() || !obstacle.empty()) {
    main << Markup("<div class=\"notice notice-bad\" role=\"alert\">") << icon(Icon::kWarn) << obstacle;
    if (!problem.empty()) main << Markup("<p>") << Text(problem) << Markup("</p>");
    main << Markup("</div>");
  }
  main << Markup("<section class=\"card stack\" aria-labelledby=\"what\"><h2 id=\"what\">Records of <bdi>") << Text(from->name)
       << Markup("</bdi></h2>") << counts_table(preview.counts, from->records, false) << links_hint(*from) << Markup("</section>")
       << apps_notice(preview.effects, ids, from->name, into->name, faces);
  if (obstacle.empty()) main << confirmation(ids, visit.csrf());
  return pages::page(problem.empty() && obstacle.empty() ? 200 : 422, frame, main);
}

}  // namespace ladder::console
