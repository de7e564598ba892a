// The consent page: the client, its request, the choices, and a preview of the data.
#include "auth/kinds.h"
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

// The first section: who sends the request, whether the address is known, and the name the client chose.
Writer client_header(const auth::AuthorizationRequest& request, const auth::Client& client, bool knows_it, std::int64_t minutes) {
  const auth::Trust trust = auth::trust_of(request);
  Writer out;
  out << Markup("<section class=\"origin\" aria-labelledby=\"who\"><p class=\"eyebrow\">Request ") << Text(request.user_code)
      << Markup(" · expires in ") << plural(minutes, "minute", "minutes") << Markup("</p><h1 id=\"who\"><b>");
  if (trust == auth::Trust::kThisComputer && !client.name.empty()) {
    out << Markup("“<bdi>") << Text(client.name) << Markup("</bdi>” on this computer");
  } else {
    out << Text(auth::at_start(auth::requester_name(request)));
  }
  out << (knows_it ? Markup("</b> asks for more access</h1>") : Markup("</b> wants to connect</h1>"));
  out << Markup("<p class=\"row\">");
  if (trust == auth::Trust::kKnown) {
    out << Markup("<span class=\"badge badge-ok\">") << icon(Icon::kOk) << Markup("Known address</span>");
  } else if (trust == auth::Trust::kThisComputer) {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kComputer) << Markup("On this computer</span>");
  } else {
    out << Markup("<span class=\"badge badge-warn\">") << icon(Icon::kWarn) << Markup("Not known</span>");
  }
  out << Markup("<span class=\"soft\">");
  if (client.name.empty()) out << Markup("It has no name.");
  else out << Markup("Name: “<bdi>") << Text(client.name) << Markup("</bdi>” (chosen by the app)");
  out << Markup("</span></p>");
  if (trust == auth::Trust::kThisComputer) {
    out << notice(Markup("notice-info"), Icon::kInfo, "Any program on this computer can use this name.",
                  "Only continue if you just started this yourself.");
  }
  if (trust == auth::Trust::kCodeHolder) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "This request came from another device. That device gets the access.",
                  format("Only continue if your own device or app shows the code {}, and you started this.", request.user_code));
  }
  if (trust == auth::Trust::kUnknown) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "This address isn't on Ladder's list of known apps.",
                  "What you allow is sent there. If you didn't just start this yourself, deny it.");
  }
  if (!client.fetch_fault.empty()) {
    out << notice(Markup("notice-warn"), Icon::kWarn, "Couldn't update the app's description. Showing an older copy.",
                  client.fetch_fault);
  }
  out << Markup("<details><summary>How Ladder identifies the app</summary><dl class=\"facts\"><dt>Access is sent to</dt><dd>");
  if (trust == auth::Trust::kCodeHolder) out << Markup("the app that sent the request and is waiting");
  else out << Markup("<code>") << Text(request.redirect_uri) << Markup("</code>");
  out << Markup("</dd><dt>Registration</dt><dd>");
  if (client.kind == "document") out << Markup("its own address: <code>") << Text(client.client_id) << Markup("</code>");
  else if (client.kind == "dynamic")
    out << Markup("it registered itself as <code>") << Text(client.client_id) << Markup("</code>");
  else out << Markup("you added it as <code>") << Text(client.client_id) << Markup("</code>");
  out << Markup("</dd><dt>Connects to</dt><dd><code>") << Text(request.resource)
      << Markup("</code></dd></dl></details></section>\n");
  return out;
}

// "your e-mail messages: Subject and Date". Names that the owner's data doesn't have stay as the app wrote them.
std::string requested_text(const auth::RequestedSource& source, const auth::RequestedStream& stream, const auth::Offer& offer) {
  constexpr std::size_t kShown = 12;
  if (stream.name == "*") return "everything";
  const auto offered = std::ranges::find_if(offer.streams, [&](const auth::OfferedStream& one) {
    return one.stream == stream.name && (one.source_id == source.source || one.source_key == source.source);
  });
  const bool known = offered != offer.streams.end();
  std::string name = known ? auth::inside(auth::stream_title(offer, *offered)) : stream.name;
  if (stream.fields.empty()) return name;
  return name + ": " + (known ? auth::fields_text(*offered, stream.fields, kShown) : listed(stream.fields));
}

