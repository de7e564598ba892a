// The consent page: who gets the answer, what it asks, what the owner gives, and beside it what the client will see.
#include "base/text/format.h"
#include "pages/consent_form.h"
#include "pages/consent_view.h"

#include <algorithm>

namespace ladder::pages {
namespace {

using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;

// The first section: the address, whether it is known, and only then the name it gives itself.
Writer who_asks(const auth::AuthorizationRequest& request, const auth::Client& client, bool knows_it, std::int64_t minutes) {
  const auth::Trust trust = auth::trust_of(request);
  Writer out;
  out << Markup("<section class=\"origin\" aria-labelledby=\"who\"><p class=\"eyebrow\">Request ") << Text(request.user_code)
      << Markup(" · open for ") << plural(minutes, "more minute", "more minutes") << Markup("</p><h1 id=\"who\"><b>")
      << Text(auth::at_start(auth::shown_asker(request)))
      << (knows_it ? Markup("</b> asks again to read some of your data</h1>")
                   : Markup("</b> asks to read some of your data</h1>"));
  out << Markup("<p class=\"row\">");
  if (trust == auth::Trust::kKnown) {
    out << Markup("<span class=\"badge badge-ok\">") << icon(Icon::kOk) << Markup("Known address</span>");
  } else if (trust == auth::Trust::kThisComputer) {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kComputer) << Markup("On this computer</span>");
  } else {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kWarn) << Markup("Not known</span>");
  }
  out << Markup("<span class=\"soft\">");
  if (client.name.empty()) out << Markup("It gives itself no name.");
  else out << Markup("It calls itself “<bdi>") << Text(client.name) << Markup("</bdi>”.");
  out << Markup("</span></p>");
  if (trust == auth::Trust::kThisComputer) {
    out << notice(Markup("notice-info"), Icon::kInfo, "Any program here can use that name.",
                  "Go on only if you have just started this yourself.");
  }
  if (trust == auth::Trust::kCodeHolder) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Whoever holds this request gets the access.",
                  format("Go on only if the code {} stands on a device or in a program of your own, and you started this.",
                         request.user_code));
  }
  if (trust == auth::Trust::kUnknown) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Ladder does not know this address.",
                  "What you allow goes there. If you did not just start this yourself, deny it.");
  }
  if (!client.fetch_fault.empty()) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Its description could not be fetched anew; an older copy is used.",
                  client.fetch_fault);
  }
  out << Markup(
      "<details><summary>How Ladder knows who is asking</summary><dl class=\"facts\"><dt>The answer goes "
      "to</dt><dd>");
  if (trust == auth::Trust::kCodeHolder) out << Markup("whoever asked; it waits for it");
  else out << Markup("<code>") << Text(request.redirect_uri) << Markup("</code>");
  out << Markup("</dd><dt>It is described by</dt><dd>");
  if (client.kind == "document")
    out << Markup("a document at its own address, <code>") << Text(client.client_id) << Markup("</code>");
  else if (client.kind == "dynamic")
    out << Markup("itself: it registered as <code>") << Text(client.client_id) << Markup("</code>");
  else out << Markup("you: you entered it as <code>") << Text(client.client_id) << Markup("</code>");
  out << Markup("</dd><dt>It reads through</dt><dd><code>") << Text(request.resource)
      << Markup("</code></dd></dl></details></section>\n");
  return out;
}

Writer what_it_asks(const std::vector<auth::AskedSource>& asked, const auth::Offer& offer) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"asks\"><div class=\"section-title\"><h2 id=\"asks\">What it asks for</h2></div><div "
      "class=\"card stack-2\">");
  if (asked.empty()) out << Markup("<p>It names nothing in particular: you choose what it may read.</p>");
  for (const auth::AskedSource& source : asked) {
    if (!source.purpose_description.empty()) {
      out << Markup("<p><span class=\"quiet small\">In its own words</span><br>“<bdi>") << Text(source.purpose_description)
          << Markup("</bdi>”</p>");
    }
    std::vector<std::string> needs, likes;
    for (const auth::AskedStream& stream : source.streams) {
      std::string text = stream.name == "*" ? "everything" : stream.name;
      if (!stream.fields.empty()) text += ": " + listed(stream.fields);
      (stream.required ? needs : likes).push_back(std::move(text));
    }
    out << Markup("<dl class=\"facts\"><dt>Of</dt><dd>") << Text(source.source) << Markup("</dd>");
    if (!needs.empty()) out << Markup("<dt>It needs</dt><dd>") << Text(listed(needs)) << Markup("</dd>");
    if (!likes.empty()) out << Markup("<dt>It would like</dt><dd>") << Text(listed(likes)) << Markup("</dd>");
    out << Markup("<dt>For</dt><dd><code>") << Text(source.purpose_code) << Markup("</code>")
        << (source.single_use ? Markup(", once") : Markup("")) << Markup("</dd>");
    if (!source.retention.empty()) {
      out << Markup("<dt>It says it keeps it</dt><dd>") << Text(source.retention) << Markup(" (its own claim)</dd>");
    }
    out << Markup("</dl>");
    for (const std::string& claim : source.commitments) {
      out << Markup("<p class=\"small soft\">It says: “<bdi>") << Text(claim) << Markup("</bdi>”</p>");
    }
  }
  for (const std::string& name : offer.missing) {
    out << Markup("<p class=\"small soft\">You have no ") << Text(name) << Markup(", so it gets none.</p>");
  }
  out << Markup("</div>");
  out << Markup("</section>\n");
  return out;
}

}  // namespace

