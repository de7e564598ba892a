// Reduces the access of a connected client. New grants replace the old ones and never contain more. The page uses the consent
// form, and the tokens of the client stay valid.
#include "auth/kinds.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/clients/client_summary.h"
#include "console/console.h"
#include "console/parts.h"
#include "pages/consent_form.h"

#include <algorithm>

namespace ladder::console {
namespace {

using auth::day_text;
using auth::listed;

// `offered` is null for a stream that no longer exists.
std::string rights_text(const auth::Offer& offer, const grant::Grant& grant, const grant::StreamGrant& stream,
                        const auth::OfferedStream* offered) {
  std::string text = offered ? auth::share_text(offer, grant, *offered) : listed(stream.fields);
  if (stream.time && stream.time->since) text += " since " + day_text(*stream.time->since);
  if (stream.time && stream.time->until) text += " before " + day_text(*stream.time->until);
  if (!stream.resources.empty()) text += format(", {} records", stream.resources.size());
  return text;
}

std::string end_word(const std::optional<Instant>& ends) { return ends ? "until " + day_text(*ends) : "until you revoke it"; }

std::string budget_word(const std::optional<std::int64_t>& chars) {
  return chars ? grouped(*chars) + " characters a day" : "no daily limit";
}

// Compares the current access with the reduced access, row by row.
Writer side_by_side(const std::vector<server::GrantSummary>& held, std::optional<std::int64_t> held_budget,
                    const auth::Offer& offer, const auth::Narrowing* narrowing) {
  Writer out;
  out << Markup(
      "<section aria-labelledby=\"beside\"><div class=\"section-title\"><h2 id=\"beside\">Current and new access</h2></div><div "
      "class=\"card "
      "card-flush\" id=\"diff\"><table class=\"table table-cards\"><thead><tr><th scope=\"col\">What</th><th "
      "scope=\"col\">Now</th><th scope=\"col\">New</th></tr></thead><tbody>");
  const auto row = [&](const std::string& what, const std::string& now, const std::string& then) {
    out << Markup("<tr><th scope=\"row\" dir=\"auto\">") << Text(what) << Markup("</th><td data-name=\"Now\">") << Text(now)
        << Markup("</td><td data-name=\"New\">");
    if (!narrowing || now == then) out << Markup("<span class=\"quiet\">unchanged</span>");
    else if (then.empty()) out << Markup("<b>not shared</b>");
    else out << Markup("<b>") << Text(then) << Markup("</b>");
    out << Markup("</td></tr>\n");
  };
  for (std::size_t i = 0; i < held.size(); ++i) {
    const grant::Grant& had = held[i].grant;
    const grant::Grant* left = narrowing && narrowing->drafts[i].grant ? &*narrowing->drafts[i].grant : nullptr;
    for (const grant::StreamGrant& stream : had.streams) {
      const auto offered = std::ranges::find_if(offer.streams, [&](const auth::OfferedStream& one) {
        return one.source_id == had.source_id && one.stream == stream.name;
      });
      const std::string name =
          offered == offer.streams.end() ? stream.name : format("{}: {}", offered->source_name, auth::inside(offered->label));
      const grant::StreamGrant* then = left ? left->stream(stream.name) : nullptr;
      const auth::OfferedStream* known = offered == offer.streams.end() ? nullptr : &*offered;
      row(name, rights_text(offer, had, stream, known), then ? rights_text(offer, *left, *then, known) : "");
    }
    row("Access ends", end_word(had.expires_at), left ? end_word(left->expires_at) : "");
  }
  row("Daily limit", budget_word(held_budget), narrowing ? budget_word(narrowing->review.budget) : "");
  out << Markup("</tbody></table></div></section>\n");
  return out;
}

}  // namespace

Result<http::Response> Console::narrow(Visit& visit) {
  const std::string id = visit.form.one("id");
  LADDER_TRY(const auto held, authorization_.client_access().held(*visit.owner, id));
  if (held.empty()) return pages::message_page(404, visit.frame, "Nothing to reduce", "This app has no access.");
  LADDER_TRY(ClientFaces faces, ClientFaces::of(authorization_, *visit.owner));
  const ClientFace face = faces.at(id);
  LADDER_TRY(const auto known, authorization_.clients().recall(id));
  auth::Client client = known.value_or(auth::Client{});
  client.client_id = id;
  server::ResourceServer& server = authorization_.server();
  LADDER_TRY(auto all, auth::make_offer(server, *visit.owner, {}, held));
  const auth::Offer offer = auth::held_offer(std::move(all), held);
  LADDER_TRY(const auto budgets, server.ledger().budgets(*visit.owner));
  const auto held_budget = auth::held_budget(budgets, held);

  auth::Choices choices = auth::held_choices(offer, held);
  if (visit.is_post) {
    choices = pages::read_choices(visit.form, offer);
    if (const std::string preset = visit.form.one("preset"); !preset.empty()) {
      choices = preset == "same" ? auth::held_choices(offer, held) : auth::with_preset(offer, std::move(choices), preset);
    }
  }
  auth::fill_held(choices, offer, held);
  auth::fill_budget(choices, held_budget);
  auto made = auth::make_narrowing(server, *visit.owner, client, offer, held, held_budget, choices, authorization_.now());
  if (!made && made.error().code != Code::kInvalidRequest) return std::unexpected(made.error());
  std::string fault = made ? "" : made.error().message;
  bool changed = false;
  const bool narrows = visit.is_post && visit.form.one("do") == "narrow";
  const std::string missing = !made ? fault : made->changes ? "" : "Nothing to save. Turn something off first.";
  if (narrows && made) {
    if (!made->changes) fault = missing;
    else if (visit.form.one("shown") != made->review.digest) changed = true;
    else {
      LADDER_CHECK(authorization_.client_access().narrow(*visit.owner, *made, visit.session->id));
      return pages::redirect_to("/client?id=" + Url::encoded(id));
    }
  }

  pages::Frame frame = visit.frame;
  frame.menu.reset();
  frame.wide = true;
  frame.title = "Reduce access: " + face.title;
  const std::string origin = face.title;
  std::optional<auth::Review> review;
  if (made) review = made->review;
  Writer main;
  main
      << Markup("<form action=\"/client/narrow\" method=\"post\" data-preview=\"live\">") << hidden("csrf", visit.csrf())
      << hidden("id", id) << hidden("shown", made ? made->review.digest : "")
      << Markup(
             "<button class=\"unseen\" name=\"do\" value=\"preview\" tabindex=\"-1\" aria-hidden=\"true\">Update "
             "preview</button>\n<div class=\"consent\"><div class=\"ask\">\n<section class=\"origin\" aria-labelledby=\"who\"><p "
             "class=\"eyebrow\">Reduce access</p><h1 id=\"who\">Reduce what <b>")
      << Text(origin) << Markup("</b> can see</h1><p class=\"soft\">");
  if (!face.name.empty() && face.title == face.address)
    main << Markup("Name: “<bdi>") << Text(face.name) << Markup("</bdi>” (chosen by the app). ");
  main << Markup("Takes effect immediately; the app keeps the rest. This doesn't undo what it has already read.</p></section>\n");
  main << Markup("<div class=\"told\" id=\"told\">");
  if (changed) {
    main << pages::notice(Markup("notice-info"), Icon::kInfo, "Your data changed since you opened this page.",
                          "Check the updated preview.");
  }
  if (!fault.empty()) main << pages::notice(Markup("notice-warn"), Icon::kWarn, "Check your choices.", fault);
  main << Markup("</div>\n");
  main << side_by_side(held, held_budget, offer, made ? &*made : nullptr)
       << pages::grant_form(offer, choices, {false, true, true, held_budget}) << Markup("</div>\n")
       << pages::preview(review, offer, origin)
       << Markup("</div>\n<div class=\"decide\" id=\"decide\"><div class=\"decide-in\">");
  main << (missing.empty() ? pages::access_summary(*review, offer, origin) : pages::missing_choice(missing));
  main << Markup("<div class=\"decide-buttons\"><a class=\"btn btn-l\"") << Attribute("href", Url::path("/client?id=", id))
       << Markup(">Cancel</a><button class=\"btn btn-l btn-act\" name=\"do\" value=\"narrow\"")
       << (missing.empty() ? Markup("") : Markup(" aria-disabled=\"true\" aria-describedby=\"why\""))
       << Markup(">Reduce access</button></div></div></div>\n</form>\n");
  return pages::page(narrows && !fault.empty() ? 400 : 200, frame, main);
}

}  // namespace ladder::console