Writer request_details(const std::vector<auth::RequestedSource>& asked, const auth::Offer& offer) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"asks\"><div class=\"section-title\"><h2 id=\"asks\">What it asks for</h2></div><div "
      "class=\"card stack-2\">");
  if (asked.empty()) out << Markup("<p>It didn't ask for anything in particular. You choose what it can see.</p>");
  for (const auth::RequestedSource& source : asked) {
    if (!source.purpose_description.empty()) {
      out << Markup("<p><span class=\"quiet small\">In its own words</span><br>“<bdi>") << Text(source.purpose_description)
          << Markup("</bdi>”</p>");
    }
    std::vector<std::string> needs, likes;
    for (const auth::RequestedStream& stream : source.streams) {
      (stream.required ? needs : likes).push_back(requested_text(source, stream, offer));
    }
    out << Markup("<dl class=\"facts\"><dt>Source</dt><dd>") << Text(source.source) << Markup("</dd>");
    if (!needs.empty()) out << Markup("<dt>Required</dt><dd>") << Text(listed(needs)) << Markup("</dd>");
    if (!likes.empty()) out << Markup("<dt>Optional</dt><dd>") << Text(listed(likes)) << Markup("</dd>");
    out << Markup("<dt>Purpose</dt><dd><code>") << Text(source.purpose_code) << Markup("</code>")
        << (source.single_use ? Markup(", once") : Markup("")) << Markup("</dd>");
    if (!source.retention.empty()) {
      out << Markup("<dt>How long it keeps data</dt><dd>") << Text(source.retention) << Markup(" (not verified)</dd>");
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

// Without a review nothing can be allowed; `why` says what is missing. A fault is shown at the top of the page as well.
http::Response Site::consent_page(const Visit& visit, const ConsentModel& model, const Error* why, const Error* fault,
                                  bool changed) const {
  const std::string origin = auth::requester_name(model.request);
  const bool known_client = !model.held.empty();
  const std::int64_t minutes = std::max<std::int64_t>(1, (model.request.expires_at - authorization_.now()) / (60 * kSecond));
  Frame frame = visit.frame;
  frame.title = auth::at_start(origin) + " wants to connect";
  frame.wide = true;
  Writer main;
  main << Markup("<form action=\"/consent\" method=\"post\" data-preview=\"live\">") << hidden("csrf", visit.session->form_token)
       << hidden("request", model.request.id) << hidden("shown", model.review ? model.review->digest : "")
       << Markup(
              "<button class=\"unseen\" name=\"do\" value=\"preview\" tabindex=\"-1\" aria-hidden=\"true\">Update "
              "preview</button>\n<div class=\"consent\"><div class=\"ask\">\n");
  main << Markup("<div class=\"told\" id=\"told\">");
  if (changed) {
    main << notice(Markup("notice-info"), Icon::kInfo, "Check what it will see, then press Allow again.",
                   "The preview has changed since it was shown: by your choices, or because your data changed.");
  }
  if (fault) main << notice(Markup("notice-warn"), Icon::kWarn, "Check your choices.", fault->message);
  main << Markup("</div>\n");
  main << client_header(model.request, model.client, known_client, minutes) << request_details(model.details, model.offer);
  if (known_client && model.review) {
    main << change_list(auth::difference(model.offer, model.held, *model.review, model.choices.replaces));
  }
  main << grant_form(model.offer, model.choices,
                     {auth::wants_training(model.details), known_client, false, model.held_budget, fault})
       << Markup("</div>\n") << preview(model.review, model.offer, origin)
       << Markup("</div>\n<div class=\"decide\" id=\"decide\"><div class=\"decide-in\">");
  main << (model.review ? access_summary(*model.review, model.offer, origin)
                        : missing_choice(why ? why->message : "Choose at least one kind of data to share."))
       << Markup(
              "<div class=\"decide-buttons\"><button class=\"btn btn-l\" name=\"do\" value=\"deny\">Deny</button><button "
              "class=\"btn btn-l btn-act\" name=\"do\" value=\"allow\"")
       << (model.review ? Markup("") : Markup(" aria-disabled=\"true\" aria-describedby=\"why\""))
       << Markup(">Allow</button></div></div></div>\n</form>\n");
  return page(fault && visit.form.one("do") == "allow" ? 400 : 200, frame, main);
}

http::Response Site::connected_page(const Visit& visit, const ConsentModel& model,
                                    const std::vector<server::GrantSummary>& grants,
                                    const std::map<std::string, server::ReadBudget>& budgets) const {
  const auth::AuthorizationRequest& request = model.request;
  const std::string origin = auth::requester_name(request);
  Frame frame = visit.frame;
  frame.title = "Connected";
  Writer main;
  main << Markup("<div class=\"gate-box wide\"><div><p class=\"eyebrow\">Allowed</p><h1>") << Text(auth::at_start(origin))
       << Markup(" is connected</h1></div><div class=\"card stack\"><h2>What it can see</h2><dl class=\"facts\">");
  for (const server::GrantSummary& one : grants) {
    for (const grant::StreamGrant& stream : one.grant.streams) {
      const auto offered = std::ranges::find_if(model.offer.streams, [&](const auth::OfferedStream& known) {
        return known.source_id == one.grant.source_id && known.stream == stream.name;
      });
      const bool known = offered != model.offer.streams.end();
      main << Markup("<dt>") << Text(known ? auth::stream_title(model.offer, *offered) : stream.name) << Markup("</dt><dd>")
           << Text(known ? auth::at_start(auth::share_text(model.offer, one.grant, *offered)) : listed(stream.fields));
      if (stream.time && stream.time->since) main << Markup(", since ") << Text(day_text(*stream.time->since));
      main << Markup("</dd>");
    }
    if (const auto budget = budgets.find(one.grant.grant_id); budget != budgets.end()) {
      main << Markup("<dt>Daily limit</dt><dd>") << Text(budget->second.chars) << Markup(" characters, and ")
           << Text(budget->second.bytes) << Markup(" bytes of non-text files</dd>");
    }
    main << Markup("<dt>Terms</dt><dd>") << Text(auth::terms_text(one.grant)) << Markup("</dd>");
  }
  main << Markup(
      "<dt>Read so far</dt><dd>nothing</dd></dl><p class=\"small soft\">You can revoke this at any time under <a "
      "href=\"/clients\">Apps</a>. Ladder keeps a copy of what you saw and allowed.</p></div>");
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
              "<button class=\"btn btn-l\">Undo</button></form><p class=\"small quiet\">The app gets access only when you "
              "continue.</p></div></div>\n");
  return page(200, frame, main);
}

}  // namespace ladder::pages
