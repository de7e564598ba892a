// The page of one client: its access, what it has seen and read, and actions.
#include "auth/body.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/clients/client_summary.h"
#include "console/console.h"
#include "console/ledger/ledger_text.h"
#include "console/parts.h"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::console {
namespace {

using auth::day_text;
using auth::listed;

constexpr std::int64_t kShownReads = 12;
constexpr std::size_t kShownClosed = 12;

Writer trust_badge(const ClientFace& face) {
  Writer out;
  if (face.redirect.empty()) return out;
  switch (auth::trust_of(std::string_view(face.redirect))) {
    case auth::Trust::kKnown:
      out << Markup("<span class=\"badge badge-ok\">") << icon(Icon::kOk) << Markup("Known address</span>");
      break;
    case auth::Trust::kThisComputer:
      out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kComputer) << Markup("On this computer</span>");
      break;
    default:
      out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kWarn) << Markup("Not known</span>");
  }
  return out;
}

Writer seen_section(const ClientFace& face, const ClientSummary& summary) {
  Writer out;
  out << Markup("<section aria-labelledby=\"seen\"><div class=\"block-head\"><h2 id=\"seen\">How much it has seen</h2><a")
      << Attribute("href", Url::path("/ledger?client=", face.client_id))
      << Markup(">In Activity</a></div><div class=\"card bars\">");
  for (const StreamShare& share : summary.streams) {
    if (!share.counted) continue;
    const std::int64_t percent = share.may_see > 0 ? std::min<std::int64_t>(100, share.seen * 100 / share.may_see) : 0;
    out << Markup("<div") << Attribute("class", colour(face)) << Markup("><div class=\"bar-head\"><b dir=\"auto\">")
        << Text(share.name) << Markup("</b><span class=\"num\">") << Text(share.figure());
    if (share.seen <= share.may_see) out << Markup(" · ") << Text(percent) << Markup("%");
    out << Markup("</span></div>")
        << meter(share.seen, std::max(share.may_see, share.seen), format("{}: {} seen", share.name, share.figure()))
        << Markup("<p class=\"hint\">") << Text(auth::at_start(share.description())) << Markup(". It has read ")
        << Text(share.chars) << Markup(" different characters of them.</p></div>\n");
  }
  if (summary.streams.empty()) out << Markup("<p>It can't see anything.</p>");
  out << Markup("<div class=\"row small\"><span class=\"quiet\">Not shared:</span>");
  for (const StreamShare& share : summary.streams) {
    if (share.closed.empty()) continue;
    out << Markup("<span class=\"withheld\">") << Text(share.closed) << Markup(" of ") << Text(share.name)
        << Markup(": not shared</span>");
  }
  for (std::size_t i = 0; i < std::min(summary.closed.size(), kShownClosed); ++i) {
    out << Markup("<span class=\"withheld withheld-s\">") << Text(summary.closed[i]) << Markup(": not shared</span>");
  }
  if (summary.closed.size() > kShownClosed) {
    out << Markup("<span class=\"withheld withheld-s\">") << Text(static_cast<std::int64_t>(summary.closed.size() - kShownClosed))
        << Markup(" more: not shared</span>");
  }
  out << Markup("</div></div></section>\n");
  return out;
}

// Describes the content of a response: "3 records of messages".
std::string about(const server::LedgerEntry& entry) {
  std::set<std::string> streams;
  std::int64_t records = entry.erased;
  for (const server::ShownRecord& record : entry.shown.records) {
    streams.insert(record.record.stream);
    records += record.record.record_id.empty() ? 0 : 1;
  }
  const std::string of = streams.empty() ? std::string() : " of " + listed({streams.begin(), streams.end()});
  if (records == 0) return streams.empty() ? "no records" : "counts" + of;
  return format("{} {}{}", grouped(records), records == 1 ? "record" : "records", of);
}

Writer read_section(const ClientFace& face, const server::LedgerPage& page, Instant now) {
  Writer out;
  out << Markup("<section aria-labelledby=\"lately\"><div class=\"block-head\"><h2 id=\"lately\">Recent reads</h2><a")
      << Attribute("href", Url::path("/ledger?client=", face.client_id)) << Markup(">See all</a></div>");
  if (page.entries.empty()) {
    out << Markup("<p class=\"card soft\">It hasn't read anything yet.</p></section>\n");
    return out;
  }
  out << Markup(
      "<div class=\"card card-flush\"><table class=\"table table-cards\"><thead><tr><th scope=\"col\">When</th><th "
      "scope=\"col\">What</th><th scope=\"col\">How</th><th scope=\"col\" class=\"n\">Characters</th></tr></thead><tbody>");
  for (const server::LedgerEntry& entry : page.entries) {
    out << Markup("<tr><th scope=\"row\" class=\"nowrap\">") << Text(moment_text(entry.at, now))
        << Markup("</th><td data-name=\"What\">") << Text(about(entry))
        << Markup("</td><td data-name=\"How\"><div class=\"how\">") << Text(kind_text(entry.shown.kind))
        << Markup("<br><span class=\"quiet\">") << Text(tool_text(entry))
        << Markup("</span></div></td><td class=\"n\" data-name=\"Characters\">") << Text(entry.chars()) << Markup("</td></tr>\n");
  }
  out << Markup("</tbody></table></div></section>\n");
  return out;
}