http::Response Site::consent_page(const Visit& visit, const Asked& asked, const Error* fault, bool changed) const {
  const std::string origin = auth::shown_asker(asked.request);
  const bool known_client = !asked.held.empty();
  const std::int64_t minutes = std::max<std::int64_t>(1, (asked.request.expires_at - authorization_.now()) / (60 * kSecond));
  Frame frame = visit.frame;
  frame.title = auth::at_start(origin) + " asks";
  frame.wide = true;
  Writer main;
  main << Markup("<form action=\"/consent\" method=\"post\" data-preview=\"live\">") << hidden("csrf", visit.session->form_token)
       << hidden("request", asked.request.id) << hidden("shown", asked.review ? asked.review->digest : "")
       << Markup(
              "<button class=\"unseen\" name=\"do\" value=\"preview\" tabindex=\"-1\" aria-hidden=\"true\">Update "
              "preview</button>\n<div class=\"consent\"><div class=\"ask\">\n");
  main << Markup("<div class=\"told\" id=\"told\">");
  if (changed) {
    main << notice(Markup("notice-info"), Icon::kInfo, "Please look again.",
                   "What you saw has changed since you opened this page, so the preview was made anew. Your choices are as you "
                   "left them.");
  }
  if (fault) main << notice(Markup("notice-warn"), Icon::kWarn, "Not yet.", fault->message);
  main << Markup("</div>\n");
  main << who_asks(asked.request, asked.client, known_client, minutes) << what_it_asks(asked.details, asked.offer);
  if (known_client && asked.review) {
    main << what_changes(auth::difference(asked.offer, asked.held, *asked.review, asked.choices.replaces));
  }
  main << what_you_give(asked.offer, asked.choices, {auth::wants_training(asked.details), known_client, false, asked.held_budget})
       << Markup("</div>\n") << preview(asked.review, asked.offer, origin)
       << Markup("</div>\n<div class=\"decide\" id=\"decide\"><div class=\"decide-in\">");
  if (asked.review) main << sentence(*asked.review, origin);
  else main << Markup("<p>Tick what you want to give, then look at the preview.</p>");
  main << Markup(
      "<div class=\"decide-buttons\"><button class=\"btn btn-l\" name=\"do\" value=\"deny\">Deny</button><button "
      "class=\"btn btn-l btn-act\" name=\"do\" value=\"allow\">Allow</button></div></div></div>\n</form>\n");
  return page(fault && visit.form.one("do") == "allow" ? 400 : 200, frame, main);
}

http::Response Site::connected_page(const Visit& visit, const Asked& asked, const std::vector<server::GrantSummary>& grants,
                                    const std::map<std::string, server::ReadBudget>& budgets) const {
  const auth::AuthorizationRequest& request = asked.request;
  const std::string origin = auth::shown_asker(request);
  Frame frame = visit.frame;
  frame.title = "Connected";
  Writer main;
  main << Markup("<div class=\"gate-box wide\"><div><p class=\"eyebrow\">Allowed</p><h1>") << Text(auth::at_start(origin))
       << Markup(" is connected</h1></div><div class=\"card stack\"><h2>What it may see from now on</h2><dl class=\"facts\">");
  for (const server::GrantSummary& one : grants) {
    for (const grant::StreamGrant& stream : one.grant.streams) {
      const auto offered = std::ranges::find_if(asked.offer.streams, [&](const auth::OfferedStream& known) {
        return known.source_id == one.grant.source_id && known.stream == stream.name;
      });
      main << Markup("<dt>") << Text(offered == asked.offer.streams.end() ? stream.name : offered->label) << Markup("</dt><dd>")
           << Text(listed(stream.fields));
      if (stream.time && stream.time->since) main << Markup(", since ") << Text(day_text(*stream.time->since));
      main << Markup("</dd>");
    }
    if (const auto budget = budgets.find(one.grant.grant_id); budget != budgets.end()) {
      main << Markup("<dt>A day</dt><dd>at most ") << Text(budget->second.chars) << Markup(" characters, and ")
           << Text(budget->second.bytes) << Markup(" bytes of files that are not text</dd>");
    }
    main << Markup("<dt>Terms</dt><dd>") << Text(auth::terms_text(one.grant)) << Markup("</dd>");
  }
  main << Markup(
      "<dt>Read so far</dt><dd>nothing</dd></dl><p class=\"small soft\">You can end this at any time under <a "
      "href=\"/clients\">Clients</a>. What you were shown and what you allowed is kept with the grant.</p></div>");
  main << Markup("<div class=\"row\">");
  if (request.exchange.empty()) {
    main << Markup("<form action=\"/consent/continue\" method=\"post\">") << hidden("csrf", visit.session->form_token)
         << hidden("request", request.id) << Markup("<button class=\"btn btn-act btn-l\">")
         << (auth::trust_of(request) == auth::Trust::kThisComputer || request.kind != auth::RequestKind::kCode
                 ? Markup("Continue")
                 : Markup("Continue to "))
         << Text(auth::trust_of(request) == auth::Trust::kThisComputer || request.kind != auth::RequestKind::kCode ? "" : origin)
         << Markup(" ") << icon(Icon::kGo) << Markup("</button></form>");
  }
  main << Markup("<form action=\"/consent/undo\" method=\"post\">") << hidden("csrf", visit.session->form_token)
       << hidden("request", request.id)
       << Markup(
              "<button class=\"btn btn-l\">Undo</button></form><p class=\"small quiet\">It gets its key only when you "
              "continue.</p></div></div>\n");
  return page(200, frame, main);
}

}  // namespace ladder::pages