Writer today_card(const ClientFace& face, const ClientSummary& summary, const std::string& csrf, Instant now) {
  Writer out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"today\"><h2 id=\"today\">Today</h2>");
  if (summary.budget) {
    out << Markup("<div") << Attribute("class", colour(face))
        << Markup("><div class=\"bar-head\"><span>Daily limit</span><span class=\"num\">") << Text(summary.chars_today)
        << Markup(" of ") << Text(*summary.budget) << Markup("</span></div>")
        << meter(summary.chars_today, *summary.budget,
                 format("{} of {} characters today", grouped(summary.chars_today), grouped(*summary.budget)))
        << Markup("</div>");
  }
  out << Markup("<dl class=\"facts\"><dt>Last read</dt><dd>");
  if (summary.last_read) out << Text(moment_text(*summary.last_read, now));
  else out << Markup("never");
  out << Markup("</dd><dt>Responses</dt><dd>") << Text(summary.answers_today) << Markup("</dd><dt>Characters</dt><dd>")
      << Text(summary.chars_today) << Markup("</dd>");
  if (summary.budget) {
    out << Markup("<dt>Other files</dt><dd>") << Text(summary.bytes_today) << Markup(" of ") << Text(summary.budget_bytes)
        << Markup(" bytes</dd>");
  }
  out << Markup("</dl>");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBudgets = {
      {{"none", "No limit"}, {"50000", "50,000 a day"}, {"200000", "200,000 a day"}, {"1000000", "A million a day"}}};
  const std::string budget = summary.budget ? std::to_string(*summary.budget) : "none";
  const bool known = std::ranges::any_of(kBudgets, [&](const auto& one) { return one.first == budget; });
  out << Markup("<form class=\"stack-2\" action=\"/client\" method=\"post\">") << hidden("csrf", csrf)
      << hidden("client", face.client_id)
      << Markup(
             "<div class=\"field\"><label for=\"b\">Daily limit</label><select class=\"input\" id=\"b\" "
             "name=\"b\">");
  for (const auto& [value, label] : kBudgets) {
    out << Markup("<option") << Attribute("value", value) << (value == budget ? Markup(" selected>") : Markup(">")) << Text(label)
        << Markup("</option>");
  }
  out << Markup("<option value=\"own\"") << (known ? Markup(">") : Markup(" selected>"))
      << Markup(
             "Other…</option></select></div><div class=\"field\"><label class=\"small\" for=\"bn\">Other number of "
             "characters</label><input class=\"input "
             "mono\" id=\"bn\" name=\"bn\" inputmode=\"numeric\" autocomplete=\"off\" maxlength=\"15\"")
      << Attribute("value", known ? std::string() : budget)
      << Markup(
             "></div><button class=\"btn btn-s\" name=\"do\" value=\"budget\">Save</button><p class=\"hint\">The characters it "
             "can read per day (UTC), plus a hundred times as many bytes of images and other non-text files. After that it gets "
             "an error until midnight.</p></form></section>\n");
  return out;
}

// The stored evidence of the consent.
Writer evidence_of(const std::string& kept) {
  Writer out;
  const auth::Body body(kept);
  out << Markup("<dl class=\"facts\">");
  const auto fact = [&](Markup name, const std::string& value) {
    if (!value.empty()) out << Markup("<dt>") << name << Markup("</dt><dd>") << Text(value) << Markup("</dd>");
  };
  fact("Decided", body.text("approved_at"));
  fact("Replaces", body.text("narrows") + body.text("extends"));
  fact("Digest", body.text("digest"));
  out << Markup("</dl><pre class=\"window\" tabindex=\"0\" aria-label=\"What was shown and allowed\"><span class=\"own\">")
      << Text(kept) << Markup("</span></pre>");
  return out;
}

}  // namespace

Result<http::Response> Console::client(Visit& visit) {
  const std::string id = visit.form.one(visit.is_post ? "client" : "id");
  const std::string here = "/client?id=" + Url::encoded(id);
  if (visit.is_post) {
    LADDER_CHECK(run_client_action(authorization_, visit, id));
    return pages::redirect_to(here);
  }
  const Instant now = authorization_.now();
  LADDER_TRY(ClientDirectory directory, ClientDirectory::read(authorization_, *visit.owner));
  const auto known = std::ranges::find(directory.faces.all(), id, &ClientFace::client_id);
  if (known == directory.faces.all().end()) {
    return pages::message_page(404, visit.frame, "App not found", "It never had access to your data.");
  }
  const ClientFace& face = *known;
  LADDER_TRY(const ClientSummary summary, directory.summary(id));
  LADDER_TRY(const auto blocked, authorization_.client_access().blocked(*visit.owner));
  const bool is_blocked = std::ranges::any_of(blocked, [&](const auth::BlockedClient& one) { return one.client_id == id; });
  server::LedgerQuery query;
  query.client_id = id;
  query.limit = kShownReads;
  LADDER_TRY(const auto read, authorization_.server().ledger().page(*visit.owner, query));

  visit.frame.title = auth::at_start(face.title);
  const std::string& csrf = visit.csrf();
  const Url action = Url::path("/client");
  Writer main;
  main << Markup("<div><p class=\"crumb\"><a href=\"/clients\">Apps</a> <span>/</span> <span>")
       << Text(auth::at_start(face.title)) << Markup("</span></p><div class=\"page-head\"><div class=\"row\">")
       << client_mark(face, true) << Markup("<div><h1>") << Text(auth::at_start(face.title))
       << Markup("</h1><p class=\"row small\">");
  if (!face.name.empty() && face.title == face.address)
    main << Markup("<span>Name: “<bdi>") << Text(face.name) << Markup("</bdi>” (chosen by the app)</span>");
  main << trust_badge(face) << Markup("<span class=\"quiet\">");
  if (face.connected) main << Markup("Connected since ") << Text(day_text(summary.since));
  else main << Markup("Access revoked");
  main << Markup("</span></p></div></div>");
  if (face.connected) {
    main << Markup("<div class=\"row\"><a class=\"btn\"") << Attribute("href", Url::path("/client/narrow?id=", id))
         << Markup(">Reduce access…</a>") << client_action_form(action, csrf, id, "end", "Revoke access", "btn btn-bad")
         << Markup("</div>");
  }
  main << Markup("</div></div>\n<div class=\"cols cols-main\"><div class=\"stack-5\">");
  if (is_blocked) {
    main << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kStop)
         << Markup("<p><b>You blocked this app.</b> It can't send requests.</p><div class=\"row-end\">")
         << client_action_form(action, csrf, id, "unblock", "Unblock", "btn btn-s") << Markup("</div></div>\n");
  }
  if (face.connected) main << seen_section(face, summary);
  main << read_section(face, read, now) << Markup("</div><aside class=\"stack-5\">");
  if (face.connected) main << today_card(face, summary, csrf, now);
  for (const server::GrantSummary* one : summary.grants) {
    LADDER_TRY(const std::string kept, authorization_.client_access().evidence(*visit.owner, one->grant.grant_id));
    main << Markup("<section class=\"card stack\"><h2>Access</h2><dl class=\"facts\"><dt>Data</dt><dd>");
    std::vector<std::string> names;
    names.reserve(one->grant.streams.size());
    for (const grant::StreamGrant& stream : one->grant.streams) names.push_back(stream.name);
    main << Text(listed(names)) << Markup("</dd><dt>Allowed</dt><dd>") << Text(moment_text(one->grant.issued_at, now))
         << Markup("</dd><dt>Ends</dt><dd>") << end_text(one->grant.expires_at, now) << Markup("</dd><dt>Purpose</dt><dd>");
    if (!one->grant.purpose_description.empty())
      main << Markup("“<bdi>") << Text(one->grant.purpose_description) << Markup("</bdi>”");
    else main << Markup("<code>") << Text(one->grant.purpose_code) << Markup("</code>");
    main << Markup("</dd><dt>Training</dt><dd>")
         << (one->grant.purpose_code == auth::kTrainingPurpose ? Markup("it may train on what it reads")
                                                               : Markup("not requested"))
         << Markup("</dd><dt>In a terminal</dt><dd><code>ladder grant show ") << Text(one->grant.grant_id)
         << Markup("</code></dd></dl>");
    if (kept.empty()) main << Markup("<p class=\"small soft\">Created in a terminal, without a preview.</p>");
    else main << Markup("<details><summary>What I was shown</summary>") << evidence_of(kept) << Markup("</details>");
    main << Markup("</section>\n");
  }
  if (summary.ends) {
    main << Markup(
                "<section class=\"card stack-2\"><h2>Extend</h2><p class=\"small soft\">It keeps its current access for "
                "longer.</p><div class=\"row\">")
         << client_action_form(action, csrf, id, "extend-30d", "30 days longer", "btn btn-s")
         << client_action_form(action, csrf, id, "extend-1y", "A year longer", "btn btn-s") << Markup("</div></section>\n");
  }
  if (!is_blocked) {
    const bool by_address = face.redirect.starts_with("https:");
    main << Markup(
                "<section class=\"card stack-2\"><h2>Block</h2><p class=\"small soft\">Revokes its access and denies its future "
                "requests.")
         << (by_address ? Markup(" This includes everything else from that address.</p>")
                        : Markup(" An app on this computer can come back under another name.</p>"))
         << client_action_form(action, csrf, id, "block", by_address ? format("Block {}", face.address) : "Block app",
                               "btn btn-s btn-bad")
         << Markup("</section>\n");
  }
  main << Markup("</aside></div>\n");
  return pages::page(200, visit.frame, main);
}

}  // namespace ladder::console
